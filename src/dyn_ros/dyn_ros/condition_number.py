# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The condition number of a symmetric matrix, by all its eigenvalues."""

from functools import cache
from math import inf, sqrt
from typing import Any

import numpy as np

from dyn_core.execution.standalone import Standalone
from dyn_ros.arrays import Matrix

MOST_STEPS = 50  # to one eigenvalue, as LAPACK has it; usually they are two


class ConditionNumber:
    """Of symmetric matrices of one size, by the 2-norm; infinite of a singular one.

    The matrix is made tridiagonal by Householder's reflections, and diagonal by the QL method with
    implicit shifts, as LAPACK does it (Golub and Van Loan 2013, sections 8.3.1 and 8.3.3). For the
    matrix of an arm a call of LAPACK takes two to three times as long.
    """

    def __init__(self, size: int) -> None:
        """Allocate for matrices [size, size]."""
        self._numbers: Matrix = np.zeros((size + 2, size))
        self._matrix, self._values = self._numbers[:size], self._numbers[size]
        self._steps = [code.bind(self._numbers) for code in diagonalizing()]

    def of(self, matrix: Matrix) -> float:
        """Return the largest singular value by the smallest. Raises LinAlgError if none is found.

        All numbers of the matrix are finite; its lower triangle is read.
        """
        self._matrix[:] = matrix
        tridiagonalize, diagonalize = self._steps
        count = len(self._values)
        tridiagonalize(count)
        if not diagonalize(count):
            raise np.linalg.LinAlgError("eigenvalues not found")
        sizes = [abs(value) for value in self._values.tolist()]
        smallest = min(sizes)
        return max(sizes) / smallest if smallest else inf


def _tridiagonalize(count: int, numbers: Any) -> int:
    """Divide a matrix by its largest number, and reflect it until it is tridiagonal.

    The row behind the matrix gets the diagonal, the next one what is beside it.
    """
    largest = 0.0
    for k in range(count * count):
        largest = max(largest, abs(numbers[k]))
    if largest > 0.0:  # squares are finite then
        for k in range(count * count):
            numbers[k] /= largest
    d, e = count * count, count * count + count  # where diagonal and subdiagonal begin
    for i in range(count - 1, 0, -1):  # reflect row i so that one number is left of its diagonal
        u = i * count  # where the row begins, which will be the reflection's vector
        last, others = numbers[u + i - 1], 0.0
        for k in range(i - 1):
            others += numbers[u + k] * numbers[u + k]
        if others == 0.0:
            numbers[e + i - 1] = last
            continue
        length = sqrt(others + last * last)
        length = -length if last > 0.0 else length
        numbers[e + i - 1] = length
        numbers[u + i - 1] = last - length
        half = length * (length - last)  # of u' u
        share = 0.0
        for j in range(i):  # A u / half, in the place of the diagonal for now
            total = 0.0
            for k in range(i):
                total += numbers[j * count + k if k <= j else k * count + j] * numbers[u + k]
            numbers[d + j] = total / half
            share += numbers[d + j] * numbers[u + j]
        for j in range(i):
            numbers[d + j] -= share / (2.0 * half) * numbers[u + j]
        for j in range(i):
            for k in range(j + 1):
                change = numbers[u + j] * numbers[d + k] + numbers[d + j] * numbers[u + k]
                numbers[j * count + k] -= change
    for i in range(count):
        numbers[d + i] = numbers[i * count + i]
    numbers[e + count - 1] = 0.0
    return 1


def _diagonalize(count: int, numbers: Any) -> int:
    """Make of a tridiagonal matrix its eigenvalues, in the place of the diagonal.

    Return whether they are found.
    """
    d, e = count * count, count * count + count
    for first in range(count):
        for step in range(MOST_STEPS + 1):
            end = first  # of the block that hangs together
            while end < count - 1:
                sizes = abs(numbers[d + end]) + abs(numbers[d + end + 1])
                if sizes + abs(numbers[e + end]) == sizes:
                    break
                end += 1
            if end == first:
                break
            if step == MOST_STEPS:
                return 0
            beside = numbers[e + first]
            ratio = (numbers[d + first + 1] - numbers[d + first]) / (2.0 * beside)
            root = sqrt(ratio * ratio + 1.0)
            shift = numbers[d + first] - beside / (ratio + (root if ratio >= 0.0 else -root))
            g, s, c, p = numbers[d + end] - shift, 1.0, 1.0, 0.0
            split = False
            for i in range(end - 1, first - 1, -1):  # rotate what is left over up the diagonal
                f, b = s * numbers[e + i], c * numbers[e + i]
                r = sqrt(f * f + g * g)
                numbers[e + i + 1] = r
                if r == 0.0:
                    numbers[d + i + 1] -= p
                    numbers[e + end] = 0.0
                    split = True
                    break
                s, c = f / r, g / r
                g = numbers[d + i + 1] - p
                r = (numbers[d + i] - g) * s + 2.0 * c * b
                p = s * r
                numbers[d + i + 1] = g + p
                g = c * r - b
            if not split:
                numbers[d + first] -= p
                numbers[e + first] = g
                numbers[e + end] = 0.0
    return 1


@cache
def diagonalizing() -> tuple[Standalone, ...]:
    """Return `_tridiagonalize` and `_diagonalize` in machine code."""
    return tuple(Standalone(x, "int64", "float64*") for x in (_tridiagonalize, _diagonalize))
