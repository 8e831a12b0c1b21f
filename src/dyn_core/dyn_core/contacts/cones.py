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
left is solved by Gauss-Seidel iteration (:mod:`dyn_core.contacts.gauss_seidel`), and where that
does not help by the alternating direction method of multipliers (:mod:`dyn_core.contacts.admm`), in
turn and for longer each time, until forces are found. After each turn convex relaxations are solved
by an interior-point method (:mod:`dyn_core.contacts.relaxation`), which helps where contacts are
many more than what they hold, and a homotopy is followed (:mod:`dyn_core.contacts.homotopy`), which
helps where all others go in circles. All end with Newton's method
(:mod:`dyn_core.contacts.newton`). With friction there may be several solutions, or none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import count, islice

import numpy as np
from numpy.typing import NDArray

from dyn_core.contacts import laws
from dyn_core.contacts.admm import admm
from dyn_core.contacts.gauss_seidel import gauss_seidel
from dyn_core.contacts.homotopy import homotopy
from dyn_core.contacts.laws import OPTIONS
from dyn_core.contacts.relaxation import relaxed
from dyn_core.execution.compiled import compiled
from dyn_core.model.model import FloatArray

TOLERANCE = 1e-10
"""Largest violation of the conditions that is left, as a share of the largest entry of g."""
SINGULAR = 1e-10
"""Share of the largest eigenvalue of the held rows below which they are redundant."""
ITERATIONS = 100_000
"""Most iterations of all methods together."""
SWEEPS, STEPS, LONGER = 30, 400, 1.4
"""Of Gauss-Seidel and ADMM in their first turn, and how much longer each turn is than the last."""
TURNS = ((1.0, 1.0), (10.0, 0.2), (0.1, 0.2), (100.0, 1.0), (1.0, 0.05), (10.0, 0.05))
"""How the turns of ADMM differ: its ``bias`` and ``share``. What makes one go round in circles
rarely makes the next one."""
PATHS = (0.01, 1.0, 100.0)
"""How soft the beginnings of the homotopies are that follow the first turns."""
ALONE = 5000
"""Sweeps before other methods are tried where there are no contacts: the problem is convex then,
and those of real robots take at most 1600."""
PATH = 20_000
"""Most linear systems of a homotopy."""
ROUNDS = 8
"""Of the relaxation, each with a trial of Newton's method."""
MOST_FRICTION = 100.0
"""Largest coefficient; where many contacts share few coordinates, forces are often not found beyond
it, and what must not slide at all is held instead."""
SAFETY = 0.1
"""Share of the tolerance at which the methods end."""
Method = Callable[..., tuple[int, bool]]
"""Finds forces of a problem in place: how many iterations it took, and whether it is solved."""


@dataclass(frozen=True)
class Solution:
    """Forces of contacts, and how well they fulfil the conditions."""

    forces: FloatArray
    """(rows) forces, or impulses where velocities were given."""
    velocity: FloatArray
    """(rows) what the contacts do under them, ``G l + g``."""
    iterations: int
    """Of all methods together: sweeps, steps, and the linear systems of the homotopy."""
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
        friction: coefficient of each contact, from 0 to MOST_FRICTION.
        guess: forces to begin with, such as those of the step before.
        tolerance: share of the largest entry of g that the residual may be.
        iterations: after so many the best forces so far are returned: see ``converged``.
        bounds: lowest and highest force (rows before the contacts, 2); by default infinite.

    Raises:
        ValueError: sizes that do not fit, a coefficient beyond its range, bounds
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
    check_friction(mu)
    if not (np.isfinite(G).all() and np.isfinite(g).all() and np.isfinite(forces).all()):
        raise ValueError("G, g and the guess must be finite")


def check_friction(coefficients: Sequence[float] | FloatArray) -> None:
    """Refuse coefficients of friction beyond their range.

    Raises:
        ValueError: one is not finite, negative or above MOST_FRICTION.
    """
    mu = np.asarray(coefficients, dtype=np.float64)
    if not ((mu >= 0.0) & (mu <= MOST_FRICTION)).all():
        raise ValueError(
            f"coefficients of friction must be from 0 to {MOST_FRICTION:g}, not {mu.tolist()}; "
            "what must not slide at all is no contact: hold its rows, without bounds"
        )


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
    problem = _posed(G, g, mu, between, 0.0)
    velocity, found = np.empty(len(g)), np.empty(len(problem.scale))
    rounding = compiled(laws.velocities, **OPTIONS)(problem, forces, velocity)
    compiled(laws.violations, **OPTIONS)(problem, problem.scale, velocity, forces, found)
    return velocity, found, rounding


def _posed(
    G: FloatArray, g: FloatArray, mu: FloatArray, between: FloatArray, enough: float
) -> laws.Problem:
    lower, upper = between[:, 0].copy(), between[:, 1].copy()
    return laws.posed(G, g, lower, upper, mu, enough)


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
    """Find forces in place by one method after the other; how many iterations it took."""
    problem = _posed(G, _reachable(G, g, len(between)), mu, between, SAFETY * enough)
    used = 0
    for method, most in _methods(G, len(mu)):
        done, is_solved = method(problem, forces, min(most, iterations - used))
        used += done
        if is_solved or used >= iterations:
            break
    return used


def _methods(G: FloatArray, contacts: int) -> Iterator[tuple[Method, int]]:
    """The methods in the order in which they are tried, and the most iterations of each.

    Each is compiled when it is first called; see :func:`prepare`.
    """
    sweeps = compiled(gauss_seidel, **OPTIONS)
    if not contacts:
        yield sweeps, ALONE
    multipliers, path = compiled(admm, **OPTIONS), compiled(homotopy, **OPTIONS)
    spectrum: list[FloatArray] = []
    for turn in count():
        longer = LONGER**turn
        yield sweeps, int(SWEEPS * longer)
        spectrum = spectrum or [np.ascontiguousarray(x) for x in np.linalg.eigh(G)]
        values, vectors = spectrum
        bias, share = TURNS[turn % len(TURNS)]
        yield (
            partial(multipliers, values=values, vectors=vectors, bias=bias, share=share),
            int(STEPS * longer),
        )
        yield partial(relaxed, first=turn == 0), ROUNDS
        for soft in PATHS[turn : turn + 1]:
            yield partial(path, soft=soft), PATH


@cache
def prepare() -> None:
    """Compile every method, so that no later problem with contacts waits for a compiler.

    What needs them is made for a robot with contacts. Without any, sweeps are all that steps take.
    """
    between = np.array([[0.0, 1.0]])
    problem = _posed(np.eye(4), np.array([0.0, 0.0, 0.0, -1.0]), np.ones(1), between, 0.0)
    for method, _ in islice(_methods(problem.G, 1), 4):
        method(problem, np.zeros(4), 2)


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
