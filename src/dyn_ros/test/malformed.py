# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Malformed messages: fields at random, then bytes changed, left out or added."""

from __future__ import annotations

import re
import struct
from importlib import import_module
from random import Random
from typing import Any

from rclpy.serialization import serialize_message

TEXTS = ("", "elbow_joint", "wrist_3_joint", "tool0", "x" * 300, "<robot/>", "ä")
FLOATS = (0.0, 0.5, -1.0, 1e38, -1e-38, float("nan"), float("inf"))
WHOLE = (0, 1, 7, 127)
COUNTS = (0, 1, 2, 6, 6, 7)
LENGTHS = (0, 1, 5, 0xFF, 0x1FFFFFFF, 0x20000000, 0x7FFFFFFF, 0xFFFFFFFF)
SEQUENCE = re.compile(r"sequence<([^,]+)(, \d+)?>")
ARRAY = re.compile(r"(.+)\[(\d+)\]")


def random_message(kind: Any, random: Random) -> Any:
    """Return a message of a kind, request or part of one, with any values in its fields."""
    message = kind()
    for name, text in kind.get_fields_and_field_types().items():
        setattr(message, name, _value(text, random))
    return message


def damaged(kind: Any, random: Random) -> bytes:
    """Return a serialized message of a kind that is not what a publisher of it would send."""
    return damage(serialize_message(random_message(kind, random)), random)


def damage(data: bytes, random: Random) -> bytes:
    """Return a serialized message with some bytes changed, left out or added."""
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 4))):
        random.choice(DAMAGES)(changed, random)
    return bytes(changed)


def message_class(text: str) -> Any:
    """Return the class of a message from a name such as std_msgs/String or std_msgs/msg/String."""
    package, *_, name = text.split("/")
    return getattr(import_module(f"{package}.msg"), name)


def _value(text: str, random: Random) -> Any:
    sequence, several = SEQUENCE.fullmatch(text), ARRAY.fullmatch(text)
    if sequence is not None:
        return [_value(sequence[1], random) for _ in range(random.choice(COUNTS))]
    if several is not None:
        return [_value(several[1], random) for _ in range(int(several[2]))]
    if "/" in text:
        return random_message(message_class(text), random)
    if text in ("double", "float"):
        return random.choice(FLOATS)
    if text == "boolean":
        return random.random() < 0.5
    if text == "octet":
        return bytes([random.randrange(256)])
    return random.choice(TEXTS if text.startswith("string") else WHOLE)


def _flip(data: bytearray, random: Random) -> None:
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def _cut(data: bytearray, random: Random) -> None:
    del data[random.randrange(1, len(data) + 1) :]


def _length(data: bytearray, random: Random) -> None:
    if len(data) >= 12:
        at = random.randrange(4, len(data) - 4) & ~3
        struct.pack_into("<I", data, at, random.choice(LENGTHS))


def _number(data: bytearray, random: Random) -> None:
    if len(data) >= 16:
        at = 4 + (random.randrange(0, len(data) - 11) & ~7)
        struct.pack_into("<d", data, at, random.choice(FLOATS))


def _lengthen(data: bytearray, random: Random) -> None:
    data += bytes(random.randrange(1, 40))


def _other_order(data: bytearray, random: Random) -> None:
    if len(data) > 1:
        data[1] ^= 1


def _shift(data: bytearray, random: Random) -> None:
    if len(data) > 8:
        at = random.randrange(4, len(data))
        del data[at : at + random.randrange(1, 9)]


DAMAGES = (_flip, _cut, _length, _number, _lengthen, _other_order, _shift)
