# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Who has nothing to look after soon is looked after less often, and never too late."""

from __future__ import annotations

from math import inf

import pytest
from ros_helpers import Ros, until

from dyn_ros.inputs.joint_states import Freshness
from dyn_ros.node.supervision import PERIOD, PERIODS_S, Supervision


class Watchman:
    """Says for how long all is calm."""

    def __init__(self) -> None:
        self.calm: float | None = None
        self.looks = 0

    def look(self) -> float | None:
        self.looks += 1
        return self.calm


@pytest.mark.wiring
def test_the_most_restless_says_how_often_it_ticks(ros: Ros) -> None:
    first, second = watchmen = Watchman(), Watchman()
    supervision = Supervision(ros.tester, [x.look for x in watchmen])
    ros.start()

    def period() -> float:
        before = second.looks
        until(lambda: second.looks > before + 1)
        return supervision._timer.timer_period_ns / 1e9

    assert period() == PERIOD
    first.calm = inf
    assert period() == PERIOD
    second.calm = inf
    assert period() == PERIODS_S[0]
    for calm in (1.0, 0.1, 0.05, -1.0):
        first.calm = calm
        assert period() <= max(calm, PERIOD)
    second.calm = None
    assert period() == PERIOD


def test_time_that_is_left_ends_when_samples_are_stale() -> None:
    state = Freshness()
    state.set(0.1, 1, 0.0)
    state.start(0.0)
    assert state.left(0.0) is None  # no sample yet: nobody knows
    state.accept(1.0)
    assert state.left(1.04) == pytest.approx(0.06)
    left = state.left(1.0)
    assert left is not None
    assert not state.expire(1.0 + 0.999 * left)
    assert state.expire(1.0 + 1.001 * left)
    assert state.left(1.2) is None
