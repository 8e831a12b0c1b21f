# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The table of coordinates for time steps: state, limits, friction, and last impulses."""

from __future__ import annotations

import numpy as np

from dyn_core.compiler.runtime import compile
from dyn_core.configuration import position_limits
from dyn_core.dynamics.friction_efforts import friction_efforts
from dyn_core.model.model import FloatArray, Model
from dyn_core.simulation import impulses

LEAST_SPEED = 1e-12
"""Least speed at which dry friction is evaluated, rad/s or m/s."""


class Coordinates:
    """The table of :mod:`dyn_core.simulation.impulses` for a robot at rest."""

    def __init__(self, model: Model, stops: bool = True) -> None:
        """Read friction from the model, and stops if they act."""
        self.table: FloatArray = np.zeros((impulses.COORDINATE_ROWS, model.nv))
        """(8, nv) rows as :mod:`dyn_core.simulation.impulses` names them."""
        limits = position_limits(model)
        self.table[impulses.LOWER] = limits[0] if stops else -np.inf
        self.table[impulses.UPPER] = limits[1] if stops else np.inf
        self.table[impulses.DAMPING], self.table[impulses.DRY] = model.damping, model.friction
        fades = any(any(entry.limits.stiction) for entry in model.tree)
        self._losses = compile(model, [friction_efforts]) if fades else None
        self.rub = bool(fades or model.friction.any() or model.damping.any())
        """Whether there is friction at all."""

    def at_speed(self, v: FloatArray) -> None:
        """Set dry friction to that at a velocity (nv): stiction fades (Stribeck effect)."""
        if self._losses is not None:
            speed = np.maximum(np.abs(v), LEAST_SPEED)
            viscous = self.table[impulses.DAMPING] * speed
            self.table[impulses.DRY] = -self._losses(speed) - viscous
