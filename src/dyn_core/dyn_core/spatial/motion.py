# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Spatial motion and force vectors, linear part first.

Plücker coordinates at the origin of a frame (Featherstone 2008, chapter 2, with the two halves
exchanged: motion ``[v; w]``, force ``[f; n]``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dyn_core.spatial.immutable import immutable
from dyn_core.spatial.scalars.functions import Scalar
from dyn_core.spatial.vector3 import Vector3

if TYPE_CHECKING:
    from typing_extensions import Self


@immutable
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Spatial:
    """Six coordinates with a linear and an angular part; motions and forces are never mixed."""

    linear: Vector3
    angular: Vector3

    @classmethod
    def zero(cls) -> Self:
        """The zero vector, exactly."""
        return cls(Vector3.zero(), Vector3.zero())

    @classmethod
    def basis(cls, k: int) -> Self:
        """Unit vector ``k``: 0 to 2 linear, 3 to 5 angular, along or about x, y, z."""
        return cls.of([1.0 if i == k else 0.0 for i in range(6)])

    @classmethod
    def of(cls, entries: Sequence[Scalar]) -> Self:
        """The vector of a sequence of six scalars, linear first."""
        return cls(Vector3.of(entries[:3]), Vector3.of(entries[3:]))

    def __iter__(self) -> Iterator[Scalar]:
        yield from self.linear
        yield from self.angular

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.linear}, {self.angular})"

    def __add__(self, other: Self) -> Self:
        return type(self)(self.linear + other.linear, self.angular + other.angular)

    def __sub__(self, other: Self) -> Self:
        return type(self)(self.linear - other.linear, self.angular - other.angular)

    def __neg__(self) -> Self:
        return type(self)(-self.linear, -self.angular)

    def __mul__(self, factor: Scalar) -> Self:
        return type(self)(self.linear * factor, self.angular * factor)

    __rmul__ = __mul__


class Force(Spatial):
    """Force (N) and moment (N m) about the origin; or momentum (kg m/s, kg m^2/s)."""

    __slots__ = ()


class Motion(Spatial):
    """Velocity of the point at the origin (m/s) and angular velocity (rad/s); or acceleration."""

    __slots__ = ()

    def dot(self, force: Force) -> Scalar:
        """Power (W) of ``force`` on this motion."""
        return self.linear.dot(force.linear) + self.angular.dot(force.angular)

    def cross(self, other: Motion) -> Motion:
        """``self x other``: the rate of ``other`` carried along by ``self`` (section 2.9)."""
        return Motion(
            self.angular.cross(other.linear) + self.linear.cross(other.angular),
            self.angular.cross(other.angular),
        )

    def cross_force(self, force: Force) -> Force:
        """``self x* force``: the rate of ``force`` carried along by ``self`` (section 2.9)."""
        return Force(
            self.angular.cross(force.linear),
            self.angular.cross(force.angular) + self.linear.cross(force.linear),
        )

    def cross_matrix(self) -> list[list[Scalar]]:
        """The 6x6 matrix of ``self x``."""
        return transposed([list(self.cross(Motion.basis(k))) for k in range(6)])

    def cross_force_matrix(self) -> list[list[Scalar]]:
        """The 6x6 matrix of ``self x*``: minus the transpose of :meth:`cross_matrix`."""
        return transposed([list(self.cross_force(Force.basis(k))) for k in range(6)])


def transposed(columns: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    """The rows of a matrix given by its columns."""
    return [list(row) for row in zip(*columns, strict=True)]
