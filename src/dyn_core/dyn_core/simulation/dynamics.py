"""The accelerations of a robot under efforts that depend on its state, and their derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dyn_core.algorithms.aba import aba
from dyn_core.algorithms.aba_derivatives import aba_derivatives
from dyn_core.algorithms.integrate import d_difference, difference
from dyn_core.model.model import FloatArray, Model


class Efforts(Protocol):
    """Efforts at the joints that follow from the state, such as springs or a controller."""

    def __call__(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """The efforts (nv)."""

    def derivatives(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Their derivatives (nv, nv) by q, along velocity coordinates, and by v."""


class SpringDamper:
    """Springs and dampers at the joints: ``tau = -K (q (-) rest) - D v``.

    Args:
        model: the robot.
        stiffness: of each coordinate (nv), N m/rad or N/m.
        damping: of each coordinate (nv), N m s/rad or N s/m.
        rest: the configuration (nq) in which no spring pulls, by default neutral.

    Raises:
        ValueError: an array has the wrong size, or a negative or infinite number.
    """

    def __init__(
        self,
        model: Model,
        stiffness: FloatArray,
        damping: FloatArray,
        rest: FloatArray | None = None,
    ) -> None:
        for name, array in (("stiffness", stiffness), ("damping", damping)):
            if array.shape != (model.nv,):
                raise ValueError(f"{name} must have shape ({model.nv},), not {array.shape}")
            if not (np.isfinite(array).all() and (array >= 0.0).all()):
                raise ValueError(f"{name} must be finite and not negative")
        self.model, self.stiffness, self.damping = model, stiffness, damping
        self.rest = np.array(model.space.neutral()) if rest is None else rest

    def __call__(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """The efforts (nv)."""
        efforts: FloatArray = (
            -self.stiffness * difference(self.model, self.rest, q) - self.damping * v
        )
        return efforts

    def derivatives(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Derivatives (nv, nv) of the efforts by q and by v."""
        _, by_q = d_difference(self.model, self.rest, q)
        return -self.stiffness[:, None] * by_q, -np.diag(self.damping)


@dataclass(frozen=True)
class Dynamics:
    """The acceleration ``aba(q, v, efforts(q, v))`` of a robot; without efforts it moves freely."""

    model: Model
    efforts: Efforts | None = None

    def __call__(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """The acceleration (nv)."""
        acceleration: FloatArray = aba(self.model, q, v, self.tau(q, v))
        return acceleration

    def tau(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """The efforts (nv)."""
        return np.zeros(self.model.nv) if self.efforts is None else self.efforts(q, v)

    def derivatives(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Derivatives (nv, nv) of the acceleration by q, along velocity coordinates, and by v."""
        by_q, by_v, by_tau = aba_derivatives(self.model, q, v, self.tau(q, v))
        if self.efforts is not None:
            tau_by_q, tau_by_v = self.efforts.derivatives(q, v)
            by_q, by_v = by_q + by_tau @ tau_by_q, by_v + by_tau @ tau_by_v
        return by_q, by_v
