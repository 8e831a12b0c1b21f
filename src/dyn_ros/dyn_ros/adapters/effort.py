"""Effort commands, allocated once and filled in place."""

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from std_msgs.msg import Float64MultiArray

from dyn_ros.adapters.joint_order import quoted


class CommandMessage:
    """A Float64MultiArray for a forward_command_controller with its own joint order."""

    def __init__(self, joint_names: Sequence[str], command_joints: Sequence[str] = ()) -> None:
        """Order the model's joints as in `command_joints`; empty: all joints, model order.

        Raises ValueError if a command joint is unknown or named twice.
        """
        ordered = list(command_joints or joint_names)
        unknown = [name for name in ordered if name not in joint_names]
        if unknown:
            raise ValueError(
                f"command joint {quoted(unknown)} is not in the model: "
                f"choose among {quoted(joint_names)}"
            )
        if len(set(ordered)) != len(ordered):
            raise ValueError(f"command joints {quoted(ordered)}: name every joint once")
        self.joint_names = tuple(ordered)
        self._indices = np.array([joint_names.index(name) for name in ordered], dtype=np.intp)
        self.message = Float64MultiArray()
        self.message.data = array("d", bytes(8 * len(ordered)))
        self._data = np.frombuffer(self.message.data)
        self._selected = np.zeros(len(ordered))

    def select(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values given in the model's order in that of the controller (overwritten)."""
        return values.take(self._indices, out=self._selected, mode="clip")

    def fill(self, effort: NDArray[np.float64]) -> Float64MultiArray:
        """Write efforts given in the controller's order."""
        self._data[:] = effort
        return self.message
