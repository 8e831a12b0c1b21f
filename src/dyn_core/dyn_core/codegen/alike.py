# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Constants of limbs of equal structure: the limbs' programs differ in their values alone.

If the left leg has an exact zero where the right leg has a small number, operations vanish from the
program of the left leg, and the two programs differ. An :class:`Alike` holds the numbers of all
limbs, so an operation vanishes from all of them or from none. It becomes a float where they agree.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from dyn_core.scalars.expr import NUMBERS, Expr


def alike(values: Sequence[float], lane: int, limbs: Hashable) -> Any:
    """The constant of limb ``lane`` among those of all ``limbs``; a float if they are equal."""
    first = values[0]
    return float(first) if all(x == first for x in values) else Alike(tuple(values), lane, limbs)


class Alike:
    """A constant that is not the same in each of several limbs."""

    __slots__ = ("lane", "limbs", "values")

    def __init__(self, values: tuple[float, ...], lane: int, limbs: Hashable) -> None:
        self.values = values
        self.lane = lane
        self.limbs = limbs
        """The limbs of the values: constants of different groups combine as floats."""

    def __float__(self) -> float:
        return self.values[self.lane]

    def __bool__(self) -> bool:
        return any(self.values)

    def __repr__(self) -> str:
        return f"Alike({self.values}, lane {self.lane})"

    def __neg__(self) -> Any:
        return alike([-x for x in self.values], self.lane, self.limbs)

    def __add__(self, other: Any) -> Any:
        return self._with(other, operator.add)

    def __radd__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b + a)

    def __sub__(self, other: Any) -> Any:
        return self._with(other, operator.sub)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, operator.mul)

    def __rmul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b * a)

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, operator.truediv)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b / a)

    def _with(self, other: Any, operation: Callable[[Any, Any], Any]) -> Any:
        if isinstance(other, Expr):
            return operation(other.constant(float(self), repr(self.values)), other)
        if isinstance(other, NUMBERS):
            others: Sequence[float] = [float(other)] * len(self.values)
        elif not isinstance(other, Alike):
            return NotImplemented
        elif (other.limbs, other.lane) == (self.limbs, self.lane):
            others = other.values
        else:
            return operation(float(self), float(other))
        pairs = zip(self.values, others, strict=True)
        return alike([operation(a, b) for a, b in pairs], self.lane, self.limbs)
