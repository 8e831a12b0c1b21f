# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Arms that commands drive at other joints, and that fall while nothing is sent."""

from __future__ import annotations

from itertools import count
from math import nan

import numpy as np
import pytest
from bench import NAMES
from called import Called
from ros_helpers import until
from test_commands_end import DAMPED, ZERO, begun, now


@pytest.mark.usefixtures("no_plausible_limits")
@pytest.mark.parametrize("before", ["overspeed", "the delay of the comparison"])
def test_zero_is_sent_where_an_arm_runs_away_by_commands_at_other_joints(
    called: Called, before: str
) -> None:
    """Damping would go to other joints too; the efforts that come back say so, soon or later."""
    bench = begun(called, **{**DAMPED, "damp.duration": 60.0})
    turn = 2.0 * np.pi  # in each second, so that gravity stays the same
    falling = ([-turn * k, 0.0] for k in count(1))
    fast = {"velocity": [-turn, 0.0]}
    turned = before != "overspeed"  # whether efforts show it by then

    def fall() -> bool:
        efforts = now(bench)[::-1] if turned else now(bench)
        return bool(bench.send(NAMES, next(falling), **fast, effort=efforts))

    until(lambda: fall() and not bench.node.active)
    if turned:
        bench.report("the commands in another order")
        assert not bench.node.busy
    else:
        bench.report("joint 'first' at overspeed")
        assert bench.node.busy
        turned = True
    until(lambda: fall() and not bench.node.busy)
    until(lambda: now(bench) == ZERO)


@pytest.mark.parametrize(
    "there", [[nan, 0.0], [99.0, 0.0], [0.0]], ids=["NaN", "implausible", "length"]
)
def test_refused_states_show_too_that_commands_reach_other_joints(
    called: Called, there: list[float]
) -> None:
    """An arm that is driven so fast that its states are implausible was driven on until a gap."""
    bench = begun(called, **{"shutdown.command": "hold_gravity"})
    efforts = now(bench)[::-1]
    until(lambda: bench.send(NAMES, there, effort=efforts) and not bench.node.active)
    bench.report("the commands in another order")
    until(lambda: now(bench) == ZERO)


@pytest.mark.usefixtures("no_plausible_limits", "never_settled")
def test_an_arm_that_falls_in_a_gap_answered_by_zero_is_braked_before_states_settle(
    called: Called,
) -> None:
    gap = {"on_loss": "zero", "joint_state_timeout": 0.5}
    bench = begun(called, **{"damp.duration": 60.0}, **gap)
    until(lambda: now(bench) == ZERO)
    fast, falling = {"velocity": [-9.0, 0.0]}, ([-9.0 * k, 0.0] for k in count(1))
    until(lambda: bench.send(NAMES, next(falling), **fast) and not bench.node.active)
    bench.report("joint 'first' at overspeed")
    until(lambda: bench.send(NAMES, next(falling), **fast) and now(bench)[0] > 0.0)
