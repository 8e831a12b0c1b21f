# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What a user's program sees of the robot and its nodes, over DDS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from dyn_msgs.msg import JointEfforts
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from ros_helpers import NEWEST, Ros, joint_state, until
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from dyn_ros.node.description import description_qos

ANY_TIME = {"stamps": "ignored"}  # the client counts its joint states by stamps
START_TIMEOUT = 90.0  # s; of a process, on a machine that has other things to do
COMPILATION_TIMEOUT = 120.0  # s; of many nodes at once whose code is in no cache


class Client:
    """Knows the newest joint state, torque and diagnostics; publishes and calls."""

    def __init__(self, ros: Ros) -> None:
        self.ros = ros
        self.state: JointState | None = None
        self.torques: list[JointEfforts] = []
        self.statuses: list[DiagnosticStatus] = []
        self._changed: set[str] = set()  # nodes whose change_state service has answered
        subscribe = ros.tester.create_subscription
        subscribe(JointState, "joint_states", self._take_state, NEWEST)
        subscribe(JointEfforts, "gravity_compensation/gravity_torque", self._take_torque, 10)
        subscribe(DiagnosticArray, "/diagnostics", self._take_diagnostics, 10)

    # What comes ------------------------------------------------------------------------------

    def position(self) -> list[float]:
        """Return the newest positions, rad; wait for the first."""
        until(lambda: self.state, START_TIMEOUT)
        return list(self.state.position)

    def deviation_from(self, position: list[float]) -> float:
        """Return the largest distance of a joint from `position`, rad."""
        pairs = zip(self.position(), position, strict=True)
        return max(abs(now - then) for now, then in pairs)

    def diagnostics(self, word: str) -> DiagnosticStatus:
        """Wait for a status whose message contains `word`."""

        def found() -> DiagnosticStatus | None:
            statuses = list(self.statuses)
            return next((status for status in statuses if word in status.message), None)

        return until(found, 10.0)

    def torque_of(self, stamp: int) -> JointEfforts | None:
        """Return the torque that was computed from the joint state with this stamp, if any."""
        torques = list(self.torques)
        return next((torque for torque in torques if torque.header.stamp.sec == stamp), None)

    # What goes -------------------------------------------------------------------------------

    def be_the_robot(self) -> None:
        """Publish descriptions and joint states in place of a robot."""
        create = self.ros.tester.create_publisher
        self._states = create(JointState, "joint_states", 10)
        self._descriptions = create(String, "robot_description", description_qos())
        self._stamp = 0

    def describe(self, text: str) -> None:
        """Publish a robot description."""
        self._descriptions.publish(String(data=text))

    def send(self, names: list[str], position: list[float]) -> int:
        """Publish a joint state and return its stamp."""
        self._stamp += 1
        self._states.publish(joint_state(names, position, time=self._stamp))
        return self._stamp

    def torque(self, names: list[str], position: list[float]) -> JointEfforts:
        """Publish joint states until one is answered by a torque, and return that."""

        first = self.send(names, position)

        def answered() -> JointEfforts | None:
            before = self.send(names, position) - 1
            return self.torque_of(max(before, first))  # of this state, not of one before

        return until(answered, START_TIMEOUT)

    # Lifecycle -------------------------------------------------------------------------------

    def change(self, node: str, transition: int) -> bool:
        """Ask for a transition; return whether it succeeded."""
        request = Transition(id=transition)
        service = f"{node}/change_state"
        if node not in self._changed:  # a first request may be sent twice: let it be a futile one
            self._changed.add(node)
            self.call(ChangeState, service, transition=Transition(id=255))
        return bool(self.call(ChangeState, service, transition=request).success)

    def lifecycle_state(self, node: str) -> int:
        """Return the id of the state of a node."""
        return int(self.call(GetState, f"{node}/get_state").current_state.id)

    def wait_for_state(self, node: str, state: int, timeout: float = START_TIMEOUT) -> None:
        """Wait until a node is in a state."""
        until(lambda: self.lifecycle_state(node) == state, timeout)

    def call(self, kind: Any, service: str, **request: Any) -> Any:
        """Return the response of a service."""
        return self.ros.call(kind, service, START_TIMEOUT, **request)

    def wait(self, condition: Callable[[], Any], timeout: float = START_TIMEOUT) -> Any:
        """Wait for a condition."""
        return until(condition, timeout)

    def _take_state(self, message: JointState) -> None:
        self.state = message

    def _take_torque(self, message: JointEfforts) -> None:
        self.torques = [*self.torques[-100:], message]

    def _take_diagnostics(self, message: DiagnosticArray) -> None:
        self.statuses = [*self.statuses[-100:], *message.status]
