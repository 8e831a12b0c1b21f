# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Small linear systems inside of compiled functions."""

from __future__ import annotations

from dyn_core.compiler.runtime.numba_cached import borrowing
from dyn_core.model.model import FloatArray

NEAR_PIVOT = 0.1
"""A diagonal entry is the pivot if it is at least this share of the largest entry of its column."""


@borrowing
def eliminated(A: FloatArray, b: FloatArray) -> bool:
    """Gaussian elimination with pivots from the columns: ``b`` becomes ``A^-1 b``.

    ``A`` is overwritten. Returns whether A is not singular. The elimination runs from the last
    coordinate to the first: that preserves the zeros between branches of a robot.
    """
    size = len(b)
    for k in range(size - 1, -1, -1):
        pivot = k
        for i in range(k):
            if abs(A[i, k]) > abs(A[pivot, k]):
                pivot = i
        if not abs(A[pivot, k]) > 0.0:
            return False
        if abs(A[k, k]) < NEAR_PIVOT * abs(A[pivot, k]):
            for j in range(k + 1):
                A[k, j], A[pivot, j] = A[pivot, j], A[k, j]
            b[k], b[pivot] = b[pivot], b[k]
        inverse = 1.0 / A[k, k]
        for i in range(k):
            share = A[i, k] * inverse
            if share != 0.0:
                for j in range(k):
                    A[i, j] -= share * A[k, j]
                b[i] -= share * b[k]
    for k in range(size):
        total = b[k]
        for j in range(k):
            total -= A[k, j] * b[j]
        b[k] = total / A[k, k]
    return True
