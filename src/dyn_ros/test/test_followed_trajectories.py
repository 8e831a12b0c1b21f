# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A trajectory that is taken is followed within all limits; one that cannot be is refused.

An ideal robot under the law and the limits of commands, without delay, is the measure.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from robots import ROBOT_FILES, example_robots
from ros_helpers import UR5

import dyn_core
from dyn_core.control import ComputedTorque, State
from dyn_core.control.trajectory import quintic
from dyn_ros.arrays import Vector
from dyn_ros.inputs.trajectory_check import Plan, check, planned
from dyn_ros.kernels.surroundings import Surroundings
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.safety.effort_policy import EffortPolicy, EffortSettings, Event
from dyn_ros.safety.motion_policy import MotionLimits
from dyn_ros.tracking.effort_steps import EffortSteps
from dyn_ros.tracking.setpoint import Law

STEP = 2e-3  # s


class Followed(NamedTuple):
    """What a robot that followed a trajectory did at most."""

    error: float  # rad or m, from what is desired
    speed: float  # times its velocity limits
    effort: float  # that was wanted, times its effort limits


class Robot:
    """A robot at rest, or in a desired motion, to which trajectories are sent."""

    def __init__(self, urdf: str, position: Vector, frequency: float = 10.0) -> None:
        self.model = dyn_core.Model.from_urdf(urdf)
        self.limits, self.around = MotionLimits(self.model, ()), Surroundings(self.model)
        self.effort_limit = np.asarray(self.model.effort_limit)
        self.law = Law(frequency, 1.0, True, 0.1, self.effort_limit / 0.1)
        self.q, self.rest = position, np.zeros(self.model.nv)

    def plan(
        self,
        times: Any,
        *given: Any,
        late: float = 0.0,
        velocity: Any = 0.0,
        desired: State | None = None,
    ) -> Plan:
        """How a trajectory is followed whose stamp is `late` s ago."""
        state = desired or (self.q, self.rest + velocity, self.rest)
        start, begin = 10**9, 10**9 + round(late * 1e9)
        read = np.array(times, dtype=float), [np.array(x, dtype=float) for x in given]
        return planned(read, start, begin, state, state[:2], [], self.law)

    def refusal(self, *trajectory: Any, **how: Any) -> str:
        """Why a trajectory is refused; empty: it is not."""
        plan = self.plan(*trajectory, **how)
        try:
            _, step = check(plan, self.limits, self.around, 1.0)
            EffortSteps(self.model.dof_names).add(step, plan.begin, plan.law)
        except InputRefusedError as refusal:
            return str(refusal)
        return ""

    def follow(self, *trajectory: Any, **how: Any) -> Followed:
        """Follow a trajectory, whatever its check says, and a second longer."""
        plan = self.plan(*trajectory, **how)
        motion, t = plan.motion, plan.times[0]
        rnea, aba = (dyn_core.compile(self.model, [name]) for name in ("rnea", "aba"))
        law = ComputedTorque(self.model)
        settings = EffortSettings(self.effort_limit, self.law.effort_rate, ramp=0.0)
        policy = EffortPolicy(self.model.dof_names, settings)
        q, v = self.q, plan.first.way[1][0]
        policy.begin(rnea(q, v, self.rest), t)
        error = speed = effort = 0.0
        while t < plan.times[-1] + 1.0:
            acceleration = law.update(q, v, motion.sample(t), *self.law[:2])
            wanted = rnea(q, v, acceleration)
            t = t + STEP
            v = v + STEP * aba(q, v, policy.step(t, Event.FOLLOW, wanted=wanted))
            q = q + STEP * v
            error = max(error, float(np.abs(law.error).max()))
            speed = max(speed, float(np.abs(v / self.model.velocity_limit).max()))
            effort = max(effort, float(np.abs(wanted / self.effort_limit).max()))
        return Followed(error, speed, effort)


@pytest.fixture(scope="module")
def ur5() -> Robot:
    return Robot(str(UR5), np.array([0.2, -1.0, 1.2, -0.6, 0.3, 0.2]))


@pytest.mark.parametrize(("way", "seconds"), [(0.1, 0.1), (0.2, 0.1), (0.9, 0.3), (1.8, 1.0)])
def test_positions_alone_that_the_motors_cannot_reach_in_time_are_refused(
    ur5: Robot, way: float, seconds: float
) -> None:
    """Though their mean velocity is within the limits: an arm would be dropped on the way."""
    assert way / seconds < ur5.model.velocity_limit.min()
    found = ur5.refusal([seconds], [ur5.q + way])
    for words in ("of joint 'shoulder", "its limit is", "positions alone"):
        assert words in found
    assert max(ur5.follow([seconds], [ur5.q + way])[1:]) > 1.0


def test_positions_alone_that_the_motors_can_reach_are_followed(ur5: Robot) -> None:
    for times, ways in (([0.5], [0.4]), ([1.0, 2.0], [0.9, 0.0]), ([1.0, 2.0, 4.0], [0.5, 0.5, 1])):
        points = [ur5.q + x for x in ways]
        assert ur5.refusal(times, points) == ""
        found = ur5.follow(times, points)
        assert found.error < 0.01
        assert max(found[1:]) < 1.0


def test_a_late_stamp_leaves_less_time_and_the_same_limits(ur5: Robot) -> None:
    trajectory = [0.5], [ur5.q + 0.1]
    assert ur5.refusal(*trajectory) == ""
    assert "its header.stamp is 0.4 s ago" in ur5.refusal(*trajectory, late=0.4)
    assert ur5.refusal(*trajectory, late=0.25) == ""
    assert max(ur5.follow(*trajectory, late=0.25)[1:]) < 1.0


def test_positions_alone_continue_the_motion_that_they_join(ur5: Robot) -> None:
    """Neither velocity nor acceleration steps; what it takes to turn round in time is checked."""
    speed = 0.8
    plan = ur5.plan([0.5, 1.5], [ur5.q + 0.2, ur5.q], velocity=speed)
    motion = plan.motion
    assert motion.sample(0.0)[1] == pytest.approx(np.full(6, speed))
    assert motion.sample(0.0)[2] == pytest.approx(np.zeros(6))
    assert "effort of joint" in ur5.refusal([0.15], [ur5.q - 0.05], velocity=speed)


def test_velocities_without_accelerations_whose_steps_motors_cannot_follow(ur5: Robot) -> None:
    """Efforts along the way are within the limits, but may not change as fast."""
    zeros, points = np.zeros((2, 6)), ([0.3, 0.6], [ur5.q + 0.15, ur5.q])
    found = ur5.refusal(*points, zeros)
    for words in ("limits.effort_rate", "more than 0.15 / natural_frequency", "give accelerations"):
        assert words in found
    assert ur5.refusal(*points, zeros, zeros) == ""
    assert max(ur5.follow(*points, zeros, zeros)[1:]) < 1.0


def test_positions_at_time_0_begin_at_rest(ur5: Robot) -> None:
    """What is desired is then the first point, at once, as of a set-point."""
    plan = ur5.plan([0.0, 1.0], [ur5.q + 0.01, ur5.q + 0.2])
    assert not plan.points[1][0].any()
    assert plan.motion.sample(0.0)[0] == pytest.approx(ur5.q + 0.01)


def test_numbers_beyond_all_robots_are_refused(ur5: Robot) -> None:
    for far, seconds in ((1e308, 1.0), (1.0, 1e-9), (1e300, 1e-9)):
        points = [ur5.q + far, ur5.q - far]
        plan = ur5.plan([seconds, 2.0 * seconds], points)
        with pytest.raises(InputRefusedError, match=r"limit|not finite|close"):
            check(plan, ur5.limits, ur5.around, 1.0)


def test_acceleration_limits_of_the_description_hold_between_points() -> None:
    urdf = UR5.read_text().replace('velocity="3', 'acceleration="2" velocity="3')
    robot = Robot(urdf, np.zeros(6))
    assert list(robot.model.acceleration_limit) == [2.0] * 6
    assert robot.refusal([2.0], [np.full(6, 1.0)]) == ""
    found = robot.refusal([1.0], [np.full(6, 0.5)])
    assert "acceleration of joint 'shoulder_pan_joint' would be -2.876" in found
    assert "its limit is -2" in found


@pytest.mark.quick("10.0")
@pytest.mark.parametrize("frequency", [10.0, 30.0])
def test_whatever_is_taken_is_followed_within_the_limits(frequency: float) -> None:
    """Random trajectories of a Panda, fast ones: none takes it over a limit or out of its way."""
    random, taken, refused = np.random.default_rng(5), 0, 0
    robot = Robot(str(example_robots() / ROBOT_FILES["panda"]), np.zeros(8), frequency)
    n = robot.model.nv
    lower, upper = dyn_core.configuration.position_limits(robot.model)
    for k in range(30):
        robot.q = lower + (upper - lower) * random.uniform(0.3, 0.7, n)
        count, kind = int(random.integers(1, 5)), k % 3
        times = np.cumsum(random.uniform(0.1, 0.7, count))
        share = random.uniform(0.02, 0.4) * robot.model.velocity_limit
        steps = np.diff(times, prepend=0.0)[:, None] * share * random.normal(size=(count, n))
        zeros = np.zeros((count, n))
        trajectory = times, robot.q + np.cumsum(steps, axis=0), *[zeros] * kind
        if robot.refusal(*trajectory):
            refused += 1
            continue
        taken += 1
        found = robot.follow(*trajectory)
        assert found.error < 0.05
        assert found.speed < 1.05
        assert found.effort < 1.3
    assert taken > 3
    assert refused > 3


# A trajectory whose stamp lies in the past is joined in its midst, whatever point is next --------

BEGIN = np.array([0.0, -1.5, 1.0, 0.0, 0.5, 0.0])
WAY, SECONDS = np.array([0.6, -0.4, 0.5, -0.6, 0.5, 0.6]), 3.0
TIMES = np.arange(1, 301) * 0.01  # s after the start, of its points


def motion(times: Any) -> list[Vector]:
    """A quintic of the UR5 from rest to rest: positions, velocities, accelerations [n, 6]."""
    shares = quintic(np.atleast_1d(times) / SECONDS, SECONDS)
    position, *rates = (np.outer(share, WAY) for share in shares.T)
    return [BEGIN + position, *rates]


def joined(robot: Robot, late: float, shift: float, frequency: float = 10.0) -> Plan:
    """The motion again, moved by `shift` rad, where it is under way. May be refused."""
    robot.law = robot.law._replace(natural_frequency=frequency)
    position, *rates = motion(TIMES)
    desired = tuple(x[0] for x in motion(late))
    plan = robot.plan(TIMES, position + shift, *rates, late=late, desired=desired)
    check(plan, robot.limits, robot.around, 1.0)
    return plan


@pytest.fixture
def moving() -> Robot:
    """A UR5 on its way."""
    return Robot(str(UR5), np.zeros(6))


def test_the_refusal_of_another_start_names_the_required_one(moving: Robot) -> None:
    """From the measured position, where a robot hangs below what is desired: no speed is wrong."""
    joined(moving, 0.0, 0.0)
    words = "begin at the position on ~/desired, or with a point at time 0"
    with pytest.raises(InputRefusedError, match=words):
        joined(moving, 0.0, 0.05)


@pytest.mark.quick("-1e-09]", "-0.001]")
@pytest.mark.parametrize("before", [1e-9, 1e-6, 1e-3, 9.999999e-3])
@pytest.mark.parametrize("frequency", [0.0, 0.5, 10.0, 30.0])
@pytest.mark.parametrize("shift", [0.0, 1e-6, 1e-4, 1e-3])
def test_it_may_be_joined_however_soon_its_next_point_comes(
    moving: Robot, before: float, frequency: float, shift: float
) -> None:
    """Between 33 and 200 ms of its points are left out; its spline goes by without them."""
    begin = 1.5 - before
    way = joined(moving, begin, shift, frequency).motion
    times = np.linspace(begin, SECONDS, 400)
    apart = np.array([way.sample(t)[0] for t in times]) - motion(times)[0]
    assert np.abs(apart).max() < shift + 1e-9


def test_no_point_of_one_that_begins_is_left_out(moving: Robot) -> None:
    assert len(joined(moving, 0.0, 0.0).times) == 1 + len(TIMES)
    assert len(joined(moving, 1e-9, 0.0).times) == 1 + len(TIMES) - 10


def test_the_last_point_is_never_left_out(moving: Robot) -> None:
    joined(moving, 2.999, 0.0)
    words = r"header.stamp is 3 s ago, and 0.001 s are left until its last"
    with pytest.raises(InputRefusedError, match=words):
        joined(moving, 2.999, 0.01)
