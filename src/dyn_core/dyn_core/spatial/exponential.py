# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Exponential and logarithm of SO(3) and SE(3), and their Jacobians.

Jacobians are right ones: ``exp(w + d) = exp(w) exp(J d)`` to first order in d, so they map to the
tangent space of the result, in the body frame (Sola, Deray and Atchuthan 2018; for SE(3) Barfoot
2017, section 7.1.5). Rows of 3x3 and 6x6 matrices are lists of scalars.
"""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.spatial import quaternion
from dyn_core.spatial.matrix3 import Matrix3
from dyn_core.spatial.motion import Motion
from dyn_core.spatial.scalars import Rows, series
from dyn_core.spatial.scalars.functions import Scalar
from dyn_core.spatial.se3 import SE3
from dyn_core.spatial.vector3 import Vector3


def exp3(w: Vector3) -> Matrix3:
    """The rotation about ``w`` by its length (rad)."""
    return Matrix3.quaternion(*quaternion.exp(w))


def log3(rotation: Matrix3) -> Vector3:
    """The rotation vector (rad, at most pi long) of a rotation; inverse of :func:`exp3`."""
    return quaternion.log(quaternion.of_matrix(rotation))


def jexp3(w: Vector3) -> Matrix3:
    """Right Jacobian of :func:`exp3`."""
    square, skew = w.dot(w), Matrix3.skew(w)
    half = series.half_sinc(square)
    first, second = 2.0 * half * half, series.cubic_gap(square)
    result: Matrix3 = Matrix3.identity() - skew * first + (skew @ skew) * second
    return result


def jlog3(w: Vector3) -> Matrix3:
    """Inverse of ``jexp3(w)``: Jacobian of :func:`log3` at ``exp3(w)``."""
    skew = Matrix3.skew(w)
    result: Matrix3 = Matrix3.identity() + skew * 0.5 + (skew @ skew) * series.inverse_gap(w.dot(w))
    return result


def exp6(motion: Motion) -> SE3:
    """The placement reached with the constant body velocity ``motion`` in unit time."""
    w = motion.angular
    return SE3(exp3(w), jexp3(-w).apply(motion.linear))


def log6(placement: SE3) -> Motion:
    """The constant body velocity that reaches ``placement`` in unit time; inverse of exp6."""
    w = log3(placement.rotation)
    return Motion(jlog3(-w).apply(placement.translation), w)


def jexp6(motion: Motion) -> Rows:
    """Right Jacobian (6x6, linear first) of :func:`exp6`."""
    diagonal = jexp3(motion.angular)
    return _blocks(diagonal, _coupling(-motion.linear, -motion.angular), diagonal)


def jlog6(motion: Motion) -> Rows:
    """Inverse of ``jexp6(motion)``: Jacobian of :func:`log6` at ``exp6(motion)``."""
    inverse = jlog3(motion.angular)
    coupling = _coupling(-motion.linear, -motion.angular)
    return _blocks(inverse, (inverse @ coupling @ inverse) * -1.0, inverse)


def _coupling(linear: Vector3, w: Vector3) -> Matrix3:
    """The off-diagonal block of SE(3)'s left Jacobian (Barfoot 2017, eq. 7.86)."""
    square, r, p = w.dot(w), Matrix3.skew(linear), Matrix3.skew(w)
    pr, rp = p @ r, r @ p
    prp = pr @ p
    block: Matrix3 = (
        r * 0.5
        + (pr + rp + prp) * series.cubic_gap(square)
        + (p @ pr + rp @ p - prp * 3.0) * series.quartic_gap(square)
        + (prp @ p + p @ prp) * series.quintic_gap(square)
    )
    return block


def _blocks(upper_left: Matrix3, upper_right: Matrix3, lower_right: Matrix3) -> Rows:
    top: Sequence[list[Scalar]] = [
        [*a, *b] for a, b in zip(upper_left.rows, upper_right.rows, strict=True)
    ]
    return [*top, *([0.0, 0.0, 0.0, *row] for row in lower_right.rows)]
