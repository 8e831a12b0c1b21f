# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The operations on scalars: one table that floats, dual numbers, programs and all targets share.

A symbolic scalar is any object with arithmetic operators and the method
``apply(operation, *operands)``, as :class:`~dyn_core.compiler.ir.expr.Expr` and
:class:`~dyn_core.spatial.scalars.dual_numbers.Dual` have.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

Scalar: TypeAlias = Any
"""A float or a symbolic scalar. Floats 0.0 and 1.0 are exact and vanish from a trace."""
Parts: TypeAlias = tuple[Scalar, ...]
"""One scalar for each operand."""
NUMBERS = (float, int)
"""Types of constants."""

LARGEST_ANGLE = 2.0**30
"""rad; from here on sine and cosine are NaN in every execution. A double resolves such angles to
1e-7 rad at best, so they are a fault."""
LARGEST_ANGLE_OF_FLOATS = 2.0**13
"""The same in single precision."""


def _undefined(*_: Any) -> Any:
    raise NotImplementedError("operations between numbers and lanes have no value of one number")


def _as_it_is(*_: Any) -> None:
    """No simpler form is known."""


@dataclass(frozen=True, eq=False)
class Operation:
    """An operation on scalars."""

    name: str
    arity: int | None
    """The number of operands; None for any number."""
    value: Callable[..., Any] = _undefined
    """The result for floats."""
    derivative: Callable[..., Parts] = _undefined
    """The chain rule: takes a derivative by the result, the result and the operands, and returns
    the derivatives by the operands. It is linear in its first argument."""
    simplified: Callable[..., Scalar | None] = _as_it_is
    """A simpler form of the operation on these symbols and numbers; None if there is none."""
    commutative: bool = False
    """Whether the order of the operands makes no difference."""
    is_condition: bool = False
    """Whether the result is true or false and not a number."""

    def __call__(self, *operands: Scalar) -> Scalar:
        """The result: a float for floats, else the scalar that the symbolic operands make."""
        for x in operands:
            if not isinstance(x, NUMBERS):
                # the innermost differentiation comes first: it knows the others as constants
                return max(operands, key=_rank).apply(self, *operands)
        return self.value(*operands)

    def __repr__(self) -> str:
        return self.name


def _rank(x: Scalar) -> int:
    return -1 if isinstance(x, NUMBERS) else getattr(x, "level", 0)


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _sum(x: Any, y: Any) -> Scalar | None:
    """Zeros vanish, and signs move outwards; a number comes second."""
    if isinstance(y, NUMBERS):
        return x if y == 0.0 else None
    if (minus := y.negated()) is not None:
        return x - minus
    if (minus := x.negated()) is not None:
        return y - minus
    return None


def _difference(x: Any, y: Any) -> Scalar | None:
    if isinstance(y, NUMBERS):
        return x + (-y)
    if isinstance(x, NUMBERS):
        if x == 0.0:
            return -y
    elif x.position == y.position:
        return 0.0
    if (minus := y.negated()) is not None:
        return x + minus
    if not isinstance(x, NUMBERS) and (minus := x.negated()) is not None:
        return -(minus + y)
    return None


def _product(x: Any, y: Any) -> Scalar | None:
    """Zeros, ones and signs vanish, and constant factors merge; a number comes second."""
    if not isinstance(y, NUMBERS):
        if (minus := y.negated()) is not None:
            return -(x * minus)
        return None if (minus := x.negated()) is None else -(minus * y)
    if y == 0.0:
        return 0.0
    if y == 1.0:
        return x
    if y == -1.0:
        return -x
    if (minus := x.negated()) is not None:
        return minus * -y
    if (scaled := x.scaled()) is not None:
        return scaled[1] * (y * scaled[0])
    return None


def _quotient(x: Any, y: Any) -> Scalar | None:
    if isinstance(y, NUMBERS):
        return x * (1.0 / y)
    return 0.0 if isinstance(x, NUMBERS) and x == 0.0 else None


def _selection(condition: Any, x: Any, y: Any) -> Scalar | None:
    both = isinstance(x, NUMBERS) and isinstance(y, NUMBERS)
    return x if both and x == y else None


def _of_arctan2(d: Scalar, angle: Scalar, y: Scalar, x: Scalar) -> Parts:
    scaled = d / (x * x + y * y)
    return scaled * x, -(scaled * y)


def _of_select(d: Scalar, chosen: Scalar, condition: Any, x: Scalar, y: Scalar) -> Parts:
    return 0.0, SELECT(condition, d, 0.0), SELECT(condition, 0.0, d)


ADD = Operation("add", 2, lambda x, y: x + y, lambda d, _, x, y: (d, d), _sum, commutative=True)
SUB = Operation("sub", 2, lambda x, y: x - y, lambda d, _, x, y: (d, -d), _difference)
MUL = Operation(
    "mul", 2, lambda x, y: x * y, lambda d, _, x, y: (d * y, d * x), _product, commutative=True
)
DIV = Operation(
    "div", 2, lambda x, y: x / y, lambda d, result, x, y: (d / y, -(d * result) / y), _quotient
)
NEG = Operation("neg", 1, lambda x: -x, lambda d, _, x: (-d,), lambda x: x.negated())
FMA = Operation(
    "fma", 3, lambda x, y, z: x * y + z, lambda d, _, x, y, z: (d * y, d * x, d)
)  # of programs after fusion; no definition calls it
SIN: Operation = Operation(
    "sin",
    1,
    lambda x: math.sin(x) if abs(x) < LARGEST_ANGLE else math.nan,
    lambda d, _, x: (d * COS(x),),
)
COS: Operation = Operation(
    "cos",
    1,
    lambda x: math.cos(x) if abs(x) < LARGEST_ANGLE else math.nan,
    lambda d, _, x: (-(d * SIN(x)),),
)
SQRT = Operation("sqrt", 1, math.sqrt, lambda d, root, x: (0.5 * d / root,))
EXP = Operation("exp", 1, _exp, lambda d, power, x: (d * power,))
ARCTAN2 = Operation("arctan2", 2, math.atan2, _of_arctan2)
LESS = Operation("less", 2, lambda x, y: x < y, lambda d, _, x, y: (0.0, 0.0), is_condition=True)
SELECT: Operation = Operation("select", 3, lambda c, x, y: x if c else y, _of_select, _selection)

OPERATIONS = (ADD, SUB, MUL, DIV, NEG, FMA, SIN, COS, SQRT, EXP, ARCTAN2, LESS, SELECT)
"""All operations on scalars. Every target has each of them."""
