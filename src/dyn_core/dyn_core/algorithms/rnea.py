"""Recursive Newton-Euler algorithm: inverse dynamics and its special cases.

``tau = M(q) a + C(q, v) v + g(q)`` (Featherstone 2008, section 5.3, table 5.1; Luh, Walker and
Paul 1980). Gravity enters as the acceleration ``-g`` of the universe.
"""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.model.kinematics import JointKinematics, joint_kinematics
from dyn_core.model.model import Model
from dyn_core.scalars import Scalar
from dyn_core.spatial import Force, Motion


def rnea(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], a: Sequence[Scalar]
) -> list[Scalar]:
    """Generalized efforts (nv) that give the accelerations ``a`` at the state ``q``, ``v``."""
    joints = joint_kinematics(model, q, v)
    forces = body_forces(model, joints, a)
    tau = joint_efforts(model, joints, forces)
    return [t + rotor * x for t, rotor, x in zip(tau, model.armature.tolist(), a, strict=True)]


def nonlinear_effects(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    """``C(q, v) v + g(q)`` (nv): the efforts at zero acceleration."""
    return rnea(model, q, v, [0.0] * model.nv)


def generalized_gravity(model: Model, q: Sequence[Scalar]) -> list[Scalar]:
    """``g(q)`` (nv): the efforts that hold the robot at rest. No Coriolis terms."""
    return nonlinear_effects(model, q, [0.0] * model.nv)


def body_forces(
    model: Model, joints: Sequence[JointKinematics], a: Sequence[Scalar]
) -> list[Force]:
    """Outward pass: the net force that each body's motion needs, in its own frame."""
    velocity = [Motion.zero()]
    acceleration = [Motion(-model.gravity_vector, Motion.zero().angular)]
    forces = [Force.zero()]
    for i in model.moving_joints:
        joint, parent, inertia = joints[i], model.parents[i], model.inertias[i]
        v = joint.liMi.act_inv_motion(velocity[parent]) + joint.vJ
        a_i = joint.liMi.act_inv_motion(acceleration[parent]) + joint.c + v.cross(joint.vJ)
        for column, rate in zip(joint.S, model.v_of(i, a), strict=True):
            a_i = a_i + column * rate
        velocity.append(v)
        acceleration.append(a_i)
        forces.append(inertia.apply(a_i) + v.cross_force(inertia.apply(v)))
    return forces


def joint_efforts(
    model: Model, joints: Sequence[JointKinematics], forces: Sequence[Force]
) -> list[Scalar]:
    """Inward pass: collect the forces of each subtree and project them on its joint."""
    total = list(forces)
    tau: list[Scalar] = [0.0] * model.nv
    for i in reversed(model.moving_joints):
        for k, column in enumerate(joints[i].S):
            row = model.idx_v[i] + k
            tau[row] = tau[row] + column.dot(total[i])  # a mimic joint adds to its primary
        parent = model.parents[i]
        if parent:
            total[parent] = total[parent] + joints[i].liMi.act_force(total[i])
    return tau
