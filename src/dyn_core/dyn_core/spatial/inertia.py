# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Spatial inertia of a rigid body."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dyn_core.spatial.immutable import immutable
from dyn_core.spatial.matrix3 import Symmetric3
from dyn_core.spatial.motion import Force, Motion, transposed
from dyn_core.spatial.scalars.functions import Scalar
from dyn_core.spatial.vector3 import Vector3


@immutable
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Inertia:
    """The ten inertial parameters of a body at the origin of its frame.

    ``mass`` (kg), ``first_moment`` = mass times centre of mass (kg m) and ``rotational`` = inertia
    about the *origin* (kg m^2). The dynamics are linear in these ten (Featherstone 2008, eq. 2.63).
    """

    mass: Scalar
    first_moment: Vector3
    rotational: Symmetric3

    @classmethod
    def zero(cls) -> Inertia:
        """No body at all."""
        return cls(0.0, Vector3.zero(), Symmetric3.zero())

    @classmethod
    def from_com(
        cls,
        mass: Scalar,
        com: Iterable[Scalar],
        at_com: Symmetric3 | Iterable[Scalar] = (0.0,) * 6,
    ) -> Inertia:
        """The inertia of ``mass`` at ``com`` with the inertia ``at_com`` about it (kg m^2).

        ``at_com`` is xx, xy, yy, xz, yz, zz in the axes of the body frame (parallel axis theorem);
        without it, a point mass.
        """
        center = Vector3(*com)
        about = at_com if isinstance(at_com, Symmetric3) else Symmetric3(*at_com)
        steiner = Symmetric3.minus_skew_squared(center) * mass
        return cls(mass, center * mass, about + steiner)

    @classmethod
    def from_parameters(cls, parameters: Sequence[Scalar]) -> Inertia:
        """The body of the ten :attr:`parameters`."""
        m, x, y, z, *rotational = parameters
        return cls(m, Vector3(x, y, z), Symmetric3(*rotational))

    @classmethod
    def from_pseudo_inertia(cls, matrix: Sequence[Sequence[Scalar]]) -> Inertia:
        """The body of a 4x4 :meth:`pseudo_inertia` matrix."""
        (xx, xy, xz, x), (_, yy, yz, y), (_, _, zz, z), (*_, m) = matrix
        rotational = Symmetric3(yy + zz, -xy, xx + zz, -xz, -yz, xx + yy)
        return cls(m, Vector3(x, y, z), rotational)

    @classmethod
    def from_matrix(cls, matrix: Sequence[Sequence[Scalar]]) -> Inertia:
        """The body of a 6x6 :meth:`matrix`, of which the needed entries are read."""
        x, y, z = matrix[3:]
        first_moment = Vector3(z[1], x[2], y[0])
        rotational = Symmetric3(x[3], x[4], y[4], x[5], y[5], z[5])
        return cls(matrix[0][0], first_moment, rotational)

    def plain(self) -> Inertia:
        """The same with every number a Python float, whatever kind of number it was."""
        return self.from_parameters([float(x) for x in self.parameters])

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

    @property
    def second_moment(self) -> Symmetric3:
        """``S``, the sum of ``m r r'`` over the body's points (kg m^2): half its trace less I."""
        xx, xy, yy, xz, yz, zz = self.rotational.entries
        half = 0.5 * (xx + yy + zz)
        return Symmetric3(half - xx, -xy, half - yy, -xz, -yz, half - zz)

    def pseudo_inertia(self) -> list[list[Scalar]]:
        """The 4x4 matrix ``[[S, m c], [m c', m]]`` with the second moments S of the mass.

        A body can exist if and only if it is positive definite (Wensing, Kim and Slotine 2018).
        """
        rows = zip(self.second_moment.rows, self.first_moment, strict=True)
        return [[*row, h] for row, h in rows] + [[*self.first_moment, self.mass]]

    def matrix(self) -> list[list[Scalar]]:
        """The 6x6 matrix from motions to forces, linear first (Featherstone 2008, eq. 2.63)."""
        return transposed([list(self.apply(Motion.basis(k))) for k in range(6)])

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
