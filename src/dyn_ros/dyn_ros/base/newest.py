# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Serialized messages; of a queue only the newest message is passed on."""

from collections.abc import Callable
from contextlib import suppress
from inspect import signature
from time import time_ns
from typing import Any

from rclpy.exceptions import InvalidHandle
from rclpy.serialization import deserialize_message

from dyn_ros.adapters.cdr import UnknownEncodingError, layout
from dyn_ros.adapters.refusal import InputRefusedError
from dyn_ros.samples import gid_of

PAIR = signature(lambda message, info: None)
"""By which rclpy finds out that a callback wants the info of a message too."""
BACKLOG = 3  # messages of a publisher that wait, of which the newest alone is handed on
LONGEST_WAIT = 5_000_000  # ns in the queue until newer messages are looked for


class Serialized:
    """What several nodes of a process read; it is deserialized once at most."""

    __slots__ = ("_kind", "_message", "data", "overtaken", "readers")

    def __init__(self, kind: Any, data: bytes, overtaken: tuple[dict[str, Any], ...] = ()) -> None:
        """Take the bytes of a message of a kind, and infos of older ones that it overtook."""
        self._kind, self.data, self.overtaken = kind, data, overtaken
        self._message: Any = None
        self.readers: list[Any] | None = None  # who has read it the short way, of several

    @property
    def message(self) -> Any:
        """The message. Raises InputRefusedError if the bytes are none."""
        if self._message is None:
            try:
                self._message = deserialize_message(self.data, self._kind)
            except RuntimeError as error:
                raise InputRefusedError(
                    "length mismatch",
                    f"{len(self.data)} bytes came that are no {self._kind.__name__}: {error}",
                ) from error
        return self._message


class NewestFirst:
    """The callback of a raw subscription.

    At a normal load every message is handed on at once. Where the process is too slow, and somebody
    is in a `hurry`, older ones are left out, so that nobody commands by the tenth last state: as
    with a queue of depth 1, but without its losses, and for each publisher.
    """

    def __init__(
        self, kind: Any, receive: Callable[[Serialized, dict[str, Any]], None], hurry: bool
    ) -> None:
        """Hand messages of a kind on to `receive`; `subscription` has to be set."""
        self.subscription: Any = None
        self.hurry = hurry
        self._kind, self._receive = kind, receive
        self.__signature__ = PAIR

    def __call__(self, data: Any, info: Any = None) -> None:
        """Take (message, info), of which executors make one argument or two: see `with_info`."""
        if info is None:
            data, info = data
        came = info["received_timestamp"]
        if self.hurry and came and time_ns() - came > LONGEST_WAIT:
            self._hand_on([(data, info), *self._queue()])
        else:
            self._receive(Serialized(self._kind, data), info)

    def catch_up(self) -> None:
        """Hand on what waits, if anything does."""
        self._hand_on(self._queue())

    def _hand_on(self, taken: list[tuple[bytes, dict[str, Any]]]) -> None:
        """Of each publisher with a backlog hand on the newest message, of others all."""
        waiting: dict[Any, list[tuple[bytes, dict[str, Any]]]] = {}
        for message in taken:
            waiting.setdefault(publisher_of(self._kind, *message), []).append(message)
        for messages in waiting.values():
            left_out: tuple[dict[str, Any], ...] = ()
            if len(messages) >= BACKLOG:
                *older, newest = messages
                messages, left_out = [newest], tuple(told for _, told in older)
            for data, info in messages:
                self._receive(Serialized(self._kind, data, left_out), info)

    def _queue(self) -> list[tuple[bytes, dict[str, Any]]]:
        """Take the messages that wait; none if the subscription was closed meanwhile."""
        taken: list[tuple[bytes, dict[str, Any]]] = []
        if self.subscription is None:
            return taken
        with suppress(InvalidHandle):
            handle = self.subscription.handle
            with handle:
                while (message := handle.take_message(self._kind, True)) is not None:
                    taken.append(message)
        return taken


def publisher_of(kind: Any, data: bytes, info: dict[str, Any]) -> Any:
    """Return what tells publishers apart: who they are, else (jazzy) all but their numbers."""
    return gid_of(info) or beside_numbers(kind, data)


def beside_numbers(kind: Any, data: bytes) -> bytes:
    """Return what a serialized message says beside numbers: of a joint state, the names."""
    try:
        places = layout(kind, data).places.values()
    except UnknownEncodingError:
        return data
    ends = [0, *sorted(place.end for place in places)]
    starts = [*sorted(place.start for place in places), len(data)]
    return b"".join(data[end:start] for end, start in zip(ends, starts, strict=True))
