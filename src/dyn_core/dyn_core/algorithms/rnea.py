"""Recursive Newton-Euler algorithm: inverse dynamics and its special cases.

``tau = M(q) a + C(q, v) v + g(q)`` (Featherstone 2008, section 5.3, table 5.1; Luh, Walker and
Paul 1980). Gravity enters as the acceleration ``-g`` of the universe.
"""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.model.kinematics import (
    JointKinematics,
    collected,
    joint_kinematics,
)
from dyn_core.model.model import Model
from dyn_core.quantities.arrays import Acceleration, BodyForces, Configuration, Velocity
from dyn_core.quantities.quantity import quantity
from dyn_core.scalars import Scalar
from dyn_core.spatial import BodyMotion, Force


@quantity(
    "tau",
    "efforts of inverse dynamics",
    unit="N m, N",
    shape=("nv",),
    pinocchio="rnea",
    source="Featherstone 2008, table 5.1",
    joint_space=True,
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
    forces = body_forces(model, joints, a, f_ext)
    tau = joint_efforts(model, joints, forces)
    return [t + rotor * x for t, rotor, x in zip(tau, model.armature.tolist(), a, strict=True)]


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


def body_forces(
    model: Model,
    joints: Sequence[JointKinematics],
    a: Sequence[Scalar],
    f_ext: Sequence[Force] | None = None,
) -> list[Force]:
    """Outward pass: the force that each body's motion needs of its joints, in its own frame."""
    motions = [BodyMotion.straight(-model.gravity_vector)]
    forces = [Force.zero()]
    for i in model.moving_joints:
        joint, acceleration = joints[i], joints[i].c
        for column, rate in zip(joint.S, model.v_of(i, a), strict=True):
            acceleration = acceleration + column * rate
        carrier = motions[model.parents[i]]
        motions.append(carrier.carried(joint.liMi, joint.vJ, acceleration))
        force = motions[i].force(model.inertias[i])
        forces.append(force if f_ext is None else force - f_ext[i])
    return forces


def joint_efforts(
    model: Model, joints: Sequence[JointKinematics], forces: Sequence[Force]
) -> list[Scalar]:
    """Inward pass: collect the forces of each subtree and project them on its joint."""
    tau: list[Scalar] = [0.0] * model.nv
    for i, total in collected(model, joints, forces):
        for row, column in enumerate(joints[i].S, model.idx_v[i]):
            tau[row] = tau[row] + column.dot(total)  # a mimic joint adds to its primary
    return tau
