# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The short way from a serialized joint state to checked numbers, where nothing is unusual."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import JointState

from dyn_core.compiler.runtime.numba_free import Standalone
from dyn_ros.adapters.cdr import HEADER, Place, UnknownEncodingError, layout
from dyn_ros.adapters.checked_vector import CheckedVector
from dyn_ros.adapters.joint_order import Found
from dyn_ros.adapters.plausible import MARGIN
from dyn_ros.adapters.stamp import NANOSECONDS
from dyn_ros.arrays import Vector

STAMP = ("header.stamp.sec", "header.stamp.nanosec")
FIELDS = ("position", "velocity", "effort")
OWN = np.dtype(np.float64)
UNREAD = -1
LOWER, UPPER, SPEED = range(3)  # of limits


class Shortcut:
    """Takes the numbers of messages that are like a first one in all else, if these are in limits.

    All bytes beside stamp and numbers are compared. It never says what is wrong with a message:
    that one is read in full, and the reader says so.
    """

    def __init__(
        self,
        data: bytes,
        found: Found,
        rows: Sequence[CheckedVector | None],
        speed: Vector | None,
        values: Vector,
        stamps: NDArray[np.int64],
    ) -> None:
        """Take messages like a first one.

        Args:
            data: the first one.
            found: all joints of the model in it.
            rows: which of its fields are read, with their bounds; None: nothing.
            speed: rad/s or m/s at which the first row may change, [joints]; None: it may jump.
            values: [rows + 1, joints] that are filled; in the last row with when the message came.
            stamps: [joints] ns, that are filled too.

        Raises UnknownEncodingError if the message is not in plain CDR of this computer's order of
        bytes.
        """
        message = layout(JointState, data)
        where, count = message.places, len(found.indices)
        filled = [where[name] for name in FIELDS if where[name].size]
        if any(np.dtype(place.kind) != OWN for place in filled):
            raise UnknownEncodingError("numbers are in the other order of bytes")
        said = np.array([np.full(len(data), 255), np.frombuffer(data, "u1")], dtype=np.uint8)
        silent = [i for x in (*filled, *(where[name] for name in STAMP)) for i in _bytes_of(x)]
        said[0, [*silent, *message.padding]] = 0
        memory = np.zeros(len(data) // OWN.itemsize + 2)
        places = np.full((len(rows), count), UNREAD, dtype=np.int64)
        limits = np.empty((3, len(rows), count))
        limits[LOWER], limits[UPPER:] = -np.inf, np.inf
        for row, vector in enumerate(rows):
            if vector is not None:
                start = (where[vector.field].start - HEADER) // OWN.itemsize
                places[row] = start + found.indices
                limits[LOWER, row], limits[UPPER, row] = vector.lower, vector.upper
        if speed is not None:
            limits[SPEED, 0] = speed
        copy = memory.view(np.uint8)[OWN.itemsize - HEADER :]  # so that its numbers are aligned
        sizes = np.array([len(data), len(rows), count])
        self.size = len(data)
        """Bytes of messages that may be taken."""
        self._arrays = said, places, limits
        self.take = taking().bind(sizes, said, copy, memory[1:], places, limits, values, stamps)
        """Take a message: see `_take`."""
        self._compared: Callable[[], Shortcut | None] = lambda: None  # with which other one
        self._shared: list[tuple[slice, slice]] | None = None  # the rows of that

    def rows_of(self, other: "Shortcut") -> list[tuple[slice, slice]] | None:
        """Return the rows that are filled, each with that of `other` that always is the same.

        Rows that follow each other in both are together.

        None: it takes other messages, or not all that is taken here.
        """
        if self._compared() is not other:
            self._compared, self._shared = ref(other), self._rows_of(other)
        return self._shared

    def _rows_of(self, other: "Shortcut") -> list[tuple[slice, slice]] | None:
        said, places, limits = self._arrays
        of_other, their_places, their_limits = other._arrays
        if said.shape != of_other.shape or (said[0] != of_other[0]).any():
            return None
        if ((said[1] ^ of_other[1]) & said[0]).any() or places.shape != their_places.shape:
            return None
        rows: list[tuple[slice, slice]] = []
        for i, row in enumerate(places):
            if (row == UNREAD).all():
                continue
            same = (their_places == row).all(axis=1)
            same &= (their_limits == limits[:, [i]]).all(axis=(0, 2))
            if not same.any():
                return None
            j = int(same.argmax())
            mine, theirs = slice(i, i + 1), slice(j, j + 1)
            if rows and (rows[-1][0].stop, rows[-1][1].stop) == (i, j):
                (before, other_before) = rows.pop()
                mine, theirs = slice(before.start, i + 1), slice(other_before.start, j + 1)
            rows.append((mine, theirs))
        return rows


def _bytes_of(place: Place) -> range:
    return range(place.start, place.end)


def _take(
    now: float,
    data: Any,
    before: int,
    most_age: int,
    clock: int,
    sizes: Any,
    said: Any,
    copy: Any,
    numbers: Any,
    places: Any,
    limits: Any,
    values: Any,
    stamps: Any,
) -> int:
    """Take a message that came at `now`; return its stamp, ns, 0: it has to be read in full.

    The stamp is newer than the one `before`, by `most_age` at most, and no further than that from
    the `clock`, unless this is 0.
    """
    size, rows, joints = sizes[0], sizes[1], sizes[2]
    different = 0
    for i in range(size):
        different |= (data[i] ^ said[size + i]) & said[i]
        copy[i] = data[i]
    if different:
        return 0
    stamp = 0
    for i in range(4):
        stamp += data[HEADER + i] << (8 * i)
    stamp = (stamp - (stamp >> 31 << 32)) * NANOSECONDS  # its first bit is a sign
    for i in range(4):
        stamp += data[HEADER + 4 + i] << (8 * i)
    elapsed = stamp - before
    if stamp <= 0 or elapsed <= 0 or elapsed > most_age:
        return 0
    if clock and abs(clock - stamp) > most_age:
        return 0
    every = rows * joints
    for k in range(every):
        if places[k] == UNREAD:
            continue
        x = numbers[places[k]]
        if not limits[LOWER * every + k] <= x <= limits[UPPER * every + k]:  # as NaN is
            return 0
        way = limits[SPEED * every + k] * (elapsed / NANOSECONDS) + MARGIN
        if abs(x - values[k]) > way:
            return 0
    for k in range(every):
        if places[k] != UNREAD:
            values[k] = numbers[places[k]]
    for k in range(joints):
        values[every + k] = now
        stamps[k] = stamp
    return stamp


@cache
def taking() -> Standalone:
    """Return `_take` in machine code."""
    given = ("float64", "bytes", "int64", "int64", "int64")
    arrays = ("int64*", "uint8*", "uint8*", "float64*", "int64*", "float64*", "float64*", "int64*")
    return Standalone(_take, *given, *arrays)
