# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The node ik between a robot that follows its commands and a publisher of targets."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pinocchio as pin
from called import Called
from diagnostic_msgs.msg import DiagnosticArray
from forward_controller_stand_in import UPDATE_PERIOD
from geometry_msgs.msg import PoseStamped
from rcl_interfaces.msg import Log
from rclpy.duration import Duration
from ros_helpers import UR5, clock, until, values_of
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from trajectory_msgs.msg import JointTrajectory

from dyn_ros.node.description import description_qos
from dyn_ros.nodes.ik import Ik

START = [0.3, -1.2, 1.4, -0.8, -1.2, 0.2]  # rad, far from singularities
FAST = {"tool_speed": [0.5, 2.0], "limits.motion_scale": 1.0}
MOST = 5.0  # rad/s^2


class Rig:
    """A UR5 whose controller follows commands at once, and a person who moves the target."""

    def __init__(
        self,
        called: Called,
        interface: str = "joint_trajectory",
        *,
        says: bool = True,
        **parameters: Any,
    ) -> None:
        self.called, self.interface = called, interface
        self.model = pin.buildModelFromUrdf(str(UR5))
        self.data, self.tool = self.model.createData(), self.model.getFrameId("tool0")
        self.names = list(self.model.names)[1:]
        self.q, self.v = np.array(START), np.zeros(6)
        self.says, self.follows = says, True
        self.ahead = Duration()  # of stamps
        self._noise = 1e-9  # rad, of encoders: waiting for a command is not a frozen state
        self.commanded: list[tuple[np.ndarray, np.ndarray]] = []  # positions and velocities
        values = {
            "robot_description": UR5.read_text(),
            "command_interface": interface,
            "limits.acceleration": MOST,
            "max_tracking_error": 0.0,  # how soon states come back is the computer's matter
            **FAST,
            **parameters,
        }
        self.node = called.create(
            partial(Ik, cli_args=["--ros-args", "-r", "~/commands:=/velocity_controller/commands"]),
            autostart=True,
            **values,
        )
        self.reports = called.collect(DiagnosticArray, "/diagnostics")
        self.log = called.collect(Log, "/rosout")
        tester = called.tester
        if interface == "velocity":
            tester.declare_parameter("joints", self.names[::-1])
            tester.declare_parameter("interface_name", "velocity")
            topic = "/velocity_controller/commands"
            tester.create_subscription(Float64MultiArray, topic, self._take_velocities, 10)
        else:
            tester.declare_parameter("joints", self.names)
            tester.create_subscription(JointTrajectory, "ik/joint_trajectory", self._take, 10)
        self._states = tester.create_publisher(JointState, "joint_states", 10)
        self._targets = tester.create_publisher(PoseStamped, "ik/targets", 10)
        self._descriptions = tester.create_publisher(String, "robot_description", description_qos())
        if not values["robot_description"]:
            self.describe(UR5.read_text())
        tester.create_timer(UPDATE_PERIOD, self._say)
        until(lambda: self.node.active and self.node.located == says, 30.0)
        self.begun = self.place()

    def describe(self, text: str) -> None:
        """Publish a description of the robot."""
        self._descriptions.publish(String(data=text))

    def place(self, q: np.ndarray | None = None) -> pin.SE3:
        """Where the tool is."""
        pin.framesForwardKinematics(self.model, self.data, self.q if q is None else q)
        return self.data.oMf[self.tool].copy()

    def target(self, place: pin.SE3, frame: str = "base_link") -> PoseStamped:
        message = PoseStamped()
        message.header.frame_id = frame
        x = pin.SE3ToXYZQUAT(place)
        p, o = message.pose.position, message.pose.orientation
        p.x, p.y, p.z, o.x, o.y, o.z, o.w = map(float, x)
        return message

    def ask(self, message: PoseStamped, period: float = 0.0) -> None:
        """Publish a target once, and wait a period."""
        self._targets.publish(message)
        clock().sleep(period)

    def go(self, message: PoseStamped, done: Any) -> None:
        """Publish a target again and again until something is so."""
        end = clock().now() + 60.0
        while not done():
            self.ask(message, 0.01)
            assert clock().now() < end, "not within 60 s"

    def away(self, place: pin.SE3) -> float:
        """Distance of the tool from a place, m."""
        return float(np.linalg.norm(self.place().translation - place.translation))

    def final_count(self) -> int:
        """Number of commands, once no more come."""

        def settled() -> bool:
            count = len(self.commanded)
            clock().sleep(0.1)
            return count == len(self.commanded)

        until(settled)
        return len(self.commanded)

    def values(self) -> Any:
        """The diagnostics as they are now; message: all messages since last asked."""
        count = len(self.reports)
        self.node.diagnose()
        until(lambda: any("/ik" in x.name for r in self.reports[count:] for x in r.status))
        statuses = [x for r in self.reports for x in r.status if "/ik" in x.name]
        self.reports.clear()
        return {**values_of(statuses[-1]), "message": " ".join(x.message for x in statuses)}

    def _take(self, message: JointTrajectory) -> None:
        (point,) = message.points
        assert list(message.joint_names) == self.names
        velocities = np.array(point.velocities or np.zeros(6))
        self.commanded.append((np.array(point.positions), velocities))
        if self.follows:
            self.q, self.v = self.commanded[-1]

    def _take_velocities(self, message: Float64MultiArray) -> None:
        self.v = np.array(message.data)[::-1]
        self.commanded.append((self.q.copy(), self.v.copy()))

    def _say(self) -> None:
        if self.interface == "velocity":
            self.q = self.q + UPDATE_PERIOD * self.v
        if self.says:
            self._noise = -self._noise
            position = list(self.q + self._noise)
            state = JointState(name=self.names, position=position, velocity=list(self.v))
            state.header.stamp = (self.called.tester.get_clock().now() + self.ahead).to_msg()
            self._states.publish(state)


def moved(place: pin.SE3, x: float, y: float, z: float, turn: float = 0.0) -> pin.SE3:
    """A place elsewhere, in the axes of the base, and turned about z."""
    return pin.SE3(
        pin.rpy.rpyToMatrix(0, 0, turn) @ place.rotation, place.translation + np.array([x, y, z])
    )
