# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Threads share the states of a batch: all are computed, each once, and no thread stays."""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from every_request import some_arrays
from robots import load

import dyn_core
from dyn_core.compiler.runtime import thread_sharing as sharing
from dyn_core.compiler.runtime.batch import from_blocks, to_blocks


@pytest.mark.parametrize("threads", [1, np.int64(2), 3, 8, 64])
def test_threads_share_the_states(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "MIN_THREAD_WORK_NS", 1)  # ns: any work is worth a thread
    kernel = dyn_core.compile(load("ur5").model, ["inverse_dynamics"])
    for count in (0, 1, 17, 100):
        arrays = some_arrays(kernel.model, kernel.signature, count)
        blocks = [to_blocks(array) for array in arrays]
        expected = kernel.batch(*arrays)
        assert (kernel.batch(*arrays, threads=threads) == expected).all()
        shared = kernel.batch(*blocks, blocked=True, threads=threads)
        assert (from_blocks(shared, count) == expected).all()


def test_the_gil_is_free_while_states_are_computed() -> None:
    """Another thread counts on while one long batch runs, which returns to Python only once."""
    kernel = dyn_core.compile(load("talos").model, ["mass_matrix"])
    q = some_arrays(kernel.model, kernel.signature, 8)[0].repeat(2000, axis=0)
    out = np.empty((len(q), kernel.model.nv, kernel.model.nv))
    kernel.batch(q, out=out)
    running, counted = threading.Event(), [0]

    def count() -> None:
        while not running.is_set():
            counted[0] += 1

    counter = threading.Thread(target=count)
    counter.start()
    before = counted[0]
    for _ in range(20):
        kernel.batch(q, out=out)
    during = counted[0] - before
    running.set()
    counter.join()
    assert during > 0


def test_where_no_thread_starts_the_calling_one_computes_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As in a function that runs when Python ends."""
    ended = ThreadPoolExecutor(1)
    ended.shutdown()
    monkeypatch.setattr(sharing, "_pool", lambda: ended)
    monkeypatch.setattr(sharing, "MIN_THREAD_WORK_NS", 1)
    kernel = dyn_core.compile(load("ur5").model, ["gravity"])
    q = some_arrays(kernel.model, kernel.signature, 64)[0]
    assert (kernel.batch(q, threads=2) == kernel.batch(q)).all()


def test_an_interrupt_leaves_no_thread_that_uses_the_arrays() -> None:
    begun, interrupted, done = threading.Event(), threading.Event(), []

    def compute(taken: ctypes.c_int64, piece: int) -> int:
        if threading.current_thread() is threading.main_thread():
            begun.wait()
            interrupted.set()
            raise KeyboardInterrupt
        begun.set()
        interrupted.wait()
        while taken.value < 64:
            time.sleep(0.01)
        done.append(taken.value)
        return 0

    with pytest.raises(KeyboardInterrupt):
        sharing.Sharing().compute(compute, 64, threads=2, together=1)
    assert done == [64]


def test_threads_take_what_is_left_and_nothing_twice() -> None:
    """Calls with one counter compute each state once, also where the last piece is not whole."""
    kernel = dyn_core.compile(load("ur5").model, ["integrate"])
    q, dv = some_arrays(kernel.model, kernel.signature, 83)
    expected = kernel.batch(q, dv)
    call = kernel.batch.rows._call
    for left in (0, 24, 64, 80, 83, 90):
        out, taken = np.full_like(q, np.nan), ctypes.c_int64(left)
        addresses = [array.ctypes.data for array in (q, dv, out)]
        assert call(ctypes.addressof(taken), 24, 83, *addresses) == max(0, 83 - left)
        assert taken.value >= 83
        assert (out[left:] == expected[left:]).all()
        assert np.isnan(out[:left]).all()


def test_arrays_live_as_long_as_threads_may_use_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An interrupt of the waiting too leaves a thread behind, and may drop the arrays."""
    kernel = dyn_core.compile(load("ur5").model, ["gravity"])
    parts = []

    def keep(sharing: object, compute: object, *rest: object) -> None:
        parts.append(compute)

    monkeypatch.setattr(sharing.Sharing, "compute", keep)
    q = some_arrays(kernel.model, kernel.signature, 64)[0]
    out = np.zeros((64, kernel.model.nv))
    monkeypatch.setattr(sharing.Sharing, "worth", lambda *_: 2)
    kernel.batch(q, out=out, threads=2)
    alive = [weakref.ref(q), weakref.ref(out)]
    del q, out
    assert all(array() is not None for array in alive)
    parts.clear()
    gc.collect()
    assert all(array() is None for array in alive)


def test_a_forked_child_has_threads_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "MIN_THREAD_WORK_NS", 1)
    kernel = dyn_core.compile(load("ur5").model, ["gravity"])
    q = some_arrays(kernel.model, kernel.signature, 64)[0]
    expected = kernel.batch(q, threads=2)
    context = multiprocessing.get_context("fork")
    receive, send = context.Pipe(duplex=False)
    child = context.Process(target=lambda: send.send(kernel.batch(q, threads=2)))
    child.start()
    try:
        assert receive.poll(60.0)
        assert (receive.recv() == expected).all()
    finally:
        child.kill()
        child.join()
