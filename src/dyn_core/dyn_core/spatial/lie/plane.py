# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Placements in the plane: position and heading."""

from __future__ import annotations

from dyn_core.spatial.lie.circle import Circle
from dyn_core.spatial.lie.product import Product
from dyn_core.spatial.lie.space import Coordinates, Vector
from dyn_core.spatial.lie.vector_space import VectorSpace
from dyn_core.spatial.scalars import Rows, Scalar, series

HEADING = Circle()


class Plane(Product):
    """SE(2). q = (x, y, cos, sin) in m; v = (x, y, heading) rates in the body frame.

    Its elements are those of the product; its group law, and so its tangent space, is another.
    """

    def __init__(self) -> None:
        super().__init__([VectorSpace(2), HEADING])
        self.isometric = False

    def integrate(self, q: Vector, dv: Vector) -> Coordinates:
        # along an arc: V = [[a, -b], [b, a]] with a = sin(t) / t, b = (1 - cos(t)) / t
        a, b = _arc(dv[2])
        step = dv[0] * a - dv[1] * b, dv[0] * b + dv[1] * a
        x, y = self._turned(q, step)
        return (q[0] + x, q[1] + y, *HEADING.integrate(q[2:], dv[2:]))

    def difference(self, q0: Vector, q1: Vector) -> Coordinates:
        (t,) = HEADING.difference(q0[2:], q1[2:])
        local = self._turned((0.0, 0.0, *HEADING.inverse(q0[2:])), (q1[0] - q0[0], q1[1] - q0[1]))
        # the inverse of V: [[c, t/2], [-t/2, c]] with c = (t/2) cot(t/2)
        c = 1.0 - t * t * series.inverse_gap(t * t)
        half = 0.5 * t
        return c * local[0] + half * local[1], c * local[1] - half * local[0], t

    def rate(self, q: Vector, v: Vector) -> Coordinates:
        return (*self._turned(q, v[:2]), *HEADING.rate(q[2:], v[2:]))

    def inverse(self, q: Vector) -> Coordinates:
        back = HEADING.inverse(q[2:])
        x, y = self._turned((0.0, 0.0, *back), (-q[0], -q[1]))
        return (x, y, *back)

    def adjoint(self, q: Vector) -> Rows:
        return [[q[2], -q[3], q[1]], [q[3], q[2], -q[0]], [0.0, 0.0, 1.0]]

    def jexp(self, dv: Vector) -> Rows:
        x, y, t = dv
        a, b = _arc(t)
        gap = series.cubic_gap(t * t)
        half = series.half_sinc(t * t)
        flat = 2.0 * half * half  # (1 - cos t) / t^2
        return [
            [a, b, t * gap * x - flat * y],
            [-b, a, flat * x + t * gap * y],
            [0.0, 0.0, 1.0],
        ]

    def jlog(self, dv: Vector) -> Rows:
        (a, b, x), (_, _, y), _ = self.jexp(dv)
        scale = 1.0 / (a * a + b * b)
        a, b = a * scale, b * scale
        return [[a, -b, -(a * x - b * y)], [b, a, -(b * x + a * y)], [0.0, 0.0, 1.0]]

    @staticmethod
    def _turned(q: Vector, point: Vector) -> Coordinates:
        """``point`` turned by the heading of ``q``."""
        return q[2] * point[0] - q[3] * point[1], q[3] * point[0] + q[2] * point[1]


def _arc(t: Scalar) -> Coordinates:
    """``sin(t) / t`` and ``(1 - cos t) / t``."""
    square = t * t
    half = series.half_sinc(square)
    return 1.0 - square * series.cubic_gap(square), t * (2.0 * half * half)
