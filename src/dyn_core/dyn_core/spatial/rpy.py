# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Roll, pitch and yaw: angles (rad) about the fixed axes x, y and z, one after the other."""

from __future__ import annotations

from dyn_core.spatial.matrix3 import Matrix3
from dyn_core.spatial.scalars import Scalar, arctan2, cos, sin, sqrt
from dyn_core.spatial.vector3 import Vector3


def to_matrix(roll: Scalar, pitch: Scalar, yaw: Scalar) -> Matrix3:
    """The rotation ``Rz(yaw) Ry(pitch) Rx(roll)``."""
    pairs = zip(Matrix3.identity().rows, (roll, pitch, yaw), strict=True)
    x, y, z = (Matrix3.axis_angle(axis, cos(angle), sin(angle)) for axis, angle in pairs)
    return z @ y @ x


def of_matrix(rotation: Matrix3) -> Vector3:
    """Angles of a rotation, the pitch within [-pi/2, pi/2].

    At either end roll and yaw turn about one axis: only their sum or difference is determined.
    """
    (a, _, _), (b, _, _), (c, d, e) = rotation.rows
    return Vector3(arctan2(d, e), arctan2(-c, sqrt(a * a + b * b)), arctan2(b, a))


def jacobian(roll: Scalar, pitch: Scalar, yaw: Scalar) -> Matrix3:
    """``J`` with ``J (rates of roll, pitch, yaw)`` the angular velocity in the fixed axes.

    At a pitch of a right angle it is singular.
    """
    cy, sy, cp = cos(yaw), sin(yaw), cos(pitch)
    return Matrix3(
        Vector3(cy * cp, -sy, 0.0), Vector3(sy * cp, cy, 0.0), Vector3(-sin(pitch), 0.0, 1.0)
    )
