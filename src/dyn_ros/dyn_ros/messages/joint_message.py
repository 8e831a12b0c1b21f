# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Messages of joints, made once; then only their fields change."""

from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from std_msgs.msg import Float64MultiArray

from dyn_ros.messages.joint_order import quoted
from dyn_ros.messages.stamp import NANOSECONDS


def write(message: Any, fields: Mapping[str, Any]) -> None:
    """Set fields of a message, such as effort or header.frame_id; arrays in C order."""
    for path, value in fields.items():
        target = message
        *way, name = path.split(".")
        for step in way:
            target = getattr(target, step)
        if type(value) is not np.ndarray:
            setattr(target, name, value)
        elif type(field := getattr(target, name)) is array:
            setattr(target, name, array(field.typecode, value.tobytes()))
        elif hasattr(field, "get_fields_and_field_types"):  # numbers alone, such as x, y, z
            for part, number in zip(
                field.get_fields_and_field_types(), value.tolist(), strict=True
            ):
                setattr(field, part, number)
        else:
            setattr(target, name, value.ravel().tolist() if value.ndim else value.item())


class NumberMessage:
    """A message of numbers alone, such as std_msgs/Float64: without stamp and names of joints."""

    def __init__(self, kind: Any, joint_names: Sequence[str]) -> None:
        """Prepare it; the names are not needed."""
        self._message = kind(check_fields=True)

    def fill(self, stamp: int, **fields: Any) -> Any:
        """Return the message with these fields."""
        write(self._message, fields)
        return self._message


class StampedMessage:
    """A message of some kind with a header; nothing but its numbers and its frame changes."""

    def __init__(self, kind: Any, joint_names: Sequence[str], /, **fixed: Any) -> None:
        """Prepare it with fields that stay; the names are not needed."""
        self._message = kind(check_fields=True, **fixed)
        self._stamp = self._message.header.stamp

    def fill(self, stamp: int, **fields: Any) -> Any:
        """Return the message with these fields, and the stamp (ns) of their joint state."""
        self._stamp.sec, self._stamp.nanosec = divmod(stamp, NANOSECONDS)
        write(self._message, fields)
        return self._message


class JointMessage(StampedMessage):
    """Vectors and matrices of a robot's joints, in a message of some kind with a header."""

    def __init__(
        self, kind: Any, joint_names: Sequence[str], *, names_field: str = "joint_names"
    ) -> None:
        """Name the joints."""
        super().__init__(kind, joint_names, **{names_field: list(joint_names)})


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
        self._message = Float64MultiArray()
        self._selected = np.zeros(len(ordered))
        self._in_order = ordered == list(joint_names)

    def select(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values given in the model's order in that of the controller, not to be kept."""
        if self._in_order:
            return values
        return values.take(self._indices, out=self._selected, mode="clip")

    def fill(self, effort: NDArray[np.float64]) -> Float64MultiArray:
        """Return the message with efforts given in the controller's order."""
        self._message.data = array("d", effort.tobytes())
        return self._message
