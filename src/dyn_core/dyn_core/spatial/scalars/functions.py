# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Functions of one scalar that work on floats and on symbolic scalars alike.

A symbolic scalar is any object with arithmetic operators and the methods ``sin``, ``cos``,
``sqrt``, ``exp``, ``arctan2`` and ``select`` (as :class:`dyn_core.compiler.ir.expr.Expr` has).
Algorithms use these functions and never branch on a value, so that one definition can be run and
traced.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

Scalar: TypeAlias = Any
"""A float or a symbolic scalar. Floats 0.0 and 1.0 are exact and vanish from a trace."""
Rows: TypeAlias = list[list[Scalar]]
"""A matrix, row by row."""

LARGEST_ANGLE = 2.0**30
"""rad; from here on sine and cosine are NaN in every execution. A double resolves such angles to
1e-7 rad at best, so they are a fault."""
LARGEST_ANGLE_OF_FLOATS = 2.0**13
"""The same in single precision."""
FLAT = 20.0
"""From here on the hyperbolic tangent is 1 to rounding."""


def sin(x: Scalar) -> Scalar:
    """Sine of ``x`` (rad); NaN from :data:`LARGEST_ANGLE` on."""
    if not isinstance(x, (float, int)):
        return x.sin()
    return math.sin(x) if abs(x) < LARGEST_ANGLE else math.nan


def cos(x: Scalar) -> Scalar:
    """Cosine of ``x`` (rad); NaN from :data:`LARGEST_ANGLE` on."""
    if not isinstance(x, (float, int)):
        return x.cos()
    return math.cos(x) if abs(x) < LARGEST_ANGLE else math.nan


def sqrt(x: Scalar) -> Scalar:
    """Square root of ``x >= 0``."""
    return math.sqrt(x) if isinstance(x, (float, int)) else x.sqrt()


def exp(x: Scalar) -> Scalar:
    """``e`` to the power ``x``; infinite where that is too large for a number."""
    if not isinstance(x, (float, int)):
        return x.exp()
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def tanh(x: Scalar) -> Scalar:
    """Hyperbolic tangent of ``x``, from -1 to 1; its absolute error is that of rounding 1."""
    # so far out nothing changes; infinities of the exponential would make its derivative NaN
    x = select(x > FLAT, FLAT, select(x < -FLAT, -FLAT, x))
    return 1.0 - 2.0 / (exp(2.0 * x) + 1.0)


def sign(x: Scalar) -> Scalar:
    """-1, 0 or 1 as ``x`` is negative, zero or positive."""
    return select(x > 0.0, 1.0, select(x < 0.0, -1.0, 0.0))


def arctan2(y: Scalar, x: Scalar) -> Scalar:
    """Angle (rad, in [-pi, pi]) of the point ``(x, y)``."""
    if isinstance(y, (float, int)) and isinstance(x, (float, int)):
        return math.atan2(y, x)
    symbolic = x if isinstance(y, (float, int)) else y
    return symbolic.arctan2(y, x)


def select(condition: Any, if_true: Scalar, if_false: Scalar) -> Scalar:
    """``if_true`` where ``condition`` holds, else ``if_false``; both sides are evaluated."""
    if hasattr(condition, "select"):
        for side in (if_true, if_false):
            if hasattr(side, "chosen"):  # made of several numbers, each of which is selected
                return side.chosen(condition, if_true, if_false)
        return condition.select(if_true, if_false)
    return if_true if condition else if_false
