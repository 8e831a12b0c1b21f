"""Where the numbers of a serialized message lie, found out from the definition of its type.

The encoding is CDR as DDS has it (OMG formal/02-06-51, 15.3; XTypes 1.3, 7.4.3: "plain CDR" of
version 1): four bytes that say which encoding it is, then the fields one after the other, a number
of n bytes at the next multiple of n. Any other encoding is refused.
"""

import re
from functools import cache
from importlib import import_module
from struct import unpack_from
from typing import Any, NamedTuple

import numpy as np

HEADER = 4  # bytes that name the encoding, and its options
ORDERS = {b"\x00\x00": ">", b"\x00\x01": "<"}  # of bytes, of plain CDR
NUMBERS = {  # ROS's names of what has a fixed size, and numpy's
    "boolean": "?",
    "octet": "u1",
    "char": "u1",
    "float": "f4",
    "double": "f8",
    **{f"{sign}int{bits}": f"{kind}{bits // 8}" for bits in (8, 16, 32, 64)
       for sign, kind in (("", "i"), ("u", "u"))},
}  # fmt: skip
SEQUENCE = re.compile(r"sequence<(?P<item>[^,]+)(, \d+)?>")
ARRAY = re.compile(r"(?P<item>.+)\[(?P<count>\d+)\]")
TEXT = re.compile(r"string(<\d+>)?")


class Place(NamedTuple):
    """Numbers that lie one after the other in a serialized message."""

    start: int  # byte
    kind: str  # of numpy, with the order of bytes
    size: int  # how many

    @property
    def end(self) -> int:
        """The byte behind them."""
        return self.start + self.size * np.dtype(self.kind).itemsize


class UnknownEncodingError(ValueError):
    """A message is not in plain CDR, or does not fit the definition of its type."""


class Layout(NamedTuple):
    """What lies where in a serialized message."""

    places: dict[str, Place]
    """Numbers by field, such as header.stamp.sec; without those of messages in sequences."""
    padding: set[int]
    """Bytes that say nothing: anything may be written there, also behind the end."""
    end: int


def layout(kind: Any, data: bytes) -> Layout:
    """Return what lies where in a message of a kind. Raises UnknownEncodingError."""
    walk = _Walk(data)
    walk.message(kind, "")
    behind = range(walk.at, len(data))
    return Layout(walk.found, {*walk.padding, *behind}, walk.at)


class _Walk:
    """Goes through the fields of a message."""

    def __init__(self, data: bytes) -> None:
        order = ORDERS.get(bytes(data[:2]))
        if order is None or len(data) < HEADER:
            raise UnknownEncodingError("this is no plain CDR")
        self.found: dict[str, Place] = {}
        self.padding: set[int] = set()
        self.at = HEADER
        self._data, self._order = data, order

    def message(self, kind: Any, path: str) -> None:
        for name, text in kind.get_fields_and_field_types().items():
            self._field(text, f"{path}{name}")

    def _field(self, text: str, path: str) -> None:
        sequence, several = SEQUENCE.fullmatch(text), ARRAY.fullmatch(text)
        if sequence is not None:
            self._items(sequence["item"], self._number(), path)
        elif several is not None:
            self._items(several["item"], int(several["count"]), path)
        elif text in NUMBERS:
            self._numbers(text, 1, path)
        elif TEXT.fullmatch(text):
            self._skip(self._number())
        elif "/" in text:
            self.message(_class(text), f"{path}.")
        else:
            raise UnknownEncodingError(f"{path} is of type {text}")

    def _items(self, text: str, count: int, path: str) -> None:
        if text in NUMBERS:
            self._numbers(text, count, path)
            return
        if count > len(self._data):  # each has a byte at least
            raise UnknownEncodingError(f"{path} has {count} items")
        known = dict(self.found)
        for _ in range(count):
            self._field(text, path)
        self.found = known  # which of the items one means nobody could say

    def _numbers(self, text: str, count: int, path: str) -> None:
        kind = np.dtype(f"{self._order}{NUMBERS[text]}")
        if count:  # the padding before numbers that are not there is not there either
            self._align(kind.itemsize)
        self.found[path] = Place(self.at, kind.str, count)
        self._skip(count * kind.itemsize)

    def _number(self) -> int:
        self._align(4)
        self._skip(4)
        return int(unpack_from(f"{self._order}I", self._data, self.at - 4)[0])

    def _align(self, size: int) -> None:
        start = self.at
        self._skip(-(start - HEADER) % size)
        self.padding.update(range(start, self.at))

    def _skip(self, count: int) -> None:
        self.at += count
        if self.at > len(self._data):
            raise UnknownEncodingError(f"the message ends after {len(self._data)} bytes")


@cache
def _class(text: str) -> Any:
    """Return the class of a message, from its name such as std_msgs/Header."""
    package, name = text.split("/")
    return getattr(import_module(f"{package}.msg"), name)
