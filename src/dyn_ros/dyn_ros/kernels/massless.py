# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joints that can move without moving any mass, and rotors that give them inertia."""

import numpy as np

import dyn_core
from dyn_ros.arrays import Vector

TAKES_PART = 1e-3  # of a joint in a motion of length 1


def joints_without_inertia(model: dyn_core.Model, q: Vector) -> list[str]:
    """Return the joints that take part in motions that move no mass at the configuration `q`."""
    motions = dyn_core.motions_without_inertia(model, q.tolist())
    share = np.abs(motions).max(axis=1, initial=0.0)
    return [name for name, x in zip(model.dof_names, share, strict=True) if x > TAKES_PART]


def with_massless_armature(model: dyn_core.Model, q: Vector, armature: float) -> dyn_core.Model:
    """Return the model with a rotor (kg m^2, kg) on each joint without inertia at `q`."""
    for name in joints_without_inertia(model, q):
        model = model.with_rotor(name, armature)
    return model
