# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The condition number of a symmetric matrix that changes with each joint state.

LAPACK takes 40 us for that of an arm, a tenth of what seven nodes take for a joint state: it comes
once a millisecond, when no cache knows its code any more. This code is small and lies beside the
kernels'. The algorithms are those of EISPACK (tred1 and imtql1): Householder's reflections make
the matrix tridiagonal, and QL steps with implicit shifts diagonal.
"""

from math import copysign, inf
from typing import Any

import numpy as np

from dyn_core.compiler.runtime.numba_free import bound
from dyn_ros.arrays import Matrix

LONGEST = 30  # QL steps for an eigenvalue; two are usual


class ConditionNumber:
    """Of one matrix, whose numbers change in place: the largest by the smallest singular value."""

    def __init__(self, matrix: Matrix) -> None:
        """Prepare for a symmetric matrix [n, n], C-contiguous."""
        self._size, work = len(matrix), np.zeros_like(matrix)
        diagonal, beside = np.zeros((2, self._size))
        self.value = np.zeros(())
        """That of the matrix at the last update; infinite if it was singular."""
        self._reduce = bound(_reduce, ("int64",), matrix, work, diagonal, beside)
        self._diagonalize = bound(_diagonalize, ("int64",), diagonal, beside, self.value)

    def update(self) -> None:
        """Find it for the matrix as it is now."""
        self._reduce(self._size)
        if self._diagonalize(self._size):
            self.value[()] = inf


def _reduce(n: int, matrix: Any, a: Any, diagonal: Any, beside: Any) -> int:
    """Make a copy of a symmetric matrix tridiagonal, and its largest number 1."""
    largest = 0.0
    for i in range(n * n):
        largest = max(largest, abs(matrix[i]))
    for i in range(n * n):
        a[i] = matrix[i] / largest if largest > 0.0 else 0.0
    for k in range(n - 1):
        first, rest = a[(k + 1) * n + k], 0.0
        for i in range(k + 2, n):
            rest += a[i * n + k] * a[i * n + k]
        if rest == 0.0:
            beside[k] = first
            continue
        length = copysign((first * first + rest) ** 0.5, first)
        beside[k] = -length
        a[(k + 1) * n + k] = first + length  # the column is the reflection's vector from now on
        half = length * (first + length)
        share = 0.0
        for i in range(k + 1, n):
            diagonal[i] = 0.0
            for j in range(k + 1, n):
                diagonal[i] += a[i * n + j] * a[j * n + k]
            diagonal[i] /= half
            share += diagonal[i] * a[i * n + k] / (2.0 * half)
        for i in range(k + 1, n):
            diagonal[i] -= share * a[i * n + k]
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                a[i * n + j] -= a[i * n + k] * diagonal[j] + diagonal[i] * a[j * n + k]
    for i in range(n):
        diagonal[i] = a[i * n + i]
    return 0


def _diagonalize(n: int, d: Any, e: Any, condition: Any) -> int:
    """Replace a diagonal by the eigenvalues, given the one beside it, and compare them.

    Return 1 if one of them is zero or was not found.
    """
    e[n - 1] = 0.0
    for low in range(n):
        for _ in range(LONGEST):
            high = low
            while high < n - 1 and abs(d[high]) + abs(d[high + 1]) + abs(e[high]) != abs(
                d[high]
            ) + abs(d[high + 1]):
                high += 1
            if high == low:
                break
            g = (d[low + 1] - d[low]) / (2.0 * e[low])
            g = d[high] - d[low] + e[low] / (g + copysign((g * g + 1.0) ** 0.5, g))
            s, c, p = 1.0, 1.0, 0.0
            for i in range(high - 1, low - 1, -1):
                f, b = s * e[i], c * e[i]
                e[i + 1] = r = (f * f + g * g) ** 0.5
                if r == 0.0:
                    d[i + 1] -= p
                    e[high] = 0.0
                    break
                s, c = f / r, g / r
                g = d[i + 1] - p
                r = (d[i] - g) * s + 2.0 * c * b
                p = s * r
                d[i + 1] = g + p
                g = c * r - b
            else:
                d[low] -= p
                e[low], e[high] = g, 0.0
        else:
            return 1
    largest = smallest = abs(d[0])
    for i in range(1, n):
        largest, smallest = max(largest, abs(d[i])), min(smallest, abs(d[i]))
    if smallest == 0.0:
        return 1
    condition[0] = largest / smallest
    return 0
