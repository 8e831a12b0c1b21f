# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""An arm by Pinocchio under an effort controller that keeps its last command, without DDS."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pinocchio as pin
from called import Called
from rcl_interfaces.msg import Log
from ros_helpers import trajectory, until
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from trajectory_msgs.msg import JointTrajectory

from dyn_ros.messages.stamp import time_message
from dyn_ros.node.description import description_qos

STEP_S = 0.001


class Plant:
    """Motors hold the arm at rest when the node begins; joint states come at `rate` Hz."""

    def __init__(
        self,
        called: Called,
        kind: Any,
        urdf: str,
        position: Any,
        *,
        described: str = "",
        rate: float = 250.0,
        friction: float = 0.0,
        **parameters: Any,
    ) -> None:
        """Wait until commands hold the arm of `urdf`; `described` is for the node."""
        self.model = pin.buildModelFromXML(urdf)
        self.data = self.model.createData()
        self.names = list(self.model.names)[1:]
        self.q, self.v = np.array(position, float), np.zeros(self.model.nv)
        self.effort = self.gravity()
        self.limit = np.array(self.model.effortLimit)
        self.friction, self.push = friction, 0.0 * self.v
        self.fault: Callable[[JointState], JointState | None] = lambda state: state
        self.commands: list[np.ndarray] = []
        self.called, self._every, self._count = called, round(1.0 / rate / STEP_S), 0
        self.node = called.create(
            partial(kind, cli_args=["--ros-args", "-r", "~/commands:=/controller/commands"]),
            **{
                "autostart": True,
                "command_subscriber": called.tester.get_name(),
                "hardware_compensates_gravity": False,
                "measured_effort": "total",
                **parameters,
            },
        )
        tester, name = called.tester, self.node.get_name()
        tester.create_subscription(Float64MultiArray, "controller/commands", self._take, 10)
        self._states = tester.create_publisher(JointState, "joint_states", 10)
        self._trajectories = tester.create_publisher(JointTrajectory, f"{name}/joint_trajectory", 9)
        self._described = tester.create_publisher(String, "robot_description", description_qos())
        self._log = called.collect(Log, "/rosout", 1000)
        self.describe(described or urdf)
        until(lambda: self.node.active)
        self.run(1.0)

    def gravity(self) -> np.ndarray:
        """Return the efforts [n] that hold the arm."""
        return pin.computeGeneralizedGravity(self.model, self.data, self.q).copy()

    def run(self, seconds: float) -> np.ndarray:
        """Return the largest velocity of any joint in each step of so many seconds."""
        speeds = []
        for _ in range(round(seconds / STEP_S)):
            effort = np.minimum(np.maximum(self.effort, -self.limit), self.limit) + self.push
            losses = self.friction / np.maximum(np.abs(self.v), 0.01)
            self.model.armature = STEP_S * losses  # so that friction is implicit: it is stiff
            effort -= losses * self.v
            self.v = self.v + STEP_S * pin.aba(self.model, self.data, self.q, self.v, effort)
            self.q = pin.integrate(self.model, self.q, STEP_S * self.v)
            self.called.clock.sleep(STEP_S)
            self._count += 1
            if self._count % self._every == 0:
                self.publish()
            speeds.append(np.abs(self.v).max())
        return np.array(speeds)

    def state(self) -> JointState:
        """Return what the driver says now."""
        message = JointState(name=self.names, position=list(self.q))
        message.velocity, message.effort = list(self.v), list(self.effort)
        message.header.stamp = time_message(self.called.clock.since_1970())
        return message

    def publish(self) -> None:
        """Publish the state as `fault` passes it on."""
        if (message := self.fault(self.state())) is not None:
            self._states.publish(message)

    def follow(self, *points: tuple[Any, ...]) -> None:
        """Command a trajectory of times, positions [n], and velocities and accelerations if given.

        Without these it is at rest at the end.
        """
        fields = "time", "positions", "velocities", "accelerations"
        named = (dict(zip(fields, point, strict=False)) for point in points)
        self._trajectories.publish(trajectory(self.names, *named))

    def describe(self, text: str) -> None:
        """Publish a description."""
        self._described.publish(String(data=text))

    def logged(self) -> list[str]:
        """Return the log of the nodes."""
        return [entry.msg for entry in list(self._log)]

    def _take(self, message: Float64MultiArray) -> None:
        self.effort = np.array(message.data)
        self.commands.append(self.effort)
