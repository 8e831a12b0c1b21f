"""Forces of contacts that push, do not pull, and hold by friction as far as friction goes.

With the Delassus matrix G, forces l and what the contacts would do without, g, their velocity (or
acceleration) is ``c = G l + g``. Of each contact, with its normal n last, hold

* Signorini's condition ``0 <= l_n``, ``0 <= c_n``, ``l_n c_n = 0``: it pushes or it opens, and
* Coulomb's law ``|l_t| <= mu l_n``, and where it slides ``l_t = -mu l_n c_t / |c_t|``.

Rows that belong to no contact, those of loops and couplings, are held: ``c = 0``. Their forces
follow from those of the contacts by a linear system, which is taken out first. What is left is
solved by a projected Gauss-Seidel iteration, contact by contact (Jean 1999, "The non-smooth contact
dynamics method"; Le Lidec et al. 2024, "Contact models in robotics", section IV). It is slow, and
may not be done in :data:`ITERATIONS`, where a mechanism can move in fewer directions than a contact
with friction has rows, and where masses differ by orders of magnitude: look at
:attr:`Solution.converged`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dyn_core.execution.compiled import compiled
from dyn_core.model.model import FloatArray

TOLERANCE = 1e-10
"""Largest violation of the conditions that is left, as a share of the largest entry of g."""
SINGULAR = 1e-10
"""Share of the largest eigenvalue of the held rows below which they are redundant."""
ITERATIONS = 10_000
"""Most sweeps over all contacts."""


@dataclass(frozen=True)
class Solution:
    """Forces of contacts, and how well they fulfil the conditions."""

    forces: FloatArray
    """(rows) forces, or impulses where velocities were given."""
    velocity: FloatArray
    """(rows) what the contacts do under them, ``G l + g``."""
    iterations: int
    residual: float
    """Largest violation of a condition, in the unit of g."""
    converged: bool


def solve_contacts(
    G: FloatArray,
    g: FloatArray,
    friction: Sequence[float],
    guess: FloatArray | None = None,
    tolerance: float = TOLERANCE,
    iterations: int = ITERATIONS,
) -> Solution:
    """Forces of contacts with friction.

    Args:
        G: Delassus matrix (rows, rows); its last ``3 len(friction)`` rows are those of the
            contacts, two along the surface and then the normal, the ones before are held.
        g: what all rows would do without forces.
        friction: coefficient of each contact.
        guess: forces to begin with, such as those of the step before.
        tolerance: share of the largest entry of g that the residual may be.
        iterations: after so many sweeps the solution is returned as it is: see ``converged``.

    Raises:
        ValueError: sizes that do not fit, a coefficient that is negative or not finite, or numbers
            that are not finite.
    """
    G, g = np.ascontiguousarray(G, dtype=np.float64), np.asarray(g, dtype=np.float64)
    mu = np.asarray(friction, dtype=np.float64)
    forces = np.zeros(len(g)) if guess is None else np.array(guess, dtype=np.float64)
    _check(G, g, mu, forces)
    enough = tolerance * float(np.max(np.abs(g), initial=0.0))
    held = len(g) - 3 * len(mu)
    inverse = np.linalg.pinv(G[:held, :held], rcond=SINGULAR, hermitian=True)
    follow = inverse @ G[:held, held:]  # forces of what is held, per force of a contact
    own = np.ascontiguousarray(G[held:, held:] - G[held:, :held] @ follow)
    alone = -inverse @ g[:held]
    rest = g[held:] + G[held:, :held] @ alone
    sweeps = compiled(_iterate)(own, rest, mu, forces[held:], 0.1 * enough, iterations)
    forces[:held] = alone - follow @ forces[held:]
    residual = violation(G, g, mu, forces)
    return Solution(forces, G @ forces + g, sweeps, residual, residual <= enough)


def _check(G: FloatArray, g: FloatArray, mu: FloatArray, forces: FloatArray) -> None:
    rows = len(g)
    if G.shape != (rows, rows) or g.ndim != 1 or forces.shape != (rows,) or mu.ndim != 1:
        raise ValueError(
            "G must be (rows, rows), g and the guess (rows,), friction (contacts,); they are "
            f"{G.shape}, {g.shape}, {forces.shape} and {mu.shape}"
        )
    if 3 * len(mu) > rows:
        raise ValueError(f"{len(mu)} contacts need {3 * len(mu)} rows, and G has {rows}")
    if not (np.isfinite(mu).all() and (mu >= 0.0).all()):
        raise ValueError(f"coefficients of friction must be finite and not negative: {mu.tolist()}")
    if not (np.isfinite(G).all() and np.isfinite(g).all() and np.isfinite(forces).all()):
        raise ValueError("G, g and the guess must be finite")


def violation(G: FloatArray, g: FloatArray, mu: FloatArray, forces: FloatArray) -> float:
    """How far forces are from fulfilling all conditions, in the unit of g.

    It is the length of what a step along ``-c`` with the contact's own stiffness changes in forces
    that are brought back into the cone, times that stiffness: zero only for a solution.
    """
    held = len(g) - 3 * len(mu)
    c = G @ forces + g
    stiffness = np.maximum(np.diag(G), 0.0)
    open_by = [np.abs(c[:held])[stiffness[:held] > 0.0]]
    for k, friction in enumerate(mu):
        rows = slice(held + 3 * k, held + 3 * k + 3)
        scale = float(stiffness[rows].max())
        if scale > 0.0:
            ahead = forces[rows] - c[rows] / scale
            ahead[2] = max(0.0, ahead[2])
            size, limit = float(np.hypot(*ahead[:2])), friction * forces[rows][2]
            ahead[:2] *= 1.0 if size <= limit else limit / size
            open_by.append(scale * np.abs(ahead - forces[rows]))
    return float(np.max(np.concatenate(open_by), initial=0.0))


def _iterate(
    G: FloatArray,
    g: FloatArray,
    mu: FloatArray,
    forces: FloatArray,
    enough: float,
    iterations: int,
) -> int:
    """Sweep over all contacts, in place, until a sweep changes nothing any more.

    Returns:
        Sweeps that it took.
    """
    for sweep in range(iterations):
        change = 0.0
        for k in range(len(mu)):
            x, y, n = 3 * k, 3 * k + 1, 3 * k + 2
            before_x, before_y, before_n = forces[x], forces[y], forces[n]
            if G[n, n] > 0.0:
                forces[n] = max(0.0, before_n - (G[n] @ forces + g[n]) / G[n, n])
            along = max(G[x, x], G[y, y]) + abs(G[x, y])
            if along > 0.0:
                rate_x, rate_y = G[x] @ forces + g[x], G[y] @ forces + g[y]
                ahead_x, ahead_y = before_x - rate_x / along, before_y - rate_y / along
                size, limit = np.hypot(ahead_x, ahead_y), mu[k] * forces[n]
                share = 1.0 if size <= limit else limit / size
                forces[x], forces[y] = share * ahead_x, share * ahead_y
            change = max(change, abs(forces[n] - before_n) * G[n, n])
            change = max(change, abs(forces[x] - before_x) * along)
            change = max(change, abs(forces[y] - before_y) * along)
        if change <= enough:
            return sweep + 1
    return iterations
