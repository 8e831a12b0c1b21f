# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Floating bases and joints: their states from messages, beside Pinocchio."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from bench import DIRECT, STATE_NODES, StateBench, Ur5, by_pinocchio, runge_kutta
from called import Called
from diagnostic_msgs.msg import DiagnosticStatus
from dyn_msgs.msg import (
    Centroidal,
    JointEfforts,
    MultiDofPositions,
    PredictionError,
)
from nav_msgs.msg import Odometry
from rclpy.parameter import Parameter
from ros_helpers import UR5, until
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, MultiDOFJointTrajectory
from visualization_msgs.msg import MarkerArray

import dyn_core
from dyn_core.joints import FreeFlyer
from dyn_core.model import ModelBuilder
from dyn_core.spatial import SE3, Inertia
from dyn_ros.messages.free_joint import free_joints
from dyn_ros.messages.geometry import write_quaternion, write_xyz
from dyn_ros.messages.multi_dof import MultiDofReader
from dyn_ros.messages.prediction import multi_dof_points, twist_message
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.node.report import key
from dyn_ros.nodes import forward_dynamics as prediction
from dyn_ros.registry import node_class

POSE = np.array([1.0, -2.0, 0.5, 0.1, -0.2, 0.3, 0.927])
POSE[3:] /= np.linalg.norm(POSE[3:])
TWIST = np.array([0.3, -0.2, 0.1, 0.4, 0.5, -0.6])


def odometry(pose: Any = POSE, twist: Any = TWIST, time: int = 0, **fields: Any) -> Odometry:
    message = Odometry(**{"child_frame_id": "base_link", **fields})
    message.header.stamp.sec = time
    write_xyz(message.pose.pose.position, pose[:3])
    write_quaternion(message.pose.pose.orientation, pose[3:])
    message.twist.twist = twist_message(twist)
    return message


class Floating(Ur5):
    """A UR5 that floats, and the same in Pinocchio."""

    def __init__(self, ros: Called, name: str, outputs: dict[str, Any], **parameters: Any) -> None:
        super().__init__(ros, name, outputs, connect=False, floating=True, **parameters)
        random = np.random.default_rng(3)
        joints, speeds, efforts = random.uniform(-1.0, 1.0, (3, 6))
        self.q, self.v = np.r_[POSE, joints], np.r_[TWIST, speeds]
        self.effort = np.r_[np.zeros(6), efforts]
        self.fields = {
            "position": list(joints),
            "velocity": list(speeds),
            "effort": list(efforts),
        }
        self.odometry = ros.tester.create_publisher(Odometry, "odom", 10)

    def place(self, message: Any = None) -> None:
        """Publish where the base is, and wait until the node has it."""
        self.odometry.publish(message or odometry())
        until(lambda: "odom_age_s" in self.values())

    def answer(self, topic: str) -> Any:
        return self.answer_on(topic, self.send(self.names, **self.fields))


@pytest.mark.parametrize(("name", "topic", "kind", "field"), STATE_NODES)
def test_a_floating_base_from_odometry(
    called: Called, name: str, topic: str, kind: Any, field: str
) -> None:
    floating = Floating(called, name, {topic: kind})
    floating.place()
    message = floating.answer(topic)
    numbers = np.array(getattr(message, field))
    assert numbers == pytest.approx(np.array(by_pinocchio(floating, topic)), abs=1e-9)
    assert message.joint_names[:2] == ["root_joint/vx", "root_joint/vy"]
    assert message.joint_names[6:] == floating.names


@pytest.mark.parametrize("frame", ["", "map"])
def test_centre_of_mass_with_a_floating_base(called: Called, frame: str) -> None:
    """All stands in the frame of the odometry."""
    outputs = {"centroidal": Centroidal, "markers": MarkerArray}
    floating = Floating(called, "centroidal", outputs)
    message = odometry(time=1)
    message.header.frame_id = frame
    floating.place(message)
    message = floating.answer("centroidal")
    center = pin.centerOfMass(floating.model, floating.data, floating.q, floating.v)
    there = message.center_of_mass
    assert [there.x, there.y, there.z] == pytest.approx(center)
    drawn = until(lambda: floating.received["markers"])[-1].markers[0]
    assert {message.header.frame_id, drawn.header.frame_id} == {frame or "odom"}


def test_commands_leave_the_base_out_and_payloads_may_change(called: Called) -> None:
    outputs = {"gravity_torque": JointEfforts, "commands": Float64MultiArray}
    floating = Floating(called, "gravity_compensation", outputs, **DIRECT)
    floating.place()
    torque = floating.answer("gravity_torque")
    expected = pytest.approx(list(torque.effort)[6:])
    commands = floating.received["commands"]
    until(
        lambda: (
            floating.answer("gravity_torque") and commands and list(commands[-1].data) == expected
        )
    )
    payload = Parameter("payloads", value=["{name: box, frame: tool0, mass: 2}"])
    assert floating.node.set_parameters([payload])[0].successful


def test_a_base_that_turns_at_once_is_not_believed_while_joints_are_commanded(
    called: Called,
) -> None:
    """Gravity of another direction: a leg moved at 1.6 rad/s."""
    outputs = {"gravity_torque": JointEfforts, "commands": Float64MultiArray}
    floating = Floating(called, "gravity_compensation", outputs, **DIRECT)
    floating.place()
    before = list(floating.answer("gravity_torque").effort)
    until(lambda: floating.answer("gravity_torque") and floating.received["commands"])
    turned = odometry(np.r_[POSE[:3], POSE[[6, 3, 4, 5]]])
    floating.odometry.publish(turned)
    assert list(floating.answer("gravity_torque").effort) == before
    floating.report("turned by")
    floating.node.reload()
    floating.odometry.publish(turned)
    assert list(floating.answer("gravity_torque").effort) == before


def test_joints_are_held_where_the_pose_of_their_base_stops(called: Called) -> None:
    outputs = {"gravity_torque": JointEfforts, "commands": Float64MultiArray}
    how = {**DIRECT, "joint_state_timeout": 0.1}
    floating = Floating(called, "gravity_compensation", outputs, **how)
    torques, commands = floating.received.values()

    def follow() -> Any:
        floating.send(floating.names, **floating.fields)
        called.clock.sleep(0.01)
        return torques

    until(lambda: floating.odometry.publish(odometry()) or follow())
    commands.clear()
    for _ in range(50):
        follow()
    held = pytest.approx(list(torques[-1].effort)[6:])
    assert all(list(command.data) == held for command in commands)
    assert any("the last one was refused: no pose of joint" in line for line in floating.logged())
    assert not any("resumed" in line for line in floating.logged())


def test_a_frame_that_is_fixed_to_the_base_will_do(called: Called) -> None:
    """Odometry of a link that stands on the root link, turned and moved."""
    stand = """<link name="stand"/><joint name="fix" type="fixed">
      <parent link="base_link"/><child link="stand"/><origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>
    </joint></robot>"""
    description = UR5.read_text().replace("</robot>", stand)
    outputs = {"nonlinear_effects": JointEfforts}
    floating = Floating(called, "nonlinear_effects", outputs, robot_description=description)
    placement = pin.buildModelFromXML(description, pin.JointModelFreeFlyer())
    frame = placement.frames[placement.getFrameId("stand")].placement
    there = pin.SE3ToXYZQUAT(pin.XYZQUATToSE3(POSE) * frame)
    twist = frame.actInv(pin.Motion(TWIST)).vector
    floating.place(odometry(there, twist, child_frame_id="stand"))
    numbers = np.array(floating.answer("nonlinear_effects").effort)
    assert numbers == pytest.approx(np.array(by_pinocchio(floating, "nonlinear_effects")), abs=1e-9)


def test_the_pose_is_moved_on_to_the_time_of_the_joint_state(called: Called) -> None:
    floating = Floating(called, "gravity_compensation", {"gravity_torque": JointEfforts})
    floating.place(odometry(time=1000))
    stamp = floating.send(floating.names, **floating.fields, time=1002)
    moved = pin.integrate(floating.model, floating.q, np.r_[2.0 * TWIST, np.zeros(6)])
    gravity = pin.computeGeneralizedGravity(floating.model, floating.data, moved)
    answer = floating.answer_on("gravity_torque", stamp)
    assert np.array(answer.effort) == pytest.approx(np.array(gravity), abs=1e-9)


def test_a_floating_base_is_predicted(called: Called, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it will be, how it moves, and how far off that was, beside the joints."""
    outputs = {
        "prediction": JointTrajectory,
        "multi_dof_prediction": MultiDOFJointTrajectory,
        "prediction_error": PredictionError,
    }
    monkeypatch.setattr(prediction, "STEP_S", 0.5)
    floating = Floating(called, "forward_dynamics", outputs, prediction_duration=1.0)
    floating.place()
    base = floating.answer("multi_dof_prediction")
    joints = floating.answer_on("prediction", base.header.stamp.sec)
    assert base.joint_names == ["root_joint"]
    assert joints.joint_names == floating.names
    model, data, effort = floating.model, floating.data, floating.effort
    q, v = floating.q, floating.v
    accelerated = lambda q, v: pin.aba(model, data, q, v, effort).copy()  # noqa: E731
    for point, beside in zip(base.points, joints.points, strict=True):
        q, v = runge_kutta(model, accelerated, q, v, 0.5)
        a = pin.aba(model, data, q, v, effort)
        (there,), (rate,), (change,) = point.transforms, point.velocities, point.accelerations
        place, turned = there.translation, there.rotation
        found = pin.XYZQUATToSE3(
            [place.x, place.y, place.z, turned.x, turned.y, turned.z, turned.w]
        )
        assert found.isApprox(pin.XYZQUATToSE3(q[:7]), 1e-9)
        for message, expected in ((rate, v), (change, a)):
            linear, angular = message.linear, message.angular
            numbers = [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
            assert numbers == pytest.approx(expected[:6])
        assert beside.positions == pytest.approx(q[7:])
        assert point.time_from_start == beside.time_from_start
    floating.answer("prediction_error")  # one second later the robot is where it was
    error = floating.received["prediction_error"][0]
    assert error.joint_names[5:] == ["root_joint/wz", *floating.names]
    assert error.position == pytest.approx(pin.difference(model, q, floating.q))
    assert error.velocity == pytest.approx(floating.v - v)


BAD: list[tuple[str, Callable[[], Odometry], str]] = [
    ("not finite", lambda: odometry(POSE * nan), "the position of the pose is"),
    ("not finite", lambda: odometry(twist=TWIST * nan), "the twist is"),
    ("no orientation", lambda: odometry(np.zeros(7)), "of length 0: send a quaternion of length 1"),
    ("unknown frame", lambda: odometry(child_frame_id="tool0"), "'tool0', which is not fixed"),
    ("unknown frame", lambda: odometry(child_frame_id=""), "set it to one of 'base_link'"),
    ("time ran backwards", lambda: odometry(time=-5), "5.000000 s older"),
]


def test_odometry_that_cannot_be_used_changes_nothing(called: Called) -> None:
    floating = Floating(called, "gravity_compensation", {"gravity_torque": JointEfforts})
    floating.place()
    for reason, message, word in BAD:
        counter = key("odom_refused", reason)
        before = int(floating.values().get(counter, 0))
        floating.odometry.publish(message())
        until(lambda c=counter, b=before: int(floating.values().get(c, 0)) == b + 1)
        assert floating.report(word).level == DiagnosticStatus.WARN
    gravity = np.array(by_pinocchio(floating, "gravity_torque"))
    assert np.array(floating.answer("gravity_torque").effort) == pytest.approx(gravity, abs=1e-9)


@pytest.mark.usefixtures("settled_at_once")
def test_without_a_pose_nothing_is_computed(called: Called) -> None:
    outputs = {"gravity_torque": JointEfforts}
    floating = Floating(called, "gravity_compensation", outputs, joint_state_timeout=0.5)
    floating.send(floating.names, **floating.fields)
    floating.report("no pose of joint 'root_joint' on /odom yet")
    assert not floating.received["gravity_torque"]
    floating.place()
    until(lambda: float(floating.values()["odom_age_s"]) > 0.5)
    before = int(floating.values().get("refused_free_joint_stale", 0))
    floating.send(floating.names, **floating.fields)
    until(lambda: int(floating.values()["refused_free_joint_stale"]) == before + 1)


def test_clocks_that_differ_are_reported(called: Called) -> None:
    outputs = {"gravity_torque": JointEfforts}
    floating = Floating(called, "gravity_compensation", outputs)
    floating.place(odometry(time=1000))
    floating.send(floating.names, **floating.fields, time=2000)
    floating.report("1000.000 s apart (joint_state_timeout 60 s): compare the clocks")


@pytest.mark.parametrize("name", ["computed_torque", "impedance", "ik"])
def test_nodes_that_move_a_robot_refuse_a_floating_base(called: Called, name: str) -> None:
    floats = {"robot_description": UR5.read_text(), "floating_base": True}
    bench = StateBench(called, node_class(name), {}, **floats)
    bench.report("joint 'root_joint' has 6 degrees of freedom, but this node works with one number")


def two_boxes() -> dyn_core.Model:
    """Return two bodies, each at a floating joint."""
    builder = ModelBuilder("two_boxes")
    body = Inertia.from_parameters([1.0, 0.1, 0.0, 0.0, 0.2, 0.0, 0.2, 0.0, 0.0, 0.2])
    for name in ("one", "other"):
        joint = builder.add_joint(0, FreeFlyer(), SE3.identity(), name)
        builder.add_body(joint, body, SE3.identity())
    return builder.build()


def test_joints_of_a_request_may_come_in_any_order() -> None:
    """All joints of the first state, then all of the second; likewise along a trajectory."""
    model = two_boxes()
    first = dyn_core.integrate(model, dyn_core.neutral(model), np.arange(1.0, 13.0) / 5.0)
    rows = np.array([first, dyn_core.integrate(model, first, np.ones(12))])
    names = ["other", "one"]
    states = rows, rows[:, :12], 2.0 * rows[:, :12]
    points = multi_dof_points([0.5, 1.0], free_joints(model), *states)
    trajectory = MultiDOFJointTrajectory(points=points)
    for point in trajectory.points:
        for field in (point.transforms, point.velocities, point.accelerations):
            field.reverse()
    trajectory.joint_names = names
    reader = MultiDofReader(model)
    transforms = [x for point in trajectory.points for x in point.transforms]
    places = MultiDofPositions(joint_names=names, transforms=transforms)
    assert same_places(model, reader.configurations(places, 2), rows)
    q, v, a = reader.trajectory(trajectory, np.array([0.5, 1.0]))
    assert same_places(model, q, rows)
    assert v == pytest.approx(rows[:, :12])
    assert a == pytest.approx(2.0 * rows[:, :12])
    places.transforms.pop()
    with pytest.raises(InputRefusedError, match="3 entries but should have 4"):
        reader.configurations(places, 2)
    with pytest.raises(InputRefusedError, match="give both the same times from start"):
        reader.trajectory(trajectory, np.array([0.5, 1.1]))


def same_places(model: dyn_core.Model, found: np.ndarray, expected: np.ndarray) -> bool:
    """Whether configurations are equal; a quaternion is so with either sign."""
    pairs = zip(found, expected, strict=True)
    return all(abs(dyn_core.difference(model, x, y)).max() < 1e-9 for x, y in pairs)
