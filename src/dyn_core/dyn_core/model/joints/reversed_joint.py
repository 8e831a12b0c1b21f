# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joints seen from their child: where a tree is rooted elsewhere, some edges run backwards."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from dyn_core.spatial import SE3
from dyn_core.spatial.lie.space import Coordinates, Space, Vector, multiply

J = TypeVar("J", covariant=True)


@dataclass(frozen=True)
class Reversed(Generic[J]):
    """``joint.transform(coordinates.configuration(q)) * after`` is the inverse of the original."""

    joint: J
    coordinates: Reversal
    after: SE3


class Reversal(ABC):
    """Converts the coordinates of a joint to those of the same joint reversed."""

    @abstractmethod
    def configuration(self, q: Vector) -> Coordinates:
        """The configuration of the reversed joint."""

    @abstractmethod
    def velocity(self, q: Vector, v: Vector) -> Coordinates:
        """The velocity of the reversed joint."""


class Same(Reversal):
    """The reversed joint has the same coordinates."""

    def configuration(self, q: Vector) -> Coordinates:
        return tuple(q)

    def velocity(self, q: Vector, v: Vector) -> Coordinates:
        return tuple(v)


class Inverse(Reversal):
    """The coordinates are a group element of which the reversed joint has the inverse."""

    def __init__(self, space: Space) -> None:
        self.space = space

    def configuration(self, q: Vector) -> Coordinates:
        return self.space.inverse(q)

    def velocity(self, q: Vector, v: Vector) -> Coordinates:
        """``-Ad(q) v``: the parent's velocity, seen from the child, in the parent's frame."""
        return tuple(-x for (x,) in multiply(self.space.adjoint(q), [[x] for x in v]))


class Backwards(Reversal):
    """The coordinates come in the reverse order, piece by piece."""

    def __init__(self, pieces: Sequence[tuple[Space, Reversal]]) -> None:
        self.pieces = pieces

    def configuration(self, q: Vector) -> Coordinates:
        result: Coordinates = ()
        for space, reversal in self.pieces:
            result = (*reversal.configuration(q[: space.nq]), *result)
            q = q[space.nq :]
        return result

    def velocity(self, q: Vector, v: Vector) -> Coordinates:
        result: Coordinates = ()
        for space, reversal in self.pieces:
            result = (*reversal.velocity(q[: space.nq], v[: space.nv]), *result)
            q, v = q[space.nq :], v[space.nv :]
        return result
