# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Momenta of bodies, and the forces that joints transmit."""

from __future__ import annotations

from dyn_core.dynamics.center_of_mass import momenta
from dyn_core.dynamics.declare.arrays import Acceleration, BodyForces, Configuration, Velocity
from dyn_core.dynamics.declare.options import LOCAL, Reference
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.rnea import body_forces
from dyn_core.dynamics.tree_passes import force_sums, joint_kinematics, placements
from dyn_core.model.model import Model
from dyn_core.spatial import Force


@quantity(
    "h",
    "momenta of the bodies, the universe's first",
    unit="kg m/s, kg m^2/s",
    shape=("njoints", 6),
    frame="requested",
    pinocchio_data="h, oh(reference=WORLD)",
    source="Featherstone 2008, equation 2.61",
)
def body_momenta(
    model: Model, q: Configuration, v: Velocity, *, reference: Reference = LOCAL
) -> list[Force]:
    """Momentum of every body, linear part first, about the origin of its joint or of the world."""
    joints = joint_kinematics(model, q, v)
    pairs = zip(placements(model, joints), momenta(model, joints), strict=True)
    return [reference.of(M).act_force(h) for M, h in pairs]


@quantity(
    "f",
    "forces that joints transmit to the bodies they move; first the force of the robot's base",
    unit="N, N m",
    shape=("njoints", 6),
    frame="requested",
    pinocchio_data="f, of(reference=WORLD)",
    source="Featherstone 2008, equation 5.10",
)
def joint_forces(
    model: Model,
    q: Configuration,
    v: Velocity,
    a: Acceleration,
    f_ext: BodyForces | None = None,
    *,
    reference: Reference = LOCAL,
) -> list[Force]:
    """Force and moment through every joint, including those of its bearings; linear part first.

    The effort of a joint is ``S' f``; a force sensor in a joint reads this, in its own axes.
    """
    joints = joint_kinematics(model, q, v)
    total = force_sums(model, joints, body_forces(model, joints, a, f_ext))
    oMi = placements(model, joints)
    return [reference.of(oMi[i]).act_force(total[i]) for i in range(model.njoints)]
