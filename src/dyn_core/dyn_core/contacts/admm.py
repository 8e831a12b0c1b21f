"""The alternating direction method of multipliers, for what sweeps cannot solve.

Carpentier, Le Lidec and Montaut 2024, "From compliant to rigid contact simulation: a unified and
efficient approach": with the correction of De Saxce, ``s = (0, 0, mu |c_t|)`` of each contact,
Signorini's and Coulomb's conditions are complementarity of forces in the cone K and ``c + s`` in
its dual. One copy x of the forces obeys the dynamics, another one y the cones; z, the velocity with
its correction, makes them the same::

    x <- (G + (r + m) 1)^-1 (m x + r y + z - g - s)
    y <- projection of x - z / r on K
    z <- z + r (y - x)

Forces that are heavy on light, or many in a chain, are felt by all at once, where a sweep passes
them on from row to row. G is diagonalised once, so that a change of the weight r costs nothing.
All functions here are compiled.
"""

from __future__ import annotations

from math import hypot, sqrt

import numpy as np

from dyn_core.contacts.laws import Problem, copied, largest, nothing_yet, solved, velocities
from dyn_core.contacts.newton import STEPS, newton
from dyn_core.contacts.one_contact import projected
from dyn_core.model.model import FloatArray

PROXIMAL = 1e-9
"""m, as a share of the largest eigenvalue."""
PERIOD = 10
"""Steps from one choice of the weight to the next."""
UNEQUAL = 3.0
"""Ratio of the primal and dual residuals beyond which the weight is changed."""
POWER = 0.1
"""Of the condition, by which the first weight differs from the middle of the eigenvalues."""
RANK = 1e-13
"""Share of the largest eigenvalue below which another one is rounding."""
FIRST, LATER = 20, 8
"""Steps before Newton's method is first tried; so many again, or a share of those so far, later."""
DECADES = 2
"""By which the weight of Newton's method goes around that of the multipliers, from trial to trial:
between these powers of 10."""


def admm(
    problem: Problem,
    forces: FloatArray,
    steps: int,
    values: FloatArray,
    vectors: FloatArray,
    bias: float,
    share: float,
) -> tuple[int, bool]:
    """Find ``forces`` in place; returns how many steps it took, and whether it is solved.

    ``values`` and ``vectors`` are the eigenvalues, ascending, and eigenvectors of G; ``bias`` is a
    factor of the weight that balances its residuals, and ``share`` that of De Saxce's correction
    which is new in a step.
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
    """Bring y between its bounds and into its cones, to the nearest point."""
    bounded = len(problem.lower)
    for i in range(bounded):
        y[i] = min(max(y[i], problem.lower[i]), problem.upper[i])
    for k in range(len(problem.mu)):
        at = bounded + 3 * k
        y[at], y[at + 1], y[at + 2] = projected(y[at], y[at + 1], y[at + 2], problem.mu[k])


def _correct(problem: Problem, z: FloatArray, shift: FloatArray, share: float) -> None:
    """Bring ``shift`` by a share nearer to De Saxce's correction of the velocity z."""
    for k in range(len(problem.mu)):
        at = len(problem.lower) + 3 * k
        wanted = problem.mu[k] * hypot(z[at], z[at + 1])
        shift[at + 2] += share * (wanted - shift[at + 2])
