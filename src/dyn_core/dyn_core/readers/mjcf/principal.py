# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Principal axes of inertia, chosen as MuJoCo chooses them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dyn_core.spatial import Matrix3

FloatArray = NDArray[np.float64]
MOST_STEPS = 100
ROUNDING = 1e-15
"""Off-diagonal entries below this share of the largest moment are not rotated away."""
ALIKE = 1e-12
"""Moments (kg m^2) that differ by less keep their order."""


def principal_axes(matrix: FloatArray) -> tuple[list[float], Matrix3]:
    """The eigenvalues of a symmetric matrix (3, 3), the largest first, and their axes in columns.

    Where eigenvalues are equal, and for the signs, axes are a matter of choice, on which the frame
    of an aligned body depends and the drag of a box: Jacobi's rotations find them in MuJoCo's
    order. They go on until nothing is left to turn; MuJoCo stops at turns below 1.4e-6 rad or
    entries below 1e-12, and so moves on with an inertia that is off by as much.
    """
    axes: FloatArray = np.eye(3)
    for _ in range(MOST_STEPS):
        D = axes.T @ matrix @ axes
        row, column = _largest(D)
        if abs(D[row, column]) <= ROUNDING * np.abs(np.diag(D)).max():
            break
        axes = axes @ _turn(D, row, column)
    moments = np.diag(axes.T @ matrix @ axes).tolist()
    for first in (0, 1, 0):
        if moments[first] + ALIKE < moments[first + 1]:
            moments[first], moments[first + 1] = moments[first + 1], moments[first]
            axes = axes @ _rotation((first + 2) % 3, 0.0, 1.0)
    return moments, Matrix3.of(axes.tolist())


def _largest(D: FloatArray) -> tuple[int, int]:
    """The indices of the largest off-diagonal entry; of equal ones the last."""
    xy, xz, yz = abs(D[0, 1]), abs(D[0, 2]), abs(D[1, 2])
    if xy > xz and xy > yz:
        return 0, 1
    return (0, 2) if xz > yz else (1, 2)


def _turn(D: FloatArray, row: int, column: int) -> FloatArray:
    """The smaller rotation that makes an entry zero (Golub and Van Loan 2013, section 8.5.2)."""
    tau = (D[column, column] - D[row, row]) / (2.0 * D[row, column])
    tangent = math.copysign(1.0, tau) / (abs(tau) + math.hypot(1.0, tau))
    cosine = 1.0 / math.hypot(1.0, tangent)
    sine = -tangent * cosine
    axis = 3 - row - column
    return _rotation(axis, cosine, -sine if axis == 1 else sine)


def _rotation(axis: int, cosine: float, sine: float) -> FloatArray:
    """About a coordinate axis."""
    rotation = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    rotation[i, i] = rotation[j, j] = cosine
    rotation[j, i], rotation[i, j] = sine, -sine
    return rotation
