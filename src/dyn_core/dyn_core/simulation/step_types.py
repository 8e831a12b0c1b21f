# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Types and errors of the steps of all integrators."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TypeAlias

from dyn_core.model.model import FloatArray
from dyn_core.model.value_checks import is_number

Acceleration: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""Acceleration (nv) in the state q (nq), v (nv)."""
State: TypeAlias = tuple[FloatArray, FloatArray]
"""Configuration (nq) and velocity (nv)."""


class StepError(ArithmeticError):
    """A step without result, such as an implicit one whose equations were not solved."""


def check_dt(dt: float, name: str = "dt") -> None:
    """Refuse a length of a step that is not positive and finite. Raises ValueError."""
    if not (is_number(dt) and 0.0 < dt < inf):
        raise ValueError(f"{name} must be a positive number of seconds, not {dt!r}")
