# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Several configuration spaces side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dyn_core.spatial.lie.space import Coordinates, Space, Vector
from dyn_core.spatial.scalars import Rows, Scalar


class Product(Space):
    """The product of some groups; its operations act on the parts independently.

    SE(3) and SE(2) have its elements, with a group law of their own.
    """

    def __init__(self, parts: Sequence[Space]) -> None:
        self.parts = tuple(parts)
        self.nq = sum(part.nq for part in parts)
        self.nv = sum(part.nv for part in parts)
        self.flat = all(part.flat for part in parts)
        self.isometric = all(part.isometric for part in parts)

    def split_q(self, q: Sequence[Any]) -> list[Sequence[Any]]:
        """A configuration's pieces."""
        return list(_split(q, [part.nq for part in self.parts]))

    def split_v(self, v: Sequence[Any]) -> list[Sequence[Any]]:
        """A tangent vector's pieces."""
        return list(_split(v, [part.nv for part in self.parts]))

    def neutral(self) -> tuple[float, ...]:
        return tuple(x for part in self.parts for x in part.neutral())

    def integrate(self, q: Vector, dv: Vector) -> Coordinates:
        return self._join("integrate", self.split_q(q), self.split_v(dv))

    def difference(self, q0: Vector, q1: Vector) -> Coordinates:
        return self._join("difference", self.split_q(q0), self.split_q(q1))

    def rate(self, q: Vector, v: Vector) -> Coordinates:
        return self._join("rate", self.split_q(q), self.split_v(v))

    def inverse(self, q: Vector) -> Coordinates:
        return self._join("inverse", self.split_q(q))

    def adjoint(self, q: Vector) -> Rows:
        return self._diagonal(lambda part, x: part.adjoint(x), self.split_q(q))

    def jexp(self, dv: Vector) -> Rows:
        return self._diagonal(lambda part, x: part.jexp(x), self.split_v(dv))

    def jlog(self, dv: Vector) -> Rows:
        return self._diagonal(lambda part, x: part.jlog(x), self.split_v(dv))

    def normalize(self, q: Sequence[float]) -> tuple[float, ...]:
        return self._join("normalize", self.split_q(q))

    def is_normalized(self, q: Sequence[float], tolerance: float) -> bool:
        pairs = zip(self.parts, self.split_q(q), strict=True)
        return all(part.is_normalized(x, tolerance) for part, x in pairs)

    def random(
        self, uniform: Sequence[float], lower: Sequence[float], upper: Sequence[float]
    ) -> tuple[float, ...]:
        pieces = (self.split_q(uniform), self.split_q(lower), self.split_q(upper))
        return self._join("random", *pieces)

    def _join(self, operation: str, *pieces: list[Sequence[Any]]) -> tuple[Any, ...]:
        columns = zip(self.parts, *pieces, strict=True)
        return tuple(x for part, *args in columns for x in getattr(part, operation)(*args))

    def _diagonal(
        self, block: Callable[[Space, Sequence[Scalar]], Rows], pieces: list[Sequence[Scalar]]
    ) -> Rows:
        rows: Rows = []
        for part, piece in zip(self.parts, pieces, strict=True):
            before = [0.0] * len(rows)
            after = [0.0] * (self.nv - len(rows) - part.nv)
            rows += [[*before, *row, *after] for row in block(part, piece)]
        return rows


def _split(values: Sequence[Any], sizes: Sequence[int]) -> Iterator[Sequence[Any]]:
    start = 0
    for size in sizes:
        yield values[start : start + size]
        start += size
