# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A trajectory whose stamp lies in the past is joined in its midst, whatever point is next."""

from __future__ import annotations

import numpy as np
import pytest
from ros_helpers import UR5

import dyn_core
from dyn_core.control import State, Trajectory
from dyn_ros.arrays import Vector
from dyn_ros.inputs.trajectory_check import Plan, check, planned
from dyn_ros.kernels.surroundings import Surroundings
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.safety.motion_policy import MotionLimits
from dyn_ros.tracking.setpoint import Law, Setpoint

MODEL = dyn_core.Model.from_urdf(str(UR5))
LIMITS, AROUND = MotionLimits(MODEL, ()), Surroundings(MODEL)
BEGIN = np.array([0.0, -1.5, 1.0, 0.0, 0.5, 0.0])
WAY, SECONDS = np.array([0.6, -0.4, 0.5, -0.6, 0.5, 0.6]), 3.0
POINTS = np.arange(1, 301) * 0.01  # s after the start


def motion(times: Vector) -> list[Vector]:
    """A quintic from rest to rest: positions, velocities, accelerations [n, 6]."""
    s = np.clip(np.atleast_1d(times) / SECONDS, 0.0, 1.0)
    shares = (
        s**3 * (10.0 - 15.0 * s + 6.0 * s**2),
        30.0 * s**2 * (1.0 - s) ** 2 / SECONDS,
        60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / SECONDS**2,
    )
    position, velocity, acceleration = (np.outer(x, WAY) for x in shares)
    return [BEGIN + position, velocity, acceleration]


def desired(nanoseconds: int) -> State:
    """What the motion under way, which began at 0, desires."""
    position, velocity, acceleration = (x[0] for x in motion(np.array([nanoseconds / 1e9])))
    return position, velocity, acceleration


def plan_of(begin: int, shift: float, frequency: float = 10.0) -> Plan:
    """The motion again, moved by `shift` rad, from `begin` ns on, where it is under way."""
    law = Law(frequency, 1.0, True, 0.1, np.asarray(MODEL.effort_limit) / 0.1)
    position, *derivatives = motion(POINTS)
    state = desired(begin)
    read = (POINTS, [position + shift, *derivatives])
    return planned(read, 0, begin, state, state[:2], [], law)


def joined(begin: int, shift: float, frequency: float = 10.0) -> Trajectory | Setpoint:
    """That motion. Raises InputRefusedError if its check does."""
    return check(plan_of(begin, shift, frequency), LIMITS, AROUND, 1.0)[0]


def most_apart(joined: Trajectory | Setpoint, begin: float) -> float:
    """By how much it differs from the motion under way, rad, until its end."""
    times = np.linspace(begin, SECONDS, 400)
    states = np.array([joined.sample(t)[0] for t in times])
    return float(np.abs(states - motion(times)[0]).max())


def test_one_that_was_planned_from_elsewhere_is_told_where_to_begin() -> None:
    """From the measured position, where a robot hangs below what is desired: no speed is wrong."""
    state, law = desired(0), Law(10.0, 1.0, True, 0.1, np.asarray(MODEL.effort_limit) / 0.1)
    position, *derivatives = motion(POINTS)

    def check_from(shift: float) -> None:
        read = (POINTS, [position + shift, *derivatives])
        check(planned(read, 0, 0, state, state[:2], [], law), LIMITS, AROUND, 1.0)

    check_from(0.0)
    words = "begin where ~/desired says, or with a point at time 0"
    with pytest.raises(InputRefusedError, match=words):
        check_from(0.05)


@pytest.mark.parametrize("before", [1, 1000, 1_000_000, 9_999_999])
@pytest.mark.parametrize("frequency", [0.0, 0.5, 10.0, 30.0])
@pytest.mark.parametrize("shift", [0.0, 1e-6, 1e-4, 1e-3])
def test_it_may_be_joined_however_soon_its_next_point_comes(
    before: int, frequency: float, shift: float
) -> None:
    """Between 33 and 200 ms of its points are left out; its spline goes by without them."""
    begin = 1_500_000_000 - before
    assert most_apart(joined(begin, shift, frequency), begin / 1e9) < shift + 1e-9


def test_no_point_of_one_that_begins_is_left_out() -> None:
    assert len(plan_of(0, 0.0).times) == 1 + len(POINTS)
    assert len(plan_of(1, 0.0).times) == 1 + len(POINTS) - 10


def test_the_last_point_is_never_left_out() -> None:
    begin = 2_999_000_000
    joined(begin, 0.0)
    with pytest.raises(
        InputRefusedError, match=r"header.stamp is 3 s ago, and 0.001 s are left until its last"
    ):
        joined(begin, 0.01)
