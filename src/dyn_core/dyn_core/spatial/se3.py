# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Placements: rigid transforms between frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dyn_core.spatial.articulated_inertia import ArticulatedInertia
from dyn_core.spatial.immutable import immutable
from dyn_core.spatial.inertia import Inertia
from dyn_core.spatial.inertia_rate import InertiaRate
from dyn_core.spatial.matrix3 import Matrix3, Symmetric3
from dyn_core.spatial.motion import Force, Motion, transposed
from dyn_core.spatial.scalars.functions import Scalar
from dyn_core.spatial.vector3 import Vector3


@immutable
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SE3:
    """Placement of a frame B in a frame A (``aMb``): rotation and translation (m).

    ``act`` takes coordinates in B to coordinates in A, ``act_inv`` the other way
    (Featherstone 2008, section 2.8, with linear parts first).
    """

    rotation: Matrix3
    translation: Vector3

    @classmethod
    def identity(cls) -> SE3:
        """The identity, exactly."""
        return _IDENTITY

    def __repr__(self) -> str:
        return f"SE3({self.rotation}, {self.translation})"

    def __mul__(self, other: SE3) -> SE3:
        return SE3(
            self.rotation @ other.rotation,
            self.translation + self.rotation.apply(other.translation),
        )

    def plain(self) -> SE3:
        """The same with every number a Python float, whatever kind of number it was."""
        return SE3.from_homogeneous([[float(x) for x in row] for row in self.homogeneous()])

    def inverse(self) -> SE3:
        """The placement of A in B."""
        back = self.rotation.transpose()
        return SE3(back, -back.apply(self.translation))

    @classmethod
    def from_homogeneous(cls, matrix: Sequence[Sequence[Scalar]]) -> SE3:
        """The placement of a 4x4 (or 3x4) homogeneous matrix, which is taken at its word."""
        rows = [list(row) for row in matrix][:3]
        return cls(Matrix3.of([row[:3] for row in rows]), Vector3.of([row[3] for row in rows]))

    def homogeneous(self) -> list[list[Scalar]]:
        """The 4x4 matrix that maps homogeneous points of B to A."""
        rows = zip(self.rotation.rows, self.translation, strict=True)
        return [[*row, p] for row, p in rows] + [[0.0, 0.0, 0.0, 1.0]]

    def action(self) -> list[list[Scalar]]:
        """The 6x6 matrix of :meth:`act_motion`, linear first."""
        return transposed([list(self.act_motion(Motion.basis(k))) for k in range(6)])

    def dual_action(self) -> list[list[Scalar]]:
        """The 6x6 matrix of :meth:`act_force`: the inverse transpose of :meth:`action`."""
        return transposed([list(self.act_force(Force.basis(k))) for k in range(6)])

    def act_point(self, point: Vector3) -> Vector3:
        """A point (m) of B in A."""
        return self.translation + self.rotation.apply(point)

    def act_motion(self, motion: Motion) -> Motion:
        """A motion of B in A."""
        angular = self.rotation.apply(motion.angular)
        linear = self.rotation.apply(motion.linear) + self.translation.cross(angular)
        return Motion(linear, angular)

    def act_inv_motion(self, motion: Motion) -> Motion:
        """A motion of A in B."""
        linear = motion.linear + motion.angular.cross(self.translation)
        rotation = self.rotation
        return Motion(rotation.apply_transpose(linear), rotation.apply_transpose(motion.angular))

    def act_force(self, force: Force) -> Force:
        """A force of B in A."""
        linear = self.rotation.apply(force.linear)
        angular = self.rotation.apply(force.angular) + self.translation.cross(linear)
        return Force(linear, angular)

    def act_inv_force(self, force: Force) -> Force:
        """A force of A in B."""
        moment = force.angular - self.translation.cross(force.linear)
        rotation = self.rotation
        return Force(rotation.apply_transpose(force.linear), rotation.apply_transpose(moment))

    def act_inv_point(self, point: Vector3) -> Vector3:
        """A point (m) of A in B."""
        return self.rotation.apply_transpose(point - self.translation)

    def act_inv_inertia(self, inertia: Inertia) -> Inertia:
        """A body's inertia of A in B."""
        return self.inverse().act_inertia(inertia)

    def act_inertia(self, inertia: Inertia) -> Inertia:
        """A body's inertia of B in A.

        With ``h = R h_b`` the inertia about A's origin is
        ``R I_b R' - [p]x [h]x - [h]x [p]x - m [p]x [p]x`` (eq. 2.66).
        """
        h = self.rotation.apply(inertia.first_moment)
        p, m = self.translation, inertia.mass
        shift = h + p * (0.5 * m)
        rotational = inertia.rotational.rotate(self.rotation) + _symmetric_skews(p, shift)
        return Inertia(m, h + p * m, rotational)

    def act_inertia_rate(self, rate: InertiaRate) -> InertiaRate:
        """The inertia rate of bodies of B, in A, if B does not move in A."""
        return rate.moved(self.rotation, self.translation)

    def act_articulated(self, inertia: ArticulatedInertia) -> ArticulatedInertia:
        """An articulated inertia of B in A (section 7.1).

        Rotated blocks A, B, D; moved by p they are A, ``B - A [p]x`` and
        ``D + [p]x B - B' [p]x - [p]x A [p]x``.
        """
        rotation, p = self.rotation, self.translation
        a = inertia.linear.rotate(rotation)
        b = rotation @ inertia.coupling @ rotation.transpose()
        d = inertia.angular.rotate(rotation)
        columns_b = b.columns
        moved = Matrix3(*(row - r.cross(p) for row, r in zip(b.rows, a.rows, strict=True)))
        # [p]x (B - A[p]x) - (B' [p]x): the sum is symmetric, its upper triangle is enough
        left = [p.cross(column) for column in moved.columns]
        right = [column.cross(p) for column in columns_b]
        extra = [[tuple(left[j])[i] - tuple(right[i])[j] for j in range(3)] for i in range(3)]
        return ArticulatedInertia(a, moved, d + Symmetric3.of(extra))


_IDENTITY = SE3(Matrix3.identity(), Vector3.zero())


def _symmetric_skews(p: Vector3, h: Vector3) -> Symmetric3:
    """``-[p]x [h]x - [h]x [p]x``."""
    x, y, z = p.x * h.x, p.y * h.y, p.z * h.z
    return Symmetric3(
        2.0 * (y + z),
        -(p.x * h.y + p.y * h.x),
        2.0 * (x + z),
        -(p.x * h.z + p.z * h.x),
        -(p.y * h.z + p.z * h.y),
        2.0 * (x + y),
    )
