"""Threads that share work, as many as are worth their while."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache

from dyn_core.codegen.memory import BLOCK

WORTH = 200_000
"""Nanoseconds of work for which a thread is woken: waking it takes a tenth of that,
or more where others want the processor."""
POOL = os.cpu_count() or 1
"""Threads that wait for work."""
PIECES = 8
"""Pieces that a thread finds: one that comes late, or is held up, leaves more to the others."""


class Sharing:
    """Many things of one kind to compute; how long they take is learnt while they are computed."""

    def __init__(self) -> None:
        self._pace = 0.0
        """Nanoseconds that one takes at least; zero while it is not known."""

    def worth(self, count: int, threads: int) -> int:
        """How many of so many threads are to compute ``count`` things; all if nothing is known."""
        if not self._pace:
            return threads
        return min(threads, 1 + int(count * self._pace / WORTH))

    def in_parts(
        self,
        compute: Callable[[int, int], None],
        count: int,
        threads: int,
        together: int = BLOCK,
        work: int = 1,
    ) -> None:
        """Call ``compute(first, size)`` for parts of ``count`` things, in at most so many threads.

        The calling thread takes the first part, and wakes others if what is left is worth it. As
        many as are ``together`` stay so. Each is as much ``work`` as so many of the kind.
        """
        piece = -(-count // (PIECES * threads)) if threads > 1 else count
        piece += -piece % together
        first = min(piece, count)
        start = time.perf_counter_ns()
        compute(0, first)
        if first == count:
            return
        pace = (time.perf_counter_ns() - start) / (first * work)
        self._pace = min(self._pace or pace, pace)
        others = min(self.worth((count - first) * work, threads) - 1, POOL)
        if others == 0:
            compute(first, count - first)
            return
        starts = iter(range(first, count, piece))  # each thread takes the next one

        def take_parts() -> None:
            for at in starts:
                compute(at, min(piece, count - at))

        woken: list[Future[None]] = []
        try:
            with suppress(RuntimeError):  # none starts any more: Python ends, or there are too many
                woken += (_pool().submit(take_parts) for _ in range(others))
            take_parts()
        finally:  # an interrupt must not leave others at work on arrays that are gone
            for _ in starts:
                pass
            for one in woken:
                if not one.cancel():
                    one.result()


def check_threads(threads: object) -> None:
    """Refuse what is no number of threads. Raises ValueError."""
    if not isinstance(threads, int) or isinstance(threads, bool) or threads < 1:
        raise ValueError(f"threads must be a whole number of at least 1, not {threads!r}")


@cache
def _pool() -> ThreadPoolExecutor:
    """Threads that wait for work; they end with the process."""
    return ThreadPoolExecutor(POOL, "dyn_core batch")


os.register_at_fork(after_in_child=_pool.cache_clear)  # a child has none of its parent's threads
