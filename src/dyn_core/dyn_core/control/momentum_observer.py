# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Efforts on the joints from outside, estimated without measuring accelerations."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dyn_core.compiler.signature import require
from dyn_core.model.model import FloatArray
from dyn_core.model.value_checks import number

SMALLEST_SHARE = 1e-3
"""Of the largest singular value of a Jacobian; directions below count as without a lever arm."""


class MomentumObserver:
    """First-order observer of the generalized momentum ``p = M v``.

    From ``dp/dt = tau + C' v - g - f + tau_ext`` follows ``dr/dt = K (tau_ext - r)`` for the
    residual ``r = K (p - integral of (tau + C' v - g - f + r))``, so that r is ``tau_ext`` behind a
    low-pass filter of bandwidth K. That filter is advanced by its exact solution for a constant
    ``tau_ext`` between two samples; no rate of samples makes it unstable (De Luca and Mattone 2005,
    equation 9; Haddadin, De Luca and Albu-Schaeffer 2017, section IV.D).
    """

    def __init__(self, size: int, bandwidth: float) -> None:
        """Observe ``size`` joints; ``bandwidth`` K in rad/s.

        Raises:
            ValueError: the bandwidth is not positive.
        """
        if not 0.0 < number("bandwidth", bandwidth) < math.inf:
            raise ValueError(f"bandwidth is {bandwidth}: give a positive number, in rad/s")
        self.bandwidth = bandwidth
        self._momentum, self._drive = np.zeros((2, size))  # of the sample before
        self.residual: FloatArray = np.zeros(size)
        """The estimate of ``tau_ext``, N m or N; overwritten in place."""
        self.finite = True
        """Whether all of the residual is finite; once it is not, only a reset makes it so."""
        self._started = False

    def reset(self) -> None:
        """Forget everything: the next sample is the first."""
        self.residual[:] = 0.0
        self.finite = True
        self.rebase()

    def rebase(self) -> None:
        """Keep the residual through a change of inertia, as when a payload becomes known.

        The next sample has another momentum at the same velocity: it is compared with none before.
        """
        self._started = False

    def update(self, seconds: float, momentum: FloatArray, drive: FloatArray) -> FloatArray:
        """The residual with one more sample.

        Args:
            seconds: time since the sample before; without meaning for the first.
            momentum: ``M v``.
            drive: ``tau + C' v - g - f``, what changes the momentum but ``tau_ext``.

        Raises:
            TypeError, ValueError: an array has the wrong type or size.
        """
        for name, x in (("momentum", momentum), ("drive", drive)):
            require(name, name, x, self.residual.shape)
        if self._started and not seconds > 0.0:
            return self.residual
        if self._started:
            gain = -math.expm1(-self.bandwidth * seconds)
            with np.errstate(all="ignore"):
                change = (momentum - self._momentum) / seconds
                felt = change - 0.5 * (self._drive + drive)
                self.residual += gain * (felt - self.residual)
        self._momentum[:], self._drive[:] = momentum, drive
        self.finite = bool(np.isfinite(self.residual).all())
        self._started = True
        return self.residual


def equivalent_wrench(jacobian: FloatArray, efforts: FloatArray) -> FloatArray:
    """The smallest least-squares wrench [6] at a frame for joint efforts.

    Args:
        jacobian: (6, nv) of the frame, linear rows first; the wrench has its axes.
        efforts: (nv) on the joints, from outside.

    Raises:
        TypeError, ValueError: an array has the wrong type or size.

    ``J' w = tau`` has many solutions where joints do not feel every wrench (fewer than six of them,
    or a singular position) and none where efforts are not those of one wrench at this frame.
    """
    require("jacobian", "jacobian", jacobian, (6, "nv"))
    require("efforts", "efforts", efforts, jacobian.shape[1:])
    wrench, *_ = np.linalg.lstsq(jacobian.T, efforts, rcond=SMALLEST_SHARE)
    return np.asarray(wrench, dtype=np.float64)


class Hysteresis:
    """For each of several numbers: true from an upper threshold on, false below a lower one."""

    def __init__(self, size: int) -> None:
        """Watch ``size`` numbers, all off."""
        self.on: NDArray[np.bool_] = np.zeros(size, dtype=bool)
        self.any = False
        """Whether one of them is on."""

    def reset(self) -> None:
        """Turn all off."""
        self.on[:] = self.any = False

    def update(self, values: FloatArray, upper: float, lower: float) -> NDArray[np.bool_]:
        """Which are on now; what counts is how large a value is, not its sign. NaN is off.

        Raises:
            TypeError, ValueError: the values have the wrong type or size.
        """
        require("values", "values", values, self.on.shape)
        sizes = np.abs(values)
        np.logical_and(self.on | (sizes >= upper), sizes >= lower, out=self.on)
        self.any = bool(self.on.any())
        return self.on
