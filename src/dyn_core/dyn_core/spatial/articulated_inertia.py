# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Articulated-body inertia: a general symmetric 6x6 matrix from motions to forces."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dyn_core.spatial.immutable import immutable
from dyn_core.spatial.inertia import Inertia
from dyn_core.spatial.matrix3 import Matrix3, Symmetric3
from dyn_core.spatial.motion import Force, Motion, transposed
from dyn_core.spatial.scalars.functions import Scalar
from dyn_core.spatial.vector3 import Vector3


@immutable
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ArticulatedInertia:
    """Blocks of ``[f; n] = [[A, B], [B', D]] [v; w]`` (Featherstone 2008, section 7.1).

    ``linear`` = A (kg), ``coupling`` = B (kg m), ``angular`` = D (kg m^2).
    """

    linear: Symmetric3
    coupling: Matrix3
    angular: Symmetric3

    @classmethod
    def of_body(cls, inertia: Inertia) -> ArticulatedInertia:
        """The inertia of a rigid body as a general one."""
        return cls(
            Symmetric3.scalar(inertia.mass),
            Matrix3.skew(-inertia.first_moment),
            inertia.rotational,
        )

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(
            self.linear + other.linear,
            self.coupling + other.coupling,
            self.angular + other.angular,
        )

    def matrix(self) -> list[list[Scalar]]:
        """The 6x6 matrix from motions to forces, linear first."""
        return transposed([list(self.apply(Motion.basis(k))) for k in range(6)])

    def apply(self, motion: Motion) -> Force:
        """The force that gives the articulated body the acceleration ``motion``."""
        v, w = motion.linear, motion.angular
        return Force(
            self.linear.apply(v) + self.coupling.apply(w),
            self.coupling.apply_transpose(v) + self.angular.apply(w),
        )

    def minus_outer(self, left: Force, right: Force) -> ArticulatedInertia:
        """``self - left right'``, of which the caller knows that it is symmetric."""
        return ArticulatedInertia(
            _minus_outer_symmetric(self.linear, left.linear, right.linear),
            _minus_outer(self.coupling, left.linear, right.angular),
            _minus_outer_symmetric(self.angular, left.angular, right.angular),
        )

    def vanishing_along(self, S: Iterable[Motion]) -> ArticulatedInertia:
        """The same where motions along ``S`` are known to meet no force: ``self S = 0``.

        Rows and columns of coordinate axes that ``S`` contains are exact zeros then, whatever
        rounding has left of them.
        """
        gone = {axis for column in S if (axis := _coordinate_axis(column)) is not None}
        keep = [0.0 if k in gone else 1.0 for k in range(6)]
        v, w = keep[:3], keep[3:]
        coupling = [
            [b * v[i] * w[j] for j, b in enumerate(r)] for i, r in enumerate(self.coupling.rows)
        ]
        return ArticulatedInertia(
            _mask(self.linear, v), Matrix3.of(coupling), _mask(self.angular, w)
        )


def _coordinate_axis(motion: Motion) -> int | None:
    """Which coordinate axis (0 to 5) the motion is along, if along one exactly."""
    nonzero = [k for k, x in enumerate(motion) if not (isinstance(x, float) and x == 0.0)]
    along_one = len(nonzero) == 1 and isinstance(tuple(motion)[nonzero[0]], float)
    return nonzero[0] if along_one else None


def _mask(s: Symmetric3, keep: list[float]) -> Symmetric3:
    x, y, z = keep
    return Symmetric3(s.xx * x, s.xy * x * y, s.yy * y, s.xz * x * z, s.yz * y * z, s.zz * z)


def _minus_outer(matrix: Matrix3, left: Vector3, right: Vector3) -> Matrix3:
    r0, r1, r2 = matrix.rows
    return Matrix3(r0 - right * left.x, r1 - right * left.y, r2 - right * left.z)


def _minus_outer_symmetric(s: Symmetric3, left: Vector3, right: Vector3) -> Symmetric3:
    entry: Scalar = _minus_outer(s.full(), left, right).rows
    return Symmetric3(entry[0].x, entry[0].y, entry[1].y, entry[0].z, entry[1].z, entry[2].z)
