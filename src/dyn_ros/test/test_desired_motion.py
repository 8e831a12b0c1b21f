# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What is desired after joint states had a gap: near the robot, and nothing nobody asked for."""

from __future__ import annotations

from math import inf, pi

import numpy as np
import pytest

from dyn_ros.tracking.motion import DesiredMotion


def desired_after(before: float, after: float, most: float = inf, turning: bool = False) -> float:
    """Where a joint shall be that was to be at 1 rad, and was somewhere before and after a gap."""
    motion = DesiredMotion()
    motion.turning = [0] if turning else []
    motion.rest(np.array([1.0]))
    motion.at(0, np.array([before]))
    motion.stay(np.array([after]), most)
    return float(motion.state[0][0])


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (0.95, 0.95, 1.0),  # it hangs there, and goes on to
        (0.95, 0.5, 0.55),  # it has been moved: no further from it than before
        (0.7, 0.9, 1.0),  # it has come nearer: not beyond what was asked for
        (0.7, 1.2, 1.0),  # it has gone beyond
        (1.0, 1.3, 1.3),
    ],
)
def test_after_a_gap_the_robot_is_as_far_from_what_is_desired_as_before_at_most(
    before: float, after: float, expected: float
) -> None:
    assert desired_after(before, after) == pytest.approx(expected)


def test_gap_after_gap_takes_nothing_beyond_what_was_asked_for() -> None:
    """What held the robot goes on in each gap, and moves it."""
    motion, random = DesiredMotion(), np.random.default_rng(1)
    motion.rest(np.array([1.0]))
    position = np.array([0.5])
    for _ in range(100):
        motion.at(0, position)
        position = position + random.uniform(0.0, 0.2)
        motion.stay(position, inf)
        assert 0.5 <= motion.state[0][0] <= max(1.0, position[0])
        position = motion.state[0] - 0.3


def test_what_was_refused_as_too_far_is_not_carried_over() -> None:
    assert desired_after(0.4, 0.4, most=0.5) == pytest.approx(0.4)


def test_joints_without_end_take_the_short_way() -> None:
    assert desired_after(0.9, 0.9 - 2.0 * pi, turning=True) == pytest.approx(1.0 - 2.0 * pi)
