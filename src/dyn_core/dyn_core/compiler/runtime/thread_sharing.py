# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Work shared by threads."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from typing import Any

from dyn_core.compiler.targets.llvm.array_layouts import BLOCK

MIN_THREAD_WORK_NS = 200_000
"""The least nanoseconds of work for which a thread is woken. Waking takes a tenth of it, or more on
a busy processor."""
POOL_SIZE = os.cpu_count() or 1
"""The number of threads in the pool."""
PIECES = 32
"""Pieces of the work per thread: a thread that starts late or is preempted takes fewer."""


class Sharing:
    """Computations of items of one kind, with the measured time of an item."""

    def __init__(self) -> None:
        self._pace = 0.0
        """The shortest measured nanoseconds of an item; zero before the first computation."""

    def worth(self, count: int, threads: int) -> int:
        """The number of threads, at most ``threads``, that are worth waking for ``count`` items."""
        if not self._pace:
            return threads
        return min(threads, 1 + int(count * self._pace / MIN_THREAD_WORK_NS))

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
                returns the number of items that it has computed (:func:`print_over_states`).
            count: number of items.
            threads: the most threads.
            together: the size of a piece is a multiple of it.
            work: cost of an item, in units of the measured time.

        Returns:
            Whether the items were computed; ``compute`` may refuse.
        """
        taken = ctypes.c_int64(0)
        threads = min(self.worth(count * work, threads), POOL_SIZE + 1)
        piece = -(-count // (PIECES * threads)) if threads > 1 else count
        piece += -piece % together
        woken: list[Future[int]] = []
        try:
            with suppress(RuntimeError):  # no thread can start: Python ends, or there are too many
                woken += (_pool().submit(compute, taken, piece) for _ in range(threads - 1))
            start = time.perf_counter_ns()
            computed = compute(taken, piece) * work
            if computed:
                pace = (time.perf_counter_ns() - start) / computed
                self._pace = min(self._pace or pace, pace)
            return taken.value > 0
        finally:  # after an interrupt no thread may use freed arrays
            taken.value = count
            for one in woken:
                if not one.cancel():
                    one.result()


def shared_function(address: int, kinds: Sequence[Any]) -> Callable[..., int]:
    """A function that :func:`print_over_states` has printed, with parameters of these kinds."""
    number = ctypes.c_int64
    return ctypes.CFUNCTYPE(number, ctypes.c_void_p, number, number, *kinds)(address)


@cache
def _pool() -> ThreadPoolExecutor:
    """The pool of threads; they end with the process."""
    return ThreadPoolExecutor(POOL_SIZE, "dyn_core batch")


os.register_at_fork(after_in_child=_pool.cache_clear)  # a child has none of its parent's threads
