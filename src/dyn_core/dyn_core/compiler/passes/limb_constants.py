# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Constants of limbs of equal structure: the limbs' programs differ in their values alone.

If the left leg has an exact zero where the right leg has a small number, operations vanish from the
program of the left leg, and the two programs differ. A :class:`LimbConstant` holds the numbers of
all limbs, so an operation vanishes from all of them or from none.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Sequence
from functools import partialmethod
from typing import Any

from dyn_core.compiler.ir.expr import Expr
from dyn_core.spatial.scalars.operations import NUMBERS


def limb_constant(values: Sequence[float], lane: int, limbs: Hashable) -> Any:
    """The constant of limb ``lane`` among those of all ``limbs``; a float if they are equal."""
    first, same = values[0], all(x == values[0] for x in values)
    return float(first) if same else LimbConstant(tuple(values), lane, limbs)


class LimbConstant:
    """A constant that is not the same in each of several limbs; it is true, as one is not zero."""

    __slots__ = ("lane", "limbs", "values")

    def __init__(self, values: tuple[float, ...], lane: int, limbs: Hashable) -> None:
        self.values = values
        self.lane = lane
        self.limbs = limbs
        """The limbs of the values: constants of different groups combine as floats."""

    def __float__(self) -> float:
        return self.values[self.lane]

    def __neg__(self) -> Any:
        return limb_constant([-x for x in self.values], self.lane, self.limbs)

    def _with(self, operation: Callable[[Any, Any], Any], other: Any) -> Any:
        """``operation(self, other)``, limb by limb."""
        if isinstance(other, Expr):
            return operation(other.constant(float(self), repr(self.values)), other)
        if isinstance(other, NUMBERS):
            others: Sequence[float] = [float(other)] * len(self.values)
        elif not isinstance(other, LimbConstant):
            return NotImplemented
        elif (other.limbs, other.lane) == (self.limbs, self.lane):
            others = other.values
        else:
            return operation(float(self), float(other))
        pairs = zip(self.values, others, strict=True)
        return limb_constant([operation(a, b) for a, b in pairs], self.lane, self.limbs)

    __add__ = __radd__ = partialmethod(_with, operator.add)
    __mul__ = __rmul__ = partialmethod(_with, operator.mul)
    __sub__ = partialmethod(_with, operator.sub)
    __rsub__ = partialmethod(_with, lambda a, b: b - a)
    __truediv__ = partialmethod(_with, operator.truediv)
    __rtruediv__ = partialmethod(_with, lambda a, b: b / a)
