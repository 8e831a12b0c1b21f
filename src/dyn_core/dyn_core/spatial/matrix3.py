# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Matrices of three by three scalars: general and symmetric."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dyn_core.spatial.immutable import immutable
from dyn_core.spatial.scalars.functions import Scalar
from dyn_core.spatial.vector3 import Vector3


@immutable
@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class Matrix3:
    """A 3x3 matrix, kept as its three rows."""

    rows: tuple[Vector3, Vector3, Vector3]

    def __init__(self, row0: Vector3, row1: Vector3, row2: Vector3) -> None:
        object.__setattr__(self, "rows", (row0, row1, row2))

    @classmethod
    def of(cls, rows: Sequence[Sequence[Scalar]]) -> Matrix3:
        """The matrix of three rows of three scalars."""
        row0, row1, row2 = (Vector3.of(row) for row in rows)
        return cls(row0, row1, row2)

    @classmethod
    def identity(cls) -> Matrix3:
        """The identity, exactly."""
        return _IDENTITY

    @classmethod
    def zero(cls) -> Matrix3:
        """The zero matrix, exactly."""
        return _ZERO

    @classmethod
    def skew(cls, v: Vector3) -> Matrix3:
        """The matrix ``[v]x`` with ``[v]x w = v x w``."""
        return cls(Vector3(0.0, -v.z, v.y), Vector3(v.z, 0.0, -v.x), Vector3(-v.y, v.x, 0.0))

    @classmethod
    def axis_angle(cls, axis: Vector3, cosine: Scalar, sine: Scalar) -> Matrix3:
        """The rotation about the unit vector ``axis`` by the angle of ``cosine`` and ``sine``.

        Rodrigues' formula ``u u' + c (1 - u u') + s [u]x``, in the form in which the exact zeros
        and ones of a coordinate axis survive (Featherstone 2008, section 2.8).
        """
        u = tuple(axis)
        skew = cls.skew(axis)
        return cls.of(
            [
                [
                    u[i] * u[j]
                    + cosine * ((1.0 if i == j else 0.0) - u[i] * u[j])
                    + sine * tuple(skew.rows[i])[j]
                    for j in range(3)
                ]
                for i in range(3)
            ]
        )

    @classmethod
    def of_z_axis(cls, z: Vector3) -> Matrix3:
        """The shortest rotation that takes the z axis to the unit vector ``z`` of floats.

        To -z it is one about x.
        """
        sine = math.hypot(z.x, z.y)
        axis = Vector3(-z.y / sine, z.x / sine, 0.0) if sine > 1e-9 else Vector3(1.0, 0.0, 0.0)
        return cls.axis_angle(axis, z.z, sine)

    @classmethod
    def quaternion(cls, x: Scalar, y: Scalar, z: Scalar, w: Scalar) -> Matrix3:
        """The rotation of the unit quaternion ``(x, y, z, w)``."""
        return cls(
            Vector3(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)),
            Vector3(2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)),
            Vector3(2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)),
        )

    def __repr__(self) -> str:
        return f"Matrix3{self.rows}"

    @property
    def columns(self) -> tuple[Vector3, Vector3, Vector3]:
        """The three columns."""
        r0, r1, r2 = self.rows
        return Vector3(r0.x, r1.x, r2.x), Vector3(r0.y, r1.y, r2.y), Vector3(r0.z, r1.z, r2.z)

    def transpose(self) -> Matrix3:
        """The transpose; of a rotation, the inverse."""
        return Matrix3(*self.columns)

    def __add__(self, other: Matrix3) -> Matrix3:
        (a0, a1, a2), (b0, b1, b2) = self.rows, other.rows
        return Matrix3(a0 + b0, a1 + b1, a2 + b2)

    def __sub__(self, other: Matrix3) -> Matrix3:
        (a0, a1, a2), (b0, b1, b2) = self.rows, other.rows
        return Matrix3(a0 - b0, a1 - b1, a2 - b2)

    def __mul__(self, factor: Scalar) -> Matrix3:
        r0, r1, r2 = self.rows
        return Matrix3(r0 * factor, r1 * factor, r2 * factor)

    def __matmul__(self, other: Matrix3) -> Matrix3:
        r0, r1, r2 = self.rows
        by = other.apply_transpose  # a row of the product is that row times the other
        return Matrix3(by(r0), by(r1), by(r2))

    def apply(self, v: Vector3) -> Vector3:
        """The product ``self v``."""
        r0, r1, r2 = self.rows
        return Vector3(r0.dot(v), r1.dot(v), r2.dot(v))

    def apply_transpose(self, v: Vector3) -> Vector3:
        """The product ``self' v``; of a rotation, its inverse applied to ``v``."""
        r0, r1, r2 = self.rows
        return Vector3(
            r0.x * v.x + r1.x * v.y + r2.x * v.z,
            r0.y * v.x + r1.y * v.y + r2.y * v.z,
            r0.z * v.x + r1.z * v.y + r2.z * v.z,
        )


@immutable
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Symmetric3:
    """A symmetric 3x3 matrix by its six independent entries."""

    xx: Scalar
    xy: Scalar
    yy: Scalar
    xz: Scalar
    yz: Scalar
    zz: Scalar

    @classmethod
    def zero(cls) -> Symmetric3:
        """The zero matrix, exactly."""
        return cls(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    @classmethod
    def of(cls, rows: Sequence[Sequence[Scalar]]) -> Symmetric3:
        """From three rows of three entries, of which the upper triangle counts."""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = rows
        return cls(xx, xy, yy, xz, yz, zz)

    @classmethod
    def scalar(cls, s: Scalar) -> Symmetric3:
        """``s`` times the identity."""
        return cls(s, 0.0, s, 0.0, 0.0, s)

    @classmethod
    def outer(cls, v: Vector3) -> Symmetric3:
        """``v v'``."""
        return cls(v.x * v.x, v.x * v.y, v.y * v.y, v.x * v.z, v.y * v.z, v.z * v.z)

    @classmethod
    def minus_skew_squared(cls, v: Vector3) -> Symmetric3:
        """``-[v]x [v]x = (v'v) 1 - v v'``: the inertia about the origin of a unit mass at v."""
        xx, yy, zz = v.x * v.x, v.y * v.y, v.z * v.z
        return cls(yy + zz, -(v.x * v.y), xx + zz, -(v.x * v.z), -(v.y * v.z), xx + yy)

    @property
    def entries(self) -> tuple[Scalar, ...]:
        """``(xx, xy, yy, xz, yz, zz)``, the constructor's order."""
        return self.xx, self.xy, self.yy, self.xz, self.yz, self.zz

    @property
    def rows(self) -> tuple[Vector3, Vector3, Vector3]:
        """The three rows, which are the three columns too."""
        return (
            Vector3(self.xx, self.xy, self.xz),
            Vector3(self.xy, self.yy, self.yz),
            Vector3(self.xz, self.yz, self.zz),
        )

    def __repr__(self) -> str:
        return f"Symmetric3{self.entries}"

    def __add__(self, other: Symmetric3) -> Symmetric3:
        return Symmetric3(
            self.xx + other.xx, self.xy + other.xy, self.yy + other.yy,
            self.xz + other.xz, self.yz + other.yz, self.zz + other.zz,
        )  # fmt: skip

    def __sub__(self, other: Symmetric3) -> Symmetric3:
        return Symmetric3(
            self.xx - other.xx, self.xy - other.xy, self.yy - other.yy,
            self.xz - other.xz, self.yz - other.yz, self.zz - other.zz,
        )  # fmt: skip

    def __mul__(self, factor: Scalar) -> Symmetric3:
        return Symmetric3(*[a * factor for a in self.entries])

    def apply(self, v: Vector3) -> Vector3:
        """The product ``self v``."""
        x, y, z = v.x, v.y, v.z
        return Vector3(
            self.xx * x + self.xy * y + self.xz * z,
            self.xy * x + self.yy * y + self.yz * z,
            self.xz * x + self.yz * y + self.zz * z,
        )

    def full(self) -> Matrix3:
        """The same matrix as a :class:`Matrix3`."""
        return Matrix3(*self.rows)

    def rotate(self, rotation: Matrix3) -> Symmetric3:
        """``R self R'``: the same tensor in the frame that ``rotation`` maps to."""
        r = rotation.rows
        h = [self.apply(row) for row in r]
        return Symmetric3(
            h[0].dot(r[0]), h[0].dot(r[1]), h[1].dot(r[1]),
            h[0].dot(r[2]), h[1].dot(r[2]), h[2].dot(r[2]),
        )  # fmt: skip


_IDENTITY = Matrix3(Vector3(1.0, 0.0, 0.0), Vector3(0.0, 1.0, 0.0), Vector3(0.0, 0.0, 1.0))
_ZERO = Matrix3(Vector3.zero(), Vector3.zero(), Vector3.zero())
