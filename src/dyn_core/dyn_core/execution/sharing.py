# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Work shared by threads, as many as shorten it."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from numbers import Integral
from typing import Any

from dyn_core.codegen.memory import BLOCK

WORTH = 200_000
"""Nanoseconds of work for which a thread is woken. Waking takes a tenth of that, or more on a busy
processor."""
POOL = os.cpu_count() or 1
"""Threads that wait for work."""
PIECES = 32
"""Pieces of the work for each thread: a thread that starts late, or is preempted, takes fewer."""


class Sharing:
    """Items of one kind to compute; the time of an item is measured with each computation."""

    def __init__(self) -> None:
        self._pace = 0.0
        """Shortest nanoseconds of an item so far; zero before the first computation."""

    def worth(self, count: int, threads: int) -> int:
        """How many of ``threads`` should compute ``count`` items; all before the first one."""
        if not self._pace:
            return threads
        return min(threads, 1 + int(count * self._pace / WORTH))

    def compute(
        self,
        compute: Callable[[ctypes.c_int64, int], int],
        count: int,
        threads: int,
        together: int = BLOCK,
        work: int = 1,
    ) -> bool:
        """Compute ``count`` items in at most ``threads`` threads, the calling one included.

        Other threads are woken before the calling one computes. Each takes pieces from a counter.

        Args:
            compute: called by each thread with the counter of items taken and the size of a piece;
                it returns how many items it has computed (:func:`print_over_states`).
            count: number of items.
            threads: the most threads.
            together: the size of a piece is a multiple of it.
            work: cost of an item, in units of the measured time.

        Returns:
            Whether anything was computed: all was, unless ``compute`` refuses.
        """
        taken = ctypes.c_int64(0)
        threads = min(self.worth(count * work, threads), POOL + 1)
        piece = -(-count // (PIECES * threads)) if threads > 1 else count
        piece += -piece % together
        woken: list[Future[int]] = []
        try:
            with suppress(RuntimeError):  # none starts any more: Python ends, or there are too many
                woken += (_pool().submit(compute, taken, piece) for _ in range(threads - 1))
            start = time.perf_counter_ns()
            computed = compute(taken, piece) * work
            if computed:
                pace = (time.perf_counter_ns() - start) / computed
                self._pace = min(self._pace or pace, pace)
            return taken.value > 0
        finally:  # an interrupt must not leave others at work on arrays that are gone
            taken.value = count
            for one in woken:
                if not one.cancel():
                    one.result()


def shared_function(address: int, kinds: Sequence[Any]) -> Callable[..., int]:
    """The function that :func:`print_over_states` has printed, with parameters of these kinds."""
    number = ctypes.c_int64
    return ctypes.CFUNCTYPE(number, ctypes.c_void_p, number, number, *kinds)(address)


def check_threads(threads: object) -> None:
    """Refuse what is no number of threads. Raises ValueError."""
    if not isinstance(threads, Integral) or isinstance(threads, bool) or threads < 1:
        raise ValueError(f"threads must be a whole number of at least 1, not {threads!r}")


@cache
def _pool() -> ThreadPoolExecutor:
    """Threads that wait for work; they end with the process."""
    return ThreadPoolExecutor(POOL, "dyn_core batch")


os.register_at_fork(after_in_child=_pool.cache_clear)  # a child has none of its parent's threads
