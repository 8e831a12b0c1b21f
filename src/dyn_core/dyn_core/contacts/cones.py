"""Forces of contacts that push, do not pull, and hold by friction as far as friction goes.

With the Delassus matrix G, forces l and what the contacts would do without, g, their velocity (or
acceleration) is ``c = G l + g``. Of each contact, with its normal n last, hold

* Signorini's condition ``0 <= l_n``, ``0 <= c_n``, ``l_n c_n = 0``: it pushes or it opens, and
* Coulomb's law ``|l_t| <= mu l_n``, and where it slides ``l_t = -mu l_n c_t / |c_t|``.

This is the law itself, not its convex relaxation, under which what slides also lifts off. Rows that
belong to no contact are held between bounds of their force: ``c = 0`` where the force lies between
them, ``c >= 0`` at the lower and ``c <= 0`` at the upper one. Without bounds these are the rows of
loops and couplings; with zero and infinity a joint's stop, with ``-f`` and ``f`` its dry friction.

Forces without bounds follow from the others by a linear system, which is taken out first. What is
left is solved by Gauss-Seidel iteration with Newton's method
(:mod:`dyn_core.contacts.gauss_seidel`), and where that does not help by the alternating direction
method of multipliers (:mod:`dyn_core.contacts.admm`), in turn and for longer each time, until one
of them has found forces. If neither has after some turns, convex relaxations are solved by an
interior-point method (:mod:`dyn_core.contacts.relaxation`), from which Newton's method ends. With
friction there may be several solutions, or none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyn_core.contacts import gauss_seidel as sweeping
from dyn_core.contacts.admm import admm
from dyn_core.contacts.relaxation import Relaxation
from dyn_core.errors import MissingExtraError
from dyn_core.execution.compiled import compiled
from dyn_core.model.model import FloatArray

TOLERANCE = 1e-10
"""Largest violation of the conditions that is left, as a share of the largest entry of g."""
SINGULAR = 1e-10
"""Share of the largest eigenvalue of the held rows below which they are redundant."""
ITERATIONS = 100_000
"""Most sweeps and steps of both methods together."""
SWEEPS, STEPS, LONGER = 30, 400, 1.4
"""Of each method in its first turn, and how much longer each turn is than the one before."""
TURNS = ((1.0, 1.0), (10.0, 0.2), (0.1, 0.2), (100.0, 1.0), (1.0, 0.05), (10.0, 0.05))
"""How the turns of ADMM differ: factor of the weight that balances its residuals, and share of
De Saxce's correction that is new in a step. What makes one go round in circles rarely makes the
next one."""
RELAXED = 2
"""Turns of both methods before each time that the relaxation is tried."""
ROUNDS, POLISH = 8, 8
"""Of the relaxation, and sweeps with Newton's method after each."""
OPTIONS = {"error_model": "numpy", "nogil": True}
"""With which the methods are compiled."""


@dataclass(frozen=True)
class Solution:
    """Forces of contacts, and how well they fulfil the conditions."""

    forces: FloatArray
    """(rows) forces, or impulses where velocities were given."""
    velocity: FloatArray
    """(rows) what the contacts do under them, ``G l + g``."""
    iterations: int
    """Sweeps and steps of both methods together."""
    residual: float
    """Largest violation of a condition, in the unit of g."""
    converged: bool
    violations: FloatArray
    """(rows before the contacts, then contacts) the violation of each, in the unit of g."""
    contacts: int
    """How many contacts there are."""

    def without(self, rows: int) -> Solution:
        """The same without the first ``rows``, which are not those of contacts."""
        return replace(
            self,
            forces=self.forces[rows:],
            velocity=self.velocity[rows:],
            violations=self.violations[rows:],
        )

    @property
    def worst(self) -> str:
        """Which row or contact violates its conditions most, counted from 0, such as contact 2."""
        if not len(self.violations):
            return "nothing"
        at, rows = int(np.argmax(self.violations)), len(self.violations) - self.contacts
        return f"row {at}" if at < rows else f"contact {at - rows}"


def solve_contacts(
    G: FloatArray,
    g: FloatArray,
    friction: Sequence[float] | FloatArray,
    guess: FloatArray | None = None,
    tolerance: float = TOLERANCE,
    iterations: int = ITERATIONS,
    bounds: FloatArray | None = None,
) -> Solution:
    """Forces of contacts with friction.

    Args:
        G: Delassus matrix (rows, rows); its last ``3 len(friction)`` rows are those of the
            contacts, two along the surface and then the normal, the ones before are held.
        g: what all rows would do without forces.
        friction: coefficient of each contact.
        guess: forces to begin with, such as those of the step before.
        tolerance: share of the largest entry of g that the residual may be.
        iterations: after so many the best forces so far are returned: see ``converged``.
        bounds: lowest and highest force (rows before the contacts, 2); by default infinite.

    Raises:
        ValueError: sizes that do not fit, a coefficient that is negative or not finite, bounds
            without a number between them, or numbers that are not finite.
    """
    G, g = np.ascontiguousarray(G, dtype=np.float64), np.asarray(g, dtype=np.float64)
    mu = np.ascontiguousarray(friction, dtype=np.float64)
    forces = np.zeros(len(g)) if guess is None else np.array(guess, dtype=np.float64)
    _check(G, g, mu, forces)
    between = _bounds(bounds, len(g) - 3 * len(mu))
    enough = tolerance * float(np.max(np.abs(g), initial=0.0))
    held = np.isinf(between).all(axis=1)
    if held.any():
        rows = np.append(held, np.zeros(3 * len(mu), dtype=bool))
        used = _without_held(G, g, mu, between[~held], forces, rows, enough, iterations)
    else:
        used = _solve(G, g, mu, between, forces, enough, iterations)
    velocity, violations, rounding = checked(G, g, mu, between, forces)
    left = float(np.max(violations, initial=0.0))
    return Solution(forces, velocity, used, left, left <= enough + rounding, violations, len(mu))


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


def _bounds(bounds: FloatArray | None, rows: int) -> FloatArray:
    if bounds is None:
        return np.tile([-np.inf, np.inf], (rows, 1))
    between = np.ascontiguousarray(bounds, dtype=np.float64)
    if between.shape != (rows, 2):
        raise ValueError(
            f"bounds must be (rows before the contacts, 2), here ({rows}, 2), not {between.shape}"
        )
    if not (
        (between[:, 0] <= between[:, 1]) & np.isfinite(between).any(axis=1)
        | np.isinf(between).all(axis=1) & (between[:, 0] < between[:, 1])
    ).all():
        raise ValueError(f"a lower bound must not be above the upper one: {between.tolist()}")
    return between


def checked(
    G: FloatArray, g: FloatArray, mu: FloatArray, between: FloatArray, forces: FloatArray
) -> tuple[FloatArray, FloatArray, float]:
    """Velocity, the violation of each row and contact, and what rounding may leave of it."""
    velocity, found = np.empty(len(g)), np.empty(len(between) + len(mu))
    lower, upper = between[:, 0].copy(), between[:, 1].copy()
    scale = compiled(sweeping.scales, **OPTIONS)(G, len(between), len(mu))
    rounding = compiled(sweeping.velocities, **OPTIONS)(G, g, forces, velocity)
    compiled(sweeping.violations, **OPTIONS)(scale, velocity, lower, upper, mu, forces, found)
    return velocity, found, rounding


def _without_held(
    G: FloatArray,
    g: FloatArray,
    mu: FloatArray,
    between: FloatArray,
    forces: FloatArray,
    held: NDArray[np.bool_],
    enough: float,
    iterations: int,
) -> int:
    """Solve for the other forces, in place, then for those of the rows ``held`` (rows)."""
    others = ~held
    inverse = np.linalg.pinv(G[np.ix_(held, held)], rcond=SINGULAR, hermitian=True)
    across = G[np.ix_(others, held)]
    follow = inverse @ across.T  # forces of what is held, per force of the others
    alone = -inverse @ g[held]
    own = np.ascontiguousarray(G[np.ix_(others, others)] - across @ follow)
    found = forces[others]
    used = _solve(own, g[others] + across @ alone, mu, between, found, enough, iterations)
    forces[others], forces[held] = found, alone - follow @ found
    return used


def _solve(
    G: FloatArray,
    g: FloatArray,
    mu: FloatArray,
    between: FloatArray,
    forces: FloatArray,
    enough: float,
    iterations: int,
) -> int:
    """Find forces in place by both methods in turn; returns how many iterations it took."""
    bounded, used = len(between), 0
    lower, upper = between[:, 0].copy(), between[:, 1].copy()
    g = _reachable(G, g, bounded)
    problem = (g, lower, upper, mu, forces, 0.1 * enough)
    spectrum: tuple[FloatArray, ...] = ()
    for turn in range(iterations):
        if turn and turn % RELAXED == 0:
            done, left = _relaxed(
                G, problem, min(ROUNDS * POLISH, iterations - used), turn == RELAXED
            )
            used += done
            if left <= enough or used >= iterations:
                break
        longer = LONGER**turn
        count = min(int(SWEEPS * longer), iterations - used)
        done, left = compiled(sweeping.gauss_seidel, **OPTIONS)(G, *problem, count)
        used += done
        if done < count or left <= enough or used >= iterations:
            break
        spectrum = spectrum or tuple(map(np.ascontiguousarray, np.linalg.eigh(G)))
        count = min(int(STEPS * longer), iterations - used)
        way = TURNS[turn % len(TURNS)]
        done, left = compiled(admm, **OPTIONS)(G, *spectrum, *problem, count, *way)
        used += done
        if done < count or left <= enough or used >= iterations:
            break
    return used


def _relaxed(
    G: FloatArray, problem: tuple[Any, ...], iterations: int, first: bool
) -> tuple[int, float]:
    """Find forces in place from convex relaxations; how many sweeps it took, and what is left."""
    g, lower, upper, mu, forces, enough = problem
    sweep = compiled(sweeping.gauss_seidel, **OPTIONS)
    before, used = forces.copy(), 0
    try:
        relaxation = Relaxation(G, g, lower, upper, mu, None if first else forces)
    except MissingExtraError:
        return 0, np.inf
    while used < iterations:
        start = relaxation.round()
        if start is None:
            break
        forces[:] = start
        count = min(POLISH, iterations - used)
        done, left = sweep(G, g, lower, upper, mu, forces, enough, count)
        used += max(done, 1)
        if left <= 10.0 * enough:
            return used, left
    forces[:] = before
    return used, np.inf


def _reachable(G: FloatArray, g: FloatArray, bounded: int) -> FloatArray:
    """Free motion ``g`` without what no force can change: that stays violated in any case."""
    dead = G.diagonal() <= 0.0
    if not dead.any():
        return g
    result = g.copy()
    result[:bounded][dead[:bounded]] = 0.0
    normals = result[bounded + 2 :: 3]
    normals[dead[bounded + 2 :: 3] & (normals < 0.0)] = 0.0
    return result
