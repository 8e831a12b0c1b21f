"""Spatial inertia of a rigid body."""

from __future__ import annotations

from dyn_core.spatial.matrix3 import Symmetric3
from dyn_core.spatial.motion import Force, Motion
from dyn_core.spatial.scalar import Scalar
from dyn_core.spatial.vector3 import Vector3


class Inertia:
    """The ten inertial parameters of a body at the origin of its frame.

    ``mass`` (kg), ``first_moment`` = mass times centre of mass (kg m) and ``rotational`` = inertia
    about the *origin* (kg m^2). The dynamics are linear in these ten (Featherstone 2008, eq. 2.63).
    """

    __slots__ = ("first_moment", "mass", "rotational")

    def __init__(self, mass: Scalar, first_moment: Vector3, rotational: Symmetric3) -> None:
        self.mass = mass
        self.first_moment = first_moment
        self.rotational = rotational

    @classmethod
    def zero(cls) -> Inertia:
        """No body at all."""
        return cls(0.0, Vector3.zero(), Symmetric3.zero())

    @classmethod
    def from_com(cls, mass: Scalar, com: Vector3, at_com: Symmetric3) -> Inertia:
        """The inertia of ``mass`` at ``com`` with the inertia ``at_com`` about it (kg m^2).

        ``at_com`` has the axes of the body frame (parallel axis theorem).
        """
        steiner = Symmetric3.minus_skew_squared(com) * mass
        return cls(mass, com * mass, at_com + steiner)

    @property
    def com(self) -> Vector3:
        """Centre of mass (m); the origin for a massless body."""
        massless = isinstance(self.mass, float) and self.mass == 0.0
        return Vector3.zero() if massless else self.first_moment * (1.0 / self.mass)

    @property
    def at_com(self) -> Symmetric3:
        """Inertia about the centre of mass (kg m^2)."""
        at_com: Symmetric3 = self.rotational - Symmetric3.minus_skew_squared(self.com) * self.mass
        return at_com

    @property
    def parameters(self) -> tuple[Scalar, ...]:
        """``(m, mcx, mcy, mcz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz)``, inertia about the origin."""
        return (self.mass, *self.first_moment, *self.rotational.entries)

    def __repr__(self) -> str:
        return f"Inertia(mass={self.mass}, com={self.com}, at_com={self.at_com})"

    def __add__(self, other: Inertia) -> Inertia:
        return Inertia(
            self.mass + other.mass,
            self.first_moment + other.first_moment,
            self.rotational + other.rotational,
        )

    def apply(self, motion: Motion) -> Force:
        """Momentum of a velocity, or force of an acceleration: ``I motion``."""
        v, w, h = motion.linear, motion.angular, self.first_moment
        return Force(v * self.mass - h.cross(w), self.rotational.apply(w) + h.cross(v))
