# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Kinetic energy of all bodies and rotors."""

from __future__ import annotations

from dyn_core.dynamics.declare.arrays import Configuration, Velocity
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.tree_passes import joint_kinematics, velocities
from dyn_core.model.model import Model
from dyn_core.spatial.scalars import Scalar


@quantity(
    "kinetic_energy",
    "kinetic energy",
    unit="J",
    frame="world",
    pinocchio="computeKineticEnergy",
    source="Featherstone 2008, equation 2.67",
)
def kinetic_energy(model: Model, q: Configuration, v: Velocity) -> Scalar:
    """``1/2 sum v_i' I_i v_i`` over all bodies, and ``1/2 v^2`` times each rotor's armature."""
    twice = 0.0
    motions = velocities(model, joint_kinematics(model, q, v))
    for body, velocity in zip(model.inertias, motions, strict=True):
        twice = twice + velocity.dot(body.apply(velocity))
    for rate, rotor in zip(v, model.armature.tolist(), strict=True):
        twice = twice + rotor * rate * rate
    return 0.5 * twice
