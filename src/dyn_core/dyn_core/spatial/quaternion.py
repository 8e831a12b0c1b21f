# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Unit quaternions ``(x, y, z, w)`` as orientations, with exponential and logarithm.

Every function near a singularity selects between a closed form and a Taylor series that is exact
to rounding there, so the definitions can be traced.
"""

from __future__ import annotations

from typing import TypeAlias

from dyn_core.spatial.matrix3 import Matrix3
from dyn_core.spatial.scalars import series
from dyn_core.spatial.scalars.functions import Scalar, arctan2, select, sqrt
from dyn_core.spatial.vector3 import Vector3

Quaternion: TypeAlias = tuple[Scalar, Scalar, Scalar, Scalar]


def product(a: Quaternion, b: Quaternion) -> Quaternion:
    """Hamilton product ``a b``: the rotation b followed by a."""
    u, v = Vector3.of(a[:3]), Vector3.of(b[:3])
    vector = u * b[3] + v * a[3] + u.cross(v)
    return vector.x, vector.y, vector.z, a[3] * b[3] - u.dot(v)


def conjugate(a: Quaternion) -> Quaternion:
    """The inverse of a unit quaternion."""
    return -a[0], -a[1], -a[2], a[3]


def exp(w: Vector3) -> Quaternion:
    """The rotation about ``w`` by its length (rad)."""
    square = w.dot(w)
    vector = w * series.half_sinc(square)
    return vector.x, vector.y, vector.z, series.half_cos(square)


def log(a: Quaternion) -> Vector3:
    """The rotation vector (rad, length at most pi) of a unit quaternion; inverse of :func:`exp`."""
    vector = Vector3.of(a[:3])
    square = vector.dot(vector)
    is_small = square < 1e-14
    length = sqrt(select(is_small, 1.0, square))
    sign = select(a[3] < 0.0, -1.0, 1.0)
    angle = 2.0 * arctan2(length, sign * a[3])
    # near the identity: angle / |vector| = 2 asin(s) / s = 2 + s^2 / 3
    result: Vector3 = vector * (sign * select(is_small, 2.0 + square / 3.0, angle / length))
    return result


def renormalized(a: Quaternion) -> Quaternion:
    """``a`` scaled to unit length by one Newton step, exact for rounding-size errors."""
    scale = 0.5 * (3.0 - (a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]))
    return a[0] * scale, a[1] * scale, a[2] * scale, a[3] * scale


def of_matrix(rotation: Matrix3) -> Quaternion:
    """A unit quaternion of a rotation matrix.

    Of the four expressions that give it, the one that divides by the largest component is chosen.
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = rotation.rows
    candidates = [
        (1.0 + xx - yy - zz, (None, xy + yx, xz + zx, zy - yz)),
        (1.0 - xx + yy - zz, (xy + yx, None, yz + zy, xz - zx)),
        (1.0 - xx - yy + zz, (xz + zx, yz + zy, None, yx - xy)),
        (1.0 + xx + yy + zz, (zy - yz, xz - zx, yx - xy, None)),
    ]
    largest: Scalar = None
    best: list[Scalar] = []
    for square, others in candidates:  # the square is four times that of the component None
        root = sqrt(select(square < 0.5, 1.0, square))
        entries = [0.5 * root if x is None else 0.5 * x / root for x in others]
        if not best:
            largest, best = square, entries
        else:
            better = largest < square
            best = [select(better, new, old) for new, old in zip(entries, best, strict=True)]
            largest = select(better, square, largest)
    x, y, z, w = best
    return renormalized((x, y, z, w))
