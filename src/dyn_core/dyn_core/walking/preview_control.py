# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Preview control of the centre of mass: the CoP follows a reference that is known in advance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dyn_core.extras import optional
from dyn_core.model.model import FloatArray
from dyn_core.walking.planar_motion import Sampled

KNOWN_COEFFICIENTS = 4
"""The number of spline coefficients that the state of the first sample determines."""
JERK_COEFFICIENTS = 5
"""The number of spline coefficients in a change of the jerk."""


@dataclass(frozen=True)
class CopResponse(Sampled):
    """The response of the CoP p to the centre of mass c: ``p = share c - lever ddc``, by samples.

    For a cart on a table the whole mass moves and the share is 1. Standing feet do not move, shanks
    and thighs move in part, so a robot's share is smaller; see :meth:`Biped.response`.
    """

    share: FloatArray
    """(n, 2), of x and y."""
    lever: FloatArray
    """(n, 2), s^2; of a cart: height / (gravity + vertical acceleration)."""

    @classmethod
    def cart(cls, lever: FloatArray) -> CopResponse:
        """The response of a cart with these levers (n,), s^2."""
        levers = np.repeat(lever[:, None], 2, axis=1)
        return cls(np.ones_like(levers), levers)

    def cop(self, motion: FloatArray) -> FloatArray:
        """The CoP (n, 2) of a motion (n, 3, 2)."""
        result: FloatArray = self.share * motion[:, 0] - self.lever * motion[:, 2]
        return result


@dataclass(frozen=True)
class PreviewControl:
    """The jerk of a centre of mass for which the CoP follows a reference that is known in advance.

    The centre of mass moves with constant jerk from sample to sample: a cubic spline. Its
    coefficients minimize the sum of ``e^2 + R du^2`` with the error e of the CoP and the change du
    of the jerk (Kajita et al. 2003, section 4), which is a banded system of equations. The lever
    may change from sample to sample, as it does on stairs. After the last sample the reference and
    the lever stay: the divergent component of motion comes to rest there.

    Attributes:
        dt: time from sample to sample, s.
        preview: number of preview samples during the walk; 1.6 s are enough for a humanoid.
        R: weight of the squared change of the jerk; that of the squared error is 1.
    """

    dt: float
    preview: int
    R: float = 1e-6

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not 0.0 < value < np.inf:
                raise ValueError(f"preview control: {name} must be above 0, not {value}")

    def follow(self, reference: FloatArray, response: CopResponse, begun: FloatArray) -> FloatArray:
        """The motion (n, 3, 2) of the centre of mass for which the CoP follows a reference (n, 2).

        Its three rows are position, velocity and acceleration.

        Args:
            reference: of the CoP, m.
            response: of the CoP.
            begun: resting position of the centre of mass at the first sample, (2,), m; or its
                motion at the sample before and at the first one, (2, 3, 2).

        Raises:
            ModelError: scipy is not installed.
        """
        rest = begun.ndim == 1
        first = np.stack([begun, *np.zeros((2, 2))]) if rest else begun[1]
        jerk = np.zeros(2) if rest else (begun[1, 2] - begun[0, 2]) / self.dt
        result = np.empty((len(reference), 3, 2))
        for k in range(2):
            share, lever = response.share[:, k], response.lever[:, k]
            spline = self._spline(reference[:, k], share, lever, first[:, k], float(jerk[k]))
            result[:, :, k] = self._motion(spline)
        result[0] = first
        return result

    def _spline(
        self, wanted: FloatArray, share: FloatArray, lever: FloatArray, first: FloatArray, u: float
    ) -> FloatArray:
        """Coefficients of the basis splines, beginning three before the first sample."""
        dt, n = self.dt, len(wanted)
        position, velocity, acceleration = first
        before = position - dt * velocity + dt**2 / 3.0 * acceleration
        here = position - dt**2 / 6.0 * acceleration
        after = position + dt * velocity + dt**2 / 3.0 * acceleration
        a = np.full(n + 3, after)
        a[:KNOWN_COEFFICIENTS] = after - 3.0 * here + 3.0 * before - dt**3 * u, before, here, after
        band = np.zeros((JERK_COEFFICIENTS, n + 3))  # normal equations: (i, i + d) at [d, i]
        right = np.zeros(n + 3)

        def wish(start: int, weights: FloatArray, targets: FloatArray) -> None:
            """Least squares of ``weights[k] . a[start + k:] - targets[k]``, one after the other."""
            count, wide = weights.shape
            parts = [a[start + p : start + p + count] for p in range(wide)]
            left = targets - sum(w * part for w, part in zip(weights.T, parts, strict=True))
            for p in range(wide):
                at = slice(start + p, start + p + count)
                right[at] += weights[:, p] * left
                for d in range(wide - p):
                    band[d, at] += weights[:, p] * weights[:, p + d]

        beside, middle = share / 6.0 - lever / dt**2, share / 1.5 + 2.0 * lever / dt**2
        wish(2, np.stack([beside, middle, beside], axis=1)[1:], wanted[1:])
        change = np.sqrt(self.R) / dt**3 * np.array([1.0, -4.0, 6.0, -4.0, 1.0])
        wish(0, np.tile(change, (n - 1, 1)), np.zeros(n - 1))
        rate = np.sqrt(max(share[-1], 1e-3) / lever[-1])  # of divergence, 1/s
        weight = np.sqrt(2.0 / (rate * dt))
        diverging = np.array([1 / 6.0 - 0.5 / (rate * dt), 1 / 1.5, 1 / 6.0 + 0.5 / (rate * dt)])
        wish(n, weight * diverging[None], weight * wanted[-1:] / max(share[-1], 1e-3))
        linalg = optional("scipy.linalg", "preview control", extra="control")
        a[KNOWN_COEFFICIENTS:] += linalg.solveh_banded(
            band[:, KNOWN_COEFFICIENTS:],
            right[KNOWN_COEFFICIENTS:],
            lower=True,
            overwrite_ab=True,
            check_finite=False,
        )
        return a

    def _motion(self, a: FloatArray) -> FloatArray:
        """Position, velocity, acceleration (n, 3), from coefficients of basis splines (n + 3)."""
        before, here, after = a[1:-2], a[2:-1], a[3:]
        return np.stack(
            [
                (before + 4.0 * here + after) / 6.0,
                (after - before) / (2.0 * self.dt),
                (before - 2.0 * here + after) / self.dt**2,
            ],
            axis=1,
        )
