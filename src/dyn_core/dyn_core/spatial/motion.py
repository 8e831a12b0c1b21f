"""Spatial motion and force vectors, linear part first.

Plücker coordinates at the origin of a frame (Featherstone 2008, chapter 2, with the two halves
exchanged: motion ``[v; w]``, force ``[f; n]``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dyn_core.spatial.scalar import Scalar
from dyn_core.spatial.vector3 import Vector3


class Force:
    """Force (N) and moment (N m) about the origin; or momentum (kg m/s, kg m^2/s)."""

    __slots__ = ("angular", "linear")

    def __init__(self, linear: Vector3, angular: Vector3) -> None:
        self.linear = linear
        self.angular = angular

    @classmethod
    def zero(cls) -> Force:
        """The zero force, exactly."""
        return cls(Vector3.zero(), Vector3.zero())

    def __iter__(self) -> Iterator[Scalar]:
        yield from self.linear
        yield from self.angular

    def __repr__(self) -> str:
        return f"Force({self.linear}, {self.angular})"

    def __add__(self, other: Force) -> Force:
        return Force(self.linear + other.linear, self.angular + other.angular)

    def __sub__(self, other: Force) -> Force:
        return Force(self.linear - other.linear, self.angular - other.angular)

    def __mul__(self, factor: Scalar) -> Force:
        return Force(self.linear * factor, self.angular * factor)


class Motion:
    """Velocity of the point at the origin (m/s) and angular velocity (rad/s); or acceleration."""

    __slots__ = ("angular", "linear")

    def __init__(self, linear: Vector3, angular: Vector3) -> None:
        self.linear = linear
        self.angular = angular

    @classmethod
    def zero(cls) -> Motion:
        """The zero motion, exactly."""
        return cls(Vector3.zero(), Vector3.zero())

    @classmethod
    def basis(cls, k: int) -> Motion:
        """Unit motion ``k``: 0 to 2 along, 3 to 5 about the axes x, y, z."""
        return cls.of([1.0 if i == k else 0.0 for i in range(6)])

    @classmethod
    def of(cls, entries: Sequence[Scalar]) -> Motion:
        """The motion of a sequence of six scalars, linear first."""
        return cls(Vector3.of(entries[:3]), Vector3.of(entries[3:]))

    def __iter__(self) -> Iterator[Scalar]:
        yield from self.linear
        yield from self.angular

    def __repr__(self) -> str:
        return f"Motion({self.linear}, {self.angular})"

    def __add__(self, other: Motion) -> Motion:
        return Motion(self.linear + other.linear, self.angular + other.angular)

    def __sub__(self, other: Motion) -> Motion:
        return Motion(self.linear - other.linear, self.angular - other.angular)

    def __mul__(self, factor: Scalar) -> Motion:
        return Motion(self.linear * factor, self.angular * factor)

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
