# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joints without a motor under computed_torque: nothing is desired of them but what they do."""

from __future__ import annotations

import numpy as np
import pytest
from called import Called
from ros_helpers import Ros, until
from test_computed_torque import Tracker, refusal_of

pytestmark = pytest.mark.usefixtures("enough_states")

LOOSE = "wrist_3_joint"
LAST = np.eye(6)[5]


def swinging(ros: Ros | Called) -> Tracker:
    """A UR5 whose last joint is loose and has swung further than max_tracking_error."""
    bench = Tracker(ros, passive_joints=[LOOSE], max_tracking_error=0.2)
    assert list(bench.desired_next().position) == list(bench.q)
    bench.q, bench.v = bench.q + 0.9 * LAST, bench.v + LAST
    return bench


def test_a_loose_joint_that_swings_ends_nothing(called: Called) -> None:
    """Nor do the others get efforts for where it was."""
    bench = swinging(called)
    desired = bench.desired_next()
    assert bench.node.active
    assert (desired.position[5], desired.velocity[5]) == (bench.q[5], bench.v[5])
    assert list(desired.position[:5]) == list(bench.q[:5])
    bench.q = bench.q + 0.3 * np.eye(6)[4]
    bench.send(bench.names, **bench.state())
    until(lambda: not bench.node.active)  # for a joint that has a motor


@pytest.mark.parametrize("time", [0.0, 4.0])
def test_a_trajectory_moves_no_loose_joint_and_says_so(called: Called, time: float) -> None:
    """Wherever that joint is, the others follow."""
    bench = swinging(called)
    bench.desired_next()
    goal = bench.q + 0.1 - 2.0 * LAST
    bench.follow({"time": time, "positions": goal})
    words = f"moves passive joint '{LOOSE}'"
    until(lambda: any(words in line for line in bench.logged()))
    reached = bench.q + 0.1 - 0.1 * LAST
    bench.until_desired(reached)
    assert bench.node.active
    assert not refusal_of(bench)


def test_a_loose_joint_that_is_to_rest_is_not_worth_a_word(called: Called) -> None:
    bench = swinging(called)
    bench.desired_next()
    bench.follow({"time": 4.0, "positions": bench.q + 0.1 - 0.099 * LAST})
    bench.until_desired(bench.q + 0.1 - 0.1 * LAST)
    assert bench.logged()
    assert not any(LOOSE in line for line in bench.logged())
