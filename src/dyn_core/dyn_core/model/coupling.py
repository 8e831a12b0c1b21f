# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Couplings: what ties coordinates of joints together without a joint of its own."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dyn_core.errors import ModelError
from dyn_core.model.content import close
from dyn_core.model.value_checks import numbers
from dyn_core.spatial.immutable import immutable
from dyn_core.spatial.scalars import Scalar

Terms = tuple[tuple[str, float], ...]
"""Joints of one coordinate, each with its coefficient."""


@immutable
@dataclass(frozen=True)
class Coupling:
    """One equation between coordinates, such as that of gears, belts or tendons.

    ``sum of c q over the followers = polynomial(sum of c q over the leaders)``, as MJCF's equality
    of joints or of fixed tendons. Where one joint follows another in proportion, a Mimic joint says
    the same exactly.
    """

    name: str
    followers: Terms
    leaders: Terms
    """None if the followers are locked at ``polynomial[0]``."""
    polynomial: tuple[float, ...]
    """Coefficients, the constant first; rad, m."""
    kp: float = 0.0
    """Baumgarte's stiffness of the position error, 1/s^2."""
    kd: float = 0.0
    """Baumgarte's damping of the velocity error, 1/s."""

    def __post_init__(self) -> None:
        close(self)
        if not all(_is_term(x) for x in (*self.followers, *self.leaders)):
            raise ModelError(
                f"coupling '{self.name}': followers and leaders are tuples of pairs, the name of a "
                "joint and its coefficient"
            )
        coefficients = [c for _, c in (*self.followers, *self.leaders)]
        if not coefficients or not self.polynomial:
            raise ModelError(f"coupling '{self.name}' ties nothing; give it joints and a law")
        law = numbers(f"coupling '{self.name}': its polynomial", self.polynomial, ("n",))
        if not all(map(math.isfinite, [*coefficients, *law])):
            raise ModelError(f"coupling '{self.name}': its coefficients must be finite")
        gains = numbers(f"coupling '{self.name}': kp and kd", (self.kp, self.kd), (2,))
        if not all(0.0 <= gain < math.inf for gain in gains):
            raise ModelError(f"coupling '{self.name}': kp and kd must be finite and not negative")

    def locked(self, at: Mapping[str, float]) -> Coupling | None:
        """The coupling with these joints locked at these coordinates; None if nothing remains.

        That joints which are all locked are where they belong is not checked.
        """
        followers = tuple((name, c) for name, c in self.followers if name not in at)
        leaders = tuple((name, c) for name, c in self.leaders if name not in at)
        if not followers and not leaders:
            return None
        follower_part = sum(c * at[name] for name, c in self.followers if name in at)
        leader_part = sum(c * at[name] for name, c in self.leaders if name in at)
        constant, *rest = shifted(self.polynomial, -leader_part)
        law = (constant - follower_part, *rest)
        return replace(self, followers=followers, leaders=leaders, polynomial=law)

    @property
    def joints(self) -> tuple[str, ...]:
        """All joints that it ties, followers first."""
        return tuple(name for name, _ in (*self.followers, *self.leaders))

    def law(self, leaders: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """Where the followers belong, and slope and curvature, at this sum over the leaders."""
        value: Scalar = 0.0
        slope: Scalar = 0.0
        bend: Scalar = 0.0  # half the curvature, so that all three follow Horner's scheme
        for coefficient in reversed(self.polynomial):
            bend = bend * leaders + slope
            slope = slope * leaders + value
            value = value * leaders + coefficient
        return value, slope, 2.0 * bend


def _is_term(term: object) -> bool:
    pair = term if isinstance(term, tuple) and len(term) == 2 else (None, None)
    return isinstance(pair[0], str) and isinstance(pair[1], (int, float))


def shifted(polynomial: Sequence[float], origin: float) -> tuple[float, ...]:
    """The coefficients of ``polynomial(x - origin)``, constant first."""
    result: list[float] = []
    for coefficient in reversed(polynomial):  # Horner's scheme with (x - origin) for x
        moved = [0.0, *result]
        for power, x in enumerate(result):
            moved[power] -= origin * x
        moved[0] += coefficient
        result = moved
    return tuple(result)
