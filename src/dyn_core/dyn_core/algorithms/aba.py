"""Articulated-body algorithm: forward dynamics in O(n) (Featherstone 2008, section 7.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dyn_core.algorithms.crba import crba
from dyn_core.algorithms.rnea import rnea
from dyn_core.algorithms.singular import refuse_singular
from dyn_core.algorithms.small_spd import Factor, factorize, solve, solve_from_the_leaves
from dyn_core.model.kinematics import JointKinematics, against_gravity, joint_kinematics
from dyn_core.model.model import Model
from dyn_core.quantities.arrays import BodyForces, Configuration, Effort, Velocity
from dyn_core.quantities.quantity import quantity
from dyn_core.scalars import Scalar
from dyn_core.spatial import ArticulatedInertia, BodyMotion, Force, Motion, Vector3


@dataclass(frozen=True)
class Projection:
    """What the outward pass needs of a joint: ``U = IA S``, ``D = S' U`` factorized, ``u``."""

    U: list[Force]
    D: Factor
    u: list[Scalar]
    IA: ArticulatedInertia
    """The body's articulated inertia, its joint not projected out."""


def by_mass_matrix(
    model: Model, q: Configuration, v: Velocity, tau: Effort, f_ext: BodyForces | None = None
) -> list[Scalar]:
    """Forward dynamics by solving ``M(q) ddq = tau - C(q, v) v - g(q) + sum J_i' f_i``."""
    bias = rnea.define(model, q, v, [0.0] * model.nv, f_ext)
    rest = [t - b for t, b in zip(tau, bias, strict=True)]
    return solve_from_the_leaves(crba.define(model, q), rest)


@quantity(
    "ddq",
    "acceleration",
    unit="rad/s^2, m/s^2",
    shape=("nv",),
    pinocchio="aba",
    source="Featherstone 2008, table 7.1",
    joint_space=True,
    requires=refuse_singular,
    alternatives=(by_mass_matrix,),
)
def aba(
    model: Model, q: Configuration, v: Velocity, tau: Effort, f_ext: BodyForces | None = None
) -> list[Scalar]:
    """Forward dynamics ``M(q)^-1 (tau - C(q, v) v - g(q) + sum J_i' f_i)`` by articulated bodies.

    Bodies that share a coordinate, as mimic joints make them, cannot be projected out one by one:
    a robot that has some goes by its mass matrix. Machine code does where that is shorter, as for
    most arms.
    """
    if model.has_mimic_joints:
        return by_mass_matrix(model, q, v, tau, f_ext)
    joints = joint_kinematics(model, q, v)
    bias_accelerations, bias_forces = velocity_terms(model, joints, f_ext)
    projections = articulate(model, joints, bias_accelerations, bias_forces, tau)
    return accelerate(model, joints, bias_accelerations, projections)


def velocity_terms(
    model: Model, joints: Sequence[JointKinematics], f_ext: Sequence[Force] | None = None
) -> tuple[list[Motion], list[Force]]:
    """First pass, outwards: what velocity adds to the acceleration and the force of each body.

    The acceleration is what it has relative to a carrier that turns but does not accelerate.
    """
    motions = [BodyMotion.straight(Vector3.zero())]
    accelerations, forces = [Motion.zero()], [Force.zero()]
    for i in model.moving_joints:
        joint, carrier = joints[i], motions[model.parents[i]]
        motion = carrier.carried(joint.liMi, joint.vJ, joint.c)
        accelerations.append(motion.acceleration)
        motions.append(motion.steady())
        force = motions[i].force(model.inertias[i])
        forces.append(force if f_ext is None else force - f_ext[i])
    return accelerations, forces


def articulate(
    model: Model,
    joints: Sequence[JointKinematics],
    bias_accelerations: Sequence[Motion],
    bias_forces: Sequence[Force],
    tau: Sequence[Scalar],
) -> list[Projection]:
    """Second pass, inwards: articulated inertias and bias forces, joint by joint projected out."""
    IA = [ArticulatedInertia.of_body(inertia) for inertia in model.inertias]
    pA = list(bias_forces)
    projections = [Projection([], Factor([], []), [], IA[0])] * model.njoints
    arrived: list[list[tuple[ArticulatedInertia, Force]]] = [[] for _ in IA]
    for i in reversed(model.moving_joints):
        joint, armature = joints[i], model.tree[i].limits.armature
        for inertia, force in arrived[i]:
            IA[i], pA[i] = IA[i] + inertia, pA[i] + force
        U = [IA[i].apply(column) for column in joint.S]
        D = [[column.dot(F) for F in U] for column in joint.S]
        for k, rotor in enumerate(armature):
            D[k][k] = D[k][k] + rotor
        u = [t - s.dot(pA[i]) for t, s in zip(model.v_of(i, tau), joint.S, strict=True)]
        projections[i] = Projection(U, factorize(D), u, IA[i])
        parent = model.parents[i]
        if parent:
            free = free_axes(joint.S) if not any(armature) else []
            Ia = project(IA[i], projections[i], free)
            pa = pA[i] + Ia.apply(bias_accelerations[i])
            for F, x in zip(U, solve(projections[i].D, u), strict=True):
                pa = pa + F * x
            arrived[parent].append((joint.liMi.act_articulated(Ia), joint.liMi.act_force(pa)))
    return projections


def project(IA: ArticulatedInertia, joint: Projection, free: Sequence[int]) -> ArticulatedInertia:
    """``IA - U D^-1 U'``: what the parent feels of a body that its joint lets move.

    Along the unit axes ``free`` the parent feels nothing at all: these rows and columns are
    exactly zero, and said so.
    """
    Ia = IA
    columns = [solve(joint.D, [tuple(F)[k] for F in joint.U]) for k in range(6)]
    for j, F in enumerate(joint.U):
        scaled = [columns[k][j] for k in range(6)]
        Ia = Ia.minus_outer(Force.of(scaled), F)
    return Ia.without(free)


def accelerate(
    model: Model,
    joints: Sequence[JointKinematics],
    bias_accelerations: Sequence[Motion],
    projections: Sequence[Projection],
) -> list[Scalar]:
    """Third pass, outwards: each joint yields to what its parent does to it."""
    acceleration = [against_gravity(model)]
    ddq: list[Scalar] = []
    for i in model.moving_joints:
        joint, projection = joints[i], projections[i]
        a = joint.liMi.act_inv_motion(acceleration[model.parents[i]]) + bias_accelerations[i]
        rest = [u - a.dot(F) for u, F in zip(projection.u, projection.U, strict=True)]
        rates = solve(projection.D, rest)
        for column, rate in zip(joint.S, rates, strict=True):
            a = a + column * rate
        acceleration.append(a)
        ddq.extend(rates)
    return ddq


def free_axes(S: Sequence[Motion]) -> list[int]:
    """Coordinate axes (0 to 5) that the subspace contains exactly."""
    axes = []
    for column in S:
        nonzero = [k for k, x in enumerate(column) if not (isinstance(x, float) and x == 0.0)]
        if len(nonzero) == 1 and isinstance(tuple(column)[nonzero[0]], float):
            axes.append(nonzero[0])
    return axes
