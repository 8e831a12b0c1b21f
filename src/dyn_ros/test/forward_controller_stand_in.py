# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for ros2_control, which no wheel has: mock hardware under an effort controller.

It does what forward_controllers_base.cpp of ros2_controllers does. A command with a number that is
not finite is dropped with a warning. Any other is kept, and every update writes it to the hardware
unless it has a wrong size, which is an error: the efforts written last stay then. So they do when
no commands come any more: there is no time-out. Like mock_components/GenericSystem, the hardware
does not move and shows the efforts that it was given as those that it measures. Its parameters say
for which joints it takes commands of which kind, as those of the real one do.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSPresetProfiles
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

UPDATE_PERIOD = 0.005  # s


class ForwardControllerStandIn(Node):  # type: ignore[misc]
    """effort_controller with `joints`, on hardware that stays at `position`."""

    def __init__(
        self,
        joints: Sequence[str],
        position: Sequence[float],
        *,
        interface: str = "effort",
        effort: Sequence[float] = (),
        mute: bool = False,
        **options: Any,
    ) -> None:
        super().__init__("effort_controller", **options)
        self._joints, self._position = list(joints), list(position)
        self.declare_parameter("joints", self._joints)
        self.declare_parameter("interface_name", interface)
        self._command: Float64MultiArray | None = None
        self.hardware = list(effort or [0.0] * len(self._joints))  # N m, what the motors give
        self.given: list[list[float]] = []  # N m, all that was commanded
        self.dropped = self.errors = self.received = 0
        self.mute = mute  # whether no joint states are published
        qos = QoSPresetProfiles.SYSTEM_DEFAULT.value
        self.create_subscription(Float64MultiArray, "~/commands", self._take, qos)
        self._publisher = self.create_publisher(JointState, "joint_states", 10)
        self.create_timer(UPDATE_PERIOD, self._update)

    def forget(self) -> None:
        """Have no command, as after activation."""
        self._command = None
        self.given.clear()

    def _take(self, message: Float64MultiArray) -> None:
        self.received += 1
        if all(map(isfinite, message.data)):
            self._command = message
        else:
            self.dropped += 1

    def _update(self) -> None:
        if self._command is not None and len(self._command.data) != len(self.hardware):
            self.errors += 1
        elif self._command is not None:
            self.hardware = list(self._command.data)
            self.given.append(self.hardware)
        if self.mute:
            return
        state = JointState(name=self._joints, position=self._position, effort=self.hardware)
        state.velocity = [0.0] * len(self._joints)
        state.header.stamp = self.get_clock().now().to_msg()
        self._publisher.publish(state)
