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

Three solvers take turns, each turn longer than the last, until one of them converges:

* Gauss-Seidel iteration (:mod:`dyn_core.contacts.gauss_seidel`), which solves most problems;
* the proximal point method (:mod:`dyn_core.contacts.proximal_point`), for problems with many more
  rows than degrees of freedom;
* an interior-point method on convex relaxations (:mod:`dyn_core.contacts.convex_relaxation`), for
  contacts that jam each other.

Newton's method (:mod:`dyn_core.contacts.newton`) completes each of them. With friction there may be
several solutions, or none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from dyn_core.compiler.runtime.numba_cached import compiled
from dyn_core.contacts import contact_laws as laws
from dyn_core.contacts.contact_laws import OPTIONS
from dyn_core.contacts.convex_relaxation import relaxed
from dyn_core.contacts.gauss_seidel import gauss_seidel
from dyn_core.contacts.problem_checks import (
    bounds_of,
    check_friction,
    check_problem,
    check_tolerance,
)
from dyn_core.contacts.proximal_point import proximal_exactly
from dyn_core.model.model import FloatArray
from dyn_core.model.value_checks import check_whole, numbers

TOLERANCE = 1e-10
"""Largest violation of the conditions in a solution, as a share of the largest entry of g."""
ITERATIONS = 5000
"""Most iterations of all solvers together."""
TURNS = 12
"""Most turns of the solvers."""
SWEEPS, TURN_GROWTH = 30, 1.4
"""Sweeps of Gauss-Seidel in the first turn, and their growth factor from turn to turn."""
FACTORIZATIONS = 600
"""Most factorizations of the proximal point method in a turn."""
CONE_PROGRAMS = 8
"""Most cone programs of the relaxation in a turn, each with a trial of Newton's method."""
ROUNDED_SHARE = 1e-15
"""Share of the largest eigenvalue of G below which an eigenvalue is rounding error."""
SAFETY = 0.1
"""Share of the tolerance at which the solvers stop."""


@dataclass(frozen=True)
class Solution:
    """Contact forces, and the residual of their conditions."""

    forces: FloatArray
    """(rows) forces, or impulses where velocities were given."""
    velocity: FloatArray
    """(rows) velocity or acceleration of the contacts under these forces, ``G l + g``."""
    iterations: int
    """Iterations of all solvers together: sweeps, factorizations, cone programs."""
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
        iterations: most iterations, and those of a round of proximal points that has begun; then
            the best forces so far are returned with ``converged`` False.
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
    sweeps, points = compiled(gauss_seidel, **OPTIONS), compiled(proximal_exactly, **OPTIONS)
    used, is_solved = sweeps(problem, forces, min(SWEEPS, iterations))
    if is_solved or used >= iterations:
        return int(used)
    W, best, c = _root(G), laws.nothing_yet(problem), np.empty(len(g))
    check = compiled(laws.solved, **OPTIONS)
    check(problem, forces, c, best)
    forces[:] = 0.0  # where sweeps converge slowly, their forces are a bad start
    for turn in range(TURNS):
        is_first, more = turn == 0, int(SWEEPS * TURN_GROWTH**turn)
        for solver, most in (
            (partial(points, problem, W, forces), FACTORIZATIONS),
            (partial(relaxed, problem, W, is_first, forces), CONE_PROGRAMS),
            (partial(sweeps, problem, forces), more),
        ):
            done, _ = solver(min(most, iterations - used))
            used += done
            if check(problem, forces, c, best) or used >= iterations:
                forces[:] = best[:-1]
                return int(used)
    forces[:] = best[:-1]
    return int(used)


def _root(G: FloatArray) -> FloatArray:
    """(rank, rows) a matrix W with ``G = W' W``."""
    values, vectors = np.linalg.eigh(G)
    kept = values > ROUNDED_SHARE * values[-1]
    return np.ascontiguousarray((vectors[:, kept] * np.sqrt(values[kept])).T)
