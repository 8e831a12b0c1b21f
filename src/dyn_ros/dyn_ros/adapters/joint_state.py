"""Reads sensor_msgs/JointState into arrays in the model's order."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dyn_ros.adapters.checked_vector import CheckedVector
from dyn_ros.adapters.joint_order import JointOrder
from dyn_ros.adapters.refusal import InputRefusedError

if TYPE_CHECKING:
    from builtin_interfaces.msg import Time
    from sensor_msgs.msg import JointState

NANOSECONDS = 1_000_000_000


class JointStateReader:
    """The last good joint state: `position`, `velocity`, `effort` in the model's order.

    Joints that the model does not have are ignored. A message that cannot be used changes nothing.
    """

    def __init__(
        self, joint_names: Sequence[str], *, needs_velocity: bool, only_known: bool = False
    ) -> None:
        """Expect these joints; `only_known` refuses messages that name others too.

        Without `needs_velocity` and `needs_effort` these fields are not looked at.
        """
        self._order = JointOrder(joint_names, only_known=only_known)
        self._position = CheckedVector("position", joint_names)
        self._velocity = CheckedVector("velocity", joint_names)
        self._effort = CheckedVector("effort", joint_names)
        self.needs_velocity = needs_velocity  # may be changed between two messages, as
        self.needs_effort = False
        self._last_stamp = 0  # ns

    @property
    def position(self) -> NDArray[np.float64]:
        """[n] rad or m, overwritten by every accepted message."""
        return self._position.values

    @property
    def velocity(self) -> NDArray[np.float64]:
        """[n] rad/s or m/s; zeros without `needs_velocity`."""
        return self._velocity.values

    @property
    def effort(self) -> NDArray[np.float64]:
        """[n] N m or N; zeros without `needs_effort`."""
        return self._effort.values

    @property
    def nanoseconds(self) -> int:
        """The stamp of the last message."""
        return self._last_stamp

    def read(self, message: "JointState") -> None:
        """Take a message. Raises InputRefusedError and keeps the old state if it is unusable."""
        self._check_time(message.header.stamp)
        size = len(message.name)
        indices = self._order.indices(message.name)
        self._position.check(message.position, indices, size)
        if self.needs_velocity:
            _refuse_absent(message.velocity, "velocity", "velocities", size)
            self._velocity.check(message.velocity, indices, size)
        if self.needs_effort:
            _refuse_absent(message.effort, "effort", "efforts", size)
            self._effort.check(message.effort, indices, size)
            self._effort.accept()
        if self.needs_velocity:
            self._velocity.accept()
        self._position.accept()

    def _check_time(self, stamp: "Time") -> None:
        now = stamp.sec * NANOSECONDS + stamp.nanosec
        last, self._last_stamp = self._last_stamp, now
        if now < last:
            raise InputRefusedError(
                "time ran backwards",
                f"the stamp is {(last - now) / NANOSECONDS:.6f} s older than the one before: "
                "let only one publisher write joint_states, with a clock that never goes back "
                "(after a restarted simulation this is said once)",
            )


def _refuse_absent(values: Sequence[float], field: str, plural: str, size: int) -> None:
    if not values:
        raise InputRefusedError(
            f"{field} absent",
            f"{field} has 0 numbers but should have {size}: let the publisher of joint_states "
            f"send {plural}, for this node computes with them",
        )
