"""gravity_compensation on the bench: a test plays the robot, its driver and its controller."""

from __future__ import annotations

import itertools
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from dyn_msgs.msg import JointEfforts
from ros_helpers import Ros, joint_state, until
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String

from dyn_ros.base.description_interface import description_qos
from dyn_ros.nodes.gravity_compensation import GravityCompensation

NAMES = ["first", "second"]
HORIZONTAL = [-9.81 * 2.0, -9.81 * 0.5]  # N m, of `arm` at zero


class Bench:
    """gravity_compensation between a robot's topics; every joint state has a stamp of its own."""

    def __init__(self, ros: Ros, **parameters: Any) -> None:
        parameters = {"joint_state_timeout": 5.0, "ramp_duration": 0.0, **parameters}
        self.node = ros.create(GravityCompensation, autostart=True, **parameters)
        self.torques = ros.collect(JointEfforts, "gravity_compensation/gravity_torque")
        self.commands = ros.collect(Float64MultiArray, "gravity_compensation/commands")
        self._reports = ros.collect(DiagnosticArray, "/diagnostics")
        self._states = ros.tester.create_publisher(JointState, "joint_states", 10)
        self._descriptions = ros.tester.create_publisher(
            String, "robot_description", description_qos()
        )
        self._stamps = itertools.count(1)
        ros.start()

    def describe(self, text: str) -> None:
        self._descriptions.publish(String(data=text))

    def connect(self, names: list[str] = NAMES) -> None:
        """Wait until joint states are answered by torques and, if there are any, commands."""
        until(lambda: self.node.active)
        until(lambda: self.node.count_subscribers("gravity_compensation/commands"))
        until(lambda: self.send(names, [0.0, 0.0]) and self.torques)

    def send(self, names: list[str], position: list[float], **fields: Any) -> int:
        """Publish a joint state; return its stamp."""
        fields.setdefault("time", next(self._stamps))
        self._states.publish(joint_state(names, position, **fields))
        return int(fields["time"])

    def answer_to(self, stamp: int) -> JointEfforts:
        return until(lambda: [t for t in self.torques if t.header.stamp.sec == stamp])[0]

    def answer(self, names: list[str], position: list[float], **fields: Any) -> JointEfforts:
        return self.answer_to(self.send(names, position, **fields))

    def report(self, word: str) -> DiagnosticStatus:
        """Wait for diagnostics that say `word`."""

        def told() -> Any:
            statuses = (status for report in self._reports for status in report.status)
            return next((status for status in statuses if word in status.message), None)

        return until(told)
