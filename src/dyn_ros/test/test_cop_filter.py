# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""cop_filter: footsteps in, a motion of the whole robot out."""

from __future__ import annotations

import re

import numpy as np
import pinocchio as pin
import pytest
from builtin_interfaces.msg import Time as TimeMessage
from called import Called
from rcl_interfaces.msg import Log
from rclpy.duration import Duration
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.time import Time
from ros_helpers import clock, until
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory, MultiDOFJointTrajectory
from walker import HUMANOID, USUAL, Walker, description, number

from dyn_core.control import Trajectory
from dyn_ros.messages.multi_dof import MultiDofReader
from dyn_ros.messages.stamp import seconds_of
from dyn_ros.nodes import cop_filter, walk_plan

pytestmark = pytest.mark.usefixtures("short_walks")


def feet_at(joints: JointTrajectory, base: MultiDOFJointTrajectory, point: int) -> list[np.ndarray]:
    """Where Pinocchio has both feet at a point of the trajectories."""
    model = pin.buildModelFromUrdf(str(HUMANOID), pin.JointModelFreeFlyer())
    data = model.createData()
    place = base.points[point].transforms[0]
    t, r = place.translation, place.rotation
    q = pin.neutral(model)
    q[:7] = t.x, t.y, t.z, r.x, r.y, r.z, r.w
    for name, position in zip(joints.joint_names, joints.points[point].positions, strict=True):
        q[model.joints[model.getJointId(name)].idx_q] = position
    pin.framesForwardKinematics(model, data, q)
    return [data.oMf[model.getFrameId(name)].translation.copy() for name in USUAL["feet"]]


def test_feet_follow_the_footsteps_and_the_cop_the_pattern(called: Called) -> None:
    walker = Walker(called)
    x = walker.node._biped.start[0].position[0]
    walker.walk((0, x + 0.1, 0.09), (1, x + 0.1, -0.09))
    (joints,) = until(lambda: walker.received["joint_trajectory"], 60.0)
    (base,) = until(lambda: walker.received["base_trajectory"])
    times = np.array([seconds_of(point.time_from_start) for point in joints.points])
    assert times[-1] == 2 * 0.5 + 2 * 0.5
    assert np.diff(times).max() < 0.021  # 0.7 MB, every 5 ms, was lost by best effort
    assert joints.points[0].time_from_start.nanosec == 3e8  # a controller jumps to one at 0
    q, *_ = MultiDofReader(walker.node._biped.model).trajectory(base, times)
    here = base.points[-1].transforms[0].translation
    assert q[-1, :3] == pytest.approx([here.x, here.y, here.z])  # services take it as it is
    for point, ahead in ((0, 0.0), (-1, 0.1)):
        for foot, y in zip(feet_at(joints, base, point), (0.09, -0.09), strict=True):
            assert foot == pytest.approx([x + ahead, y, 0.1], abs=1e-6)
    end = joints.points[-1]
    assert not any(end.velocities)  # a joint_trajectory_controller rejects others, by default
    assert not any(end.accelerations)
    for twist in (base.points[-1].velocities[0], base.points[-1].accelerations[0]):
        assert not any(getattr(x, axis) for x in (twist.linear, twist.angular) for axis in "xyz")
    last = until(lambda: [m for m in walker.received["cop"] if m.point.x > x + 0.09])
    assert last[0].header.frame_id == "world"
    assert last[0].point.y == pytest.approx(0.0, abs=0.11)
    assert until(lambda: walker.received["center_of_mass"])[-1].point.z > 0.5


@pytest.mark.parametrize(
    "steps",
    [
        [(7, 0.1, 0.09)],
        [(0, float("nan"), 0.09)],
        [(0, 3.0, 0.09), (1, 3.0, -0.09)],
        [(0, 0.1, 0.09), (0, 0.2, 0.09)],
        [],
    ],
)
def test_walks_that_cannot_be_are_refused_and_the_next_is_walked(called: Called, steps) -> None:
    walker = Walker(called)
    walker.walk(*steps)
    until(lambda: walker.node._refused == 1, 60.0)
    assert not walker.received["joint_trajectory"]
    walker.walk((0, 0.1, 0.09))
    until(lambda: walker.received["joint_trajectory"], 60.0)


def test_a_walk_beyond_a_limit_is_refused(called: Called) -> None:
    log = called.collect(Log, "/rosout")
    walker = Walker(called, robot_description=description(effort=20.0))
    walker.walk((0, 0.1, 0.09))
    until(lambda: walker.node._refused == 1, 60.0)
    assert not walker.received["joint_trajectory"]
    words = "effort of joint '.*' would be .*, its limit is 20"
    assert any(re.search(words, entry.msg) for entry in log)


def test_footsteps_of_another_clock_are_refused(called: Called) -> None:
    """Wall time where the node has simulated time: the walk waited for 50 years."""
    log = called.collect(Log, "/rosout")
    walker = Walker(called)
    late = walker.node.get_clock().now() + Duration(seconds=1700000000)
    walker.walk((0, 0.1, 0.09), header=Header(stamp=late.to_msg()))
    until(lambda: any("in 1700000000 s by header.stamp" in entry.msg for entry in log))
    walker.walk((0, 0.1, 0.09))
    until(lambda: walker.received["joint_trajectory"], 60.0)


def test_footsteps_of_a_frame_that_is_not_the_world_are_refused(called: Called) -> None:
    """They were walked as if in the world."""
    log = called.collect(Log, "/rosout")
    walker = Walker(called)
    walker.walk((0, 0.1, 0.09), header=Header(frame_id="l_ankle"))
    assert walker.node._refused == 1
    assert any("frame 'l_ankle': give them in 'world'" in entry.msg for entry in log)


def test_a_negative_stamp_is_past(called: Called) -> None:
    """It ended the process."""
    walker = Walker(called)
    walker.walk((0, 0.1, 0.09), header=Header(stamp=TimeMessage(sec=-5)))
    until(lambda: walker.received["joint_trajectory"], 60.0)


def test_a_walk_whose_cop_is_far_off_is_refused(
    called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk_plan, "ITERATIONS", 0)  # 31 mm off
    log = called.collect(Log, "/rosout")
    walker = Walker(called)
    walker.walk((0, 0.1, 0.09))
    until(lambda: walker.node._refused == 1, 60.0)
    assert any("mm off, where 30 are allowed" in entry.msg for entry in log)


def test_a_robot_stands_where_it_walked_when_its_description_comes_anew(called: Called) -> None:
    """It was taken to stand at the origin, and its next step was too long."""
    walker = Walker(called)
    x = walker.node._biped.start[0].position[0]
    walker.walk((0, x + 0.1, 0.09), (1, x + 0.1, -0.09))
    until(lambda: walker.received["cop"], 60.0)
    until(lambda: walker.node._under_way(walker.node.ros_time()) is None)
    walker.node.install(walker.node._biped)
    walker.walk((0, x + 0.1, 0.12))
    _, joints = until(
        lambda: walker.received["joint_trajectory"][1:] and walker.received["joint_trajectory"]
    )
    base = walker.received["base_trajectory"][-1]
    assert feet_at(joints, base, 0)[0] == pytest.approx([x + 0.1, 0.09, 0.1], abs=1e-6)


@pytest.mark.parametrize("how", ["deactivation", "description"])
def test_the_end_of_a_walk_stops_the_robot_where_it_is(
    called: Called, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """By one point at rest, which a joint_trajectory_controller obeys: joints and base."""
    monkeypatch.setattr(walk_plan, "REST_S", 4.0)  # for a busy computer
    walker = Walker(called)
    walker.walk((0, 0.1, 0.09))
    until(lambda: len(walker.received["cop"]) > 100, 60.0)
    if how == "deactivation":
        walker.node.trigger_deactivate()
    else:
        walker.node.install(walker.node._biped)
    until(lambda: len(walker.received["base_trajectory"]) == 2)
    walk, empty, stop = until(lambda: walker.received["joint_trajectory"])
    assert not empty.points  # computed_torque brakes by it if it refuses the stop
    (point,) = stop.points
    before = at(walk, round(number(stop), 2))
    assert stop.joint_names == walk.joint_names
    assert point.positions == pytest.approx(before[0], abs=0.02)
    assert not any(point.velocities)
    assert point.time_from_start.nanosec >= 0.3e9
    base = walker.received["base_trajectory"][-1]
    assert base.points[0].time_from_start == point.time_from_start
    height = walker.received["base_trajectory"][0].points[0].transforms[0].translation.z
    assert base.points[0].transforms[0].translation.z == pytest.approx(height, abs=0.02)


@pytest.mark.parametrize("asked", [0.0, -3.0, 6.0])
def test_a_walk_begins_when_asked_but_not_before_it_is_computed(
    called: Called, monkeypatch: pytest.MonkeyPatch, asked: float
) -> None:
    """Computing takes longer than the walk itself here, and its samples come all the same."""
    plan = cop_filter.plan
    monkeypatch.setattr(cop_filter, "plan", lambda *given: (clock().sleep(2.0), plan(*given))[1])
    walker = Walker(called)
    sent = walker.node.get_clock().now()
    at = sent + Duration(seconds=asked) if asked else Time()
    walker.walk((0, 0.1, 0.09), header=Header(stamp=at.to_msg()))
    (joints,) = until(lambda: walker.received["joint_trajectory"], 60.0)
    begins = Time.from_msg(joints.header.stamp).nanoseconds - sent.nanoseconds
    if asked > 0.0:
        assert begins == round(1e9 * asked)
    else:
        assert 2e9 < begins < 30e9
    until(lambda: walker.received["cop"])


def at(message: JointTrajectory, time: float) -> np.ndarray:
    """Positions, velocities and accelerations at a time, s."""
    points = message.points
    times = np.array([seconds_of(point.time_from_start) for point in points])
    fields = "positions", "velocities", "accelerations"
    states = (np.array([getattr(point, field) for point in points]) for field in fields)
    return np.array(Trajectory(times, *states).sample(time - number(message)))


def test_footsteps_that_come_while_walking_change_the_walk(
    called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice: each trajectory continues the one before, and feet end as last asked."""
    monkeypatch.setattr(walk_plan, "REST_S", 4.0)  # for a busy computer
    monkeypatch.setattr(cop_filter, "CHANGE_LEAD_S", 2.0)
    walker = Walker(called)
    x = walker.node._biped.start[0].position[0]
    walker.walk((0, x + 0.1, 0.09), (1, x + 0.1, -0.09))
    until(lambda: walker.received["joint_trajectory"], 60.0)
    walker.walk((0, x + 0.1, 0.09), (1, x + 0.2, -0.09), (0, x + 0.2, 0.09))
    until(lambda: len(walker.received["joint_trajectory"]) == 2, 60.0)
    walker.walk((0, x + 0.1, 0.12), (1, x + 0.15, -0.09), (0, x + 0.15, 0.12))
    until(lambda: len(walker.received["base_trajectory"]) == 3, 60.0)
    until(lambda: len(walker.received["joint_trajectory"]) == 3)
    first, second, third = walker.received["joint_trajectory"]
    assert walker.node._refused == 0
    for before, after in ((first, second), (second, third)):
        begins = number(after)
        assert begins > number(before)
        (q, v, a), (p, w, b) = (at(one, begins) for one in (before, after))
        np.testing.assert_allclose(p, q, atol=1e-6)
        np.testing.assert_allclose(w, v, atol=1e-4)
        np.testing.assert_allclose(b, a, atol=1e-2)
    base = walker.received["base_trajectory"][-1]
    for foot, y in zip(feet_at(third, base, -1), (0.12, -0.09), strict=True):
        assert foot == pytest.approx([x + 0.15, y, 0.1], abs=1e-6)
    until(lambda: [m for m in walker.received["cop"] if m.point.y > 0.11])
    y = np.array([[m.point.x, m.point.y] for m in walker.received["center_of_mass"]])
    assert np.abs(np.diff(y, axis=0)).max() < 0.05  # no jump where plans take turns


@pytest.mark.parametrize(("ahead", "takes"), [(3.0, 0.0), (0.12, 1.0)])
def test_footsteps_that_cannot_be_walked_leave_the_walk_as_it_is(
    called: Called, monkeypatch: pytest.MonkeyPatch, ahead: float, takes: float
) -> None:
    """They are too far, or computing the change takes too long, s."""
    change = cop_filter.change
    slow = lambda *given: (clock().sleep(takes), change(*given))[1]  # noqa: E731
    monkeypatch.setattr(cop_filter, "change", slow)
    monkeypatch.setattr(walk_plan, "REST_S", 5.0)
    walker = Walker(called)
    walker.walk((0, 0.1, 0.09), (1, 0.1, -0.09))
    until(lambda: walker.received["joint_trajectory"])
    walker.walk((0, ahead, 0.09))
    until(lambda: walker.node._refused == 1)
    assert len(walker.received["joint_trajectory"]) == 1
    until(lambda: walker.received["cop"])


@pytest.mark.parametrize(
    "parameters",
    [{"feet": [""]}, {"feet": ["l_ankle", "nowhere"]}, {"posture": "LLEG_KNEE=0.9"}],
)
def test_a_robot_that_cannot_stand_is_not_configured(called: Called, parameters) -> None:
    walker = Walker(called, autostart=False, **parameters)
    assert walker.node.trigger_configure() is not TransitionCallbackReturn.SUCCESS
