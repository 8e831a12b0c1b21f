# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A few hundred states of recordings, and how well some parameters explain their efforts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dyn_core.identification.samples import Samples
from dyn_core.model.model import FloatArray

MAX_STATES = 250
"""Most states that are kept: enough to find mistakes in columns."""
FRICTION_SPEED = 1e-2
"""Speed over which Coulomb friction changes its sign, rad/s or m/s."""
MIN_RESIDUAL_SHARE = 3e-3
"""Share of a joint's efforts below which a residual is as good as none."""
MIN_EIGENVALUE = 1e-9
"""Share of the largest eigenvalue of W'W below which a direction is not excited."""
WEIGHT_PASSES = 8
"""Number of passes in which the weights of the joints follow from their residuals."""
JOINT_PARAMETERS = 5
"""Number of parameters of each joint alone."""


@dataclass(frozen=True)
class States:
    """States and efforts, whose columns can be exchanged and turned.

    Attributes:
        motion: (4, n, nv) positions, velocities, accelerations and directions of motion, which
            have passed the filter of efforts.
        efforts: (2, n, nv) filtered efforts and their rate of change.
    """

    motion: FloatArray
    efforts: FloatArray

    @classmethod
    def of(cls, stretches: Iterable[Samples], nv: int) -> States:
        """States of samples, as many as are kept of them after decimation, thinned out."""
        parts = [_kept(samples) for samples in stretches]
        return cls.joined([cls(np.zeros((4, 0, nv)), np.zeros((2, 0, nv))), *parts])

    @classmethod
    def joined(cls, parts: Iterable[States]) -> States:
        """All states of several parts, thinned out."""
        parts = list(parts)
        motion = np.concatenate([x.motion for x in parts], axis=1)
        efforts = np.concatenate([x.efforts for x in parts], axis=1)
        step = max(1, -(-motion.shape[1] // MAX_STATES))
        return cls(motion[:, ::step], efforts[:, ::step])

    def __len__(self) -> int:
        return self.motion.shape[1]

    def fitted(self, W: FloatArray) -> Residuals:
        """The best fit of inertial parameters, physical or not, drives, and delays of efforts.

        Args:
            W: (n, nv, p) regressor of the inertial parameters.
        """
        tau, rate = self.efforts
        n, nv, count = W.shape
        A = np.empty((nv, count + 1, count + 1))
        for k in range(nv):
            own = np.stack([*self.motion[1:, :, k], np.ones(n), rate[:, k]], axis=1)
            Q, _ = np.linalg.qr(own / np.maximum(np.linalg.norm(own, axis=0), 1e-300))
            both = np.concatenate([W[:, k], tau[:, k : k + 1]], axis=1)
            both -= Q @ (Q.T @ both)
            A[k] = both.T @ both
        return Residuals(A, n, np.sqrt((tau**2).mean(axis=0)))


@dataclass(frozen=True)
class Residuals:
    """The normal equations of a fit, without each joint's own parameters, and what they leave."""

    A: FloatArray
    """(nv, p + 1, p + 1) of ``[W | tau]`` for each joint."""
    count: int
    """Number of states."""
    efforts: FloatArray
    """(nv,) root mean square of each joint's efforts."""

    @property
    def deviations(self) -> FloatArray:
        """(nv,) residual efforts; joints are weighted by them, as in maximum likelihood."""
        return self._solution[1]

    @property
    def last(self) -> float:
        """The last of the parameters."""
        return float(self._solution[0][-1])

    @cached_property
    def _solution(self) -> tuple[FloatArray, FloatArray]:
        """The parameters and the deviations."""
        size = np.sqrt(np.maximum(np.einsum("kjj->j", self.A)[:-1], 1e-300))
        G, b = self.A[:, :-1, :-1] / size / size[:, None], self.A[:, :-1, -1] / size
        c = self.A[:, -1, -1]
        least = np.maximum(MIN_RESIDUAL_SHARE * self.efforts, 1e-300)
        found: FloatArray = np.maximum(np.sqrt(c / self.count), least)
        for _ in range(WEIGHT_PASSES):
            weight = found**-2
            values, vectors = np.linalg.eigh(np.einsum("kij,k->ij", G, weight))
            excited = values > MIN_EIGENVALUE * values[-1]
            V = vectors[:, excited]
            beta = V @ (V.T @ (weight @ b) / values[excited])
            left = c - 2.0 * b @ beta + np.einsum("kij,i,j->k", G, beta, beta)
            freedom = max(self.count - JOINT_PARAMETERS - excited.sum() / len(c), 1.0)
            found = np.maximum(np.sqrt(np.maximum(left, 0.0) / freedom), least)
        return beta / size, found

    @property
    def shares(self) -> FloatArray:
        """(nv,) unexplained share of each joint's efforts."""
        return np.asarray(self.deviations / np.maximum(self.efforts, 1e-300))

    @property
    def score(self) -> float:
        """Sum of the logarithms of the shares: the negative log-likelihood per state.

        It is relative to each joint's efforts, so that another unit of them alone changes nothing.
        """
        return float(np.log(self.shares).sum())


def _kept(samples: Samples) -> States:
    motion = [samples.q, samples.v, samples.a, np.tanh(samples.v / FRICTION_SPEED)]
    if samples.decimation is None:
        return States(np.stack(motion), np.stack([samples.tau, np.zeros_like(samples.tau)]))
    filter_ = samples.decimation
    return States(np.stack([filter_(x)[0] for x in motion]), np.stack(filter_(samples.tau)))
