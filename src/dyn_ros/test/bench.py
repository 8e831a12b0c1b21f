# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Nodes on the bench: a test plays the robot, its driver and its controller."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin
from called import Called
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from dyn_msgs.msg import JointAccelerations, JointEfforts, MassMatrix
from rcl_interfaces.msg import Log
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from ros_helpers import UR5, Ros, joint_state, reported, until, values_of
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String

from dyn_ros.node.description import description_qos
from dyn_ros.nodes.gravity_compensation import GravityCompensation
from dyn_ros.registry import node_class

NAMES = ["first", "second"]
HORIZONTAL = [-9.81 * 2.0, -9.81 * 0.5]  # N m, of `arm` at zero

ANY_TIME = {"stamps": "ignored"}


DIRECT = {  # commands at once, for an arm that is held otherwise
    "ramp.duration": 0.0,
    "start_effort": "zero",
    "hardware_compensates_gravity": False,
    "limits.effort_rate": 1e9,
    "shutdown.command": "zero",
}


class StateBench:
    """A node between a robot's topics; joint states have stamps of their own, from second 1 on."""

    def __init__(
        self, ros: Ros | Called, kind: Any, outputs: dict[str, Any], **parameters: Any
    ) -> None:
        """Collect `outputs`, message kinds by topic, in `received`."""
        parameters = {"joint_state_timeout": 60.0, **ANY_TIME, **parameters}
        if "commands" in outputs:
            parameters.setdefault("command_subscriber", ros.tester.get_name())
        self.ros = ros
        self.node = ros.create(kind, autostart=True, **parameters)
        name = self.node.get_name()
        self.received = {
            topic: ros.collect(message, f"{name}/{topic}") for topic, message in outputs.items()
        }
        self.reports = ros.collect(DiagnosticArray, "/diagnostics")
        latched = QoSProfile(depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._log = ros.collect(Log, "/rosout", latched)
        self._states = ros.tester.create_publisher(JointState, "joint_states", 10)
        self._descriptions = ros.tester.create_publisher(
            String, "robot_description", description_qos()
        )
        self._stamps = itertools.count(1)
        ros.start()

    def describe(self, text: str) -> None:
        self._descriptions.publish(String(data=text))

    def set_parameter(self, name: str, value: Any) -> None:
        """Change a parameter of the node while it runs."""
        (result,) = self.node.set_parameters([Parameter(name, value=value)])
        assert result.successful, result.reason

    def connect_to(self, topic: str, names: list[str], **fields: Any) -> None:
        """Wait until joint states are answered on a topic; by default the robot is at zero."""
        until(lambda: self.node.active)
        fields = {"position": [0.0] * len(names), **fields}
        until(lambda: self.send(names, **fields) and self.received[topic])

    def send(self, names: list[str], position: list[float], **fields: Any) -> int:
        """Publish a joint state; return its stamp."""
        fields.setdefault("time", next(self._stamps))
        self._states.publish(joint_state(names, position, **fields))
        return int(fields["time"])

    def answer_on(self, topic: str, stamp: int) -> Any:
        """Wait for the message on a topic that has a stamp."""
        messages = self.received[topic]
        return until(lambda: [m for m in messages if m.header.stamp.sec == stamp])[0]

    def logged(self) -> list[str]:
        """Return the log of the nodes since they began (pytest loses lines while they are read)."""
        return [entry.msg for entry in list(self._log)]

    def report(self, words: str) -> DiagnosticStatus:
        """Wait for diagnostics that say something."""
        return reported(self.reports, words)

    def values(self) -> dict[str, str]:
        """Return the newest values of diagnostics; empty before the first."""
        return dict(values_of(self.reports[-1].status[0])) if self.reports else {}


class Bench(StateBench):
    """gravity_compensation, with a controller that takes its commands."""

    def __init__(self, ros: Ros | Called, **parameters: Any) -> None:
        outputs = {"gravity_torque": JointEfforts, "commands": Float64MultiArray}
        super().__init__(ros, GravityCompensation, outputs, **{**DIRECT, **parameters})
        self.torques, self.commands = self.received.values()

    def connect(self, names: list[str] = NAMES) -> None:
        """Wait until joint states are answered by torques and, if there are any, commands."""
        until(lambda: self.node.active)
        self.connect_to("gravity_torque", names)

    def answer(self, names: list[str], position: list[float], **fields: Any) -> JointEfforts:
        return self.answer_on("gravity_torque", self.send(names, position, **fields))


class Ur5(StateBench):
    """A node for a UR5, and the same robot in Pinocchio."""

    def __init__(
        self,
        ros: Ros | Called,
        name: str,
        outputs: dict[str, Any],
        *,
        connect: bool = True,
        floating: bool = False,
        **parameters: Any,
    ) -> None:
        usual = {"robot_description": UR5.read_text(), "floating_base": floating}
        super().__init__(ros, node_class(name), outputs, **{**usual, **parameters})
        root = [pin.JointModelFreeFlyer()] if floating else []
        self.model = pin.buildModelFromXML(UR5.read_text(), *root)
        self.data = self.model.createData()
        self.names = list(self.model.names)[1 + floating :]
        random = np.random.default_rng(8)
        self.q, self.v, self.effort = random.uniform(-2.0, 2.0, (3, self.model.nv))
        self.fields = {
            "position": list(self.q),
            "velocity": list(self.v),
            "effort": list(self.effort),
        }
        if connect:
            self.connect_to(next(iter(outputs)), self.names, **self.fields)
            self.stamp = self.send(self.names, **self.fields)
        else:
            until(lambda: self.node.active)

    def answer(self, topic: str) -> Any:
        message = self.answer_on(topic, self.stamp)
        assert message.joint_names == self.names
        return message


def by_pinocchio(state: Any, topic: str) -> Any:
    """What a node of STATE_NODES should publish, of an object with model, data, q, v and effort."""
    model, data, q, v = state.model, state.data, state.q, state.v
    if topic == "mass_matrix":
        M = pin.crba(model, data, q)
        return (np.triu(M) + np.triu(M, 1).T).ravel()
    return {
        "gravity_torque": lambda: pin.computeGeneralizedGravity(model, data, q),
        "nonlinear_effects": lambda: pin.nonLinearEffects(model, data, q, v),
        "acceleration": lambda: pin.aba(model, data, q, v, state.effort),
    }[topic]()


STATE_NODES = [
    ("gravity_compensation", "gravity_torque", JointEfforts, "effort"),
    ("nonlinear_effects", "nonlinear_effects", JointEfforts, "effort"),
    ("mass_matrix", "mass_matrix", MassMatrix, "data"),
    ("forward_dynamics", "acceleration", JointAccelerations, "acceleration"),
]


def runge_kutta(
    model: pin.Model, accelerated: Callable[..., Any], q: np.ndarray, v: np.ndarray, h: float
) -> tuple[np.ndarray, np.ndarray]:
    """A step of the classical method on the robot's manifold, by Pinocchio."""

    def rates(x: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        jexp = pin.dIntegrate(model, q, x, pin.ArgumentPosition.ARG1)
        return np.linalg.solve(jexp, v), accelerated(pin.integrate(model, q, x), v)

    x1, v1 = rates(0.0 * v, v)
    x2, v2 = rates(0.5 * h * x1, v + 0.5 * h * v1)
    x3, v3 = rates(0.5 * h * x2, v + 0.5 * h * v2)
    x4, v4 = rates(h * x3, v + h * v3)
    x, gained = (
        h / 6.0 * (a + 2.0 * b + 2.0 * c + d) for a, b, c, d in ((x1, x2, x3, x4), (v1, v2, v3, v4))
    )
    return pin.integrate(model, q, x), v + gained
