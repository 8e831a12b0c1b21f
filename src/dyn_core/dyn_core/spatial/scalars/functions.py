# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Functions of one scalar that work on floats and on symbolic scalars alike.

Algorithms use these functions and never branch on a value, so that one definition can be run and
traced.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from dyn_core.spatial.scalars.operations import ARCTAN2, COS, EXP, SELECT, SIN, SQRT
from dyn_core.spatial.scalars.operations import Scalar as Scalar

Rows: TypeAlias = list[list[Scalar]]
"""A matrix, row by row."""

TANH_SATURATION = 20.0
"""From here on the hyperbolic tangent is 1 to rounding."""


sin = SIN
"""Sine of an angle (rad); NaN from :data:`~.operations.LARGEST_ANGLE` on."""
cos = COS
"""Cosine of an angle (rad); NaN from :data:`~.operations.LARGEST_ANGLE` on."""
sqrt = SQRT
"""Square root of a number that is not negative."""
exp = EXP
"""``e`` to a power; infinite where that is too large for a number."""
arctan2 = ARCTAN2
"""``arctan2(y, x)``: angle (rad, in [-pi, pi]) of the point (x, y)."""


def tanh(x: Scalar) -> Scalar:
    """Hyperbolic tangent of ``x``, from -1 to 1; its absolute error is that of rounding 1."""
    # so far out nothing changes; infinities of the exponential would make its derivative NaN
    x = select(
        x > TANH_SATURATION, TANH_SATURATION, select(x < -TANH_SATURATION, -TANH_SATURATION, x)
    )
    return 1.0 - 2.0 / (exp(2.0 * x) + 1.0)


def sign(x: Scalar) -> Scalar:
    """-1, 0 or 1 as ``x`` is negative, zero or positive."""
    return select(x > 0.0, 1.0, select(x < 0.0, -1.0, 0.0))


def dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """The inner product of two vectors of equal size."""
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def select(condition: Any, if_true: Scalar, if_false: Scalar) -> Scalar:
    """``if_true`` where ``condition`` holds, else ``if_false``; both sides are evaluated."""
    if hasattr(condition, "apply"):
        for side in (if_true, if_false):
            if hasattr(side, "chosen"):  # made of several numbers, each of which is selected
                return side.chosen(condition, if_true, if_false)
        return condition.apply(SELECT, condition, if_true, if_false)
    return if_true if condition else if_false
