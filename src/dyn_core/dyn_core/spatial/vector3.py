# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Vectors of three scalars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dyn_core.spatial.immutable import immutable
from dyn_core.spatial.scalars.functions import Scalar


@immutable
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Vector3:
    """A vector of Euclidean space in the coordinates of some frame.

    The entries are floats or symbolic scalars; which frame and unit they have is the caller's.
    """

    x: Scalar
    y: Scalar
    z: Scalar

    @classmethod
    def zero(cls) -> Vector3:
        """The zero vector, exactly."""
        return _ZERO

    @classmethod
    def of(cls, entries: Sequence[Scalar]) -> Vector3:
        """The vector of a sequence of three scalars."""
        x, y, z = entries
        return cls(x, y, z)

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.x, self.y, self.z))

    def __repr__(self) -> str:
        return f"Vector3({self.x}, {self.y}, {self.z})"

    def __add__(self, other: Vector3) -> Vector3:
        return Vector3(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Vector3) -> Vector3:
        return Vector3(self.x - other.x, self.y - other.y, self.z - other.z)

    def __neg__(self) -> Vector3:
        return Vector3(-self.x, -self.y, -self.z)

    def __mul__(self, factor: Scalar) -> Vector3:
        return Vector3(self.x * factor, self.y * factor, self.z * factor)

    __rmul__ = __mul__

    def dot(self, other: Vector3) -> Scalar:
        """Inner product."""
        return self.x * other.x + self.y * other.y + self.z * other.z

    def cross(self, other: Vector3) -> Vector3:
        """Cross product ``self x other``."""
        return Vector3(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )


_ZERO = Vector3(0.0, 0.0, 0.0)
