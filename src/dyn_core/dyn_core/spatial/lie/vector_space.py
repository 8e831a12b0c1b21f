# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Flat space: coordinates that add, such as an angle with limits or a length."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dyn_core.spatial.lie.space import Coordinates, Space, Vector, identity
from dyn_core.spatial.scalars import Rows


class VectorSpace(Space):
    """``R^n`` with addition."""

    flat = True

    def __init__(self, n: int) -> None:
        self.nq = self.nv = n

    def neutral(self) -> tuple[float, ...]:
        return (0.0,) * self.nq

    def integrate(self, q: Vector, dv: Vector) -> Coordinates:
        return tuple(a + b for a, b in zip(q, dv, strict=True))

    def difference(self, q0: Vector, q1: Vector) -> Coordinates:
        return tuple(b - a for a, b in zip(q0, q1, strict=True))

    def rate(self, q: Vector, v: Vector) -> Coordinates:
        return tuple(v)

    def inverse(self, q: Vector) -> Coordinates:
        return tuple(-x for x in q)

    def adjoint(self, q: Vector) -> Rows:
        return identity(self.nv)

    def jexp(self, dv: Vector) -> Rows:
        return identity(self.nv)

    def jlog(self, dv: Vector) -> Rows:
        return identity(self.nv)

    def random(
        self, uniform: Sequence[float], lower: Sequence[float], upper: Sequence[float]
    ) -> tuple[float, ...]:
        """Within the limits.

        Raises:
            ValueError: a coordinate has no finite limits, so there is nothing to draw from.
        """
        limits = [*lower, *upper]
        if not all(map(math.isfinite, limits)):
            raise ValueError(
                "a coordinate without limits has no uniform distribution: give limits as lower "
                "and upper"
            )
        return tuple(a + u * (b - a) for u, a, b in zip(uniform, lower, upper, strict=True))
