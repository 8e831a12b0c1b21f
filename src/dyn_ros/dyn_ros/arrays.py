# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Types of arrays; attributes that use them document contents, shape and unit. And checks."""

from collections.abc import Sequence
from math import isfinite

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Rows = Matrix | Sequence[Vector]  # a matrix whole or row by row: rows cost less where they are one


FALSE = b"\0"  # in the bytes of an array of bool: no other way to look for one is as quick


def all_finite(values: NDArray[np.float64]) -> bool:
    """Return whether all numbers are finite: the sum of their squares is the fastest test.

    No sum with a number in it that is not finite is so; one of large numbers may not be either.
    """
    flat = values.reshape(-1)
    return isfinite(flat.dot(flat)) or bool(np.isfinite(values).all())
