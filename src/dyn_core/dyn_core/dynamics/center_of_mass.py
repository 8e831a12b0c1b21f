# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Centre of mass of the robot and of its subtrees: where it is and how it moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dyn_core.dynamics.declare.arrays import Acceleration, Configuration, Velocity
from dyn_core.dynamics.declare.options import WHOLE_ROBOT, JointIndex
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.rnea import body_forces
from dyn_core.dynamics.tree_passes import (
    Columns,
    JointKinematics,
    composite_inertias,
    force_sums,
    joint_kinematics,
    placements,
    velocities,
)
from dyn_core.errors import ModelError
from dyn_core.model.model import Model
from dyn_core.spatial import Force, Vector3
from dyn_core.spatial.scalars import Scalar

SOURCE = "Orin, Goswami and Lee 2013, section 2"


def refuse_massless(model: Model, subtree: JointIndex = WHOLE_ROBOT) -> None:
    """Refuse bodies without mass, which have no centre.

    Raises:
        ModelError: they have none; the message names the joint that moves them.
    """
    bodies = [i for i in model.moving_joints if subtree in model.supports[i]]
    masses = [model.inertias[i].mass for i in bodies]
    if all(isinstance(mass, (float, int)) and mass == 0.0 for mass in masses):
        whose = f"what joint '{model.names[subtree]}' moves" if subtree else f"'{model.name}'"
        raise ModelError(f"{whose} has no mass and so no centre of mass; give its bodies mass")


@quantity(
    "center_of_mass",
    "centre of mass of the whole robot",
    unit="m",
    shape=(3,),
    frame="world",
    pinocchio="centerOfMass",
    source=SOURCE,
    requires=refuse_massless,
)
def center_of_mass(model: Model, q: Configuration) -> Vector3:
    """The position of the centre of mass; bodies fixed to the world do not count."""
    return composite_inertias(model, joint_kinematics(model, q))[0].com


@quantity(
    "center_of_mass_velocity",
    "velocity of the centre of mass of the whole robot",
    unit="m/s",
    shape=(3,),
    frame="world",
    pinocchio="also centerOfMass",
    source=SOURCE,
    requires=refuse_massless,
)
def center_of_mass_velocity(model: Model, q: Configuration, v: Velocity) -> Vector3:
    """The velocity of the centre of mass."""
    joints = joint_kinematics(model, q, v)
    return _per_mass(model, joints, momenta(model, joints))[0]


@quantity(
    "center_of_mass_acceleration",
    "acceleration of the centre of mass of the whole robot",
    unit="m/s^2",
    shape=(3,),
    frame="world",
    pinocchio="also centerOfMass",
    source=SOURCE,
    requires=refuse_massless,
)
def center_of_mass_acceleration(
    model: Model, q: Configuration, v: Velocity, a: Acceleration
) -> Vector3:
    """The acceleration of the centre of mass."""
    joints = joint_kinematics(model, q, v)
    return _per_mass(model, joints, momentum_rates(model, joints, a))[0]


@quantity(
    "com",
    "centres of mass of the subtrees, each in its joint's frame; the whole robot's first, in the "
    "world's",
    unit="m",
    shape=("njoints", 3),
    pinocchio="also centerOfMass",
    source=SOURCE,
)
def subtree_centers_of_mass(model: Model, q: Configuration) -> list[Vector3]:
    """The centre of mass of each joint's subtree; the joint's origin if that has no mass."""
    return [Y.com for Y in composite_inertias(model, joint_kinematics(model, q))]


@quantity(
    "vcom",
    "velocities of the centres of mass of the subtrees, each in the axes of its joint's frame; the "
    "whole robot's first, in the world's",
    unit="m/s",
    shape=("njoints", 3),
    pinocchio="also centerOfMass",
    source=SOURCE,
)
def subtree_center_of_mass_velocities(model: Model, q: Configuration, v: Velocity) -> list[Vector3]:
    """The velocity of each subtree's centre of mass; zero for a subtree without mass."""
    joints = joint_kinematics(model, q, v)
    return _per_mass(model, joints, momenta(model, joints))


@quantity(
    "acom",
    "accelerations of the centres of mass of the subtrees, each in the axes of its joint's frame; "
    "the whole robot's first, in the world's",
    unit="m/s^2",
    shape=("njoints", 3),
    pinocchio="also centerOfMass",
    source=SOURCE,
)
def subtree_center_of_mass_accelerations(
    model: Model, q: Configuration, v: Velocity, a: Acceleration
) -> list[Vector3]:
    """The acceleration of each subtree's centre of mass; zero for a subtree without mass."""
    joints = joint_kinematics(model, q, v)
    return _per_mass(model, joints, momentum_rates(model, joints, a))


@quantity(
    "Jcom",
    "Jacobian of the centre of mass of the robot or of a subtree",
    unit="m, 1",
    shape=(3, "nv"),
    frame="world",
    pinocchio="jacobianCenterOfMass, jacobianSubtreeCenterOfMass(subtree), "
    "getJacobianSubtreeCenterOfMass(subtree)",
    source=SOURCE,
)
def center_of_mass_jacobian(
    model: Model, q: Configuration, *, subtree: JointIndex = WHOLE_ROBOT
) -> list[list[Scalar]]:
    """``J`` with ``J v`` the velocity of the centre of mass, by default that of the whole robot.

    ``subtree`` is the joint that moves the bodies in question.

    Raises:
        ModelError: they have no mass.
    """
    refuse_massless(model, subtree)
    joints = joint_kinematics(model, q)
    oMi, composite = placements(model, joints), composite_inertias(model, joints)
    columns, center = Columns(model, height=3), oMi[subtree].act_point(composite[subtree].com)
    inverse_mass, above = 1.0 / composite[subtree].mass, model.supports[subtree][:-1]
    for i in model.moving_joints:
        if subtree not in model.supports[i] and i not in above:
            continue
        for k, column in enumerate(joints[i].S, model.idx_v[i]):
            if i in above:  # it carries the whole subtree along
                motion = oMi[i].act_motion(column)
                columns.add(k, motion.linear + motion.angular.cross(center))
            else:
                momentum = oMi[i].rotation.apply(composite[i].apply(column).linear)
                columns.add(k, momentum * inverse_mass)
    return columns.rows


def momenta(model: Model, joints: Sequence[JointKinematics]) -> list[Force]:
    """Momentum of each body in its joint's frame; of the universe zero."""
    pairs = zip(model.inertias, velocities(model, joints), strict=True)
    return [body.apply(v) for body, v in pairs]


def momentum_rates(
    model: Model, joints: Sequence[JointKinematics], a: Sequence[Scalar]
) -> list[Force]:
    """Rate of each body's momentum, the force that it takes; of the universe zero."""
    return body_forces(replace(model, gravity=(0.0, 0.0, 0.0)), joints, a)


def _per_mass(
    model: Model, joints: Sequence[JointKinematics], linear: Sequence[Force]
) -> list[Vector3]:
    """Sums of momenta or forces over the subtrees, divided by their mass."""
    masses = [Y.mass for Y in composite_inertias(model, joints)]
    result = [Vector3.zero()] * model.njoints
    for i, total in enumerate(force_sums(model, joints, linear)):
        massless = isinstance(masses[i], (float, int)) and masses[i] == 0.0
        result[i] = Vector3.zero() if massless else total.linear * (1.0 / masses[i])
    return result
