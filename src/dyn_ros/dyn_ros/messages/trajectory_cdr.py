# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Where the numbers of a serialized trajectory lie, found out from the definition of its type.

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
COUNT = 4  # bytes that say how many there are of a sequence
NUMBER_BYTES = 8  # bytes of a number
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
STRING_TYPE = re.compile(r"string(<\d+>)?")


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


class UnlikeError(ValueError):
    """Messages of a sequence differ in more than numbers; `index` is that of the first."""

    def __init__(self, index: int) -> None:
        super().__init__(f"message {index} is not like those before it")
        self.index = index


class AlikeMessages(NamedTuple):
    """The last field of a message: a sequence of messages that are alike in all but numbers."""

    start: int  # byte where it says how many there are
    order: str  # of bytes
    numbers: dict[str, np.ndarray]
    """By field of theirs, such as time_from_start.sec: [count, size]."""


def alike(kind: Any, data: bytes) -> AlikeMessages | None:
    """Return the numbers of the messages in the last field of a message of a kind.

    The second and third of them say where the others lie, whose remaining bytes are compared. None
    if there are fewer than three. Raises UnlikeError and UnknownEncodingError.
    """
    walk = _CdrReader(data)
    *before, (_, text) = kind.get_fields_and_field_types().items()
    for name, other in before:
        walk.field(other, name)
    sequence = SEQUENCE.fullmatch(text)
    if sequence is None or "/" not in sequence["item"]:
        raise UnknownEncodingError(f"{kind.__name__} does not end with a sequence of messages")
    count = walk.number()
    start = walk.at - COUNT
    if count < 3:
        return None
    items, starts = [], []
    for _ in range(3):
        walk.found = {}
        starts.append(walk.at)
        walk.message(_class(sequence["item"]), "")
        items.append(walk.found)
    _, place, another = starts
    span = another - place
    sizes = [{name: found.size for name, found in item.items()} for item in items]
    for index in (1, 2):
        if sizes[index] != sizes[0]:
            raise UnlikeError(index)
    if span % NUMBER_BYTES:
        raise UnknownEncodingError(f"{kind.__name__} has messages that no padding aligns")
    numbers = {at for x in items[1].values() for at in range(x.start, x.end)}
    said = [i - place for i in range(place, another) if i not in numbers | walk.padding]
    there = min(count - 1, (len(data) - place) // span)
    rows: np.ndarray = np.ndarray((there, span), "u1", data, place)
    unlike = (rows[:, said] != rows[0, said]).any(axis=1)
    if unlike.any():
        raise UnlikeError(1 + int(unlike.argmax()))
    if there < count - 1:
        raise UnlikeError(1 + there)
    result = {}
    for name, x in items[1].items():
        result[name] = np.empty((count, x.size), np.dtype(x.kind).newbyteorder("="))
        result[name][0] = np.ndarray(x.size, x.kind, data, items[0][name].start)
        steps = span, np.dtype(x.kind).itemsize
        result[name][1:] = np.ndarray((count - 1, x.size), x.kind, data, x.start, steps)
    return AlikeMessages(start, walk.order, result)


class _CdrReader:
    """Goes through the fields of a message."""

    def __init__(self, data: bytes) -> None:
        order = ORDERS.get(bytes(data[:2]))
        if order is None or len(data) < HEADER:
            raise UnknownEncodingError("this is no plain CDR")
        self.found: dict[str, Place] = {}
        self.padding: set[int] = set()
        self.at = HEADER
        self._data, self.order = data, order

    def message(self, kind: Any, path: str) -> None:
        for name, text in kind.get_fields_and_field_types().items():
            self.field(text, f"{path}{name}")

    def field(self, text: str, path: str) -> None:
        sequence, several = SEQUENCE.fullmatch(text), ARRAY.fullmatch(text)
        if sequence is not None:
            self._items(sequence["item"], self.number(), path)
        elif several is not None:
            self._items(several["item"], int(several["count"]), path)
        elif text in NUMBERS:
            self._numbers(text, 1, path)
        elif STRING_TYPE.fullmatch(text):
            self._skip(self.number())
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
            self.field(text, path)
        self.found = known  # which of the items one means nobody could say

    def _numbers(self, text: str, count: int, path: str) -> None:
        kind = np.dtype(f"{self.order}{NUMBERS[text]}")
        if count:  # the padding before numbers that are not there is not there either
            self._align(kind.itemsize)
        self.found[path] = Place(self.at, kind.str, count)
        self._skip(count * kind.itemsize)

    def number(self) -> int:
        self._align(4)
        self._skip(4)
        return int(unpack_from(f"{self.order}I", self._data, self.at - 4)[0])

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
