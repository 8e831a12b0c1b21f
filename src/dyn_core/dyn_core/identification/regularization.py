# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""How strongly bodies are held near to their prior: as much as other recordings allow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dyn_core.extras import optional
from dyn_core.identification.base_parameters import BaseParameters
from dyn_core.identification.consistency import TRACE, Knowledge, UnsolvedError, consistent
from dyn_core.identification.parameters import INERTIAL
from dyn_core.identification.prior import Prior, pseudo_inertia
from dyn_core.identification.regression import Estimate, Evidence
from dyn_core.model.model import FloatArray

LEAST, MOST = -2, 5
"""Logarithms of the weights that are tried, decade by decade; the least hardly does more than to
choose among what fits alike."""
HALVINGS = 2
"""Of the last decade: to a quarter of it."""
DRIVES = 1e-6
"""Prior weight of rotors and friction: 1 / standard deviation^2."""
ITSELF = 2.0
"""Weight at which masses and second moments have a standard deviation of their own size."""


@dataclass(frozen=True)
class _Fold:
    """The samples to fit, and the samples held out."""

    A: FloatArray
    b: FloatArray
    held: Evidence

    def squares(self, base: BaseParameters, values: FloatArray, found: Estimate) -> float:
        """Mean square residual of the efforts held out, by each joint's noise."""
        beta = base.B @ values
        left = self.held.R @ np.concatenate([-beta, found.delay * beta, [1.0]])
        return float(((left / found.noise[:, None]) ** 2).sum() / self.held.count)


def chosen_weight(
    found: Estimate,
    folds: Sequence[Evidence],
    known: Knowledge,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> float:
    """The weight of the prior by cross-validation: the rule of one standard error.

    Each part of the recordings is predicted by what the other parts say. Of the weights that
    predict as well as the best one, to within the standard error of the difference over all parts,
    it is the largest (Breiman, Friedman, Olshen and Stone 1984, section 3.4.3). One at which the
    solver finds nothing for a part is none of them.

    Args:
        found: the estimate from everything, for its noise and delay.
        folds: the parts.
        known: of the robot.
        report: called with how many weights were tried, and how many there are.

    Raises:
        UnsolvedError: no weight leads to parameters that bodies can have.
    """
    used = [fold for fold in folds if fold.count]
    rows = [_rows(found, fold) for fold in used]
    parts = [
        _Fold(*_split(found, _triangle(rows[:k] + rows[k + 1 :])), held)
        for k, held in enumerate(used)
        if len(used) > 1
    ]
    if not parts:
        return 1.0
    base, tried = found.base, 0
    unsolved: list[UnsolvedError] = []

    def squares(decade: float) -> FloatArray:
        nonlocal tried
        tried += 1
        report(tried, MOST - LEAST + 1 + HALVINGS)
        try:
            values = [
                consistent(base.parameters, part.A, part.b, known, 10.0**decade) for part in parts
            ]
        except UnsolvedError as error:
            unsolved.append(error)
            return np.full(len(parts), np.inf)
        return np.array([x.squares(base, y, found) for x, y in zip(parts, values, strict=True)])

    decades = range(LEAST, MOST + 1)
    left = [squares(decade) for decade in decades]
    best = min(left, key=lambda one: float(one.sum()))
    if not np.isfinite(best).all():
        raise unsolved[0]

    def as_good(one: FloatArray) -> bool:
        if not np.isfinite(one).all():
            return False
        more = one - best
        return bool(more.mean() <= more.std(ddof=1) / np.sqrt(len(more)))

    low = float(max(x for x, one in zip(decades, left, strict=True) if as_good(one)))
    high = low + 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if as_good(squares(middle)) else (low, middle)
    return float(10.0**low)


def _rows(found: Estimate, evidence: Evidence) -> FloatArray:
    """Triangle of ``[W | tau]`` in units of noise, with the delay that was found."""
    count = len(found.base)
    rows = np.concatenate(evidence.R / found.noise[:, None, None])
    W = rows[:, :count] - found.delay * rows[:, count:-1]
    return _triangle([np.column_stack([W, rows[:, -1]])])


def _triangle(rows: Sequence[FloatArray]) -> FloatArray:
    return np.asarray(np.linalg.qr(np.concatenate(rows), mode="r"), dtype=np.float64)


def _split(found: Estimate, R: FloatArray) -> tuple[FloatArray, FloatArray]:
    """A and b of the squared error of all parameters, from a triangle of base parameters' rows."""
    count = len(found.base)
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
