# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Least squares of any number of samples, condensed into small triangular matrices by QR."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dyn_core.errors import ModelError
from dyn_core.extras import optional
from dyn_core.identification.base_parameters import BaseParameters
from dyn_core.identification.samples import RegressorRows, Samples
from dyn_core.model.model import FloatArray

MIN_DIRECTION_SHARE = 0.01
"""Share of a parameter in an unexcited direction from which it counts as unidentifiable."""
HUBER_THRESHOLD = 1.345
"""Residual in standard deviations from which robust regression reduces a sample's weight."""
MAX_ITERATIONS = 50
"""Most iterations of reweighting."""
CONVERGENCE_TOLERANCE = 1e-8
"""Relative change of the parameters at which reweighting has converged."""
EQUATIONS_PER_PARAMETER = 2
"""Least number of equations for each parameter; with fewer, standard errors are meaningless."""
DELAY_DEVIATION_S = 0.1
"""Standard deviation of the prior of the delay of efforts, which is zero, s."""
FOLDS = 8
"""Number of folds of the cross-validation that chooses the weight of the prior."""
MIN_SINGULAR_VALUE = 1e-10
"""Share of the largest singular value below which a direction is not excited."""


@dataclass(frozen=True)
class Evidence:
    """Samples reduced to the R of a QR factorization of ``[W | dW/dt | tau]`` for each joint.

    Normal equations would be equivalent but square the condition number. Evidence is additive: its
    chunks can be reduced in any order and on any machine.
    """

    R: FloatArray
    """(nv, k, k), k is twice the number of base parameters plus one."""
    count: int
    """Number of samples."""

    @classmethod
    def none(cls, base: BaseParameters) -> Evidence:
        """Evidence of no samples."""
        size = 2 * len(base) + 1
        return cls(np.zeros((base.parameters.model.nv, size, size)), 0)

    @classmethod
    def folds(
        cls,
        base: BaseParameters,
        stretches: Sequence[Samples],
        report: Callable[[int, int], None] = lambda done, total: None,
    ) -> list[Evidence]:
        """Evidence of each of :data:`FOLDS` folds: consecutive parts of every stretch of samples.

        Args:
            base: the base parameters to identify.
            stretches: of samples.
            report: called with the number of samples done, and their total.
        """
        total = [cls.none(base)] * FOLDS
        before, count = 0, sum(map(len, stretches))
        for samples in stretches:
            ends = np.arange(FOLDS + 1) * len(samples) // FOLDS
            done = 0
            for rows in samples.rows(base.regressor):
                for k in range(FOLDS):
                    part = slice(*np.clip(ends[k : k + 2] - done, 0, len(rows[-1])))
                    if part.stop > part.start:
                        total[k] = total[k].with_rows(*(x[part] for x in rows))
                done += len(rows[-1])
                report(before + done, count)
            before += done
        return total

    @classmethod
    def of_rows(
        cls,
        base: BaseParameters,
        chunks: Iterable[RegressorRows],
        weights: FloatArray | None = None,
    ) -> Evidence:
        """Evidence of chunks of ``W``, its rate and efforts; ``weights`` (n, nv) of squares."""
        total = cls.none(base)
        for W, rate, tau in chunks:
            part = None if weights is None else weights[total.count : total.count + len(tau)]
            total = total.with_rows(W, rate, tau, part)
        return total

    def with_rows(
        self, W: FloatArray, rate: FloatArray, tau: FloatArray, weights: FloatArray | None = None
    ) -> Evidence:
        """The evidence with these rows added."""
        rows = np.concatenate([W, rate, tau[:, :, None]], axis=2)
        if weights is not None:
            rows = rows * np.sqrt(weights)[:, :, None]
        both = np.concatenate([self.R, np.moveaxis(rows, 1, 0)], axis=1)
        return Evidence(_triangles(both), self.count + len(tau))

    def __add__(self, other: Evidence) -> Evidence:
        """The evidence of both."""
        R = _triangles(np.concatenate([self.R, other.R], axis=1))
        return Evidence(R, self.count + other.count)

    def solved(
        self, noise: FloatArray, beta: FloatArray | None = None, delay: float = 0.0
    ) -> tuple[FloatArray, float, FloatArray]:
        """The base parameters, the delay of efforts, and their triangle R.

        A delay d of the efforts means ``tau = W beta - d dW/dt beta`` to first order. The unknowns
        are beta and the difference of d from ``delay``. The first row of R belongs to that
        difference; the rows below describe the accuracy of beta with d eliminated.

        Args:
            noise: standard deviation (nv) of each joint's error.
            beta: where the search begins; without them the delay is taken as it is given.
            delay: s, likewise.

        Raises:
            LinAlgError: the samples do not excite all base parameters.
        """
        count = self.R.shape[2] // 2
        rows = np.concatenate(self.R / noise[:, None, None])
        rate = rows[:, count:-1]
        W, tau = rows[:, :count] - delay * rate, rows[:, -1:]
        drift = -rate @ (np.zeros(count) if beta is None else beta)
        first = np.zeros((1, count + 2))
        first[0, 0], first[0, -1] = (
            1.0 / DELAY_DEVIATION_S,
            0.0 if beta is None else -delay / DELAY_DEVIATION_S,
        )
        R = _triangles(np.vstack([first, np.hstack([drift[:, None], W, tau])])[None])[0]
        change, *solution = np.linalg.solve(R[:-1, :-1], R[:-1, -1])
        return np.array(solution), delay + float(change), R[:-1, :-1]

    @property
    def not_excited(self) -> list[int]:
        """The base parameters without effect in the samples, or not separable from others."""
        count = self.R.shape[2] // 2
        R = np.asarray(np.linalg.qr(np.concatenate(self.R[:, :, :count]), mode="r"))
        sizes = np.linalg.norm(R, axis=0)
        silent = np.flatnonzero(sizes <= MIN_SINGULAR_VALUE * sizes.max())
        felt = np.setdiff1d(np.arange(count), silent)
        if not len(felt):
            return list(range(count))
        _, singular, right = np.linalg.svd(R[:, felt] / sizes[felt])
        weak = np.abs(right[singular < MIN_SINGULAR_VALUE * singular[0]]) > MIN_DIRECTION_SHARE
        return sorted([*silent.tolist(), *felt[weak.any(axis=0)].tolist()])

    def errors(self, beta: FloatArray, delay: float) -> FloatArray:
        """(nv) root mean square of the residual effort of each joint."""
        result: FloatArray = np.linalg.norm(self.residuals(beta, delay), axis=1) / np.sqrt(
            self.freedom
        )
        return result

    def residuals(self, beta: FloatArray, delay: float) -> FloatArray:
        """(nv, k) residual efforts of each joint, in the coordinates of R."""
        result: FloatArray = self.R @ np.concatenate([-beta, delay * beta, [1.0]])
        return result

    def share(self, beta: FloatArray, delay: float) -> float:
        """Root mean square of the residual, relative to that of the efforts."""
        residuals = self.residuals(beta, delay)
        return float(np.linalg.norm(residuals) / np.linalg.norm(self.R[:, :, -1]))

    @property
    def freedom(self) -> float:
        """Degrees of freedom of each joint's residual; the parameters are shared evenly."""
        return max(self.count - (self.R.shape[2] // 2) / len(self.R), 1.0)


def _rows(base: BaseParameters, stretches: Iterable[Samples]) -> Iterator[RegressorRows]:
    return (rows for samples in stretches for rows in samples.rows(base.regressor))


def _triangles(rows: FloatArray) -> FloatArray:
    """R of each matrix (k, n, m) as (k, m, m), also for n < m."""
    missing = rows.shape[2] - rows.shape[1]
    if missing > 0:
        rows = np.concatenate([rows, np.zeros((len(rows), missing, rows.shape[2]))], axis=1)
    return np.asarray(np.linalg.qr(rows, mode="r"), dtype=np.float64)


@dataclass(frozen=True)
class Estimate:
    """Identified base parameters."""

    base: BaseParameters
    values: FloatArray
    """(base parameters,)"""
    deviations: FloatArray
    """(base parameters,) standard errors. They hold if the noise of the efforts, before the filter,
    is independent between rows of a recording. Correlated noise (cogging, drift, a filter in the
    driver) makes them too small; the spread over recordings of other motions shows by how much."""
    noise: FloatArray
    """(nv,) standard deviation of each joint's residual effort."""
    delay: float
    """Delay of the recorded efforts behind the states that they belong to, s."""
    delay_deviation: float
    """Its standard error."""
    R: FloatArray
    """Triangle R: ``|R (beta - values)|^2`` is the squared error above its minimum in units of the
    noise, minimized over the delay."""
    evidence: Evidence
    """The equations behind the estimate."""

    @property
    def count(self) -> int:
        """Number of samples."""
        return self.evidence.count

    def unexplained(self, chunks: Iterable[RegressorRows]) -> FloatArray:
        """(n, nv) residual efforts of chunks of ``W``, its rate and efforts."""
        return np.concatenate(
            [tau - (W - self.delay * rate) @ self.values for W, rate, tau in chunks]
        )


def estimate(base: BaseParameters, evidence: Evidence, weighted: bool = True) -> Estimate:
    """Least squares, ordinary or weighted by each joint's own noise, and the delay of efforts.

    The weights follow by iteration from the residual of each joint. At convergence the estimate is
    that of maximum likelihood.

    Args:
        base: the base parameters to identify.
        evidence: of all samples.
        weighted: whether joints count by their noise (Gautier 1997), or all the same.

    Raises:
        ModelError: there are too few samples, or they do not excite all base parameters; the
            message says which. Or the evidence is of other base parameters.
    """
    if evidence.R.shape != Evidence.none(base).R.shape:
        raise ModelError("the evidence is of other base parameters; take both from one robot")
    if evidence.count * len(evidence.R) < EQUATIONS_PER_PARAMETER * len(base):
        raise ModelError(
            f"{evidence.count} samples are too few for {len(base)} base parameters; record longer"
        )
    effortless = np.flatnonzero(~evidence.R[:, :, -1].any(axis=1)).tolist()
    if effortless:
        name = base.parameters.model.dof_names[effortless[0]]
        raise ModelError(
            f"all efforts of joint '{name}' are zero: its driver does not report them; record "
            "motor currents times torque constants, or make the joint fixed"
        )
    if weak := evidence.not_excited:
        names = "; ".join(base.names[k] for k in weak)
        raise ModelError(
            f"the motion does not excite {len(weak)} of {len(base)} base parameters ({names}): use "
            "a trajectory that moves all joints fast and far, or identify fewer parameters"
        )
    noise: FloatArray = np.ones(len(evidence.R))
    beta, delay, _ = evidence.solved(noise)
    for _ in range(MAX_ITERATIONS):
        before = np.append(beta, delay)
        noise = _positive(evidence.errors(beta, delay))
        if not weighted:
            noise = np.full(len(noise), np.sqrt((noise**2).mean()))
        beta, delay, _ = evidence.solved(noise, beta, delay)
        change = np.abs(np.append(beta, delay) - before)
        if (
            change[:-1].max() <= CONVERGENCE_TOLERANCE * np.abs(beta).max()
            and change[-1] <= CONVERGENCE_TOLERANCE * DELAY_DEVIATION_S
        ):
            break
    spread = _spread(evidence, noise, beta, delay)
    return Estimate(base=base, values=beta, delay=delay, evidence=evidence, **spread)


def robust(base: BaseParameters, stretches: Sequence[Samples]) -> Estimate:
    """Robust least squares: Huber's M-estimator by reweighting (Huber 1981, section 7.8).

    Standard errors are those of Huber's equation 7.6.3: the clipped part of a residual counts
    neither as noise nor as evidence.

    Raises:
        ModelError: the samples do not excite all base parameters, or are too few.
    """
    stats = optional("scipy.stats", "robust regression", extra="identification")
    rows = list(_rows(base, stretches))
    evidence = Evidence.of_rows(base, rows)
    result = estimate(base, evidence)
    for _ in range(MAX_ITERATIONS):
        left = result.unexplained(rows)
        scale = _positive(stats.median_abs_deviation(left, axis=0, scale="normal"))
        weights = np.minimum(1.0, HUBER_THRESHOLD * scale / np.maximum(np.abs(left), 1e-300))
        before, result = result.values, estimate(base, Evidence.of_rows(base, rows, weights))
        if np.abs(result.values - before).max() <= 1e-6 * np.abs(before).max():
            break
    influence = np.sqrt(np.sum((weights * left) ** 2, axis=0) / evidence.freedom)
    noise = _positive(influence / np.maximum((weights == 1.0).mean(axis=0), 1e-3))
    spread = _spread(evidence, noise, result.values, result.delay)
    return replace(result, evidence=evidence, **spread)


def _spread(
    evidence: Evidence, noise: FloatArray, beta: FloatArray, delay: float
) -> dict[str, Any]:
    """The fields of an Estimate that describe its accuracy."""
    _, _, R = evidence.solved(noise, beta, delay)
    late, *deviations = np.linalg.norm(np.linalg.inv(R), axis=1)
    return {
        "deviations": np.array(deviations),
        "noise": noise,
        "delay_deviation": float(late),
        "R": R[1:, 1:],
    }


def residual(base: BaseParameters, beta: FloatArray, stretches: Sequence[Samples]) -> float:
    """Root mean square of ``tau - W beta``, relative to that of ``tau``, over all joints."""
    left, whole = 0.0, 0.0
    for W, _, tau in _rows(base, stretches):
        left += float(np.sum((tau - W @ beta) ** 2))
        whole += float(np.sum(tau**2))
    return float(np.sqrt(left / whole))


def gathered(parts: Iterable[Evidence]) -> Evidence:
    """The sum of all parts, in their order."""
    total: Evidence | None = None
    for part in parts:
        total = part if total is None else total + part
    if total is None:
        raise ValueError("no samples at all: name at least one recording")
    return total


def _positive(noise: FloatArray) -> FloatArray:
    """The noise, bounded away from zero for use in weights."""
    return np.maximum(noise, 1e-12 * max(float(noise.max()), 1e-12))
