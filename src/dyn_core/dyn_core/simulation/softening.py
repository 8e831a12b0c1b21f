# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Impulses of a step within a bounded number of factorizations, by continuation in compliance.

A robot that lies on the ground has more contacts than degrees of freedom, and rigid contact laws
then have many solutions, or none within rounding. If every row gives way by R times its impulse,
the impulse follows from the velocity c of the row without its compliance: ``-c / R`` between its
bounds, along a normal if it pushes, along a tangent shortened to the disc of friction. The unknowns
are the coordinates y of the change of velocity alone::

    y = W l(W' y + g)

Newton's method solves this equation at a large compliance from anywhere, because l is then nearly
constant, and at a smaller one from the solution of the larger one. The compliance falls until it is
that of the contacts, or until the factorizations are used up. The laws hold at the compliance that
was reached. Compliance only takes energy: ``l' (W' y + g) = l' (c - R l) <= 0``. All functions here
are compiled.
"""

from __future__ import annotations

from math import hypot

import numpy as np

from dyn_core.compiler.runtime.numba_cached import borrowing
from dyn_core.contacts.contact_laws import copied, largest
from dyn_core.contacts.gaussian_elimination import eliminated
from dyn_core.model.model import FloatArray

FACTORIZATIONS = 60
"""After which no smaller compliance is tried."""
STEPS = 10
"""Most steps of Newton's method at one compliance."""
HALVINGS = 8
"""Most halvings of a step."""
SOFTEST, SOFTER = 1.0, 10.0
"""First compliance as a share of the mobility of a row, and its growth until a solution is found.
That takes one or two tries; far above 1 the equation is nearly linear."""
FALL, FASTER, FASTEST, LEAST = 0.1, 1.5, 1e-3, 0.9
"""First factor of the compliance, its power after a quick solution (QUICK steps), its smallest
value; and the factor above which the continuation ends."""
QUICK, SLOWER = 4, 0.4
"""See FALL; and the power of the factor after a failure."""
ACCURATE = 1e-9
"""Residual of the equation, as a share of its largest terms."""


def softened(
    W: FloatArray,
    g: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    mu: FloatArray,
    unit: FloatArray,
    target: float,
    forces: FloatArray,
) -> tuple[int, float]:
    """Find ``forces`` in place; returns the number of factorizations and the compliance.

    The compliance is a share of ``unit``, the mobility of each row; it is infinite if no solution
    was found. ``target`` is the wanted one.
    """
    nv, size = W.shape
    y, ahead = np.zeros(nv), np.zeros(nv)
    for i in range(nv):
        for row in range(size):
            y[i] += W[i, row] * forces[row]
    enough = ACCURATE * (largest(y) + largest(g) / np.sqrt(largest(unit)))
    used, found, share, factor = 0, np.inf, SOFTEST, FALL
    while used < FACTORIZATIONS:
        copied(y, ahead)
        count, is_solved = _newton(W, g, lower, upper, mu, share * unit, enough, ahead)
        used += max(count, 1)
        if is_solved:
            copied(ahead, y)
            found = share
            if share <= target:
                break
            factor = max(factor**FASTER, FASTEST) if count < QUICK else factor
            share = max(share * factor, target)
        elif found == np.inf:
            share *= SOFTER
        else:
            factor = factor**SLOWER
            if factor > LEAST:
                break
            share = max(found * factor, target)
    if found < np.inf:
        c, F, slopes = np.empty(size), np.empty(nv), np.empty((size, 3))
        _equation(W, g, lower, upper, mu, found * unit, y, c, forces, slopes, F)
    return used, found


def _newton(
    W: FloatArray,
    g: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    mu: FloatArray,
    R: FloatArray,
    enough: float,
    y: FloatArray,
) -> tuple[int, bool]:
    """Solve the equation for y in place; returns the factorizations and whether it is solved."""
    nv, size = W.shape
    c, forces, slopes = np.empty(size), np.empty(size), np.empty((size, 3))
    F, change, trial = np.empty(nv), np.empty(nv), np.empty(nv)
    A, rows = np.empty((nv, nv)), np.empty((size, nv))
    left = _equation(W, g, lower, upper, mu, R, y, c, forces, slopes, F)
    for step in range(STEPS):
        if left <= enough:
            return step, True
        _derivative(W, slopes, len(lower), rows, A)
        if not eliminated(A, F):
            return step + 1, False
        share, before = 1.0, left
        copied(F, change)
        for _ in range(HALVINGS):
            for i in range(nv):
                trial[i] = y[i] - share * change[i]
            left = _equation(W, g, lower, upper, mu, R, trial, c, forces, slopes, F)
            if left < before * (1.0 - 1e-4 * share):
                break
            share *= 0.5
        if not left < before:
            return step + 1, False
        copied(trial, y)
    return STEPS, left <= enough


@borrowing
def _equation(
    W: FloatArray,
    g: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    mu: FloatArray,
    R: FloatArray,
    y: FloatArray,
    c: FloatArray,
    forces: FloatArray,
    slopes: FloatArray,
    F: FloatArray,
) -> float:
    """Fill ``F = y - W l``, and what leads to it; returns the length of F."""
    nv, size = W.shape
    for row in range(size):
        total = g[row]
        for i in range(nv):
            total += W[i, row] * y[i]
        c[row] = total
    _laws(c, lower, upper, mu, R, forces, slopes)
    square = 0.0
    for i in range(nv):
        total = y[i]
        for row in range(size):
            total -= W[i, row] * forces[row]
        F[i] = total
        square += total * total
    return float(np.sqrt(square))


@borrowing
def _laws(
    c: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    mu: FloatArray,
    R: FloatArray,
    forces: FloatArray,
    slopes: FloatArray,
) -> None:
    """Fill the forces at velocities c, and their derivatives by c of the same row or contact."""
    bounded = len(lower)
    for i in range(len(c)):
        for j in range(3):
            slopes[i, j] = 0.0
    for i in range(bounded):
        free = -c[i] / R[i]
        forces[i] = min(max(free, lower[i]), upper[i])
        slopes[i, 0] = -1.0 / R[i] if lower[i] < free < upper[i] else 0.0
    for k in range(len(mu)):
        x = bounded + 3 * k
        y, n, stiff = x + 1, x + 2, 1.0 / R[x + 2]
        forces[x], forces[y], forces[n] = 0.0, 0.0, max(0.0, -c[n] * stiff)
        if forces[n] == 0.0:
            continue
        slopes[n, 2] = -stiff
        fx, fy, limit = -c[x] * stiff, -c[y] * stiff, mu[k] * forces[n]
        size = hypot(fx, fy)
        if size <= limit:
            forces[x], forces[y] = fx, fy
            slopes[x, 0], slopes[y, 1] = -stiff, -stiff
            continue
        fx, fy, turn = fx / size, fy / size, -stiff * limit / size
        forces[x], forces[y] = limit * fx, limit * fy
        slopes[x, 0], slopes[x, 1] = turn * fy * fy, -turn * fx * fy
        slopes[y, 0], slopes[y, 1] = -turn * fx * fy, turn * fx * fx
        slopes[x, 2], slopes[y, 2] = -mu[k] * fx * stiff, -mu[k] * fy * stiff


@borrowing
def _derivative(
    W: FloatArray, slopes: FloatArray, bounded: int, rows: FloatArray, A: FloatArray
) -> None:
    """Fill ``A = 1 - W (dl/dc) W'``; ``rows`` (rows, nv) is room for ``(dl/dc) W'``."""
    nv, size = W.shape
    for i in range(nv):
        for j in range(nv):
            A[i, j] = 1.0 if i == j else 0.0
    for row in range(size):
        x = row if row < bounded else row - (row - bounded) % 3
        a, b, d = slopes[row, 0], slopes[row, 1], slopes[row, 2]
        if a == 0.0 and b == 0.0 and d == 0.0:
            continue
        for j in range(nv):
            rows[row, j] = a * W[j, x]
            if row >= bounded:
                rows[row, j] += b * W[j, x + 1] + d * W[j, x + 2]
        for i in range(nv):
            share = W[i, row]
            if share != 0.0:
                for j in range(nv):
                    A[i, j] -= share * rows[row, j]
