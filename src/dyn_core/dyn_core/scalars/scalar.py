"""Functions of one scalar that work on floats and on symbolic scalars alike.

A symbolic scalar is any object with arithmetic operators and the methods ``sin``, ``cos``,
``sqrt``, ``arctan2`` and ``select`` (as :class:`dyn_core.scalars.expr.Expr` has). Algorithms use
these functions and never branch on a value, so that one definition can be run and traced.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

Scalar: TypeAlias = Any
"""A float or a symbolic scalar. Floats 0.0 and 1.0 are exact and vanish from a trace."""


def sin(x: Scalar) -> Scalar:
    """Sine of ``x`` (rad)."""
    return math.sin(x) if isinstance(x, (float, int)) else x.sin()


def cos(x: Scalar) -> Scalar:
    """Cosine of ``x`` (rad)."""
    return math.cos(x) if isinstance(x, (float, int)) else x.cos()


def sqrt(x: Scalar) -> Scalar:
    """Square root of ``x >= 0``."""
    return math.sqrt(x) if isinstance(x, (float, int)) else x.sqrt()


def arctan2(y: Scalar, x: Scalar) -> Scalar:
    """Angle (rad, in [-pi, pi]) of the point ``(x, y)``."""
    if isinstance(y, (float, int)) and isinstance(x, (float, int)):
        return math.atan2(y, x)
    symbolic = x if isinstance(y, (float, int)) else y
    return symbolic.arctan2(y, x)


def select(condition: Any, if_true: Scalar, if_false: Scalar) -> Scalar:
    """``if_true`` where ``condition`` holds, else ``if_false``; both sides are evaluated."""
    if hasattr(condition, "select"):
        return condition.select(if_true, if_false)
    return if_true if condition else if_false
