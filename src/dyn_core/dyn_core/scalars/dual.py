"""Dual numbers: a scalar and its derivative by one parameter, exact to rounding.

They carry derivatives through definitions that are generic over the scalar, such as the motion of a
joint's subspace. Value and derivative may be floats or symbolic scalars.
"""

from __future__ import annotations

from typing import Any

from dyn_core.scalars import scalar
from dyn_core.scalars.scalar import Scalar


class Dual:
    """``value + slope * epsilon`` with ``epsilon^2 = 0``."""

    __slots__ = ("slope", "value")

    def __init__(self, value: Scalar, slope: Scalar) -> None:
        self.value = value
        self.slope = slope

    def __repr__(self) -> str:
        return f"Dual({self.value}, {self.slope})"

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.slope)

    def __add__(self, other: Any) -> Dual:
        value, slope = _parts(other)
        return Dual(self.value + value, self.slope + slope)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Dual:
        value, slope = _parts(other)
        return Dual(self.value - value, self.slope - slope)

    def __rsub__(self, other: Any) -> Dual:
        value, slope = _parts(other)
        return Dual(value - self.value, slope - self.slope)

    def __mul__(self, other: Any) -> Dual:
        value, slope = _parts(other)
        return Dual(self.value * value, self.slope * value + self.value * slope)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Dual:
        value, slope = _parts(other)
        quotient = self.value / value
        return Dual(quotient, (self.slope - quotient * slope) / value)

    def __rtruediv__(self, other: Any) -> Dual:
        return Dual(*_parts(other)) / self

    def __lt__(self, other: Any) -> Any:
        return _Condition(self.value < _parts(other)[0])

    def __gt__(self, other: Any) -> Any:
        return _Condition(_parts(other)[0] < self.value)

    def sin(self) -> Dual:
        """Sine (of rad)."""
        return Dual(scalar.sin(self.value), scalar.cos(self.value) * self.slope)

    def cos(self) -> Dual:
        """Cosine (of rad)."""
        return Dual(scalar.cos(self.value), -(scalar.sin(self.value) * self.slope))

    def sqrt(self) -> Dual:
        """Square root."""
        root = scalar.sqrt(self.value)
        return Dual(root, 0.5 * self.slope / root)

    def exp(self) -> Dual:
        """The exponential function."""
        power = scalar.exp(self.value)
        return Dual(power, power * self.slope)

    def arctan2(self, y: Any, x: Any) -> Dual:
        """Angle of the point ``(x, y)``."""
        (a, da), (b, db) = _parts(y), _parts(x)
        return Dual(scalar.arctan2(a, b), (da * b - a * db) / (a * a + b * b))


class _Condition:
    """A comparison of dual numbers: it selects values and derivatives alike."""

    def __init__(self, condition: Any) -> None:
        self.condition = condition

    def select(self, if_true: Any, if_false: Any) -> Dual:
        (a, da), (b, db) = _parts(if_true), _parts(if_false)
        choose = scalar.select
        return Dual(choose(self.condition, a, b), choose(self.condition, da, db))


def derivative(x: Scalar) -> Scalar:
    """The derivative that a scalar carries; a plain one carries none."""
    return x.slope if isinstance(x, Dual) else 0.0


def _parts(x: Any) -> tuple[Scalar, Scalar]:
    return (x.value, x.slope) if isinstance(x, Dual) else (x, 0.0)
