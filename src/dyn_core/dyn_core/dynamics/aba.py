# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Articulated-body algorithm: forward dynamics in O(n).

With l the parent of joint i (Featherstone 2008, section 7.3, table 7.1)::

    v_i = iXl v_l + vJ;  c_i = cJ + v_i x vJ;  pA_i = v_i x* I_i v_i - f_ext_i     outwards
    U_i = IA_i S_i;  D_i = S_i' U_i;  u_i = tau_i - S_i' pA_i                       inwards
    Ia = IA_i - U_i D_i^-1 U_i';  pa = pA_i + Ia c_i + U_i D_i^-1 u_i
    IA_l += lXi* Ia iXl;  pA_l += lXi* pa
    a' = iXl a_l + c_i;  ddq_i = D_i^-1 (u_i - U_i' a');  a_i = a' + S_i ddq_i     outwards

The universe accelerates with ``a_0 = -g``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dyn_core.dynamics.crba import crba
from dyn_core.dynamics.declare.arrays import BodyForces, Configuration, Effort, Velocity
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.ldl_factorization import Factor, factorize, solve, solve_from_the_leaves
from dyn_core.dynamics.rnea import rnea
from dyn_core.dynamics.singular_mass_matrix import refuse_singular
from dyn_core.dynamics.tree_passes import (
    JointKinematics,
    against_gravity,
    along,
    inward_sum,
    joint_kinematics,
    outward_pass,
    velocities,
)
from dyn_core.model.model import Model
from dyn_core.spatial import SE3, ArticulatedInertia, Force, Motion
from dyn_core.spatial.scalars import Scalar


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
    a robot that has some goes by its mass matrix.
    """
    if model.has_mimic_joints:
        return by_mass_matrix(model, q, v, tau, f_ext)
    joints = joint_kinematics(model, q, v)
    return articulated_bodies(model, joints, *bias(model, joints, f_ext), tau)


def bias(
    model: Model, joints: Sequence[JointKinematics], f_ext: Sequence[Force] | None = None
) -> tuple[list[Motion], list[Force]]:
    """The first pass: accelerations ``c_i`` and forces ``pA_i`` that velocity alone causes."""
    v = velocities(model, joints)
    c = [joint.c + v_i.cross(joint.vJ) for joint, v_i in zip(joints, v, strict=True)]
    pA = [v_i.cross_force(I.apply(v_i)) for I, v_i in zip(model.inertias, v, strict=True)]
    return c, pA if f_ext is None else [p - f for p, f in zip(pA, f_ext, strict=True)]


def articulated_bodies(
    model: Model,
    joints: Sequence[JointKinematics],
    c: Sequence[Motion],
    pA: Sequence[Force],
    tau: Sequence[Scalar],
) -> list[Scalar]:
    """The second and the third pass: accelerations of the joints (nv)."""
    bodies = articulate(model, joints, c, pA, tau)

    def step(i: int, parent: tuple[Motion, list[Scalar]]) -> tuple[Motion, list[Scalar]]:
        S, (U, D, u) = joints[i].S, yielding(model, joints, i, bodies[i], tau)
        a = joints[i].liMi.act_inv_motion(parent[0]) + c[i]
        ddq = solve(D, [u_k - a.dot(U_k) for u_k, U_k in zip(u, U, strict=True)])
        return along(S, ddq, a), ddq

    universe: tuple[Motion, list[Scalar]] = against_gravity(model), []
    moving = outward_pass(model, universe, step)
    return [x for _, ddq in moving for x in ddq]


@dataclass(frozen=True)
class ArticulatedBody:
    """A body with all that it carries, whose joints yield."""

    IA: ArticulatedInertia
    pA: Force
    """The force that it needs where it does not accelerate."""

    def __add__(self, other: ArticulatedBody) -> ArticulatedBody:
        return ArticulatedBody(self.IA + other.IA, self.pA + other.pA)

    def seen_at(self, placement: SE3) -> ArticulatedBody:
        """The same in the frame in which its own is at ``placement``."""
        return ArticulatedBody(placement.act_articulated(self.IA), placement.act_force(self.pA))


def articulate(
    model: Model,
    joints: Sequence[JointKinematics],
    c: Sequence[Motion],
    pA: Sequence[Force],
    tau: Sequence[Scalar],
) -> list[ArticulatedBody]:
    """The second pass: each body with what it carries, the universe's first."""

    def handed(i: int, body: ArticulatedBody) -> ArticulatedBody:
        U, D, u = yielding(model, joints, i, body, tau)
        Ia = body.IA
        rows = [solve(D, [tuple(F)[k] for F in U]) for k in range(6)]  # of U D^-1
        for j, F in enumerate(U):
            Ia = Ia.minus_outer(Force.of([row[j] for row in rows]), F)
        if not any(model.tree[i].limits.armature):  # then D = S' IA S
            Ia = Ia.vanishing_along(joints[i].S)
        pa = body.pA + Ia.apply(c[i])
        for F, x in zip(U, solve(D, u), strict=True):
            pa = pa + F * x
        return ArticulatedBody(Ia, pa).seen_at(joints[i].liMi)

    def own(i: int) -> ArticulatedBody:
        return ArticulatedBody(ArticulatedInertia.of_body(model.inertias[i]), pA[i])

    return inward_sum(model, own, handed)


def yielding(
    model: Model,
    joints: Sequence[JointKinematics],
    i: int,
    body: ArticulatedBody,
    tau: Sequence[Scalar],
) -> tuple[list[Force], Factor, list[Scalar]]:
    """``U_i``, ``D_i`` (factorized, rotors included) and ``u_i`` of a joint and its body."""
    S = joints[i].S
    U = [body.IA.apply(column) for column in S]
    D = [[column.dot(F) for F in U] for column in S]
    for k, rotor in enumerate(model.tree[i].limits.armature):
        D[k][k] = D[k][k] + rotor
    u = [t - column.dot(body.pA) for t, column in zip(model.v_of(i, tau), S, strict=True)]
    return U, factorize(D), u
