# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The contract of a configuration space.

A configuration space is a Lie group with coordinates ``q`` (nq numbers); its tangent space has nv
numbers and is seen from the body (right-trivialized derivatives, as in Sola, Deray and Atchuthan
2018). All methods are generic over the scalar.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import TypeAlias

from dyn_core.spatial.immutable import Immutable
from dyn_core.spatial.scalars import Rows, Scalar, dot
from dyn_core.spatial.scalars.dual_numbers import derivative_along

Vector: TypeAlias = Sequence[Scalar]
Coordinates: TypeAlias = tuple[Scalar, ...]
"""A matrix as a list of its rows."""


class Space(Immutable):
    """A configuration space."""

    nq: int
    """Number of coordinates of a configuration."""
    nv: int
    """Number of coordinates of a tangent vector."""
    flat: bool = False
    """Whether configurations add like vectors."""
    isometric: bool = True
    """Whether a velocity is as long in the frame of neutral as in the frame of ``q``."""

    @abstractmethod
    def neutral(self) -> tuple[float, ...]:
        """The identity of the group."""

    @abstractmethod
    def integrate(self, q: Vector, dv: Vector) -> Coordinates:
        """``q (+) dv``: where the constant velocity ``dv`` leads from ``q`` in unit time."""

    @abstractmethod
    def difference(self, q0: Vector, q1: Vector) -> Coordinates:
        """``q1 (-) q0``: the velocity that leads from ``q0`` to ``q1`` in unit time."""

    @abstractmethod
    def inverse(self, q: Vector) -> Coordinates:
        """The group inverse of a configuration."""

    @abstractmethod
    def adjoint(self, q: Vector) -> Rows:
        """Matrix (nv, nv) that takes a velocity in the frame of ``q`` to the frame of neutral."""

    @abstractmethod
    def jexp(self, dv: Vector) -> Rows:
        """Right Jacobian (nv, nv) of ``neutral (+) dv``."""

    @abstractmethod
    def jlog(self, dv: Vector) -> Rows:
        """The inverse of ``jexp(dv)``."""

    def d_integrate(self, q: Vector, dv: Vector) -> tuple[Rows, Rows]:
        """Jacobians (nv, nv) of ``q (+) dv`` by ``q`` and by ``dv``."""
        return self._back(dv), self.jexp(dv)

    def d_difference(self, q0: Vector, q1: Vector) -> tuple[Rows, Rows]:
        """Jacobians (nv, nv) of ``q1 (-) q0`` by ``q0`` and by ``q1``."""
        dv = self.difference(q0, q1)
        by_q1 = self.jlog(dv)
        by_q0 = [[-x for x in row] for row in multiply(by_q1, self._back(dv))]
        return by_q0, by_q1

    def rate(self, q: Vector, v: Vector) -> Coordinates:
        """Time derivative of the coordinates (nq) at the velocity ``v``.

        By dual numbers; spaces with a closed form override it.
        """
        rest = [0.0] * self.nv
        return tuple(derivative_along(lambda step: self.integrate(q, step), rest, v))

    def _back(self, dv: Vector) -> Rows:
        """Takes a velocity at ``q`` to the frame of ``q (+) dv``."""
        return self.adjoint(self.inverse(self.integrate(self.neutral(), dv)))

    def normalize(self, q: Sequence[float]) -> tuple[float, ...]:
        """``q`` moved back onto the manifold; flat coordinates are on it always.

        Raises:
            ValueError: nothing on the manifold is nearest to ``q``.
        """
        return tuple(q)

    def is_normalized(self, q: Sequence[float], tolerance: float) -> bool:
        """Whether ``q`` is on the manifold."""
        return True

    @abstractmethod
    def random(
        self, uniform: Sequence[float], lower: Sequence[float], upper: Sequence[float]
    ) -> tuple[float, ...]:
        """A configuration from nq numbers that are uniform in [0, 1).

        Flat coordinates lie within the limits; bounded groups are covered uniformly.
        """


def unit(q: Sequence[float]) -> tuple[float, ...]:
    """``q`` scaled to unit length, however long or short it is.

    Raises:
        ValueError: it is zero or not finite.
    """
    if not any(q) or not all(map(math.isfinite, q)):
        raise ValueError(f"({', '.join(map(str, q))}) has no direction")
    exponent = max(math.frexp(x)[1] for x in q if x)  # by a power of two, so without rounding
    scaled = [math.ldexp(x, -exponent) for x in q]
    length = math.hypot(*scaled)
    return tuple(x / length for x in scaled)


def identity(n: int, scale: float = 1.0) -> Rows:
    """``scale`` times the identity matrix."""
    return [[scale if i == j else 0.0 for j in range(n)] for i in range(n)]


def multiply(a: Rows, b: Rows) -> Rows:
    """The matrix product ``a b``."""
    columns = list(zip(*b, strict=True))
    return [[dot(row, column) for column in columns] for row in a]
