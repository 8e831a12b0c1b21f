# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""computed_torque follows no trajectory that the robot cannot make, and none before its time."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from builtin_interfaces.msg import Time
from called import Called
from plant import Plant
from rclpy.parameter import Parameter
from ros_helpers import UR5, until, values_of
from std_msgs.msg import Header
from test_computed_torque import Tracker
from test_plant import plant, without_friction

import dyn_core
from dyn_core.control import Trajectory
from dyn_core.identification import BaseParameters, Parameters, excitation
from dyn_ros.inputs import trajectory_check
from dyn_ros.kernels.surroundings import Surroundings
from dyn_ros.messages.joint_trajectory import read_trajectory, stop_messages
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.safety.motion_policy import MotionLimits, Stop
from dyn_ros.tracking.effort_steps import EffortSteps
from dyn_ros.tracking.setpoint import Law

pytestmark = pytest.mark.usefixtures("enough_states")

UR5_MODEL = dyn_core.Model.from_urdf(str(UR5))
REST = np.zeros(6)
ELBOW = np.eye(6)[2]


def refused(times: list[float], *given: Any) -> str:
    """Why a UR5 that starts at the first point cannot make a motion; empty if it can."""
    points = [np.array(vectors, dtype=float) for vectors in given]
    motion = Trajectory(np.array(times), *points)
    limits = MotionLimits(UR5_MODEL, ())
    try:
        limits.refuse(motion, points, points[0][0], Surroundings(UR5_MODEL))
    except InputRefusedError as refusal:
        return f"{refusal.reason}: {refusal}"
    return ""


@pytest.mark.parametrize("points", [10, 200, 300, 600])
@pytest.mark.parametrize(
    ("seconds", "ends", "word"),
    [
        (3.0, ([2.5, 2.5], [1.5, -1.5]), "position of joint 'elbow_joint'"),
        (1.0, ([0.0, 2.5], [0.0, 0.0]), "velocity of joint 'elbow_joint'"),
        (0.06, ([0.0, 0.1], [0.0, 0.0], [0.0, 0.0]), "effort of joint"),
    ],
)
def test_the_way_between_two_of_many_points_is_looked_at(
    points: int, seconds: float, ends: Any, word: str
) -> None:
    """The robot rests in most points, comes slowly, and goes too far between the last but one."""
    begin = 0.01 * np.arange(points)
    end = begin[-1] + 3.0
    given = [
        np.outer([0.0] * points + [*x, x[-1] if k == 0 else 0.0], ELBOW) for k, x in enumerate(ends)
    ]
    velocity = given[1]
    given[0][-1] += 2.5 * velocity[-2]  # brakes
    found = refused([*begin, end, end + seconds, end + seconds + 5.0], *given)
    assert word in found


@pytest.mark.parametrize(
    ("times", "given", "words"),
    [
        ([0.0, 60.0], [[REST, 90.0 * ELBOW]], ["position of joint 'elbow_joint'", "90", "3.14"]),
        ([0.0, 0.1], [[REST, 3.0 * ELBOW]], ["velocity of joint 'elbow_joint'", "56.13", "3.142"]),
        ([0.0, 5.0], [[REST, ELBOW], [REST, 3.0 * ELBOW]], ["at the last point", "3 at", "is 0"]),
        ([0.0, 5.0], [[REST, ELBOW], [1e6 * ELBOW, REST]], ["velocity of joint 'elbow_joint'"]),
        ([0.0, 5.0], [[REST, ELBOW], [REST, REST], [1e9 * ELBOW, REST]], ["elbow_joint"]),
        ([0.0, 5.0], [[REST, 1e308 * ELBOW]], ["position of joint 'elbow_joint'"]),
        ([0.0, 1e-9], [[REST, ELBOW], [REST, REST]], ["elbow_joint"]),
        ([0.0, 1.5], [[REST, ELBOW], [REST, REST], [REST, REST]], []),
    ],
)
def test_what_the_robot_cannot_make_names_joint_value_and_limit(
    times: list[float], given: list[Any], words: list[str]
) -> None:
    found = refused(times, *given)
    assert found.startswith("trajectory over limit: ") == bool(words)
    for word in words:
        assert word in found


def test_efforts_that_commands_may_not_use_are_none_of_a_trajectory() -> None:
    """limits.effort_scale holds for what is followed as for what is sent."""
    limits, points = MotionLimits(UR5_MODEL, ()), [np.zeros((2, 6))]
    motion = Trajectory(np.array([0.0, 1.0]), *points)
    limits.refuse(motion, points, REST, Surroundings(UR5_MODEL), 0.5)
    with pytest.raises(
        InputRefusedError, match=r"effort of joint 'shoulder_lift_joint' .* limit is -15"
    ):
        limits.refuse(motion, points, REST, Surroundings(UR5_MODEL), 0.1)


def test_a_robot_beyond_a_limit_may_come_back() -> None:
    beyond = 3.3 * ELBOW
    assert refused([0.0, 2.0], [beyond, 3.0 * ELBOW], [REST, REST]) == ""
    assert "3.4" in refused([0.0, 2.0], [beyond, 3.4 * ELBOW], [REST, REST])


def test_a_trajectory_of_later_starts_then_from_what_is_desired_then(called: Called) -> None:
    bench = Tracker(called)
    begin = bench.q.copy()
    stamp = bench.send(bench.names, **bench.state())
    later = Header(stamp=Time(sec=stamp + 6))
    bench.follow({"time": 4.0, "positions": begin + 0.4, "velocities": REST}, header=later)
    way = []
    while not way or way[-1][0] < stamp + 11:
        desired = bench.desired_next()
        way.append((desired.header.stamp.sec, desired.position[0] - begin[0]))
    expected = {t: 0.4 * (3 * s**2 - 2 * s**3) for t, s in ((7, 0.25), (8, 0.5), (9, 0.75))}
    for time, moved in way:
        since = time - stamp
        assert moved == pytest.approx(0.0 if since <= 6 else expected.get(since, 0.4), abs=1e-9)


def test_a_late_trajectory_that_is_made_faster_is_reported(called: Called) -> None:
    bench = Tracker(called)
    stamp = bench.send(bench.names, **bench.state())
    header, end = Header(stamp=Time(sec=stamp - 1)), bench.q + 0.1
    bench.follow({"time": 3600.0, "positions": end, "velocities": REST}, header=header)
    until(lambda: any("to catch up" in text for text in bench.logged()))


def test_a_trajectory_of_another_decade_is_reported(called: Called) -> None:
    bench = Tracker(called)
    of_2038 = Header(stamp=Time(sec=2_147_483_647))
    bench.follow({"time": 1.0, "positions": bench.q + 0.1}, header=of_2038)

    def status() -> Any:
        bench.desired_next()
        bench.reports.clear()
        bench.node.diagnose()
        return bench.report("a trajectory starts in 21474")

    assert "one starts in" in values_of(status())["trajectory"]
    assert list(bench.desired_next().position) == list(bench.q)


def test_computed_torque_follows_a_stop_at_any_time() -> None:
    """Its check of limits refuses none, or the motion would continue."""
    motion = excitation(BaseParameters.of(Parameters(UR5_MODEL)), share=0.5, iterations=0)
    times, names = np.arange(0.0, 10.0, 0.004), UR5_MODEL.dof_names
    q, v, a = motion.states(times)
    limits, around = MotionLimits(UR5_MODEL, ()), Surroundings(UR5_MODEL)
    law = Law(10.0, 1.0, True, 0.1, np.asarray(UR5_MODEL.effort_limit) / 0.1)
    for k in range(60, len(q), 40):
        _, stop = stop_messages(names, *Stop.of(UR5_MODEL, q[k], v[k], np.abs(a).max(axis=0)))
        read = read_trajectory(stop, names)
        state = q[k], v[k], a[k]
        plan = trajectory_check.planned(read, 10**9, 10**9, state, state[:2], [], law)
        _, step = trajectory_check.check(plan, limits, around, 1.0)
        EffortSteps(names).add(step, plan.begin, law)


@pytest.mark.parametrize("at", [0.4, 0.0])
def test_a_motion_that_a_lower_limit_does_not_allow_is_stopped(called: Called, at: float) -> None:
    """It needs more later on: clamped, an arm was dropped at 32 rad/s."""
    arm = plant(called, "ur5")
    enough = 1.3 * np.abs(arm.gravity()).max() / arm.limit.max()
    low = Parameter("limits.effort_scale", value=enough)
    stretched = arm.q.copy()
    stretched[1:3] = 0.0
    assert np.abs(arm.gravity()).max() < 0.7 * np.abs(gravity_at(arm, stretched)).max()
    arm.follow((4.0, stretched))
    arm.run(at)
    assert not arm.node.set_parameters_atomically([low]).reason
    assert arm.run(4.0).max() < 1.0
    assert arm.node.active
    assert np.abs(arm.v).max() < 0.01
    assert any("the trajectory is stopped, after a change: effort of" in x for x in arm.logged())


def gravity_at(arm: Plant, position: np.ndarray) -> np.ndarray:
    return pin.computeGeneralizedGravity(arm.model, arm.data, position).copy()


@pytest.mark.parametrize("scale", [0.1, 0.5])
def test_a_motion_that_would_be_overspeed_is_refused(called: Called, scale: float) -> None:
    """It was taken, and the arm was let down on the way: a TM5 had 21 rad/s."""
    arm = plant(called, "ur5", **{"limits.velocity_scale": scale})
    way = 0.5 * scale * np.pi * np.eye(6)[0]  # the fastest is 1.9 times the mean velocity
    arm.follow((0.9, arm.q + way))
    assert arm.run(1.0).max() < 0.01
    assert any("or raise limits.velocity_scale" in x for x in arm.logged())
    goal = arm.q + way
    arm.follow((1.2, goal))
    arm.run(1.6)
    assert arm.q == pytest.approx(goal, abs=0.01)


def test_limits_of_velocity_are_not_lowered_below_that_of_a_moving_arm(called: Called) -> None:
    """It would be let down for overspeed; at rest they may be, and others at any time."""
    arm = plant(called, "ur5", **{"limits.velocity_scale": 0.36})
    goal = arm.q + 0.5
    arm.follow((1.0, goal))
    arm.run(0.5)
    assert np.abs(arm.v).max() > 0.8 * 0.36 * np.max(arm.model.velocityLimit)
    other = Parameter("limits.effort_rate", value=1e4)
    assert not arm.node.set_parameters_atomically([other]).reason
    low, words = Parameter("limits.velocity_scale", value=0.3), "moves so fast that"
    assert words in arm.node.set_parameters_atomically([low]).reason
    arm.describe(re.sub('velocity="[^"]*"', 'velocity="0.6"', without_friction("ur5")))
    arm.run(1.5)
    assert any(words in x for x in arm.logged())
    assert arm.q == pytest.approx(goal, abs=0.01)
    assert not arm.node.set_parameters_atomically([low]).reason


@pytest.mark.parametrize("way", [[0.6, 0.6, 0.0, 0.0], [0.0, 0.6, -0.6, 1.0]])
def test_an_arm_without_states_is_braked_as_a_whole_where_a_limit_is_near(
    called: Called, way: list[float]
) -> None:
    """By a command that was clamped at one joint it had 12 rad/s, of 1.2."""
    arm = plant(called, "ur5", friction=0.2)
    arm.follow((0.9, arm.q + np.array([*way, 0.0, 0.0])))
    arm.run(0.5)
    needed = max(np.abs(x).max() for x in (arm.effort, arm.gravity()))
    low = Parameter("limits.effort_scale", value=1.21 * needed / arm.limit.max())
    assert not arm.node.set_parameters_atomically([low]).reason
    before = np.abs(arm.v).max()
    assert before > 1.2
    arm.fault = lambda state: None
    assert arm.run(0.4).max() < 1.1 * before
    arm.fault = lambda state: state
    assert arm.run(1.0).max() < 1.1 * before
    assert np.abs(arm.v).max() < 0.05
