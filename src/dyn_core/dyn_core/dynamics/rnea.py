# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Recursive Newton-Euler algorithm: inverse dynamics and its special cases.

``tau = M(q) ddq + C(q, v) v + g(q)`` (Featherstone 2008, section 5.3, table 5.1). With l the parent
of joint i, from the base to the tips and back::

    v_i = iXl v_l + vJ
    a_i = iXl a_l + S_i ddq_i + cJ + v_i x vJ        a_0 = -g
    f_i = I_i a_i + v_i x* I_i v_i - f_ext_i
    tau_i = S_i' (f_i + sum iXj* f_j)                over the joints j that joint i carries
"""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.dynamics.declare.arrays import Acceleration, BodyForces, Configuration, Velocity
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.tree_passes import (
    JointKinematics,
    accelerations,
    against_gravity,
    along,
    joint_efforts,
    joint_kinematics,
    outward_pass,
    velocities,
    with_rotors,
)
from dyn_core.model.model import Model
from dyn_core.spatial import BodyMotion, Force
from dyn_core.spatial.scalars import Scalar


def by_origin_accelerations(
    model: Model,
    q: Configuration,
    v: Velocity,
    a: Acceleration,
    f_ext: BodyForces | None = None,
) -> list[Scalar]:
    """The same by accelerations of the bodies' origins, which takes 16 to 20 % fewer operations.

    The acceleration of a frame's origin as a point needs no linear velocity, nor ``v x* I v`` (Luh,
    Walker and Paul 1980; Khalil and Kleinfinger 1987).
    """
    joints = joint_kinematics(model, q, v)

    def step(i: int, carrier: BodyMotion) -> BodyMotion:
        joint = joints[i]
        return carrier.carried(joint.liMi, joint.vJ, along(joint.S, model.v_of(i, a), joint.c))

    motions = outward_pass(model, BodyMotion.straight(-model.gravity_vector), step)
    f = [Force.zero()]
    for i in model.moving_joints:
        f_i = motions[i].force(model.inertias[i])
        f.append(f_i if f_ext is None else f_i - f_ext[i])
    return with_rotors(model, joint_efforts(model, joints, f), a)


@quantity(
    "tau",
    "efforts of inverse dynamics",
    unit="N m, N",
    shape=("nv",),
    pinocchio="rnea",
    source="Featherstone 2008, table 5.1",
    joint_space=True,
    alternatives=(by_origin_accelerations,),
)
def rnea(
    model: Model,
    q: Configuration,
    v: Velocity,
    a: Acceleration,
    f_ext: BodyForces | None = None,
) -> list[Scalar]:
    """Inverse dynamics ``M(q) a + C(q, v) v + g(q) - sum J_i' f_i`` by recursive Newton-Euler."""
    joints = joint_kinematics(model, q, v)
    tau = joint_efforts(model, joints, body_forces(model, joints, a, f_ext))
    return with_rotors(model, tau, a)


def body_forces(
    model: Model,
    joints: Sequence[JointKinematics],
    a: Sequence[Scalar],
    f_ext: Sequence[Force] | None = None,
) -> list[Force]:
    """``f_i = I_i a_i + v_i x* I_i v_i - f_ext_i``: what each body's motion needs of its joints."""
    v_ = velocities(model, joints)
    a_ = accelerations(model, joints, v_, a, against_gravity(model))
    f = [Force.zero()]
    for i in model.moving_joints:
        I = model.inertias[i]
        f_i = I.apply(a_[i]) + v_[i].cross_force(I.apply(v_[i]))
        f.append(f_i if f_ext is None else f_i - f_ext[i])
    return f


@quantity(
    "nle",
    "Coriolis, centrifugal and gravity efforts",
    unit="N m, N",
    shape=("nv",),
    pinocchio="nonLinearEffects",
    source="Featherstone 2008, table 5.1",
    joint_space=True,
)
def nonlinear_effects(model: Model, q: Configuration, v: Velocity) -> list[Scalar]:
    """``C(q, v) v + g(q)``: the efforts at zero acceleration."""
    efforts: list[Scalar] = rnea.define(model, q, v, [0.0] * model.nv)
    return efforts


@quantity(
    "g",
    "generalized gravity",
    unit="N m, N",
    shape=("nv",),
    pinocchio="computeGeneralizedGravity",
    source="Featherstone 2008, table 5.1",
    joint_space=True,
)
def generalized_gravity(model: Model, q: Configuration) -> list[Scalar]:
    """``g(q)``: the efforts that hold the robot at rest; no Coriolis terms."""
    efforts: list[Scalar] = nonlinear_effects.define(model, q, [0.0] * model.nv)
    return efforts


@quantity(
    "static_torque",
    "efforts that hold the robot at rest",
    unit="N m, N",
    shape=("nv",),
    pinocchio="computeStaticTorque",
    source="Featherstone 2008, table 5.1",
    joint_space=True,
)
def static_torque(model: Model, q: Configuration, f_ext: BodyForces | None = None) -> list[Scalar]:
    """``g(q) - sum J_i' f_i``: inverse dynamics at rest, under external forces."""
    rest = [0.0] * model.nv
    efforts: list[Scalar] = rnea.define(model, q, rest, rest, f_ext)
    return efforts
