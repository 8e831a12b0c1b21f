# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The contact problem and the residual of its laws, shared by all solvers.

The rows of a problem are first those with a lower and an upper bound of their force, then three of
each contact, its normal last; :mod:`dyn_core.contacts.friction_cones` states their laws. All
functions here are compiled.
"""

from __future__ import annotations

from math import hypot
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dyn_core.compiler.runtime.numba_cached import borrowing
from dyn_core.model.model import FloatArray

OPTIONS = {"error_model": "numpy", "nogil": True}
"""Compiler options of this folder's functions."""
ROUNDING_ERROR = 4e-16
"""Rounding error of a velocity, as a share of the largest force times the largest entry of G."""
ROUNDING_LIMITS = 1e-8, 2e-15
"""Rounding error beyond which forces are no solution, as a share of the largest entry of g, and the
rounding error itself, as a share of the sum of all magnitudes. Opposed forces that grow without
limit, such as those between two approaching walls, exceed it."""
FOUND, TRIAL, AHEAD, STEP, REACHED, RIGHT, SUMS = range(7)
"""Rows of the memory of a problem, by what solvers hold there."""
MEMORY_ROWS = 7
"""Number of those rows."""


class Problem(NamedTuple):
    """The problem: forces l that obey the contact laws with ``c = G l + g``."""

    G: FloatArray
    g: FloatArray
    lower: FloatArray
    upper: FloatArray
    mu: FloatArray
    scale: FloatArray
    """(bounded + contacts) largest diagonal entry of G: velocities per force, never 0."""
    enough: float
    """Largest violation of a solution, in the unit of g."""
    room: FloatArray
    """(MEMORY_ROWS + rows, rows) memory of solvers: allocation would take longer than a small
    problem."""
    H: FloatArray
    """(rows, rows) the last rows of ``room``, for the matrix of Newton's method."""
    active: NDArray[np.int64]
    """(rows) memory for the active rows of Newton's method."""


def posed(
    G: FloatArray,
    g: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    mu: FloatArray,
    enough: float,
) -> Problem:
    """The problem with its scale, the largest stiffness of each row and contact."""
    bounded, rows, most = len(lower), len(G), 0.0
    for i in range(rows):
        most = max(most, G[i, i])
    if most == 0.0:
        most = 1.0
    scale = np.empty(bounded + len(mu))
    for i in range(bounded):
        scale[i] = G[i, i] if G[i, i] > 0.0 else most
    for k in range(len(mu)):
        at = bounded + 3 * k
        own = max(G[at, at], G[at + 1, at + 1], G[at + 2, at + 2])
        scale[bounded + k] = own if own > 0.0 else most
    room, active = np.empty((MEMORY_ROWS + rows, rows)), np.empty(rows, np.int64)
    return Problem(G, g, lower, upper, mu, scale, enough, room, room[MEMORY_ROWS:], active)


@borrowing
def velocities(problem: Problem, forces: FloatArray, c: FloatArray) -> float:
    """Fill ``c`` with ``G forces + g``; returns its rounding error, -inf if that swamps ``g``."""
    G, g, sums, size, most = problem.G, problem.g, problem.room[SUMS], 0.0, 0.0
    for i in range(len(g)):
        c[i], sums[i] = g[i], abs(g[i])
    for j in range(len(g)):
        force = forces[j]
        if force != 0.0:
            for i in range(len(g)):  # G is symmetric, and its rows are contiguous
                part = G[j, i] * force
                c[i] += part
                sums[i] += abs(part)
        size, most = max(size, abs(force)), max(most, G[j, j])
    total, fastest = largest(sums), largest(g)
    if ROUNDING_LIMITS[1] * total > ROUNDING_LIMITS[0] * fastest:
        return -np.inf
    return ROUNDING_ERROR * size * most * len(g)


@borrowing
def unreachable_removed(G: FloatArray, g: FloatArray, bounded: int) -> None:
    """Set violations in immobile rows to zero in ``g``: no force can change them."""
    for i in range(len(g)):
        is_normal = i >= bounded and (i - bounded) % 3 == 2
        if G[i, i] <= 0.0 and (i < bounded or (is_normal and g[i] < 0.0)):
            g[i] = 0.0


@borrowing
def copied(numbers: FloatArray, into: FloatArray) -> None:
    """``into[:] = numbers``; for an array assignment numba compiles error messages for seconds."""
    for i in range(len(numbers)):
        into[i] = numbers[i]


@borrowing
def within_disc(x: float, y: float, limit: float) -> float:
    """The factor that shortens (x, y) to a length of at most ``limit``."""
    size = hypot(x, y)
    return 1.0 if size <= limit else limit / size


@borrowing
def feasible(problem: Problem, forces: FloatArray) -> None:
    """Project forces between their bounds and tangential forces into their discs, in place."""
    bounded, mu = len(problem.lower), problem.mu
    for i in range(bounded):
        forces[i] = min(max(forces[i], problem.lower[i]), problem.upper[i])
    for k in range(len(mu)):
        x = bounded + 3 * k
        forces[x + 2] = max(0.0, forces[x + 2])
        share = within_disc(forces[x], forces[x + 1], mu[k] * forces[x + 2])
        forces[x] *= share
        forces[x + 1] *= share


@borrowing
def violations(
    problem: Problem, scale: FloatArray, c: FloatArray, forces: FloatArray, found: FloatArray
) -> float:
    """Fill ``found`` (bounded + contacts) with the violation of each law; returns the largest.

    The violation is the natural residual: the change of the forces in a projected step along ``-c /
    scale``, times ``scale``. The projection is that between the bounds or into the
    friction disc. The residual is zero only for a solution and has the unit of c.
    """
    bounded, worst = len(problem.lower), 0.0
    for i in range(bounded):
        ahead = min(max(forces[i] - c[i] / scale[i], problem.lower[i]), problem.upper[i])
        found[i] = scale[i] * abs(ahead - forces[i])
        worst = max(worst, found[i])
    for k in range(len(problem.mu)):
        x = bounded + 3 * k
        y, n, one = x + 1, x + 2, scale[bounded + k]
        ahead_n = max(0.0, forces[n] - c[n] / one)
        ahead_x, ahead_y = forces[x] - c[x] / one, forces[y] - c[y] / one
        share = within_disc(ahead_x, ahead_y, problem.mu[k] * max(0.0, forces[n]))
        off = max(abs(share * ahead_x - forces[x]), abs(share * ahead_y - forces[y]))
        found[bounded + k] = one * max(off, abs(ahead_n - forces[n]))
        worst = max(worst, found[bounded + k])
    return worst


def nothing_yet(problem: Problem) -> FloatArray:
    """(rows + 1) the initial value of ``best`` in `solved`: forces, and last their violation."""
    best = np.zeros(len(problem.g) + 1)
    best[-1] = np.inf
    return best


@borrowing
def solved(problem: Problem, forces: FloatArray, c: FloatArray, best: FloatArray) -> bool:
    """Whether forces obey the laws; fills ``c`` with their velocity and keeps the best forces."""
    rounding = velocities(problem, forces, c)
    left = violations(problem, problem.scale, c, forces, problem.room[FOUND])
    if left < best[-1]:
        copied(forces, best)
        best[-1] = left
    return left <= problem.enough + rounding


@borrowing
def largest(numbers: FloatArray) -> float:
    """The largest magnitude of some numbers."""
    found = 0.0
    for one in numbers:
        found = max(found, abs(one))
    return found
