# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The short way from a serialized joint state to checked numbers, where nothing is unusual."""

from collections.abc import Sequence
from struct import Struct
from typing import NamedTuple
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import JointState

from dyn_ros.adapters.cdr import Layout, Place, UnknownEncodingError, layout
from dyn_ros.adapters.joint_order import Found
from dyn_ros.adapters.plausible import MARGIN
from dyn_ros.adapters.stamp import NANOSECONDS

Vector = NDArray[np.float64]
STAMP = ("header.stamp.sec", "header.stamp.nanosec")
FALSE = b"\0"  # of numpy
FIELDS = ("position", "velocity", "effort")
OWN = np.dtype(np.float64)


class Bounds(NamedTuple):
    """What the numbers of joints may be at most, [n] each."""

    lower: Vector
    upper: Vector


class Shortcut:
    """Takes the numbers of messages that are like a first one in all else, if all are in bounds.

    All bytes beside stamp and numbers are compared. It never says what is wrong with a message:
    that one is read in full, and the reader says so. Readers of a process that want the same share
    one, which looks at each message once.
    """

    def __init__(
        self,
        data: bytes,
        message: Layout,
        found: Found,
        bounds: dict[str, Bounds],
        speed: Vector | None,
    ) -> None:
        """Read messages like a first one of this layout, in which the joints `found` are.

        Args:
            data: the first one.
            message: what lies where in it.
            found: all joints of the model.
            bounds: by field that is read, positions first.
            speed: rad/s or m/s at which positions may change; None: they may jump.
        """
        where = message.places
        stamp = [where[name] for name in STAMP]
        filled = [where[name] for name in FIELDS if where[name].size]
        others = _others(data, [*stamp, *filled])
        self._size = len(data)
        self._unpack = Struct(_form(data, stamp, others)).unpack_from
        self._head, _, _, *self._rest = self._unpack(data)
        self._said = _said_bytes(others, message.padding)
        self._said_text = np.frombuffer(data, "u1").take(self._said).tobytes()
        self._kind, self._start = np.dtype(filled[0].kind), filled[0].start
        self._count = (filled[-1].end - self._start) // OWN.itemsize
        starts = ((where[field].start - self._start) // OWN.itemsize for field in bounds)
        self._indices = np.concatenate([start + found.indices for start in starts])
        self._lower = np.concatenate([each.lower for each in bounds.values()])
        self._upper = np.concatenate([each.upper for each in bounds.values()])
        self._in_bounds = np.zeros((2, len(self._indices)), dtype=bool)
        self._above, self._below = self._in_bounds
        self._speed, count = speed, len(found.indices)
        self._reach_time = 0.0  # ns, in which positions change by `_reach` at most
        self._reach: Vector = np.zeros(count)
        self._step = np.zeros(count)
        self._near = np.zeros(count, dtype=bool)
        of_two = np.zeros((2, len(bounds), count))  # of two messages, in turn
        self._flat, self._other_flat = of_two.reshape(2, -1)
        self.rows, self._old = map(list, of_two)
        """The numbers of the newest message, [n] for each of `bounds`; overwritten by the next."""
        self._newest: bytes | None = None  # that was looked at
        self.stamp = 0  # ns, of the newest; 0 if it cannot be taken
        self.before: bytes | None = None  # the message before the newest, if both could be taken
        self.near = False  # whether positions can have come there since then

    def read(self, data: bytes) -> int:
        """Look at a message; return its stamp, ns, 0 if it has to be read in full."""
        if data is not self._newest:
            self.before = self._newest if self.stamp else None
            before, self.stamp, self._newest = self.stamp, 0, data
            stamp = self._stamp_of(data) if len(data) == self._size else 0
            if stamp and self._take(data):
                self.near = before > 0 and self.is_near(self._old[0], stamp - before)
                self.stamp = stamp
        return self.stamp

    def is_near(self, old: Vector, elapsed: int) -> bool:
        """Return whether positions can have come from `old` to the newest in `elapsed` ns."""
        if self._speed is None:
            return True
        if elapsed <= 0:
            return False
        if not 0.5 * elapsed <= self._reach_time <= elapsed:  # less is refused by nobody else
            self._reach_time = 0.9 * elapsed
            self._reach = self._speed * (self._reach_time / NANOSECONDS) + MARGIN
        step = np.subtract(self.rows[0], old, out=self._step)
        np.less_equal(np.abs(step, out=step), self._reach, out=self._near)
        return FALSE not in self._near.tobytes()

    def _stamp_of(self, data: bytes) -> int:
        """Return the stamp of a message, ns; 0 if it has none, or is not like the first."""
        head, seconds, rest, *others = self._unpack(data)
        if others != self._rest or head != self._head:  # perhaps in what says nothing
            text = np.frombuffer(data, "u1").take(self._said).tobytes()
            if text != self._said_text:
                return 0
        return int(seconds * NANOSECONDS + rest)

    def _take(self, data: bytes) -> bool:
        """Take the numbers of a message; return whether they are in bounds."""
        values, self._other_flat = self._other_flat, self._flat
        self._flat = values
        self.rows, self._old = self._old, self.rows
        numbers = np.frombuffer(data, self._kind, self._count, self._start)
        if self._kind is not OWN:
            numbers = numbers.astype(OWN)
        numbers.take(self._indices, out=values, mode="clip")
        np.less_equal(self._lower, values, out=self._above)
        np.less_equal(values, self._upper, out=self._below)  # neither holds for NaN
        return FALSE not in self._in_bounds.tobytes()


_known: "WeakValueDictionary[tuple[object, ...], Shortcut]" = WeakValueDictionary()


def shortcut(
    data: bytes, found: Found, bounds: dict[str, Bounds], speed: Vector | None
) -> Shortcut:
    """Return what takes messages like a first one: the same for readers that want the same.

    See Shortcut for what it takes. Raises UnknownEncodingError if the message is not in plain CDR.
    """
    message = layout(JointState, data)
    parts = [data[each.start : each.stop] for each in _others(data, _numbers_of(message))]
    numbers = [found.indices, *(x for each in bounds.values() for x in each)]
    if speed is not None:
        numbers.append(speed)
    key = (len(data), *parts, *bounds, *(x.tobytes() for x in numbers), speed is None)
    known = _known.get(key)
    if known is None:
        known = _known[key] = Shortcut(data, message, found, bounds, speed)
    return known


def _numbers_of(message: Layout) -> list[Place]:
    """Return where stamp and numbers lie."""
    where = message.places
    return [where[name] for name in STAMP] + [where[x] for x in FIELDS if where[x].size]


def _others(data: bytes, numbers: Sequence[Place]) -> list[slice]:
    """Return where the bytes of a message lie beside some of its numbers."""
    starts = [0, *(place.end for place in numbers)]
    ends = [*(place.start for place in numbers), len(data)]
    if any((place.start - numbers[-1].start) % OWN.itemsize for place in numbers[2:]):
        raise UnknownEncodingError("numbers are not aligned")
    return [slice(start, end) for start, end in zip(starts, ends, strict=True)]


def _form(data: bytes, stamp: Sequence[Place], others: Sequence[slice]) -> str:
    """Return the form of a Struct that gives what is before the stamp, the stamp, all the rest."""
    head, _, *rest = others
    form = f"{stamp[0].kind[0]}{head.stop}siI"
    at = stamp[1].end
    for part in rest:
        form += f"{part.start - at}x{part.stop - part.start}s"
        at = part.stop
    return form


def _said_bytes(parts: Sequence[slice], padding: set[int]) -> NDArray[np.intp]:
    """Return which bytes of parts say something: anything may be written into padding."""
    indices = (i for part in parts for i in range(part.start, part.stop))
    return np.fromiter((i for i in indices if i not in padding), dtype=np.intp)
