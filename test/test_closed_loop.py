# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The loop closed over DDS: nodes and a simulated robot as processes, nothing in between."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin
from dyn_msgs.msg import Centroidal
from nav_msgs.msg import Odometry
from robots import ROBOT_FILES, example_robots
from ros_system.client import Client
from ros_system.processes import PATIENT, SLOWLY, UR5, NodeProcess
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

Start = Callable[..., NodeProcess]
HYQ = example_robots() / ROBOT_FILES["hyq"]
QUADRUPED = UR5.parents[1] / "quadruped.yaml"
LEGS = [0.0, 0.75, -1.5, 0.0, -0.75, 1.5] * 2  # rad


def test_a_quadruped_stands_and_its_odometry_places_its_mass(start: Start, client: Client) -> None:
    """PD on the joints; with the odometry, the centre of mass is where Pinocchio has it."""
    files = ("--ros-args", "--params-file", str(QUADRUPED))
    start("robot_sim", *files, autostart=True, urdf_file=str(HYQ), command_timeout=3.0, **SLOWLY)
    start("centroidal", *files, autostart=True, use_sim_time=True, **PATIENT)
    commands = client.ros.tester.create_publisher(Float64MultiArray, "robot_sim/commands", 10)

    def hold(state: JointState) -> None:
        error = np.array(LEGS) - np.array(state.position)
        effort = 800.0 * error - 20.0 * np.array(state.velocity)
        commands.publish(Float64MultiArray(data=effort.tolist()))

    client.ros.tester.create_subscription(JointState, "joint_states", hold, 1)
    odometry = client.ros.collect(Odometry, "odom")
    masses = client.ros.collect(Centroidal, "centroidal/centroidal")
    client.wait(lambda: odometry and masses, 120.0)  # the first start compiles
    begin = odometry[-1].header.stamp.sec
    client.wait(lambda: odometry[-1].header.stamp.sec > begin + 5, 60.0)  # brakes off, settled
    pose = odometry[-1].pose.pose
    assert 0.45 < pose.position.z < 0.62
    assert math.hypot(pose.position.x, pose.position.y) < 0.1
    assert pose.orientation.w > 0.99
    stamps = {key(message): message for message in list(odometry)}
    mass = next(message for message in reversed(masses) if key(message) in stamps)
    assert_same_center(mass, stamps[key(mass)], client.state)


def assert_same_center(mass: Centroidal, odometry: Odometry, state: Any) -> None:
    """The legs hardly move any more, so that the last joint state will do."""
    model = pin.buildModelFromUrdf(str(HYQ), pin.JointModelFreeFlyer())
    p, o = odometry.pose.pose.position, odometry.pose.pose.orientation
    q = pin.neutral(model)
    q[:7] = p.x, p.y, p.z, o.x, o.y, o.z, o.w
    for name, position in zip(state.name, state.position, strict=True):
        q[model.joints[model.getJointId(name)].idx_q] = position
    expected = pin.centerOfMass(model, model.createData(), q)
    center = mass.center_of_mass
    assert np.abs(np.array([center.x, center.y, center.z]) - expected).max() < 0.01


def key(message: Any) -> tuple[int, int]:
    return message.header.stamp.sec, message.header.stamp.nanosec
