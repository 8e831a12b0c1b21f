# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Least squares in the order of their priority, within equations and inequalities.

Equations leave a null space. Each priority is solved in the null space of all priorities before
it, so that it does not disturb them (Siciliano and Slotine 1991; Kanoun, Lamiraux and Wieber
2011).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dyn_core.control.quadratic_program import OVERFLOW_MESSAGE, InfeasibleError, minimized
from dyn_core.model.model import FloatArray

SINGULAR_VALUE_TOLERANCE = 1e-9
"""How small a singular value is, beside the largest, in whose direction nothing is held."""
MAX_RESIDUAL = 1e-6
"""Residual of equations, beside their largest entry, from which they contradict each other."""
Rows = tuple[FloatArray, FloatArray]
"""A matrix (k, n) and its required product with x (k)."""
Bounded = tuple[FloatArray, FloatArray, FloatArray]
"""A matrix (k, n), and the lowest and highest product with x (k)."""


def solved_in_order(
    levels: Sequence[Rows],
    damping: FloatArray,
    rest: FloatArray,
    equations: Rows | None = None,
    box: tuple[FloatArray, FloatArray] | None = None,
    bounded: Sequence[Bounded] = (),
    why: str = "inverse kinematics",
) -> FloatArray:
    """The x (n) with the least squares ``|A x - b|^2`` of each level, the first before the others.

    Args:
        levels: rows of each priority, times the roots of their weights.
        damping: (n) of the squares of ``x - rest``, above 0, in every level.
        rest: (n) what x is where nothing asks for anything.
        equations: that hold exactly.
        box: lowest and highest x.
        bounded: other inequalities.
        why: what needs the solver, for the message where it is missing.

    Raises:
        InfeasibleError: equations, box and inequalities contradict each other.
        MissingExtraError: daqp is not installed; the message says how to get it.
    """
    size = len(damping)
    start: FloatArray = np.zeros(size)
    free: FloatArray | None = None
    if equations is not None and len(equations[1]):
        start, free = _satisfied(*equations)
    nothing = np.zeros((0, size)), np.zeros(0)
    unbounded = (*nothing, np.zeros(0))
    matrix, lower, upper = zip(unbounded, *bounded, strict=True)
    rows = np.concatenate(matrix), np.concatenate(lower), np.concatenate(upper)
    for k, (A, b) in enumerate(levels or [nothing]):  # bounds hold also where nothing is asked for
        start = start + _step(A, b, damping, rest, start, free, box, rows, why)
        if k + 1 < len(levels):
            free = _left(A, free)
            if not free.shape[1]:
                break
    return start


def _satisfied(E: FloatArray, d: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The minimum-norm solution of the equations, and a basis (n, f) of their null space."""
    if not (np.isfinite(E).all() and np.isfinite(d).all()):
        raise InfeasibleError(OVERFLOW_MESSAGE)
    scale = np.maximum(np.linalg.norm(E, axis=1), 1e-12)
    E, d = E / scale[:, None], d / scale
    U, s, Vt = np.linalg.svd(E)
    rank = int((s > SINGULAR_VALUE_TOLERANCE * s[0]).sum())
    x: FloatArray = Vt[:rank].T @ ((U[:, :rank].T @ d) / s[:rank])
    if np.abs(E @ x - d).max() > MAX_RESIDUAL * (1.0 + np.abs(d).max()):
        raise InfeasibleError("the equations contradict each other")
    return x, Vt[rank:].T


def _left(A: FloatArray, free: FloatArray | None) -> FloatArray:
    """A basis (n, f) of the free directions that are in the null space of ``A``."""
    inner = A if free is None else A @ free
    _, s, Vt = np.linalg.svd(inner)
    largest = s[0] if len(s) else 0.0
    null = Vt[int((s > SINGULAR_VALUE_TOLERANCE * max(largest, 1e-12)).sum()) :].T
    result: FloatArray = null if free is None else free @ null
    return result


def _step(
    A: FloatArray, b: FloatArray, damping: FloatArray, rest: FloatArray, start: FloatArray,
    free: FloatArray | None, box: tuple[FloatArray, FloatArray] | None, rows: Bounded, why: str,
) -> FloatArray:  # fmt: skip
    """The step (n) from ``start`` within the free directions."""
    matrix, lower, upper = rows
    if len(matrix):
        reached = matrix @ start
        lower, upper = lower - reached, upper - reached
    H = A.T @ A
    H.ravel()[:: len(damping) + 1] += damping
    gradient = (A @ start - b) @ A + damping * (start - rest)
    if box is not None:
        low, high = box[0] - start, box[1] - start
        if len(matrix):
            low, high = np.concatenate([low, lower]), np.concatenate([high, upper])
        if free is not None:
            matrix = np.concatenate([np.eye(len(start)), matrix])
        lower, upper = low, high
    if free is None:
        return minimized(H, gradient, matrix, lower, upper, why)
    inner = free.T @ H @ free, free.T @ gradient, matrix @ free
    step: FloatArray = free @ minimized(*inner, lower, upper, why)
    return step
