# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The weight of the prior by cross-validation, and standard errors by the jackknife."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dyn_core.extras import optional
from dyn_core.identification.base_parameters import BaseParameters
from dyn_core.identification.parameters import INERTIAL
from dyn_core.identification.physical_consistency import TRACE, Knowledge, UnsolvedError, consistent
from dyn_core.identification.prior import Prior, pseudo_inertia
from dyn_core.identification.regression import Estimate, Evidence
from dyn_core.model.model import FloatArray

MIN_DECADE, MAX_DECADE = -2, 5
"""Decimal logarithms of the least and the largest weight that are tried, in steps of a decade. The
least only selects among parameters that fit equally well."""
HALVINGS = 2
"""Bisections of the last decade, to a quarter of it."""
DRIVE_WEIGHT = 1e-6
"""Prior weight of rotors and friction: 1 / standard deviation^2."""
OWN_SIZE_WEIGHT = 2.0
"""Weight at which the prior's standard deviation of masses and second moments is their own size."""


@dataclass(frozen=True)
class Fold:
    """The equations of all folds but one, and the evidence of the held-out fold."""

    A: FloatArray
    """(k, parameters): ``|A pi - b|^2`` is the squared error in units of the noise."""
    b: FloatArray
    """(k,)"""
    held: Evidence
    """Of the fold that is left out."""

    def squares(self, base: BaseParameters, values: FloatArray, found: Estimate) -> float:
        """Mean square residual of the held-out efforts, in units of each joint's noise."""
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

    Each fold is predicted from all others. The rule takes the largest weight whose prediction error
    exceeds the least one by no more than the standard error of the difference over the folds
    (Breiman, Friedman, Olshen and Stone 1984, section 3.4.3). A weight without a solution for some
    fold is excluded.

    Args:
        found: the estimate from all samples, for its noise and delay.
        folds: the evidence of each fold.
        known: prior knowledge of the robot.
        report: called with the number of weights tried, and their total.

    Raises:
        UnsolvedError: the solver failed for every weight.
    """
    parts = without_each(found, folds)
    if not parts:
        return 1.0
    base, tried = found.base, 0
    whole = found.R @ base.B, found.R @ found.values
    unsolved: list[UnsolvedError] = []

    def squares(decade: float) -> FloatArray:
        nonlocal tried
        tried += 1
        report(tried, MAX_DECADE - MIN_DECADE + 1 + HALVINGS)
        try:
            consistent(base.parameters, *whole, known, 10.0**decade)  # solved where it is used
            values = [
                consistent(base.parameters, part.A, part.b, known, 10.0**decade) for part in parts
            ]
        except UnsolvedError as error:
            unsolved.append(error)
            return np.full(len(parts), np.inf)
        return np.array([x.squares(base, y, found) for x, y in zip(parts, values, strict=True)])

    decades = range(MIN_DECADE, MAX_DECADE + 1)
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


def without_each(found: Estimate, folds: Sequence[Evidence]) -> list[Fold]:
    """The equations without each of the folds in turn; none if samples are in one fold only."""
    used = [fold for fold in folds if fold.count]
    rows = [_rows(found, fold) for fold in used]
    return [
        Fold(*_split(found, _triangle(rows[:k] + rows[k + 1 :])), held)
        for k, held in enumerate(used)
        if len(used) > 1
    ]


def jackknife(estimates: FloatArray) -> FloatArray:
    """Standard errors of what was estimated without each of k parts of the data in turn.

    Samples that follow each other may have errors in common, as those of a model have: parts that
    are longer than errors last make the standard errors hold all the same (Shao and Wu 1989).

    Args:
        estimates: (k, quantities), of at least two parts.

    Returns:
        (quantities,) standard errors.
    """
    count = len(estimates)
    off = estimates - estimates.mean(axis=0)
    return np.asarray(np.sqrt((count - 1) / count * (off**2).sum(axis=0)), dtype=np.float64)


def _rows(found: Estimate, evidence: Evidence) -> FloatArray:
    """Triangle of ``[W | tau]`` in units of noise, with the identified delay removed."""
    count = len(found.base)
    rows = np.concatenate(evidence.R / found.noise[:, None, None])
    W = rows[:, :count] - found.delay * rows[:, count:-1]
    return _triangle([np.column_stack([W, rows[:, -1]])])


def _triangle(rows: Sequence[FloatArray]) -> FloatArray:
    return np.asarray(np.linalg.qr(np.concatenate(rows), mode="r"), dtype=np.float64)


def _split(found: Estimate, R: FloatArray) -> tuple[FloatArray, FloatArray]:
    """A and b of the squared error of all parameters, from a triangle in base parameters."""
    count = len(found.base)
    return R[:count, :count] @ found.base.B, R[:count, count]


def spread(found: Estimate, known: Knowledge, values: FloatArray) -> FloatArray:
    """Covariance of all parameters from the recordings and a weak prior.

    The prior's standard deviation of a mass is the mass itself, whatever weight was chosen. A large
    standard error therefore means that the recordings do not determine the mass.

    Args:
        found: the estimate.
        known: prior knowledge of the robot.
        values: all parameters.
    """
    sparse = optional("scipy.sparse", "standard errors", extra="identification")
    inertial, size = found.base.parameters.inertial, len(INERTIAL)
    bodies = values[:inertial].reshape(-1, size)
    here = Prior(tuple(pseudo_inertia(body) for body in bodies))
    map_ = sparse.block_diag([*here.maps, sparse.eye(len(values) - inertial)]).toarray()
    scaled = found.R @ found.base.B @ map_
    held = np.full(len(values), DRIVE_WEIGHT)
    held[:inertial] = np.tile(0.5 * OWN_SIZE_WEIGHT * (2.0 - TRACE), len(bodies))
    covariance = map_ @ np.linalg.inv(scaled.T @ scaled + np.diag(held)) @ map_.T
    if known.mass is not None:
        masses = covariance[:, :inertial:size].sum(axis=1)
        covariance -= np.outer(masses, masses) / masses[:inertial:size].sum()
    return np.asarray(covariance, dtype=np.float64)
