# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Rotations of space, as unit quaternions."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dyn_core.spatial import Matrix3, Vector3, quaternion
from dyn_core.spatial.exponential import jexp3, jlog3
from dyn_core.spatial.lie.space import Coordinates, Space, Vector, unit
from dyn_core.spatial.scalars import Rows
from dyn_core.spatial.scalars.functions import select


class Rotations(Space):
    """SO(3). q = quaternion (x, y, z, w), v = angular velocity in the body frame (rad/s)."""

    nq = 4
    nv = 3

    def neutral(self) -> tuple[float, ...]:
        return (0.0, 0.0, 0.0, 1.0)

    def integrate(self, q: Vector, dv: Vector) -> Coordinates:
        before = (q[0], q[1], q[2], q[3])
        step = quaternion.exp(Vector3.of(dv))
        x, y, z, w = quaternion.renormalized(quaternion.product(before, step))
        # of the two quaternions of one orientation, the one nearer to the old
        sign = select(x * q[0] + y * q[1] + z * q[2] + w * q[3] < 0.0, -1.0, 1.0)
        return sign * x, sign * y, sign * z, sign * w

    def difference(self, q0: Vector, q1: Vector) -> Coordinates:
        before = quaternion.conjugate((q0[0], q0[1], q0[2], q0[3]))
        return tuple(quaternion.log(quaternion.product(before, (q1[0], q1[1], q1[2], q1[3]))))

    def rate(self, q: Vector, v: Vector) -> Coordinates:
        half = 0.5 * v[0], 0.5 * v[1], 0.5 * v[2], 0.0
        return quaternion.product((q[0], q[1], q[2], q[3]), half)

    def inverse(self, q: Vector) -> Coordinates:
        return quaternion.conjugate((q[0], q[1], q[2], q[3]))

    def adjoint(self, q: Vector) -> Rows:
        return [list(row) for row in Matrix3.quaternion(q[0], q[1], q[2], q[3]).rows]

    def jexp(self, dv: Vector) -> Rows:
        return [list(row) for row in jexp3(Vector3.of(dv)).rows]

    def jlog(self, dv: Vector) -> Rows:
        return [list(row) for row in jlog3(Vector3.of(dv)).rows]

    def normalize(self, q: Sequence[float]) -> tuple[float, ...]:
        return unit(q)

    def is_normalized(self, q: Sequence[float], tolerance: float) -> bool:
        return abs(math.hypot(*q) - 1.0) <= tolerance

    def random(
        self, uniform: Sequence[float], lower: Sequence[float], upper: Sequence[float]
    ) -> tuple[float, ...]:
        """Uniform over all rotations (Shoemake 1992)."""
        a, b = math.sqrt(1.0 - uniform[0]), math.sqrt(uniform[0])
        s, t = 2.0 * math.pi * uniform[1], 2.0 * math.pi * uniform[2]
        return a * math.sin(s), a * math.cos(s), b * math.sin(t), b * math.cos(t)
