# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The alternating direction method of multipliers (ADMM), for problems that stall Gauss-Seidel.

Carpentier, Le Lidec and Montaut 2024, "From compliant to rigid contact simulation: a unified and
efficient approach": with the correction of De Saxce, ``s = (0, 0, mu |c_t|)`` of each contact,
Signorini's and Coulomb's conditions are a complementarity between forces in the cone K and ``c +
s`` in its dual. The force has two copies: x satisfies the dynamics, and y lies in the cone. The
multiplier z, which is the corrected velocity, makes the two copies equal::

    x <- (G + (r + m) 1)^-1 (m x + r y + z - g - s)
    y <- projection of x - z / r on K
    z <- z + r (y - x)

An update of x couples all contacts, where a Gauss-Seidel sweep passes a change of force from one
row to the next. ADMM therefore converges faster with large mass ratios and with long chains of
contacts. G is diagonalised once, so that a change of the penalty r costs no factorization. All
functions here are compiled.
"""

from __future__ import annotations

from math import hypot, sqrt

import numpy as np

from dyn_core.contacts.contact_laws import Problem, copied, largest, nothing_yet, solved, velocities
from dyn_core.contacts.newton import STEPS, newton
from dyn_core.contacts.single_contact import projected
from dyn_core.model.model import FloatArray

PROXIMAL = 1e-9
"""The proximal term m, as a share of the largest eigenvalue of G."""
PERIOD = 10
"""Iterations between two updates of the penalty."""
UNEQUAL = 3.0
"""Ratio of the primal and dual residuals beyond which the penalty is updated."""
POWER = 0.1
"""Exponent of the condition number by which the first penalty differs from the geometric mean of
the extreme eigenvalues."""
RANK = 1e-13
"""Share of the largest eigenvalue below which an eigenvalue is rounding error."""
FIRST, LATER = 20, 8
"""Iterations before the first trial of Newton's method. The next trial follows after as many again,
or after the count so far divided by the second number."""
DECADES = 2
"""Newton's method scales forces by the penalty times a power of 10. The power cycles between minus
and plus this number from trial to trial."""


def admm(
    problem: Problem,
    forces: FloatArray,
    steps: int,
    values: FloatArray,
    vectors: FloatArray,
    bias: float,
    share: float,
) -> tuple[int, bool]:
    """Find ``forces`` in place; returns the number of iterations and whether they converged.

    ``values`` and ``vectors`` are the eigenvalues (ascending) and eigenvectors of G. ``bias`` is
    the ratio at which the penalty balances primal and dual residual. ``share`` is the relaxation
    factor of De Saxce's correction in each iteration.
    """
    size, most = len(forces), values[-1]
    smallest = most
    for value in values:
        if value > RANK * most:
            smallest = min(smallest, value)
    if smallest <= 0.0:
        return 0, False
    rho = sqrt(most * smallest) * (most / smallest) ** POWER
    c, z, shift, weights = np.empty(size), np.zeros(size), np.zeros(size), problem.scale.copy()
    x, y, before, right = forces.copy(), forces.copy(), forces.copy(), np.empty(size)
    best, trial, turn = nothing_yet(problem), FIRST, 0
    velocities(problem, forces, c)
    _correct(problem, c, z, 1.0)
    for i in range(size):
        z[i] += c[i]
    for step in range(1, steps + 1):
        _correct(problem, z, shift, share)
        for i in range(size):
            right[i] = rho * y[i] + z[i] - problem.g[i] - shift[i]
        _dynamics(values, vectors, x, right, rho)
        for i in range(size):
            before[i], y[i] = y[i], x[i] - z[i] / rho
        _project(problem, y)
        primal, dual = 0.0, 0.0
        for i in range(size):
            z[i] += rho * (y[i] - x[i])
            primal = max(primal, abs(y[i] - x[i]))
            dual = max(dual, rho * abs(y[i] - before[i]))
        if step % PERIOD and step != trial and step != steps:
            continue
        if solved(problem, y, c, best):
            copied(y, forces)
            return step, True
        if step in (trial, steps):
            trial += max(FIRST, trial // LATER)
            weights[:] = rho * 10.0 ** (turn % (2 * DECADES + 1) - DECADES)
            turn += 1
            copied(y, forces)
            if newton(problem, weights, forces, STEPS, best):
                return step, True
        high, fast = max(largest(x), largest(y)), max(largest(z), largest(problem.g))
        ratio = bias * sqrt(primal * fast / max(dual * high, 1e-300))
        if ratio > UNEQUAL or ratio < 1.0 / UNEQUAL:
            rho = min(max(rho * ratio, 1e-3 * smallest), 10.0 * most)
    copied(best[:-1], forces)
    return steps, False


def _dynamics(
    values: FloatArray, vectors: FloatArray, x: FloatArray, right: FloatArray, rho: float
) -> None:
    """``x <- (G + (rho + m) 1)^-1 (m x + right)``."""
    proximal, size = PROXIMAL * values[-1], len(x)
    mixed = np.zeros(size)
    for i in range(size):
        one, row = right[i] + proximal * x[i], vectors[i]
        for j in range(size):
            mixed[j] += one * row[j]
    for j in range(size):
        mixed[j] /= values[j] + rho + proximal
    for i in range(size):
        total, row = 0.0, vectors[i]
        for j in range(size):
            total += row[j] * mixed[j]
        x[i] = total


def _project(problem: Problem, y: FloatArray) -> None:
    """Project y onto its bounds and cones, in place."""
    bounded = len(problem.lower)
    for i in range(bounded):
        y[i] = min(max(y[i], problem.lower[i]), problem.upper[i])
    for k in range(len(problem.mu)):
        at = bounded + 3 * k
        y[at], y[at + 1], y[at + 2] = projected(y[at], y[at + 1], y[at + 2], problem.mu[k])


def _correct(problem: Problem, z: FloatArray, shift: FloatArray, share: float) -> None:
    """Move ``shift`` by the relaxation factor ``share`` towards De Saxce's correction of z."""
    for k in range(len(problem.mu)):
        at = len(problem.lower) + 3 * k
        wanted = problem.mu[k] * hypot(z[at], z[at + 1])
        shift[at + 2] += share * (wanted - shift[at + 2])
