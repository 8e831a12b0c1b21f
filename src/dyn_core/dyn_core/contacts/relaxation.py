"""The convex relaxation of contacts, corrected until it is the law itself.

With the correction of De Saxce ``s = (0, 0, mu |c_t|)`` of each contact known, the forces are the
solution of a cone program, which an interior-point method finds whatever the condition of G is::

    minimize  l' G l / 2 + l' (g + s)    with l in its cone, or between its bounds.

Its solution gives a new s, and so on (Acary, Cadoux, Lemarechal and Malick 2011, "A formulation of
the linear discrete Coulomb friction problem via convex optimization"). A few rounds bring Newton's
method near enough, where sweeps and multipliers creep.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dyn_core.extras import optional
from dyn_core.model.model import FloatArray

EXACT = 1e-11
"""Tolerance of the cone program."""
DEPENDENT = 1e-15
"""Share of the largest eigenvalue of G below which another one is rounding."""
DAMPED = 0.5
"""Share of the correction that is new in a round, once it has not settled."""
FREELY = 4
"""Rounds without damping."""


class Relaxation:
    """The cone programs of one problem."""

    def __init__(
        self,
        G: FloatArray,
        g: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        mu: FloatArray,
        near: FloatArray | None,
    ) -> None:
        """Factorize; the rows with bounds come before those of contacts.

        The first correction is that of the forces ``near``, or none; from there it is damped.

        Raises:
            MissingExtraError: clarabel or scipy is not installed.
        """
        self._clarabel = optional("clarabel", "contacts that sweeps cannot solve", "contacts")
        sparse = optional("scipy.sparse", "contacts that sweeps cannot solve", "contacts")
        self._G, self._g, self._mu, self._bounded = G, g, mu, len(lower)
        self._correction: FloatArray = np.zeros(len(g))
        self._rounds = 0
        if near is not None:
            self._correction, self._rounds = self._corrected(near), FREELY
        values, vectors = np.linalg.eigh(G)
        kept = values > DEPENDENT * values[-1]
        root = (vectors[:, kept] * np.sqrt(values[kept])).T  # G = root' root
        size, extra = len(g), len(root)
        cones: list[Any] = [self._clarabel.ZeroConeT(extra)]
        rows: list[FloatArray] = [np.hstack([root, -np.eye(extra)])]
        right: list[FloatArray] = [np.zeros(extra)]
        for sign, bounds in ((1.0, upper), (-1.0, lower)):
            there = np.flatnonzero(np.isfinite(bounds))
            rows.append(sign * np.eye(size + extra)[there])
            right.append(sign * bounds[there])
            cones += [self._clarabel.NonnegativeConeT(len(there))] if len(there) else []
        for k, one in enumerate(mu):
            x = self._bounded + 3 * k
            cone = np.zeros((3, size + extra))
            cone[0, x + 2], cone[1, x], cone[2, x + 1] = -one, -1.0, -1.0
            rows.append(cone)
            right.append(np.zeros(3))
            cones.append(self._clarabel.SecondOrderConeT(3))
            if one == 0.0:  # of which the cone says nothing
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
        """Forces with the correction so far, which is then that of these forces; None of none."""
        quadratic, rows, right, cones = self._program
        settings = self._clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = EXACT
        linear = np.concatenate([self._g + self._correction, np.zeros(self._extra)])
        solver = self._clarabel.DefaultSolver(quadratic, linear, rows, right, cones, settings)
        forces = np.array(solver.solve().x)[: len(self._g)]
        if not np.isfinite(forces).all():
            return None
        share = 1.0 if self._rounds < FREELY else DAMPED
        change = self._corrected(forces) - self._correction
        self._correction = self._correction + share * change
        self._rounds += 1
        return forces

    def _corrected(self, forces: FloatArray) -> FloatArray:
        """(rows) De Saxce's correction of the velocity under forces."""
        c = (self._G @ forces + self._g)[self._bounded :].reshape(-1, 3)
        found = np.zeros(len(self._g))
        found[self._bounded + 2 :: 3] = self._mu * np.hypot(c[:, 0], c[:, 1])
        return found
