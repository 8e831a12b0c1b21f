# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""How well a symmetric matrix is conditioned, 1000 times a second."""

from math import inf, sqrt
from typing import Any

import numpy as np

from dyn_core.execution.standalone import bound
from dyn_ros.arrays import Matrix

EPSILON = float(np.finfo(np.float64).eps)
MOST_STEPS = 50  # for each eigenvalue; two are usual


class ConditionNumber:
    """That of one matrix at all times, by the 2-norm: its largest by its smallest eigenvalue.

    The matrix is reduced to a tridiagonal one by reflections, and that to its eigenvalues by QL
    steps with implicit shifts (Martin, Reinsch and Wilkinson 1968; Dubrulle, Martin and Wilkinson
    1968). LAPACK does the same, but numpy's way to it takes ten times as long for an arm.
    """

    def __init__(self, matrix: Matrix) -> None:
        """Take a symmetric matrix [n, n], whose numbers may change between calls."""
        assert matrix.flags.c_contiguous, "the numbers are read where they lie"
        self._size = len(matrix)
        self._eigenvalues, beside = np.zeros((2, self._size))
        arrays = matrix, np.zeros_like(matrix), self._eigenvalues, beside
        self._solve = bound(_eigenvalues, ("int64",), *arrays)

    def __call__(self) -> float:
        """Return the number; infinite if the matrix is singular."""
        self._solve(self._size)
        sizes = [abs(value) for value in self._eigenvalues.tolist()]
        smallest = min(sizes)
        return max(sizes) / smallest if smallest else inf


def _eigenvalues(count: int, matrix: Any, rest: Any, diagonal: Any, beside: Any) -> int:
    """Write the eigenvalues of a matrix to `diagonal`; return how many were not found."""
    for k in range(count * count):
        rest[k] = matrix[k]
    for i in range(count - 1, 0, -1):  # reflect row i, so that nothing stays left of `beside`
        row = i * count
        square = 0.0
        for k in range(i):
            square += rest[row + k] * rest[row + k]
        last = rest[row + i - 1]
        length = sqrt(square) if last < 0.0 else -sqrt(square)
        half = square - last * length  # of the reflected vector's square
        if half > 0.0:
            rest[row + i - 1] = last - length
            along = 0.0
            for j in range(i):
                image = 0.0
                for k in range(i):
                    image += rest[max(j, k) * count + min(j, k)] * rest[row + k]
                beside[j] = image / half
                along += beside[j] * rest[row + j]
            for j in range(i):
                beside[j] -= along / (2.0 * half) * rest[row + j]
                for k in range(j + 1):
                    rest[j * count + k] -= rest[row + j] * beside[k] + beside[j] * rest[row + k]
        beside[i] = length
    for i in range(count):
        diagonal[i] = rest[i * count + i]
        beside[i] = beside[i + 1] if i + 1 < count else 0.0
    lost = 0
    for i in range(count):
        steps = 0
        while True:
            end = i  # of the block from i on that is still coupled
            while end < count - 1:
                if abs(beside[end]) <= EPSILON * (abs(diagonal[end]) + abs(diagonal[end + 1])):
                    break
                end += 1
            if end == i:
                break
            steps += 1
            if steps > MOST_STEPS:
                lost += 1
                break
            slope = (diagonal[i + 1] - diagonal[i]) / (2.0 * beside[i])
            root = sqrt(slope * slope + 1.0)
            shifted = diagonal[end] - diagonal[i]
            shifted += beside[i] / (slope + (root if slope >= 0.0 else -root))
            sine, cosine, moved = 1.0, 1.0, 0.0
            k = end - 1
            while k >= i:
                off, near = sine * beside[k], cosine * beside[k]
                root = sqrt(off * off + shifted * shifted)
                beside[k + 1] = root
                if root == 0.0:
                    break
                sine, cosine = off / root, shifted / root
                shifted = diagonal[k + 1] - moved
                root = (diagonal[k] - shifted) * sine + 2.0 * cosine * near
                moved = sine * root
                diagonal[k + 1] = shifted + moved
                shifted = cosine * root - near
                k -= 1
            if k < i:
                diagonal[i] -= moved
                beside[i] = shifted
            else:
                diagonal[k + 1] -= moved
            beside[end] = 0.0
    return lost
