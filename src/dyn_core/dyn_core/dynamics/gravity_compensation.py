# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Efforts of gravity compensation: balloons, balancing mechanisms."""

from __future__ import annotations

from dyn_core.dynamics.declare.arrays import Configuration
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.tree_passes import joint_efforts, joint_kinematics, placements
from dyn_core.model.model import Model
from dyn_core.spatial import Force, Vector3
from dyn_core.spatial.scalars import Scalar


@quantity(
    "gravity_compensation",
    "efforts of devices that carry the weights of bodies",
    unit="N m, N",
    shape=("nv",),
    source="MuJoCo's documentation, attribute gravcomp of a body",
)
def gravity_compensation(model: Model, q: Configuration) -> list[Scalar]:
    """``sum J_c' (-m g)`` over the model's lifts, an effort beside ``tau``.

    Where every body's lift bears its whole weight, it is the generalized gravity.
    """
    joints = joint_kinematics(model, q)
    oMi = placements(model, joints)
    forces = [Force.zero()] * model.njoints
    for lift in model.lifts:
        force = oMi[lift.joint].rotation.apply_transpose(model.gravity_vector * -lift.mass)
        moment = Vector3(*lift.center).cross(force)
        forces[lift.joint] = forces[lift.joint] + Force(force, moment)
    return joint_efforts(model, joints, forces)
