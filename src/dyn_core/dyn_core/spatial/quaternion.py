"""Unit quaternions ``(x, y, z, w)`` as orientations, with exponential and logarithm.

Every function near a singularity selects between a closed form and a Taylor series that is exact
to rounding there, so the definitions can be traced.
"""

from __future__ import annotations

import math
from typing import TypeAlias

from dyn_core.spatial.scalar import Scalar, arctan2, cos, select, sin, sqrt
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
    vector = w * half_sinc(square)
    return vector.x, vector.y, vector.z, cos(0.5 * sqrt(square))


def log(a: Quaternion) -> Vector3:
    """The rotation vector (rad, length at most pi) of a unit quaternion; inverse of :func:`exp`."""
    vector = Vector3.of(a[:3])
    square = vector.dot(vector)
    is_small = square < 1e-14
    length = sqrt(select(is_small, 1.0, square))
    sign = select(a[3] < 0.0, -1.0, 1.0)
    angle = 2.0 * arctan2(length, sign * a[3])
    # near the identity: angle / |vector| = 2 asin(s) / s = 2 + s^2 / 3
    return vector * (sign * select(is_small, 2.0 + square / 3.0, angle / length))


def renormalized(a: Quaternion) -> Quaternion:
    """``a`` scaled to unit length by one Newton step, exact for rounding-size errors."""
    scale = 0.5 * (3.0 - (a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]))
    return a[0] * scale, a[1] * scale, a[2] * scale, a[3] * scale


def half_sinc(square: Scalar) -> Scalar:
    """``sin(t / 2) / t`` of the angle ``t = sqrt(square)``."""
    is_small = square < 1e-4
    angle = sqrt(select(is_small, 1.0, square))
    series = 0.5 - square * (1.0 / 48.0 - square * (1.0 / 3840.0 - square / 645120.0))
    return select(is_small, series, sin(0.5 * angle) / angle)


def cubic_gap(square: Scalar) -> Scalar:
    """``(t - sin t) / t^3`` of the angle ``t = sqrt(square)``; the closed form cancels below 0.5."""
    is_small = square < 0.25
    safe = select(is_small, 1.0, square)
    angle = sqrt(safe)
    series: Scalar = 0.0
    for k in range(8, -1, -1):
        series = 1.0 / math.factorial(2 * k + 3) - square * series
    return select(is_small, series, (angle - sin(angle)) / (angle * safe))
