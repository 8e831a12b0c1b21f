"""Least squares of any number of samples: what they say is kept in small triangular matrices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dyn_core.errors import ModelError
from dyn_core.formats.meshes import optional
from dyn_core.identification.base_parameters import BaseParameters
from dyn_core.identification.samples import Samples
from dyn_core.model.model import FloatArray

HUBER = 1.345
"""Residuals in standard deviations beyond which robust regression trusts a sample less."""
ITERATIONS = 50
"""Most reweightings."""
SETTLED = 1e-8
"""Relative change of the parameters at which they have come to rest."""
EXCITED = 1e-10
"""Share of the largest singular value below which a direction was not excited."""


@dataclass(frozen=True)
class Evidence:
    """What samples say of the base parameters: for each joint the R of a QR of ``[W beta | tau]``.

    Sums of normal equations would do the same but square the condition number. Evidence of several
    chunks adds up, in any order and on any machine.
    """

    R: FloatArray
    """(nv, base parameters + 1, base parameters + 1)"""
    count: int
    """Samples."""

    @classmethod
    def none(cls, base: BaseParameters) -> Evidence:
        """Of no samples."""
        size = len(base) + 1
        return cls(np.zeros((base.parameters.model.nv, size, size)), 0)

    @classmethod
    def of(
        cls,
        base: BaseParameters,
        stretches: Iterable[Samples],
        weights: FloatArray | None = None,
    ) -> Evidence:
        """Of all samples, each joint's rows times the square roots of ``weights`` (n, nv)."""
        total, done = cls.none(base), 0
        for samples in stretches:
            for W, tau in samples.rows(base.regressor):
                rows = np.concatenate([W, tau[:, :, None]], axis=2)
                if weights is not None:
                    rows = rows * np.sqrt(weights[done : done + len(tau)])[:, :, None]
                total = total + cls(_triangles(np.moveaxis(rows, 1, 0)), len(tau))
                done += len(tau)
        return total

    def __add__(self, other: Evidence) -> Evidence:
        """Of both."""
        R = _triangles(np.concatenate([self.R, other.R], axis=1))
        return Evidence(R, self.count + other.count)

    def solved(self, deviations: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
        """The base parameters, and the triangle R of ``[W beta | tau]`` of all joints.

        Args:
            deviations: standard deviation (nv) of each joint's error; all the same without them.

        Raises:
            ModelError: the samples do not excite all base parameters.
        """
        scales = np.ones(len(self.R)) if deviations is None else 1.0 / deviations
        R = _triangles(np.concatenate(self.R * scales[:, None, None])[None])[0]
        square, right = R[:-1, :-1], R[:-1, -1]
        sizes = np.linalg.norm(square, axis=0)
        if (sizes == 0.0).any():
            raise ModelError(_unexcited(int(np.argmin(sizes))))
        singular = np.linalg.svd(square / sizes, compute_uv=False)
        if singular[-1] < EXCITED * singular[0]:
            weakest = int(np.argmax(np.abs(np.linalg.svd(square / sizes)[2][-1])))
            raise ModelError(_unexcited(weakest))
        return np.linalg.solve(square, right), R

    def errors(self, beta: FloatArray) -> FloatArray:
        """Root mean square (nv) of ``tau - W beta`` of each joint."""
        left = self.R @ np.concatenate([-beta, [1.0]])
        freedom = max(self.count - self.R.shape[1] / len(self.R), 1.0)
        result: FloatArray = np.linalg.norm(left, axis=1) / np.sqrt(freedom)
        return result


def _triangles(rows: FloatArray) -> FloatArray:
    """R of each matrix (k, n, m) as (k, m, m), also for n < m."""
    missing = rows.shape[2] - rows.shape[1]
    if missing > 0:
        rows = np.concatenate([rows, np.zeros((len(rows), missing, rows.shape[2]))], axis=1)
    return np.asarray(np.linalg.qr(rows, mode="r"), dtype=np.float64)


def _unexcited(k: int) -> str:
    return (
        f"the motion does not excite base parameter number {k}: use a trajectory that moves all "
        "joints fast and far, or identify fewer parameters"
    )


@dataclass(frozen=True)
class Estimate:
    """Identified base parameters."""

    base: BaseParameters
    values: FloatArray
    """(base parameters,)"""
    deviations: FloatArray
    """(base parameters,), standard errors."""
    noise: FloatArray
    """(nv,), standard deviation of what is not explained of each effort."""
    R: FloatArray
    """Triangle with ``|R (beta - values)|^2`` the squared error above the least, in units of the
    noise."""
    count: int
    """Samples."""

    def unexplained(self, stretches: Iterable[Samples]) -> FloatArray:
        """What it leaves of the efforts, (n, nv)."""
        return unexplained(self.base, self.values, stretches)


def estimate(base: BaseParameters, evidence: Evidence, weighted: bool = True) -> Estimate:
    """Least squares, ordinary or weighted by each joint's own noise.

    Weights are found by iteration: the noise of a joint is what is left of its efforts.

    Args:
        base: what is identified.
        evidence: of all samples.
        weighted: whether joints count by their noise (Gautier 1997), or all the same.

    Raises:
        ModelError: the samples do not excite all base parameters, or are too few.
    """
    if evidence.count * len(evidence.R) <= len(base):
        raise ModelError(
            f"{evidence.count} samples are too few for {len(base)} base parameters; record longer"
        )
    beta, _ = evidence.solved()
    noise = evidence.errors(beta)
    for _ in range(ITERATIONS if weighted else 0):
        before = beta
        beta, _ = evidence.solved(_positive(noise))
        noise = evidence.errors(beta)
        if np.abs(beta - before).max() <= SETTLED * np.abs(beta).max():
            break
    if not weighted:
        noise = np.full(len(noise), np.sqrt((noise**2).mean()))
    _, R = evidence.solved(_positive(noise))
    inverse = np.linalg.inv(R[:-1, :-1])
    return Estimate(base, beta, np.linalg.norm(inverse, axis=1), noise, R[:-1, :-1], evidence.count)


def robust(base: BaseParameters, stretches: Sequence[Samples]) -> Estimate:
    """Least squares that outliers hardly move: Huber's, by reweighting (Huber 1981, section 7.8).

    Standard errors are those of the samples as they are weighted.

    Raises:
        ModelError: the samples do not excite all base parameters, or are too few.
    """
    stats = optional("scipy.stats", "robust regression", extra="identification")
    result = estimate(base, Evidence.of(base, stretches))
    for _ in range(ITERATIONS):
        left = result.unexplained(stretches)
        scale = _positive(stats.median_abs_deviation(left, axis=0, scale="normal"))
        weights = np.minimum(1.0, HUBER * scale / np.maximum(np.abs(left), 1e-300))
        before, result = result.values, estimate(base, Evidence.of(base, stretches, weights))
        if np.abs(result.values - before).max() <= 1e-6 * np.abs(before).max():
            break
    return result


def unexplained(base: BaseParameters, beta: FloatArray, stretches: Iterable[Samples]) -> FloatArray:
    """``tau - W beta`` (n, nv) of all samples."""
    pairs = (pair for samples in stretches for pair in samples.rows(base.regressor))
    return np.concatenate([tau - W @ beta for W, tau in pairs])


def residual(base: BaseParameters, beta: FloatArray, stretches: Sequence[Samples]) -> float:
    """Root mean square of ``tau - W beta`` as a share of that of ``tau``, of all joints."""
    left, whole = 0.0, 0.0
    for samples in stretches:
        for W, tau in samples.rows(base.regressor):
            left += float(np.sum((tau - W @ beta) ** 2))
            whole += float(np.sum(tau**2))
    return float(np.sqrt(left / whole))


def gathered(parts: Iterable[Evidence]) -> Evidence:
    """Of all parts, in their order."""
    total: Evidence | None = None
    for part in parts:
        total = part if total is None else total + part
    if total is None:
        raise ValueError("no samples at all: name at least one recording")
    return total


def _positive(noise: FloatArray) -> FloatArray:
    """Never zero, for weights."""
    return np.maximum(noise, 1e-12 * max(float(noise.max()), 1e-12))
