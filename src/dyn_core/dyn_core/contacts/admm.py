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

from dyn_core.contacts.gauss_seidel import STEPS, newton, scales, velocities, violations
from dyn_core.contacts.one_contact import projected
from dyn_core.model.model import FloatArray

PROXIMAL = 1e-9
"""m, as a share of the largest eigenvalue."""
PERIOD = 10
"""Steps from one choice of the weight to the next."""
UNEQUAL = 3.0
"""Ratio of the primal and dual residuals beyond which the weight is changed."""
POWER = 0.1
"""Of the condition, by which the weight is changed."""
FIRST = 20
"""Steps before Newton's method is first tried; a half more each time until the next."""


def admm(
    G: FloatArray,
    values: FloatArray,
    vectors: FloatArray,
    g: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    mu: FloatArray,
    forces: FloatArray,
    enough: float,
    steps: int,
    bias: float,
    share: float,
) -> tuple[int, float]:
    """Find ``forces`` in place; returns how many steps it took, and the violation that is left.

    ``values`` and ``vectors`` are the eigenvalues, ascending, and eigenvectors of G.
    """
    size, bounded = len(g), len(lower)
    scale = scales(G, bounded, len(mu))
    c, found = np.empty(size), np.empty(bounded + len(mu))
    y, z, before = forces.copy(), np.empty(size), np.empty(size)
    turn = 1
    x, weights = forces.copy(), scale.copy()
    most = values[-1]
    smallest = most
    for value in values:
        if value > 1e-13 * most:
            smallest = min(smallest, value)
    spread = most / smallest
    rho, proximal = sqrt(most * smallest) * spread**POWER, PROXIMAL * most
    velocities(G, g, forces, z)
    _correct(bounded, mu, z, z, 1.0)
    best, least, trial = forces.copy(), np.inf, FIRST
    shift, right, mixed = np.zeros(size), np.empty(size), np.empty(size)
    for step in range(steps):
        for i in range(size):
            shift[i] *= 1.0 - share
        _correct(bounded, mu, z, shift, share)
        for i in range(size):
            right[i] = proximal * x[i] + rho * y[i] + z[i] - g[i] - shift[i]
        for j in range(size):
            mixed[j] = 0.0
        for i in range(size):
            one, row = right[i], vectors[i]
            for j in range(size):
                mixed[j] += one * row[j]
        for j in range(size):
            mixed[j] /= values[j] + rho + proximal
        for i in range(size):
            total, row = 0.0, vectors[i]
            for j in range(size):
                total += row[j] * mixed[j]
            x[i] = total
        before[:] = y
        for i in range(size):
            y[i] = x[i] - z[i] / rho
        for i in range(bounded):
            y[i] = min(max(y[i], lower[i]), upper[i])
        for k in range(len(mu)):
            at = bounded + 3 * k
            y[at], y[at + 1], y[at + 2] = projected(y[at], y[at + 1], y[at + 2], mu[k])
        primal, dual = 0.0, 0.0
        for i in range(size):
            z[i] += rho * (y[i] - x[i])
            primal = max(primal, abs(y[i] - x[i]))
            dual = max(dual, rho * abs(y[i] - before[i]))
        last = step + 1 == trial or step + 1 == steps
        if last or (step + 1) % PERIOD == 0:
            rounding = velocities(G, g, y, c)
            left = violations(scale, c, lower, upper, mu, y, found)
            if left < least:
                least = left
                best[:] = y
            if left <= enough + rounding:
                break
            if last:
                trial += max(FIRST, trial // 8)
                forces[:] = y
                turn = (turn + 1) % 5
                weights[:] = rho * 10.0 ** (turn - 2)
                newton(G, g, lower, upper, mu, forces, enough, weights, STEPS)
                rounding = velocities(G, g, forces, c)
                left = violations(scale, c, lower, upper, mu, forces, found)
                if left < least:
                    least = left
                    best[:] = forces
                if left <= enough + rounding:
                    break
            high, fast = 0.0, 0.0
            for i in range(size):
                high, fast = max(high, abs(x[i]), abs(y[i])), max(fast, abs(z[i]), abs(g[i]))
            ratio = bias * sqrt(primal * fast / max(dual * high, 1e-300))
            if ratio > UNEQUAL or ratio < 1.0 / UNEQUAL:
                rho = min(max(rho * ratio, 1e-3 * smallest), most * 10.0)
    forces[:] = best
    return step + 1, least


def _correct(bounded: int, mu: FloatArray, z: FloatArray, shift: FloatArray, share: float) -> None:
    """Add De Saxce's correction of the velocity z."""
    for k in range(len(mu)):
        at = bounded + 3 * k
        shift[at + 2] += share * mu[k] * hypot(z[at], z[at + 1])
