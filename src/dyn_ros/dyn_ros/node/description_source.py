# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The newest robot description and its preparation (parse, check, compile) in the background."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple
from weakref import WeakSet

import dyn_core
from dyn_ros.node.settings import Values

Prepare = Callable[..., Any]

# One thread for the nodes of a process: they share the model and do not compete for the CPU.
_worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="robot_description")
_submitted: "WeakSet[Future[Any]]" = WeakSet()


def submit(prepare: Prepare, *request: Any) -> "Future[Any]":
    """Have something prepared in the background."""
    future = _worker.submit(prepare, *request)
    _submitted.add(future)
    return future


def abandon() -> bool:
    """Drop what waits to be prepared; return whether a preparation runs that cannot be ended."""
    for future in _submitted:
        future.cancel()
    return any(future.running() for future in _submitted)


class PreparedRobot(NamedTuple):
    """A description made ready in the background."""

    description: str
    model: dyn_core.Model
    work: Any  # what the node's `prepare` returned


class DescriptionSource:
    """Holds the newest description; prepares it once for each set of parameter values."""

    def __init__(self, prepare: Prepare) -> None:
        """Set the function that is run in the background: prepare(description, values)."""
        self._prepare = prepare
        self._future: Future[Any] | None = None
        self._request: tuple[str, Values] | None = None
        self._unread: Future[Any] | None = None  # until its end is reported
        self.text = ""  # empty: none yet

    def start(self, values: Values) -> None:
        """Prepare the newest description, unless that was well done for these values."""
        request = (self.text, values)
        failed = self._future and self._future.done() and self._future.exception()
        if self._request != request or failed:
            self._request = request
            if self._future is not None:
                self._future.cancel()  # of many that come quickly only the newest is prepared
            self._future = submit(self._prepare, *request)
        self._unread = self._future  # one that was refused may be taken now

    def wait(self, values: Values) -> Any:
        """Return the newest description prepared, after waiting for it.

        Raises what `prepare` raised.
        """
        self.start(values)
        assert self._future is not None
        self._unread = None
        return self._future.result()

    def finished(self) -> "Future[Any] | None":
        """Return a preparation that has finished since the last call, None if there is none."""
        if self._unread is None or not self._unread.done():
            return None
        done, self._unread = self._unread, None
        return done

    def forget(self) -> None:
        """Drop what was prepared, so that the next configure prepares anew."""
        self._future = self._request = self._unread = None
