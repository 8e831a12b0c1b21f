# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Convex relaxations of the contact problem, iterated until their solution obeys the contact laws.

For a given correction of De Saxce, ``s = (0, 0, mu |c_t|)`` of each contact, the forces solve a
cone program. An interior-point method finds them even for an ill-conditioned G::

    minimize  l' G l / 2 + l' (g + s)    with l in its cone, or between its bounds.

Its solution gives the next s (Acary, Cadoux, Lemarechal and Malick 2011, "A formulation of the
linear discrete Coulomb friction problem via convex optimization"). A few rounds come near enough
for Newton's method where the other methods converge slowly, as where contacts jam each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dyn_core.compiler.runtime.numba_cached import compiled
from dyn_core.contacts.contact_laws import OPTIONS, Problem, nothing_yet
from dyn_core.contacts.newton import STEPS, newton
from dyn_core.errors import MissingExtraError
from dyn_core.extras import optional
from dyn_core.model.model import FloatArray

CONE_PROGRAM_TOLERANCE = 1e-11
"""Tolerance of the cone program."""
RELAXATION_FACTOR = 0.5
"""Relaxation factor of the correction after the undamped rounds."""
UNDAMPED_ROUNDS = 4
"""Rounds without damping."""


def relaxed(
    problem: Problem, W: FloatArray, is_first: bool, forces: FloatArray, rounds: int
) -> tuple[int, bool]:
    """Find forces in place; returns the number of rounds and whether they obey the laws.

    ``G = W' W``. The first time the initial correction is zero; later it is that of ``forces``.
    Without clarabel or scipy, which are extras, no round takes place.
    """
    try:
        relaxation = Relaxation(problem, W, None if is_first else forces)
    except MissingExtraError:
        return 0, False
    best = nothing_yet(problem)
    for used in range(1, rounds + 1):
        start = relaxation.round()
        if start is None:
            break
        if compiled(newton, **OPTIONS)(problem, problem.scale, start, STEPS, best):
            forces[:] = start
            return used, True
    return rounds, False


class Relaxation:
    """The cone programs of one problem."""

    def __init__(self, problem: Problem, W: FloatArray, near: FloatArray | None) -> None:
        """Pose them. With forces ``near`` the initial correction is theirs, and damping starts.

        Without ``near`` the initial correction is zero.

        Raises:
            MissingExtraError: clarabel or scipy is not installed.
        """
        self._clarabel = optional("clarabel", "contacts that jam each other", "contacts")
        sparse = optional("scipy.sparse", "contacts that jam each other", "contacts")
        g, mu, self._problem = problem.g, problem.mu, problem
        self._correction: FloatArray = np.zeros(len(g))
        self._rounds = 0
        if near is not None:
            self._correction, self._rounds = self._corrected(near), UNDAMPED_ROUNDS
        size, extra = len(g), len(W)
        cones: list[Any] = [self._clarabel.ZeroConeT(extra)]
        rows: list[FloatArray] = [np.hstack([W, -np.eye(extra)])]
        right: list[FloatArray] = [np.zeros(extra)]
        for sign, bounds in ((1.0, problem.upper), (-1.0, problem.lower)):
            there = np.flatnonzero(np.isfinite(bounds))
            rows.append(sign * np.eye(size + extra)[there])
            right.append(sign * bounds[there])
            cones += [self._clarabel.NonnegativeConeT(len(there))] if len(there) else []
        for k, one in enumerate(mu):
            x = len(problem.lower) + 3 * k
            cone = np.zeros((3, size + extra))
            cone[0, x + 2], cone[1, x], cone[2, x + 1] = -one, -1.0, -1.0
            rows.append(cone)
            right.append(np.zeros(3))
            cones.append(self._clarabel.SecondOrderConeT(3))
            if one == 0.0:  # then the cone leaves the normal force free
                push = np.zeros((1, size + extra))
                push[0, x + 2] = -1.0
                rows.append(push)
                right.append(np.zeros(1))
                cones.append(self._clarabel.NonnegativeConeT(1))
        weights = np.repeat([0.0, 1.0], [size, extra])
        self._program = (
            sparse.diags(weights, format="csc"), sparse.csc_matrix(np.vstack(rows)),
            np.concatenate(right), cones,
        )  # fmt: skip
        self._extra = extra

    def round(self) -> FloatArray | None:
        """Forces under the current correction, which is then updated; None without a solution."""
        quadratic, rows, right, cones = self._program
        settings = self._clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = CONE_PROGRAM_TOLERANCE
        linear = np.concatenate([self._problem.g + self._correction, np.zeros(self._extra)])
        solver = self._clarabel.DefaultSolver(quadratic, linear, rows, right, cones, settings)
        forces = np.array(solver.solve().x)[: len(self._correction)]
        if not np.isfinite(forces).all():
            return None
        share = 1.0 if self._rounds < UNDAMPED_ROUNDS else RELAXATION_FACTOR
        change = self._corrected(forces) - self._correction
        self._correction = self._correction + share * change
        self._rounds += 1
        return forces

    def _corrected(self, forces: FloatArray) -> FloatArray:
        """(rows) De Saxce's correction of the velocity under forces."""
        problem = self._problem
        contacts = len(problem.lower)
        c = (problem.G @ forces + problem.g)[contacts:].reshape(-1, 3)
        found = np.zeros(len(problem.g))
        found[contacts + 2 :: 3] = problem.mu * np.hypot(c[:, 0], c[:, 1])
        return found
