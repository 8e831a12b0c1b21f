# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Messages of joints, serialized once, whose numbers are overwritten in place."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from struct import pack_into
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.serialization import serialize_message
from std_msgs.msg import Float64MultiArray

from dyn_ros.adapters.cdr import HEADER, Place, UnknownEncodingError, layout
from dyn_ros.adapters.joint_order import quoted
from dyn_ros.adapters.stamp import NANOSECONDS

NOTHING = np.empty(0, dtype="V1")  # like no array of numbers
NUMBERS = {bool, int, float, np.float64}
STAMP = ("header.stamp.sec", "header.stamp.nanosec")


def serialized(message: Any) -> bytes:
    """Return a message as it is published."""
    return bytes(serialize_message(message))


class PreparedMessage:
    """A message of some kind, serialized once; then only its numbers are written.

    Anything else that changes, such as a text or the length of a list, serializes it anew.
    """

    def __init__(self, message: Any) -> None:
        """Prepare a message of which some fields are never changed."""
        self._message = message
        self._buffer = bytearray()
        self._views: dict[str, NDArray[Any]] = {}  # of the numbers, by field
        self._known: dict[str, Any] = {}  # what is in fields: no arrays but those in `copies`
        self._copies: dict[str, tuple[memoryview, memoryview]] = {}  # of `known`: bytes
        self._write_stamp: Callable[[int, int], None] | None = None

    def fill(self, fields: Mapping[str, Any], stamp: int | None = None) -> bytes:
        """Return the serialized message with these fields, such as effort.

        And with a `stamp`, ns, in its header.
        """
        known, copies = self._known, self._copies
        for name, value in fields.items():
            if value is known.get(name, NOTHING):  # as nearly always: arrays are filled anew
                if name in copies:
                    target, source = copies[name]
                    target[:] = source
            elif not self._write(name, value):
                return self._serialize(fields, stamp)
        if stamp is not None:
            if self._write_stamp is None:
                return self._serialize(fields, stamp)
            self._write_stamp(*divmod(stamp, NANOSECONDS))
        return bytes(self._buffer)

    def _write(self, name: str, value: Any) -> bool:
        """Write what is not known yet; return whether it fits the field as it is."""
        kind, known = type(value), self._known.get(name, NOTHING)
        view = self._views.get(name, NOTHING)
        if kind is np.ndarray:
            fits = _fits(value, view)
            if fits:
                view[:] = value if value.ndim == 1 else value.ravel()
            return fits
        if type(known) is not kind:
            return False
        if kind in NUMBERS and view is not NOTHING and not (kind is int and value == known):
            self._known[name] = view[0] = value
            return True
        return bool(value == known)

    def _serialize(self, fields: Mapping[str, Any], stamp: int | None) -> bytes:
        """Write all fields into the message and find out where its numbers lie."""
        fields = dict(fields)
        if stamp is not None:
            fields.update(zip(STAMP, divmod(stamp, NANOSECONDS), strict=True))
        self._write_stamp, self._views, self._known, self._copies = None, {}, {}, {}
        for path, value in fields.items():
            *way, name = path.split(".")
            target = self._message
            for step in way:
                target = getattr(target, step)
            _assign(target, name, value)
        data = serialized(self._message)
        try:
            found = layout(type(self._message), data)
        except UnknownEncodingError:
            return data  # as the middleware does it: anew each time
        self._buffer = bytearray(data[: found.end + -found.end % HEADER])  # a multiple of it
        for i in found.padding:
            if HEADER <= i < len(self._buffer):
                self._buffer[i] = 0  # not what lay in memory
        for name, place in _with_vectors(found.places).items():
            self._views[name] = np.frombuffer(self._buffer, place.kind, place.size, place.start)
        for name, value in fields.items():
            view = self._views.get(name, NOTHING)
            if type(value) is not np.ndarray:
                self._known[name] = value
            elif value.flags.c_contiguous and value.size == view.size and value.dtype == view.dtype:
                self._known[name] = value
                self._copies[name] = _bytes_of(view), _bytes_of(value)
        if stamp is not None:
            first, second = (found.places[name] for name in STAMP)
            assert first.end == second.start, "a stamp is two numbers, one after the other"
            self._write_stamp = partial(pack_into, f"{first.kind[0]}iI", self._buffer, first.start)
        return bytes(self._buffer)


def _bytes_of(numbers: NDArray[Any]) -> memoryview:
    return numbers.reshape(-1).view(np.uint8).data


def _fits(value: NDArray[Any], view: NDArray[Any]) -> bool:
    """Whether numbers go to where others of as many lie."""
    return value.size == view.size and value.dtype.kind == view.dtype.kind


def _assign(target: Any, name: str, value: Any) -> None:
    """Set a field: numbers and lists, no arrays; an array to a message of numbers, x, y, z say."""
    if type(value) is not np.ndarray:
        setattr(target, name, value)
    elif hasattr(field := getattr(target, name), "get_fields_and_field_types"):
        for part, number in zip(field.get_fields_and_field_types(), value.tolist(), strict=True):
            setattr(field, part, number)
    else:
        setattr(target, name, value.ravel().tolist() if value.ndim else value.item())


def _with_vectors(places: Mapping[str, Place]) -> dict[str, Place]:
    """Add messages that are numbers of one type, one after the other, as one place each."""
    result = {path: place for path, place in places.items() if place.size}
    members: dict[str, list[Place]] = {}
    for path, place in places.items():
        members.setdefault(path.rpartition(".")[0], []).append(place)
    for whole, parts in members.items():
        first, count = parts[0], len(parts)
        row = [first._replace(start=first._replace(size=k).end, size=1) for k in range(count)]
        if whole and parts == row:
            result[whole] = first._replace(size=count)
    return result


class NumberMessage:
    """A message of numbers alone, such as std_msgs/Float64: without stamp and names of joints."""

    def __init__(self, kind: Any, joint_names: Sequence[str]) -> None:
        """Prepare it; the names are not needed."""
        self._prepared = PreparedMessage(kind(check_fields=True))

    def fill(self, stamp: int, **fields: Any) -> bytes:
        """Return the message, serialized."""
        return self._prepared.fill(fields)


class StampedMessage:
    """A message of some kind with a header; nothing but its numbers and its frame changes."""

    def __init__(self, kind: Any, joint_names: Sequence[str], /, **fixed: Any) -> None:
        """Prepare it with fields that stay; the names are not needed."""
        self._prepared = PreparedMessage(kind(check_fields=True, **fixed))

    def fill(self, stamp: int, **fields: Any) -> bytes:
        """Return the message, serialized: fields, and the stamp (ns) of their joint state.

        Arrays go to sequences in C order; everything else is assigned.
        """
        return self._prepared.fill(fields, stamp)


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
        self._prepared = PreparedMessage(Float64MultiArray())
        self._selected = np.zeros(len(ordered))
        self._in_order = ordered == list(joint_names)

    def select(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values given in the model's order in that of the controller, not to be kept."""
        if self._in_order:
            return values
        return values.take(self._indices, out=self._selected, mode="clip")

    def fill(self, effort: NDArray[np.float64]) -> bytes:
        """Return the message, serialized: efforts given in the controller's order."""
        return self._prepared.fill({"data": effort})
