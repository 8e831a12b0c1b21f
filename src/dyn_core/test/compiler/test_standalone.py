# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Python functions in machine code that need no numba where they are kept."""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
from inspect import isbuiltin
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dyn_core.compiler.runtime import numba_free as standalone
from dyn_core.compiler.runtime.code_cache import FOLDER_VARIABLE
from dyn_core.compiler.runtime.numba_free import Standalone, bound

SCALE = 3


def total(factor: float, size: int, data: Any, values: Any) -> int:
    """Write a weighted sum of the data behind the values; return how many data are not zero."""
    count, result = 0, 0.0
    for i in range(size):
        result += data[i] * values[i] * factor * SCALE
        if data[i] != 0.0:
            count += 1
    values[size] = result
    return count


def power(x: float, n: int) -> int:
    return int(x**n)


ARGUMENTS = ("float64", "int64", "float64[]", "float64*")
DATA = np.array([0.0, 1.0, 255.0])


def test_machine_code_computes_what_python_does() -> None:
    values, expected = np.array([0.5, -2.0, 0.25, 0.0]), np.array([0.5, -2.0, 0.25, 0.0])
    compute = Standalone(total, *ARGUMENTS).bind(values)
    assert compute(0.1, 3, DATA) == total(0.1, 3, DATA, expected) == 2
    np.testing.assert_array_equal(values, expected)


@pytest.mark.parametrize(("factor", "size"), [(np.float64(0.1), 3), (1, 3), (0.1, True)])
def test_numbers_of_other_types_are_taken_all_the_same(factor: float, size: int) -> None:
    values, expected = np.array([0.5, -2.0, 0.25, 0.0]), np.array([0.5, -2.0, 0.25, 0.0])
    compute = Standalone(total, *ARGUMENTS).bind(values)
    data = DATA[: int(size)]
    assert compute(factor, size, data) == total(factor, int(size), data, expected)
    np.testing.assert_array_equal(values, expected)


@pytest.mark.parametrize("wrong", [("0.1", 3, DATA), (0.1, 3, "text"), (0.1, "3", DATA), (0.1,)])
def test_what_is_no_number_raises(wrong: tuple[Any, ...]) -> None:
    compute = Standalone(total, *ARGUMENTS).bind(np.zeros(4))
    with pytest.raises((TypeError, ctypes.ArgumentError)):
        compute(*wrong)


def add(count: int, given: Any, sums: Any) -> int:
    for k in range(count):
        sums[k] += given[k]
    return count


@pytest.mark.parametrize(
    "given",
    [
        np.array([1.0, 2.0]),
        np.array([1, 2]),
        np.array([1.0, 2.0], np.float32),
        np.array([1.0, 0.0, 2.0])[::2],
        np.frombuffer(np.array([1.0, 2.0]).tobytes()),
        np.array([1.0, 2.0]).view(np.recarray),
    ],
)
def test_arrays_may_be_given_with_each_call(given: Any) -> None:
    """Those of other types or with gaps are copied."""
    sums = np.array([10.0, 20.0])
    add_to_them = Standalone(add, "int64", "float64[]", "float64*").bind(sums)
    assert add_to_them(2, given) == 2
    assert add_to_them(1, np.array([0.5])) == 1
    np.testing.assert_array_equal(sums, [11.5, 22.0])


@pytest.mark.parametrize("wrong", [None, "text", 1.0, b"bytes", np.zeros(2), np.zeros((1, 1))])
def test_what_is_no_array_of_this_size_raises(wrong: Any) -> None:
    add_to_them = Standalone(add, "int64", "float64[]", "float64*").bind(np.zeros(2))
    with pytest.raises((TypeError, ctypes.ArgumentError)):
        add_to_them(1, wrong)


def test_a_bound_function_keeps_its_arrays_and_its_code() -> None:
    compute = Standalone(total, *ARGUMENTS).bind(np.zeros(4))
    gc.collect()
    assert compute(0.1, 3, DATA) == 2


def test_what_is_kept_is_found_without_numba() -> None:
    Standalone(total, *ARGUMENTS)
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import test_standalone as t\n"
        "t.Standalone(t.total, *t.ARGUMENTS); assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, __file__.rpartition("/")[0]], check=True)


def marked(least: float, values: Any, marks: Any) -> int:
    """Mark values from a least one on; overflows on the way."""
    count = 0
    for i in range(4):
        if values[i] * LARGE >= least * LARGE:
            marks[i] = 1
            count += 1
    return count


LARGE = 1e300


@pytest.mark.parametrize("known", [True, False])
def test_a_bound_function_is_the_same_where_there_is_no_numba(
    known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In Python then, silently too, on arrays of any shape and of any of the types."""
    if not known:
        monkeypatch.setattr(standalone, "_standalone", Standalone)  # what is loaded, forgotten
        monkeypatch.setenv(FOLDER_VARIABLE, "")
        monkeypatch.setitem(sys.modules, "numba", None)
    values, marks = np.array([[1.0, 3.0], [1e10, -1.0]]), np.zeros((2, 2), dtype=bool)
    mark = bound(marked, ("float64",), values, marks.view(np.uint8))
    assert mark(2.0) == 2
    np.testing.assert_array_equal(marks, [[False, True], [True, False]])
    assert isbuiltin(mark) == known


def test_a_function_that_may_raise_is_refused() -> None:
    with pytest.raises(ValueError, match="power needs"):
        Standalone(power, "float64", "int64")


TWO_THREADS = """
from threading import Event, Thread
from time import sleep
from numba.core import cpu
from dyn_core.compiler.runtime.numba_cached import compiled
from dyn_core.compiler.runtime.numba_free import Standalone
from test_standalone import ARGUMENTS, power, total

begun, prepare = Event(), cpu.CPUContext.__init__

def prepare_late(*arguments):
    begun.set()
    sleep(0.5)  # in which the other thread begins
    prepare(*arguments)

cpu.CPUContext.__init__ = prepare_late
thread = Thread(target=compiled, args=(power,), daemon=True)
thread.start()
begun.wait()
Standalone(total, *ARGUMENTS)
thread.join()
"""


def test_two_threads_may_be_the_first_to_compile(tmp_path: Path) -> None:
    """numba takes two locks, in one order for njit and in the other for cfunc."""
    variables = {**os.environ, FOLDER_VARIABLE: str(tmp_path)}
    command = [sys.executable, "-c", TWO_THREADS]
    subprocess.run(command, cwd=Path(__file__).parent, env=variables, check=True, timeout=60)
