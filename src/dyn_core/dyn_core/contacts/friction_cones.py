# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Forces of unilateral contacts with Coulomb friction, beside bilateral and bounded constraints.

G is the Delassus matrix and l the forces. The free velocity (or acceleration) g is the velocity of
the contacts without forces, so that ``c = G l + g``. Each contact, with its normal n last, obeys

* Signorini's condition ``0 <= l_n``, ``0 <= c_n``, ``l_n c_n = 0``: the contact pushes or opens;
* Coulomb's law ``|l_t| <= mu l_n``, and ``l_t = -mu l_n c_t / |c_t|`` where the contact slides.

This is the law itself. Its convex relaxation would make a sliding contact lift off as well. Rows
that belong to no contact have bounds of their force: ``c = 0`` for a force between its bounds,
``c >= 0`` at the lower and ``c <= 0`` at the upper bound. Loops and couplings have no bounds, a
joint stop has the bounds zero and infinity, and dry friction has ``-f`` and ``f``.

Unbounded forces follow from the others by a linear system and are eliminated first. The solvers of
the rest take turns, each turn longer than the last, until one of them converges:

* Gauss-Seidel iteration (:mod:`dyn_core.contacts.gauss_seidel`);
* an interior-point method on convex relaxations (:mod:`dyn_core.contacts.convex_relaxation`), for
  problems with many more contacts than degrees of freedom;
* a homotopy (:mod:`dyn_core.contacts.homotopy`), for problems on which the others cycle.

Newton's method (:mod:`dyn_core.contacts.newton`) completes each of them. With friction there may be
several solutions, or none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count

import numpy as np
from numpy.typing import NDArray

from dyn_core.compiler.runtime.numba_cached import compiled
from dyn_core.contacts import contact_laws as laws
from dyn_core.contacts.contact_laws import OPTIONS
from dyn_core.contacts.convex_relaxation import relaxed
from dyn_core.contacts.gauss_seidel import gauss_seidel
from dyn_core.contacts.homotopy import homotopy
from dyn_core.contacts.problem_checks import (
    bounds_of,
    check_friction,
    check_problem,
    check_tolerance,
    check_whole,
    numbers,
)
from dyn_core.model.model import FloatArray

TOLERANCE = 1e-10
"""Largest violation of the conditions in a solution, as a share of the largest entry of g."""
SINGULAR = 1e-10
"""Share of the largest eigenvalue of the held rows below which they are redundant."""
ITERATIONS = 20_000
"""Most iterations of all solvers together."""
SWEEPS, LONGER = 30, 1.4
"""Sweeps of Gauss-Seidel in its first turn, and the growth factor of each turn."""
PATHS = (0.01, 1.0, 100.0)
"""Initial softness of the homotopies that follow the first turns."""
ALONE = 5000
"""Gauss-Seidel sweeps before other solvers are tried on a problem without contacts. Such a problem
is convex; those of real robots take at most 1600 sweeps."""
PATH = 20_000
"""Most linear systems that a homotopy solves."""
ROUNDS = 8
"""Rounds of the relaxation, each with a trial of Newton's method."""
SAFETY = 0.1
"""Share of the tolerance at which the solvers stop."""
Method = Callable[..., tuple[int, bool]]
"""Finds the forces of a problem in place; returns the iterations and whether they converged."""


@dataclass(frozen=True)
class Solution:
    """Contact forces, and the residual of their conditions."""

    forces: FloatArray
    """(rows) forces, or impulses where velocities were given."""
    velocity: FloatArray
    """(rows) velocity or acceleration of the contacts under these forces, ``G l + g``."""
    iterations: int
    """Iterations of all solvers together: sweeps, cone programs, linear systems of the homotopy."""
    residual: float
    """Largest violation of a condition, in the unit of g."""
    converged: bool
    violations: FloatArray
    """(rows before the contacts, then contacts) violation of each, in the unit of g."""
    contacts: int
    """Number of contacts."""

    def without(self, rows: int) -> Solution:
        """The solution without its first ``rows``, which must belong to no contact."""
        return replace(
            self,
            forces=self.forces[rows:],
            velocity=self.velocity[rows:],
            violations=self.violations[rows:],
        )

    @property
    def worst(self) -> str:
        """The row or contact with the largest violation, counted from 0, such as contact 2."""
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
            contacts, two tangents and then the normal of each; the rows before are bounded.
        g: free velocity or acceleration (rows), that is without forces.
        friction: coefficient of each contact, from 0 to MOST_FRICTION.
        guess: initial forces, such as those of the previous time step.
        tolerance: residual of a solution, as a share of the largest entry of g.
        iterations: most iterations; then the best forces so far are returned with
            ``converged`` False.
        bounds: lowest and highest force (rows before the contacts, 2); by default infinite.

    Raises:
        ValueError: sizes do not fit, a coefficient is out of range, a lower bound exceeds its
            upper bound, numbers are not real or not finite, the tolerance or the iterations are not
            positive, or G is not symmetric or not positive semidefinite.
    """
    check_tolerance(tolerance)
    check_whole("iterations", iterations)
    g = numbers("g", g, ("rows",))
    G = numbers("G", G, (len(g), len(g)))
    mu = check_friction(friction)
    forces = np.zeros(len(g)) if guess is None else numbers("guess", guess, (len(g),))
    check_problem(G, g, mu, forces)
    between = bounds_of(bounds, len(g) - 3 * len(mu))
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


def checked(
    G: FloatArray, g: FloatArray, mu: FloatArray, between: FloatArray, forces: FloatArray
) -> tuple[FloatArray, FloatArray, float]:
    """Velocity, violation of each row and contact, and the rounding error of the violation."""
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
    """Solve for the other forces in place, then for the forces of the unbounded rows ``held``."""
    others = ~held
    inverse = np.linalg.pinv(G[np.ix_(held, held)], rcond=SINGULAR, hermitian=True)
    across = G[np.ix_(others, held)]
    follow = inverse @ across.T  # forces of the unbounded rows, per force of the others
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
    """Find forces in place by the solvers in turn; returns the number of iterations."""
    reachable = g.copy()
    laws.unreachable_removed(G, reachable, len(between))
    problem = _posed(G, reachable, mu, between, SAFETY * enough)
    used = 0
    for method, most in _methods(len(mu)):
        done, is_solved = method(problem, forces, min(most, iterations - used))
        used += done
        if is_solved or used >= iterations:
            break
    return used


def _methods(contacts: int) -> Iterator[tuple[Method, int]]:
    """The solvers in the order of their turns, with the most iterations of each."""
    sweeps, path = compiled(gauss_seidel, **OPTIONS), compiled(homotopy, **OPTIONS)
    if not contacts:
        yield sweeps, ALONE
    for turn in count():
        yield sweeps, int(SWEEPS * LONGER**turn)
        yield partial(relaxed, first=turn == 0), ROUNDS
        for soft in PATHS[turn : turn + 1]:
            yield partial(path, soft=soft), PATH
