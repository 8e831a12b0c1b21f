# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joint states as bytes (CDR), of which only stamp and numbers change from one to the next.

rclpy makes every message anew, and each joint's name. Here the names are compared as bytes with
those of earlier messages.
"""

from array import array
from struct import error, unpack_from
from threading import local
from typing import NamedTuple

from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from dyn_ros.messages.joint_order import MOST_PUBLISHERS

LITTLE_ENDIAN = b"\0\1"
BEGIN = 4
"""Where the message begins, and what alignment counts from; before it is the encapsulation."""
NAMES = BEGIN + 8
"""Where frame and names begin, after the stamp."""


class Known(NamedTuple):
    """A message that is filled again, and the bytes of its frame and names."""

    names: bytes
    message: JointState


class JointStateBytes(local):
    """Reads messages of some publishers, in each thread anew.

    What it returns is valid until the thread reads another message: it may be the same object.
    """

    def __init__(self) -> None:
        """Know no publisher yet."""
        self._known: list[Known] = []
        self._last: tuple[bytes, JointState | None] = b"", None

    def read(self, data: bytes) -> JointState | None:
        """Return the message that `data` are; None if they are damaged.

        Nodes that share a subscription get the same object of bytes, which is read once.
        """
        if data is not self._last[0]:
            self._last = data, self._message(data)
        return self._last[1]

    def _message(self, data: bytes) -> JointState | None:
        for known in self._known:
            if data.startswith(known.names, NAMES) and filled(known, data):
                return known.message
        try:
            message = deserialize_message(data, JointState)
        except RuntimeError:  # of the middleware, which ignores such messages too
            return None
        if data.startswith(LITTLE_ENDIAN):
            known = Known(data[NAMES : end_of_names(data)], message)
            self._known = [known, *self._known[: MOST_PUBLISHERS - 1]]
        return message


JOINT_STATES = JointStateBytes()
"""For all nodes of the process."""


def filled(known: Known, data: bytes) -> bool:
    """Write stamp and numbers into the message; return whether the data end where these do."""
    if not data.startswith(LITTLE_ENDIAN):
        return False
    at = NAMES + len(known.names)
    numbers = []
    try:
        stamp = unpack_from("<iI", data, BEGIN)
        for _ in range(3):
            at += -at % 4
            (count,) = unpack_from("<I", data, at)
            at += 4
            if count:
                at += (BEGIN - at) % 8
            numbers.append(array("d", data[at : at + 8 * count]))
            at += 8 * count
    except (error, ValueError):  # too short, or no whole number of numbers
        return False
    if not at <= len(data) < at + 4:
        return False
    message = known.message
    message.header.stamp.sec, message.header.stamp.nanosec = stamp
    message.position, message.velocity, message.effort = numbers
    return True


def end_of_names(data: bytes) -> int:
    """Return where the names end in data that rclpy has read."""
    at = NAMES
    (length,) = unpack_from("<I", data, at)
    at += 4 + length
    at += -at % 4
    (count,) = unpack_from("<I", data, at)
    at += 4
    for _ in range(count):
        at += -at % 4
        (length,) = unpack_from("<I", data, at)
        at += 4 + length
    return at
