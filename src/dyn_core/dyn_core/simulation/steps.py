# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What the steps of all integrators have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from dyn_core.model.model import FloatArray

Acceleration: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""Acceleration (nv) in the state q (nq), v (nv)."""
State: TypeAlias = tuple[FloatArray, FloatArray]
"""Configuration (nq) and velocity (nv)."""


class StepError(ArithmeticError):
    """A step that has no result: the equations of an implicit one were not solved."""
