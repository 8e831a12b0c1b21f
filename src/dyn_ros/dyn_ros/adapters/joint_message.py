# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Messages of joints, serialized once, whose numbers are overwritten in place."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.serialization import serialize_message
from std_msgs.msg import Float64MultiArray

from dyn_ros.adapters.cdr import HEADER, UnknownEncodingError, layout
from dyn_ros.adapters.joint_order import quoted
from dyn_ros.adapters.stamp import NANOSECONDS

KINDS = {"b": bool, "i": int, "u": int, "f": float}  # of Python, by those of numpy


class PreparedMessage:
    """A message of some kind, serialized once; then only its numbers are written.

    Anything else that changes, such as a text or the length of a list, serializes it anew.
    """

    def __init__(self, message: Any) -> None:
        """Prepare a message of which some fields are never changed."""
        self._message = message
        self._buffer = bytearray()
        self._views: dict[str, Any] = {}  # of the numbers, by field
        self._known: dict[str, Any] = {}  # fields that are no numbers

    def fill(self, fields: Mapping[str, Any]) -> Any:
        """Return what can be published: the message with these fields, such as header.stamp.sec.

        Serialized, unless the middleware does that in a way that this process does not know.
        """
        views = self._views
        for name, value in fields.items():
            if name in views:
                view, size, dtype, kind = views[name]
                if type(value) is np.ndarray:
                    same = value.dtype is dtype or value.dtype.kind == dtype.kind
                    if same and value.size == size:
                        view[:] = value if value.ndim == 1 else value.ravel()
                        continue
                elif type(value) is kind and size == 1:
                    view[0] = value
                    continue
            elif name in self._known and self._known[name] == value:
                continue
            return self._serialize(fields)
        return bytes(self._buffer)

    def _serialize(self, fields: Mapping[str, Any]) -> Any:
        """Write all fields into the message and find out where its numbers lie."""
        for path, value in fields.items():
            *way, name = path.split(".")
            target = self._message
            for step in way:
                target = getattr(target, step)
            setattr(target, name, _plain(value))
        data = serialize_message(self._message)
        try:
            found = layout(type(self._message), data)
        except UnknownEncodingError:
            return self._message
        self._buffer = bytearray(data[: found.end + -found.end % HEADER])  # a multiple of it
        for i in found.padding:
            if HEADER <= i < len(self._buffer):
                self._buffer[i] = 0  # not what lay in memory
        self._views = {}
        for name, place in found.places.items():
            if place.size:
                view = np.frombuffer(self._buffer, place.kind, place.size, place.start)
                self._views[name] = view, view.size, view.dtype, KINDS[view.dtype.kind]
        self._known = {name: value for name, value in fields.items() if name not in self._views}
        return bytes(self._buffer)


def _plain(value: Any) -> Any:
    """Return what fields of messages are assigned: numbers and lists, no arrays."""
    if type(value) is not np.ndarray:
        return value
    return value.ravel().tolist() if value.ndim else value.item()


class NumberMessage:
    """A message of numbers alone, such as std_msgs/Float64: without stamp and names of joints."""

    def __init__(self, kind: Any, joint_names: Sequence[str]) -> None:
        """Prepare it; the names are not needed."""
        self._prepared = PreparedMessage(kind(check_fields=True))

    def fill(self, stamp: int, **fields: Any) -> Any:
        """Return what can be published."""
        return self._prepared.fill(fields)


class JointMessage:
    """Vectors and matrices of a robot's joints, in a message of some kind with a header."""

    def __init__(
        self, kind: Any, joint_names: Sequence[str], *, names_field: str = "joint_names"
    ) -> None:
        """Name the joints."""
        names = {names_field: list(joint_names)}
        self._prepared = PreparedMessage(kind(check_fields=True, **names))

    def fill(self, stamp: int, **fields: Any) -> Any:
        """Return what can be published: fields, and the stamp (ns) of their joint state.

        Arrays go to sequences in C order; everything else is assigned.
        """
        fields["header.stamp.sec"], fields["header.stamp.nanosec"] = divmod(stamp, NANOSECONDS)
        return self._prepared.fill(fields)


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
        self._prepared = PreparedMessage(Float64MultiArray())
        self._selected = np.zeros(len(ordered))

    def select(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values given in the model's order in that of the controller (overwritten)."""
        return values.take(self._indices, out=self._selected, mode="clip")

    def fill(self, effort: NDArray[np.float64]) -> Any:
        """Return what can be published: efforts given in the controller's order."""
        return self._prepared.fill({"data": effort})
