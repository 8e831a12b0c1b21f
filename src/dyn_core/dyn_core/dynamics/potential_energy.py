# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Energy of height, and with motion."""

from __future__ import annotations

from dyn_core.dynamics.declare.arrays import Configuration, Velocity
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.kinetic_energy import kinetic_energy
from dyn_core.dynamics.tree_passes import composite_inertias, joint_kinematics
from dyn_core.model.model import Model
from dyn_core.spatial.scalars import Scalar


@quantity(
    "potential_energy",
    "potential energy in the field of gravity, zero where the centre of mass is at the origin",
    unit="J",
    frame="world",
    pinocchio="computePotentialEnergy",
    source="Featherstone 2008, section 2.13",
)
def potential_energy(model: Model, q: Configuration) -> Scalar:
    """``-m g'c`` of all bodies that joints move; springs have their own (:data:`spring_energy`)."""
    whole = composite_inertias(model, joint_kinematics(model, q))[0]
    return -model.gravity_vector.dot(whole.first_moment)


@quantity(
    "mechanical_energy",
    "kinetic energy and potential energy in the field of gravity",
    unit="J",
    frame="world",
    pinocchio="computeMechanicalEnergy",
    source="Featherstone 2008, section 2.13",
)
def mechanical_energy(model: Model, q: Configuration, v: Velocity) -> Scalar:
    """Kinetic and potential energy: its rate is ``v' tau``."""
    return kinetic_energy.define(model, q, v) + potential_energy.define(model, q)
