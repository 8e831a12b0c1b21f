# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Lifts: what bears the weight of a part of a body, as a balloon or a balancing mechanism does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Integral

from dyn_core.errors import ModelError
from dyn_core.model.content import close
from dyn_core.model.value_checks import finite_numbers
from dyn_core.spatial import SE3, Vector3
from dyn_core.spatial.immutable import immutable

Triple = tuple[float, float, float]
Places = Mapping[int, tuple[int, SE3]]
"""Of each joint of a model the joint of another that carries its body, and where that is in it."""


@immutable
@dataclass(frozen=True)
class Lift:
    """A force against gravity that stays at one point of a body (MJCF's ``gravcomp``)."""

    joint: int
    """Index of the joint whose body it lifts."""
    mass: float
    """The mass whose weight it bears, kg; negative where it adds to the weight."""
    center: Triple
    """The point where it acts, in the frame of the joint (m)."""

    def __post_init__(self) -> None:
        close(self)
        finite_numbers((self.mass,), 1, "a lift's mass (kg)")
        finite_numbers(self.center, 3, "a lift's centre (m)")

    def moved(self, places: Places) -> Lift:
        """The same on the bodies of another model."""
        joint, placement = places[self.joint]
        return replace(self, joint=joint, center=moved_point(placement, self.center))


def moved_point(placement: SE3, point: Triple) -> Triple:
    """A point of the frame at ``placement``, seen from outside."""
    x, y, z = placement.act_point(Vector3(*point))
    return float(x), float(y), float(z)


def check_carrier(joint: int, count: int, where: str) -> None:
    """Refuse what refers to a joint that a model of ``count`` joints does not have.

    Raises:
        ModelError: there is no such joint; the message begins with ``where``.
    """
    if isinstance(joint, bool) or not isinstance(joint, Integral) or not 0 <= joint < count:
        raise ModelError(f"{where}: there is no joint {joint!r}; use 0 to {count - 1}")
