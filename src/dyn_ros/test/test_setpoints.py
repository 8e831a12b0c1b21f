# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Set-points, which computed_torque answers at once: none that motors cannot answer is followed."""

from __future__ import annotations

from math import sin

import numpy as np
import pytest
from called import Called
from ros_helpers import UR5, arm, until
from std_msgs.msg import Header
from test_computed_torque import Tracker, refusal_of

import dyn_core
from dyn_core.control import ComputedTorque
from dyn_ros.inputs.trajectory_input import MIN_BACKGROUND_POINTS, TrajectoryInput
from dyn_ros.kernels.surroundings import Surroundings
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import time_message
from dyn_ros.safety.effort_policy import EffortPolicy, EffortSettings, Event
from dyn_ros.safety.motion_policy import MotionLimits
from dyn_ros.tracking.effort_steps import EffortSteps
from dyn_ros.tracking.setpoint import Law, Setpoint

pytestmark = pytest.mark.usefixtures("enough_states")

UR5_MODEL = dyn_core.Model.from_urdf(str(UR5))
REST, AROUND = np.zeros(6), Surroundings(UR5_MODEL)
LAW = Law(10.0, 1.0, True, 0.1, np.full(6, np.inf))


def setpoint(begin: np.ndarray, *given: np.ndarray, law: Law = LAW) -> Setpoint:
    """One that a UR5 at rest gets."""
    before = begin, REST, REST
    return Setpoint(0.0, given, before, before[:2], [], law)


def step_at(
    limits: MotionLimits, point: Setpoint, begin: np.ndarray, around: Surroundings = AROUND
) -> np.ndarray:
    """By how much efforts step. Raises InputRefusedError if it is over a limit."""
    limits.refuse_states(point.point, begin)
    return limits.refuse_way(point.way, around)


def refusal(point: Setpoint) -> str:
    """Why a UR5 cannot answer to it; empty if it can."""
    try:
        step_at(MotionLimits(UR5_MODEL, ()), point, REST)
    except InputRefusedError as found:
        return str(found)
    return ""


def test_what_the_law_makes_of_setpoints_is_refused_just_where_it_is_over_a_limit() -> None:
    """Each is followed by the law, step by step; its largest efforts and velocities decide."""
    random, law, h = np.random.default_rng(5), ComputedTorque(UR5_MODEL), 1e-3
    limits, verdicts = (UR5_MODEL.effort_limit, UR5_MODEL.velocity_limit), []
    for _ in range(30):
        begin = random.uniform(-1.5, 1.5, 6)
        position = begin + random.uniform(0.0, 0.5) * random.uniform(-1.0, 1.0, 6)
        velocity = random.choice([0.0, 1.0]) * random.uniform(-2.0, 2.0, 6)
        q, v, most, point = begin, REST, 0.0, setpoint(begin, position, velocity)
        for k in range(700):
            u = law.update(q, v, point.sample(k * h), *LAW[:2])
            for x, limit in zip((dyn_core.rnea(UR5_MODEL, q, v, u), v), limits, strict=True):
                most = max(most, float(np.abs(x / limit).max()))
            q, v = q + h * v + h**2 / 2.0 * u, v + h * u
        if abs(most - 1.0) > 0.03:  # nearer than that the steps decide
            verdicts.append(most > 1.0)
            assert bool(refusal(point)) == verdicts[-1]
    assert any(verdicts)
    assert not all(verdicts)


@pytest.mark.parametrize(
    ("position", "velocity", "words"),
    [
        ([0.49, 0.0], [0.0, 0.0], ["effort of joint 'shoulder_pan_joint'", "its limit is 150"]),
        ([0.1, 0.0], [6.0, 0.0], ["velocity of joint 'shoulder_pan_joint'", "limit is 3.142"]),
        ([1e300, 0.0], [0.0, 0.0], ["position of joint 'shoulder_pan_joint'", "is 6.283"]),
        ([0.01, 0.0], [0.1, 0.0], []),
    ],
)
def test_a_setpoint_that_motors_cannot_answer_names_joint_value_and_limit(
    position: list[float], velocity: list[float], words: list[str]
) -> None:
    """A UR5 with its arm stretched out sideways."""
    reason = refusal(
        setpoint(REST, np.array([*position, *REST[2:]]), np.array([*velocity, *REST[2:]]))
    )
    assert bool(reason) == bool(words)
    for word in words:
        assert word in reason


@pytest.mark.parametrize("frequency", [5.0, 10.0, 20.0])
def test_a_stream_may_take_all_joints_to_half_their_velocity_limits(frequency: float) -> None:
    """Should it end, the robot stops within its limits, for what is desired does so in time."""
    law, random = LAW._replace(natural_frequency=frequency), np.random.default_rng(1)
    limits = MotionLimits(UR5_MODEL, ())
    for _ in range(30):
        q = random.uniform(-1.2, 1.2, 6)
        v = 0.5 * random.choice([-1.0, 1.0], 6) * UR5_MODEL.velocity_limit
        step_at(limits, Setpoint(0.0, [q, v], (q, v, REST), (q, v), [], law), q)


def test_a_setpoint_ends_without_a_step() -> None:
    """Its velocity is in force for a while and goes to zero then, evenly."""
    point = setpoint(REST, REST, np.ones(6))
    speeds = [point.sample(time)[1][0] for time in (0.0, 0.09, 0.1, 0.15, 0.25, 0.3, 9.0)]
    assert speeds == pytest.approx([1.0, 1.0, 1.0, 0.75, 0.25, 0.0, 0.0])


@pytest.mark.parametrize("continues", [False, True])
def test_a_refused_step_changes_nothing(called: Called, continues: bool) -> None:
    """Of a set-point, or of a trajectory whose first point is at time 0."""
    bench = Tracker(called, natural_frequency=30.0)
    step, rest = {"time": 0.0, "positions": bench.q + 0.4}, {"time": 9.0, "positions": bench.q}
    points = [step, rest][: 1 + continues]
    bench.follow(*points)
    assert until(lambda: refusal_of(bench))
    assert list(bench.desired_next().position) == list(bench.q)
    bench.set_parameter("natural_frequency", 5.0)
    bench.follow(*points)
    until(lambda: list(bench.desired_next().position) != list(bench.q))


def refused_steps(law: Law, *times: float) -> list[bool]:
    """Which set-points of a UR5, each as far from rest, are refused at times, s, in this order."""
    steps_of_efforts, refused = EffortSteps(UR5_MODEL.dof_names), []
    point = setpoint(REST, 0.15 * np.eye(6)[0], law=law)
    step = step_at(MotionLimits(UR5_MODEL, ["wrist_3_joint"]), point, REST)
    for time in times:
        try:
            steps_of_efforts.add(step, round(time * 1e9), law)
        except InputRefusedError:
            refused.append(True)
        else:
            refused.append(False)
    return refused


def test_steps_add_up_only_where_they_follow_each_other() -> None:
    """Not with one that was for another time, as after a clock that goes back."""
    rate = np.asarray(UR5_MODEL.effort_limit) / 0.1
    law = LAW._replace(effort_rate=rate)
    assert refused_steps(law, 1.0, 1.001, 1.2) == [False, True, False]
    assert refused_steps(law, 1000.0, 1.0, 500.0, 2.0) == [False] * 4


def test_a_motion_that_is_not_followed_is_no_step(called: Called) -> None:
    """A long one waits for its check; a set-point for the same time, as far away, replaces it."""
    bench = Tracker(called, natural_frequency=10.0, **{"limits.effort_rate": 1200.0})
    begin = {"time": 0.0, "positions": bench.q + 0.08}
    points = [
        {"time": 0.1 * k, "positions": begin["positions"]} for k in range(1, MIN_BACKGROUND_POINTS)
    ]
    trajectories = bench.node.part(TrajectoryInput)
    bench.follow(begin, *points)
    waiting = until(lambda: trajectories._waiting)
    assert until(lambda: waiting.check.done())
    bench.follow(begin, header=Header(stamp=time_message(waiting.plan.begin)))
    assert until(lambda: trajectories._waiting is None)
    assert not trajectories._refused


def test_a_joint_that_no_effort_moves_hides_no_step_of_another() -> None:
    """Its limit, and so its rate, is 0, as the limits of passive joints often are."""
    rate = np.asarray(UR5_MODEL.effort_limit) / 0.1
    rate[5] = 0.0
    assert refused_steps(LAW._replace(effort_rate=rate), 1.0, 1.001) == [False, True]


@pytest.mark.quick("0.02")
@pytest.mark.parametrize("period", [0.001, 0.02])
def test_setpoints_that_run_to_and_fro_take_no_joint_beyond_its_limits(period: float) -> None:
    """20 rad/s, each nearer than max_tracking_error to the one before; efforts change at a rate.

    Without the limit on steps an idle joint moves at 1.5 times its velocity limit.
    """
    model = dyn_core.Model.from_urdf(arm())
    limits, around, law = MotionLimits(model, ()), Surroundings(model), ComputedTorque(model)
    settings = EffortSettings(model.effort_limit, model.effort_limit / 0.1, ramp=0.0)
    policy, h, followed, refused = EffortPolicy(model.dof_names, settings), 1e-3, 0, 0
    lags = EffortSteps(model.dof_names)
    how = Law(10.0, 1.0, True, 0.1, settings.rate)
    q = v = rest = np.zeros(2)
    policy.begin(dyn_core.rnea(model, q, v, rest), 0.0)
    desired, fastest, furthest = (q, rest, rest), 0.0, 0.0
    for k in range(3000):
        if k % round(period / h) == 0:
            wanted = [np.array([1.5 * sin(13.0 * k * h), 0.0])]
            point = Setpoint(0.0, wanted, desired, (q, v), [], how)
            try:
                if np.abs(point.distance).max() > 0.5:
                    raise InputRefusedError("starts elsewhere", "too far")
                lags.add(step_at(limits, point, q, around), round(k * h * 1e9), how)
                desired, followed = point.sample(0.0), followed + 1
            except InputRefusedError:
                refused += 1
        wanted_now = law.update(q, v, desired, *how[:2])
        efforts = dyn_core.rnea(model, q, v, wanted_now)
        command = policy.step(h * (k + 1), Event.FOLLOW, wanted=efforts)
        v = v + h * dyn_core.aba(model, q, v, command)
        q = q + h * v
        furthest = max(furthest, float(np.abs(law.error).max()))
        fastest = max(fastest, float(np.abs(v / model.velocity_limit).max()))
    assert followed
    assert refused
    assert fastest < 1.0
    assert furthest < 0.5
