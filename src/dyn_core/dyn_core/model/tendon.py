# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Tendons: cables and bands across joints that pull by their length and its rate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from dyn_core.errors import ModelError
from dyn_core.model.content import close
from dyn_core.model.coupling import Terms
from dyn_core.model.gravity_compensator import Places, Triple, moved_point
from dyn_core.model.value_checks import finite_numbers, numbers
from dyn_core.spatial.immutable import immutable

Point = tuple[int, Triple]
"""A point of a joint's body: the joint's index, and where it is in the joint's frame (m)."""


@immutable
@dataclass(frozen=True)
class Strand:
    """A straight line from point to point, with its weight in the length of a tendon."""

    points: tuple[Point, ...]
    share: float = 1.0
    """How much of its length counts: behind a tackle of two, half."""

    def __post_init__(self) -> None:
        close(self)


@immutable
@dataclass(frozen=True)
class Tendon:
    """A tendon: a length that acts on joints, through points of bodies or as a sum of coordinates.

    Its length is ``offset`` plus the sum of ``c q`` over ``terms`` plus that of the strands. Where
    it is longer than ``relaxed[1]`` or shorter than ``relaxed[0]``, by x, its spring pulls with
    ``stiffness[0] x + stiffness[1] x^2 + ...``; its losses are ``damping[0] v + damping[1] |v| v +
    ... + friction sign(v)`` (MJCF's ``spatial`` and ``fixed`` tendons).
    """

    name: str
    strands: tuple[Strand, ...] = ()
    terms: Terms = ()
    """Joints of one coordinate, each with its coefficient."""
    offset: float = 0.0
    """m, rad."""
    stiffness: tuple[float, ...] = ()
    """N/m, N/m^2, ..., of a spring without force between the lengths ``relaxed``."""
    relaxed: tuple[float, float] = (0.0, 0.0)
    """m, rad; the second may be infinite."""
    damping: tuple[float, ...] = ()
    """N s/m, N s^2/m^2, ..."""
    friction: float = 0.0
    """Coulomb friction, N."""

    def __post_init__(self) -> None:
        close(self)
        where = f"tendon '{self.name}'"
        for polynomial in (self.stiffness, self.damping):
            if not isinstance(polynomial, tuple):
                raise ModelError(f"{where}: {polynomial!r} is no tuple of coefficients; give one")
        coefficients = [c for _, c in self.terms] + [strand.share for strand in self.strands]
        coefficients += [self.offset, *self.stiffness, *self.damping, self.friction]
        finite_numbers(coefficients, len(coefficients), f"{where}: its coefficients")
        for strand in self.strands:
            for _, position in strand.points:
                finite_numbers(position, 3, f"{where}: a point")
            if len(strand.points) < 2 or strand.share <= 0.0:
                raise ModelError(f"{where}: a strand needs two points and a share above 0")
        low, high = numbers(f"{where}: relaxed", self.relaxed, (2,)).tolist()
        if math.isnan(low) or math.isnan(high) or low > high or math.isinf(low):
            raise ModelError(f"{where}: relaxed from {low} to {high} is no range of lengths")
        if self.friction < 0.0:
            raise ModelError(f"{where}: its friction must not be negative")

    def moved(self, places: Places) -> Tendon:
        """The same on the bodies of another model that has the same joints."""

        def point(joint: int, position: Triple) -> Point:
            carrier, placement = places[joint]
            return carrier, moved_point(placement, position)

        strands = (
            replace(strand, points=tuple(point(*each) for each in strand.points))
            for strand in self.strands
        )
        return replace(self, strands=tuple(strands))

    def locked(self, at: Mapping[str, float]) -> Tendon:
        """The same where these joints are locked at these coordinates."""
        terms = tuple((name, c) for name, c in self.terms if name not in at)
        fixed = sum(c * at[name] for name, c in self.terms if name in at)
        return replace(self, terms=terms, offset=self.offset + fixed)
