# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Dual numbers: a scalar and its derivative by one parameter, exact to rounding.

They carry derivatives through definitions that are generic over the scalar, such as the motion of a
joint's subspace. Value and derivative may be floats or symbolic scalars, or dual numbers again: a
definition that differentiates may itself be differentiated. Every differentiation has a level of
its own, which distinguishes its numbers from those of the one around it (otherwise the derivative
of ``x d(x + y)/dy`` would be wrong; Siskind and Pearlmutter 2005).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Any

from dyn_core.spatial.scalars import functions as scalar
from dyn_core.spatial.scalars.operations import Operation, Scalar

_LEVELS = count(1)
"""An inner differentiation begins after that around it, so its level is higher."""


class Dual:
    """``value + slope * epsilon`` with ``epsilon^2 = 0``.

    Numbers of a lower level are constants to it, those of a higher one treat it as a constant.
    """

    __slots__ = ("level", "slope", "value")

    def __init__(self, value: Scalar, slope: Scalar, level: int) -> None:
        self.value = value
        self.slope = slope
        self.level = level

    def __repr__(self) -> str:
        return f"Dual({self.value}, {self.slope}, {self.level})"

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.slope, self.level)

    def __add__(self, other: Any) -> Dual:
        if _level(other) > self.level:
            return other.__radd__(self)  # type: ignore[no-any-return]
        value, slope = _parts(other, self.level)
        return Dual(self.value + value, self.slope + slope, self.level)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Dual:
        if _level(other) > self.level:
            return other.__rsub__(self)  # type: ignore[no-any-return]
        value, slope = _parts(other, self.level)
        return Dual(self.value - value, self.slope - slope, self.level)

    def __rsub__(self, other: Any) -> Dual:
        return Dual(other - self.value, -self.slope, self.level)

    def __mul__(self, other: Any) -> Dual:
        if _level(other) > self.level:
            return other.__rmul__(self)  # type: ignore[no-any-return]
        value, slope = _parts(other, self.level)
        return Dual(self.value * value, self.slope * value + self.value * slope, self.level)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Dual:
        if _level(other) > self.level:
            return other.__rtruediv__(self)  # type: ignore[no-any-return]
        value, slope = _parts(other, self.level)
        quotient = self.value / value
        return Dual(quotient, (self.slope - quotient * slope) / value, self.level)

    def __rtruediv__(self, other: Any) -> Dual:
        quotient = other / self.value
        return Dual(quotient, -(quotient * self.slope) / self.value, self.level)

    def __lt__(self, other: Any) -> Any:
        return self.value < (other.value if isinstance(other, Dual) else other)

    def __gt__(self, other: Any) -> Any:
        return (other.value if isinstance(other, Dual) else other) < self.value

    def apply(self, operation: Operation, *operands: Any) -> Dual:
        """The result of an operation on dual numbers and others, by the chain rule."""
        level = max(map(_level, operands))
        parts = [_parts(x, level) for x in operands]
        values = [value for value, _ in parts]
        result, slope = operation(*values), 0.0
        for k, (_, change) in enumerate(parts):
            if not (isinstance(change, float) and change == 0.0):
                slope = slope + operation.derivative(change, result, *values)[k]
        return Dual(result, slope, level)

    def chosen(self, condition: Any, if_true: Any, if_false: Any) -> Dual:
        """Select values and derivatives alike; ``self`` is one of the two."""
        level = max(_level(if_true), _level(if_false))
        (a, da), (b, db) = _parts(if_true, level), _parts(if_false, level)
        choose = scalar.select
        return Dual(choose(condition, a, b), choose(condition, da, db), level)


def derivative_along(
    function: Callable[[list[Scalar]], Iterable[Scalar]],
    x: Sequence[Scalar],
    dx: Sequence[Scalar],
) -> list[Scalar]:
    """The derivative of ``function`` at ``x`` along ``dx``, exact to rounding."""
    level = next(_LEVELS)
    moving = [
        value if isinstance(slope, float) and slope == 0.0 else Dual(value, slope, level)
        for value, slope in zip(x, dx, strict=True)
    ]
    return [_parts(y, level)[1] for y in function(moving)]


def _level(x: Any) -> int:
    """The innermost differentiation that a number takes part in; 0 for a constant of all."""
    return x.level if isinstance(x, Dual) else 0


def _parts(x: Any, level: int) -> tuple[Scalar, Scalar]:
    """Value and derivative of a number in the differentiation of this level."""
    return (x.value, x.slope) if isinstance(x, Dual) and x.level == level else (x, 0.0)
