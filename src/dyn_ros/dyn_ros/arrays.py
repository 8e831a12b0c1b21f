# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Types of arrays; attributes that use them document contents, shape and unit. And checks."""

from collections.abc import Sequence
from functools import cache
from math import inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyn_core.compiler.runtime.numba_free import Standalone

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Rows = Matrix | Sequence[Vector]  # a matrix whole or row by row: rows cost less where they are one


def all_finite(values: NDArray[np.float64]) -> bool:
    """Return whether all numbers are finite: the sum of their squares tells it most quickly.

    No sum with a number in it that is not finite is so; one of large numbers may not be either.
    """
    flat = values.reshape(-1)
    return isfinite(flat.dot(flat)) or bool(np.isfinite(values).all())


def _find(count: int, numbers: Any) -> int:
    """Return whether any of these numbers is not finite."""
    for k in range(count):
        if not abs(numbers[k]) < inf:  # as NaN is
            return 1
    return 0


@cache
def finding() -> Standalone:
    """Return `_find` in machine code."""
    return Standalone(_find, "int64", "float64*")
