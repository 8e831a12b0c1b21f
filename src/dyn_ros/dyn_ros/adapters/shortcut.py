"""The short way from a serialized joint state to checked numbers, where nothing is unusual."""

from collections.abc import Sequence
from struct import Struct

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import JointState

from dyn_ros.adapters.cdr import Place, UnknownEncodingError, layout
from dyn_ros.adapters.checked_vector import CheckedVector
from dyn_ros.adapters.joint_order import Found
from dyn_ros.adapters.stamp import NANOSECONDS

STAMP = ("header.stamp.sec", "header.stamp.nanosec")
FALSE = b"\0"  # of numpy
FIELDS = ("position", "velocity", "effort")


class Shortcut:
    """Takes the numbers of messages that are like a first one in all else, if all are in bounds.

    All bytes beside stamp and numbers are compared. It never says what is wrong with a message:
    that one is read in full, and the reader says so.
    """

    def __init__(self, data: bytes, found: Found, vectors: Sequence[CheckedVector]) -> None:
        """Fill `vectors`, positions first, from messages like a first one, in which `found` are.

        Raises UnknownEncodingError if that is not in plain CDR.
        """
        message = layout(JointState, data)
        where = message.places
        first, second = (where[name] for name in STAMP)
        self._stamp_start = first.start
        self._read_stamp = Struct(f"{first.kind[0]}iI").unpack_from
        filled = [where[name] for name in FIELDS if where[name].size]
        self._size = len(data)
        self._same = others(data, [first, second, *filled])
        self._said = said_bytes(self._same, message.padding)
        self._said_text = np.frombuffer(data, "u1").take(self._said).tobytes()
        self._kind, self._start = filled[0].kind, filled[0].start
        self._count = (filled[-1].end - self._start) // 8
        starts = [(where[vector.field].start - self._start) // 8 for vector in vectors]
        self._indices = np.concatenate([start + found.indices for start in starts])
        self._lower = np.concatenate([vector.lower for vector in vectors])
        self._upper = np.concatenate([vector.upper for vector in vectors])
        self._values = np.zeros(len(self._indices))
        self._in_bounds = np.zeros((2, len(self._indices)), dtype=bool)
        self._old_position = vectors[0].values
        parts = self._values.reshape(len(vectors), -1)
        self._position, self._step = parts[0], np.zeros(parts.shape[1])
        self._near = np.zeros(parts.shape[1], dtype=bool)
        self._targets = [(vector.values, part) for vector, part in zip(vectors, parts, strict=True)]

    def stamp(self, data: bytes) -> int:
        """Return the stamp of a message, ns; 0 if it has none, or is not like the first."""
        if len(data) != self._size:
            return 0
        for where, what in self._same:
            if data[where] != what:
                text = np.frombuffer(data, "u1").take(self._said).tobytes()
                if text != self._said_text:
                    return 0
                break
        seconds, rest = self._read_stamp(data, self._stamp_start)
        return int(seconds * NANOSECONDS + rest)

    def take(self, data: bytes, reach: NDArray[np.float64] | None) -> bool:
        """Take the numbers of a message that has a stamp, unless one is out of bounds.

        Positions may change by `reach` [n]; None: by anything.
        """
        values, in_bounds = self._values, self._in_bounds
        numbers = np.frombuffer(data, self._kind, self._count, self._start)
        values[:] = numbers[self._indices]
        np.less_equal(self._lower, values, out=in_bounds[0])
        np.less_equal(values, self._upper, out=in_bounds[1])  # neither holds for NaN
        if FALSE in in_bounds.tobytes():
            return False
        if reach is not None:
            step = np.subtract(self._position, self._old_position, out=self._step)
            np.less_equal(np.abs(step, out=step), reach, out=self._near)
            if FALSE in self._near.tobytes():
                return False
        for target, new in self._targets:
            target[:] = new
        return True


def others(data: bytes, numbers: Sequence[Place]) -> list[tuple[slice, bytes]]:
    """Return the bytes of a message beside some of its numbers, and where they are."""
    starts = [0, *(place.end for place in numbers)]
    ends = [*(place.start for place in numbers), len(data)]
    where = [slice(start, end) for start, end in zip(starts, ends, strict=True) if start < end]
    if any((place.start - numbers[-1].start) % 8 for place in numbers[2:]):
        raise UnknownEncodingError("numbers are not aligned")
    return [(part, data[part]) for part in where]


def said_bytes(parts: Sequence[tuple[slice, bytes]], padding: set[int]) -> NDArray[np.intp]:
    """Return which bytes of parts say something: anything may be written into padding."""
    indices = (i for part, _ in parts for i in range(part.start, part.stop))
    return np.fromiter((i for i in indices if i not in padding), dtype=np.intp)
