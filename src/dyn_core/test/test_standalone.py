# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Python functions in machine code that need no numba where they are kept."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from dyn_core.execution.standalone import standalone

SCALE = 3


def total(data: Any, size: int, values: Any, factor: float) -> float:
    result = 0.0
    for i in range(size):
        result += data[i] * values[i] * factor * SCALE
    return result


def power(x: float, n: int) -> float:
    return x**n


ARGUMENTS = ("float64", "bytes", "int64", "float64*", "float64")


def test_machine_code_computes_what_python_does() -> None:
    compute = standalone(total, *ARGUMENTS)
    data, values = b"\x00\x01\xff", np.array([0.5, -2.0, 0.25])
    assert compute(data, 3, values.ctypes.data, 0.1) == total(data, 3, values, 0.1)


def test_what_is_kept_is_found_without_numba() -> None:
    standalone(total, *ARGUMENTS)
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import test_standalone as t\n"
        "t.standalone(t.total, *t.ARGUMENTS); assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, __file__.rpartition("/")[0]], check=True)


def test_a_function_that_may_raise_is_refused() -> None:
    with pytest.raises(ValueError, match="power needs"):
        standalone(power, "float64", "float64", "int64")
