# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The circle: an angle without first or last turn, as (cos, sin)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dyn_core.spatial.lie.space import Coordinates, Space, Vector, identity, unit
from dyn_core.spatial.scalars import Rows
from dyn_core.spatial.scalars.functions import arctan2, cos, sin


class Circle(Space):
    """SO(2). q = (cos, sin) of the angle, v = its rate (rad/s)."""

    nq = 2
    nv = 1

    def neutral(self) -> tuple[float, ...]:
        return (1.0, 0.0)

    def integrate(self, q: Vector, dv: Vector) -> Coordinates:
        c, s = cos(dv[0]), sin(dv[0])
        cosine, sine = q[0] * c - q[1] * s, q[1] * c + q[0] * s
        # one Newton step back to the unit circle, so that rounding does not add up
        scale = 0.5 * (3.0 - (cosine * cosine + sine * sine))
        return cosine * scale, sine * scale

    def difference(self, q0: Vector, q1: Vector) -> Coordinates:
        return (arctan2(q0[0] * q1[1] - q0[1] * q1[0], q0[0] * q1[0] + q0[1] * q1[1]),)

    def rate(self, q: Vector, v: Vector) -> Coordinates:
        return -q[1] * v[0], q[0] * v[0]

    def inverse(self, q: Vector) -> Coordinates:
        return q[0], -q[1]

    def adjoint(self, q: Vector) -> Rows:
        return identity(1)

    def jexp(self, dv: Vector) -> Rows:
        return identity(1)

    def jlog(self, dv: Vector) -> Rows:
        return identity(1)

    def normalize(self, q: Sequence[float]) -> tuple[float, ...]:
        return unit(q)

    def multiple(self, q: Vector, factor: int, offset: float) -> Coordinates:
        """``factor`` times the angle plus ``offset``; of an integer factor all turns agree."""
        total: Coordinates = (math.cos(offset), math.sin(offset)) if offset else (1.0, 0.0)
        power = tuple(q) if factor > 0 else self.inverse(q)
        for digit in reversed(f"{abs(factor):b}"):
            if digit == "1":
                total = _sum(total, power)
            power = _sum(power, power)
        return total

    def is_normalized(self, q: Sequence[float], tolerance: float) -> bool:
        return abs(math.hypot(*q) - 1.0) <= tolerance

    def random(
        self, uniform: Sequence[float], lower: Sequence[float], upper: Sequence[float]
    ) -> tuple[float, ...]:
        angle = 2.0 * math.pi * uniform[0]
        return math.cos(angle), math.sin(angle)


def _sum(a: Vector, b: Vector) -> Coordinates:
    """Cosine and sine of the sum of two angles."""
    return a[0] * b[0] - a[1] * b[1], a[1] * b[0] + a[0] * b[1]
