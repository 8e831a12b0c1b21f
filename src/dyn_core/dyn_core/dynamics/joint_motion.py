# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""How the joint frames are placed and move: forward kinematics of order 0 to 2."""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.dynamics.declare.arrays import Acceleration, Configuration, Velocity
from dyn_core.dynamics.declare.options import LOCAL, Reference
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.tree_passes import (
    accelerations,
    against_gravity,
    joint_kinematics,
    placements,
    velocities,
)
from dyn_core.model.model import Model
from dyn_core.spatial import SE3, Motion


@quantity(
    "liMi",
    "placements of the joints in their parents as homogeneous matrices, the universe's first",
    unit="1, m",
    shape=("njoints", 4, 4),
    frame="parent joint's",
    source="Featherstone 2008, section 4.6",
)
def relative_placements(model: Model, q: Configuration) -> list[SE3]:
    """The placement of every joint frame in that of its parent."""
    return [joint.liMi for joint in joint_kinematics(model, q)]


@quantity(
    "v",
    "spatial velocities of the joint frames, the universe's first",
    unit="m/s, rad/s",
    shape=("njoints", 6),
    frame="requested",
    pinocchio="also forwardKinematics, getVelocity",
    pinocchio_data="v, ov(reference=WORLD)",
    source="Featherstone 2008, equation 5.7",
)
def joint_velocities(
    model: Model, q: Configuration, v: Velocity, *, reference: Reference = LOCAL
) -> list[Motion]:
    """Velocity of every joint frame, linear part first."""
    joints = joint_kinematics(model, q, v)
    return seen(placements(model, joints), velocities(model, joints), reference)


@quantity(
    "a",
    "spatial accelerations of the joint frames, the universe's first",
    unit="m/s^2, rad/s^2",
    shape=("njoints", 6),
    frame="requested",
    pinocchio="also forwardKinematics, getAcceleration, getClassicalAcceleration(classical=True)",
    pinocchio_data="a, oa(reference=WORLD)",
    source="Featherstone 2008, equation 5.8 and section 2.11",
)
def joint_accelerations(
    model: Model,
    q: Configuration,
    v: Velocity,
    a: Acceleration,
    *,
    reference: Reference = LOCAL,
    classical: bool = False,
) -> list[Motion]:
    """Acceleration of every joint frame, linear part first; no gravity.

    The spatial acceleration is the rate of the spatial velocity; its linear part becomes that of
    the point at the reference's origin (``classical``) by adding ``w x v``.
    """
    joints = joint_kinematics(model, q, v)
    oMi, local = placements(model, joints), velocities(model, joints)
    spatial = seen(oMi, accelerations(model, joints, local, a, Motion.zero()), reference)
    if not classical:
        return spatial
    speeds = seen(oMi, local, reference)
    return [of_the_point(a_i, v_i) for a_i, v_i in zip(spatial, speeds, strict=True)]


@quantity(
    "a_gf",
    "spatial accelerations of the joint frames minus gravity, the universe's first",
    unit="m/s^2, rad/s^2",
    shape=("njoints", 6),
    frame="requested",
    pinocchio_data="a_gf, oa_gf(reference=WORLD)",
    source="Featherstone 2008, section 5.3",
)
def felt_accelerations(
    model: Model,
    q: Configuration,
    v: Velocity,
    a: Acceleration,
    *,
    reference: Reference = LOCAL,
) -> list[Motion]:
    """Accelerations of bodies less gravity (specific forces): at rest they point upwards.

    Forces follow from it: ``f_i = I_i a_i + v_i x* I_i v_i``.
    """
    joints = joint_kinematics(model, q, v)
    local = velocities(model, joints)
    felt = accelerations(model, joints, local, a, against_gravity(model))
    return seen(placements(model, joints), felt, reference)


def seen(oMi: Sequence[SE3], motions: Sequence[Motion], reference: Reference) -> list[Motion]:
    """Motions of joint frames, each in its own, in the reference that is asked for."""
    return [reference.of(M).act_motion(motion) for M, motion in zip(oMi, motions, strict=True)]


def of_the_point(acceleration: Motion, velocity: Motion) -> Motion:
    """The acceleration of the point at the origin that a spatial acceleration means."""
    linear = acceleration.linear + velocity.angular.cross(velocity.linear)
    return Motion(linear, acceleration.angular)
