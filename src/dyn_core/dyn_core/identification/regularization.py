"""How strongly bodies are held near to their prior: as much as other recordings allow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dyn_core.extras import optional
from dyn_core.identification.base_parameters import BaseParameters
from dyn_core.identification.consistency import TRACE, Knowledge, consistent
from dyn_core.identification.parameters import INERTIAL
from dyn_core.identification.prior import Prior, pseudo_inertia
from dyn_core.identification.regression import Estimate, Evidence, gathered
from dyn_core.model.model import FloatArray

GROWTH = 0.01
"""Share by which the residual of what was held out may grow: other motions, less like those that
were fitted, grow by several times as much, and by a twentieth they may."""
LEAST, MOST = 1e-2, 1e6
"""Weights that are tried; the least hardly does more than to choose among what fits alike."""
HALVINGS = 5
"""Of the interval of the weight's logarithm: to a quarter of a decade."""
DRIVES = 1e-6
"""What is known of rotors and friction: one by the square of their standard deviation."""
ITSELF = 2.0
"""Weight at which masses and second moments have a standard deviation of their own size."""


@dataclass(frozen=True)
class _Fold:
    """What is fitted, and what it is tried on."""

    A: FloatArray
    b: FloatArray
    held: Evidence

    def residuals(self, base: BaseParameters, values: FloatArray, found: Estimate) -> FloatArray:
        """Sums of squares that are left: of efforts, and of efforts by each joint's noise."""
        beta = base.B @ values
        left = self.held.R @ np.concatenate([-beta, found.delay * beta, [1.0]])
        squares = (left**2).sum(axis=1)
        return np.array([squares.sum(), (squares / found.noise**2).sum()])


def chosen_weight(
    found: Estimate,
    folds: Sequence[Evidence],
    known: Knowledge,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> float:
    """The largest weight of the prior that parts of the recordings bear that were not fitted.

    The residual of each part, by what is fitted to the others, grows by :data:`GROWTH` at most over
    that with the least weight; that of all efforts and that in units of each joint's noise
    (cross-validation: Stone 1974).

    Args:
        found: the estimate from everything, for its noise and delay.
        folds: the parts.
        known: of the robot.
        report: called with how many weights were tried, and how many there are.
    """
    parts = [
        _Fold(*_rows(found, gathered(x for x in folds if x is not held)), held)
        for held in folds
        if held.count
    ]
    if len(parts) < 2:
        return LEAST
    base = found.base

    def squares(weight: float) -> FloatArray:
        total = np.zeros(2)
        for part in parts:
            values = consistent(base.parameters, part.A, part.b, known, weight)
            total += part.residuals(base, values, found)
        return total

    allowed = squares(LEAST) * (1.0 + GROWTH) ** 2
    low, high = np.log10(LEAST), np.log10(MOST)
    for k in range(HALVINGS):
        report(k + 1, HALVINGS + 1)
        middle = 0.5 * (low + high)
        if (squares(10.0**middle) <= allowed).all():
            low = middle
        else:
            high = middle
    return float(10.0**low)


def _rows(found: Estimate, evidence: Evidence) -> tuple[FloatArray, FloatArray]:
    """A and b of the squared error in units of noise, with the delay that was found."""
    count = len(found.base)
    rows = np.concatenate(evidence.R / found.noise[:, None, None])
    W = rows[:, :count] - found.delay * rows[:, count:-1]
    R = np.asarray(np.linalg.qr(np.column_stack([W, rows[:, -1]]), mode="r"))
    return R[:count, :count] @ found.base.B, R[:count, count]


def spread(found: Estimate, known: Knowledge, values: FloatArray) -> FloatArray:
    """Covariance of all parameters: what recordings say, and that bodies are of their size.

    The prior's weight is that at which a mass is known to within itself: so a large standard error
    tells that recordings say nothing, whatever weight was chosen.

    Args:
        found: the estimate.
        known: of the robot.
        values: of the parameters.
    """
    sparse = optional("scipy.sparse", "standard errors", extra="identification")
    inertial, size = found.base.parameters.inertial, len(INERTIAL)
    bodies = values[:inertial].reshape(-1, size)
    here = Prior(tuple(pseudo_inertia(body) for body in bodies))
    map_ = sparse.block_diag([*here.maps, sparse.eye(len(values) - inertial)]).toarray()
    scaled = found.R @ found.base.B @ map_
    held = np.full(len(values), DRIVES)
    held[:inertial] = np.tile(0.5 * ITSELF * (2.0 - TRACE), len(bodies))
    covariance = map_ @ np.linalg.inv(scaled.T @ scaled + np.diag(held)) @ map_.T
    if known.mass is not None:
        masses = covariance[:, :inertial:size].sum(axis=1)
        covariance -= np.outer(masses, masses) / masses[:inertial:size].sum()
    return np.asarray(covariance, dtype=np.float64)
