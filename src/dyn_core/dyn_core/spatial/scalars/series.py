# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Functions of a squared angle that are smooth at zero, where their closed forms are 0 / 0.

Each takes ``square`` = t^2 and selects between its closed form and its Taylor series. The limit
between them is where the cancellation of the closed form and the truncation of the series are both
below 1e-13 of the value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dyn_core.spatial.scalars.functions import Scalar, cos, select, sin, sqrt

TERMS = 10


def half_sinc(square: Scalar) -> Scalar:
    """``sin(t / 2) / t``."""
    is_small, _, angle = _split(square, 1e-2)
    series = [(-1) ** k / (2 ** (2 * k + 1) * math.factorial(2 * k + 1)) for k in range(TERMS)]
    return select(is_small, polynomial(series, square), sin(0.5 * angle) / angle)


def half_cos(square: Scalar) -> Scalar:
    """``cos(t / 2)``: smooth, but not as a function of ``sqrt(square)``."""
    is_small, _, angle = _split(square, 1e-2)
    series = [(-1) ** k / (4**k * math.factorial(2 * k)) for k in range(TERMS)]
    return select(is_small, polynomial(series, square), cos(0.5 * angle))


def cubic_gap(square: Scalar) -> Scalar:
    """``(t - sin t) / t^3``."""
    is_small, safe, angle = _split(square, 1.0)
    series = [(-1) ** k / math.factorial(2 * k + 3) for k in range(TERMS)]
    return select(is_small, polynomial(series, square), (angle - sin(angle)) / (angle * safe))


def quartic_gap(square: Scalar) -> Scalar:
    """``(t^2 + 2 cos t - 2) / (2 t^4)``."""
    is_small, safe, angle = _split(square, 1.0)
    series = [(-1) ** k / math.factorial(2 * k + 4) for k in range(TERMS)]
    closed = (safe + 2.0 * cos(angle) - 2.0) / (2.0 * safe * safe)
    return select(is_small, polynomial(series, square), closed)


def quintic_gap(square: Scalar) -> Scalar:
    """``(2 t - 3 sin t + t cos t) / (2 t^5)``."""
    is_small, safe, angle = _split(square, 1.0)
    series = [(-1) ** k * (k + 1) / math.factorial(2 * k + 5) for k in range(TERMS)]
    closed = (2.0 * angle - 3.0 * sin(angle) + angle * cos(angle)) / (2.0 * safe * safe * angle)
    return select(is_small, polynomial(series, square), closed)


def inverse_gap(square: Scalar) -> Scalar:
    """``(1 - (t / 2) cot(t / 2)) / t^2``, for t < 2 pi."""
    is_small, safe, angle = _split(square, 1e-1)
    half = half_sinc(safe)  # cot(t/2) t/2 = sin t / (4 t half^2)
    closed = (1.0 - sin(angle) / (4.0 * angle * half * half)) / safe
    series = (1 / 12, 1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160, 691 / 1307674368000)
    return select(is_small, polynomial(series, square), closed)


def polynomial(coefficients: Sequence[float], x: Scalar) -> Scalar:
    """The polynomial with the coefficients of 1, x, x^2, ... by Horner's rule."""
    value: Scalar = 0.0
    for coefficient in reversed(coefficients):
        value = coefficient + x * value
    return value


def _split(square: Scalar, limit: float) -> tuple[Any, Scalar, Scalar]:
    """Whether the series holds, and a square and angle that the closed form can divide by."""
    is_small = square < limit
    safe = select(is_small, 1.0, square)
    return is_small, safe, sqrt(safe)
