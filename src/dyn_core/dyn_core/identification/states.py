# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A few hundred states of recordings, and how well some parameters explain their efforts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dyn_core.identification.regression import MIN_SINGULAR_VALUE
from dyn_core.identification.samples import Samples
from dyn_core.model.model import FloatArray

MAX_STATES = 250
"""Most states that are kept: enough to find mistakes in columns."""
FRICTION_SPEED = 1e-2
"""Speed over which Coulomb friction changes its sign, rad/s or m/s."""
MIN_RESIDUAL_SHARE = 3e-3
"""Share of a joint's efforts below which a residual is as good as none."""
MAX_WEIGHT_PASSES, WEIGHT_TOLERANCE = 8, 1e-2
"""Most passes in which the weights of the joints follow from their residuals, and the relative
change of these with which the passes end."""
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
        n, nv, _ = W.shape
        own = np.stack([*self.motion[1:], np.ones((n, nv)), rate], axis=2)
        both = np.concatenate([own, W, tau[:, :, None]], axis=2)
        R = np.asarray(np.linalg.qr(np.moveaxis(both, 1, 0), mode="r"))
        R = R[:, JOINT_PARAMETERS:, JOINT_PARAMETERS:]
        return Residuals(R, n, np.sqrt((tau**2).mean(axis=0)))


@dataclass(frozen=True)
class Residuals:
    """The equations of a fit, without each joint's own parameters, and what they leave."""

    R: FloatArray
    """(nv, k, p + 1) triangles of ``[W | tau]`` for each joint. Normal equations would square the
    ratio of the joints' weights: a wrist without noise would hide all others."""
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
        W, tau = self.R[:, :, :-1], self.R[:, :, -1]
        size = np.maximum(np.sqrt((W**2).sum(axis=(0, 1))), 1e-300)
        W = W / size
        least = np.maximum(MIN_RESIDUAL_SHARE * self.efforts, 1e-300)
        found = np.maximum(np.linalg.norm(tau, axis=1) / np.sqrt(self.count), least)
        for _ in range(MAX_WEIGHT_PASSES):
            rows = np.concatenate(W / found[:, None, None])
            known = np.concatenate(tau / found[:, None])
            beta, _, excited, _ = np.linalg.lstsq(rows, known, rcond=MIN_SINGULAR_VALUE)
            left = np.linalg.norm(tau - W @ beta, axis=1)
            freedom = max(self.count - JOINT_PARAMETERS - excited / len(tau), 1.0)
            before, found = found, np.maximum(left / np.sqrt(freedom), least)
            if np.allclose(found, before, WEIGHT_TOLERANCE, 0.0):
                break
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
