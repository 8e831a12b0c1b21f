# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""How the motion of bodies depends on the coordinates: one column for each degree of freedom.

All vectors are in one frame, that of the first joint's body at the instant considered, so that
nothing is transported along the tree: what a subtree is made of is a plain sum (Singh, Russell and
Wensing 2022, "Efficient analytical derivatives of rigid-body dynamics using spatial vector
algebra"). In that body's frame a free flyer's subspace is the identity, and gravity alone knows of
the world; the world's own frame would read the same and cost more. Operations of the derivatives of
inverse dynamics by q, v and a:

============  =====  =====  ======  ======  ===============
frame of      ur5    panda  hyq     talos   simple_humanoid
============  =====  =====  ======  ======  ===============
the world     3612   6691   14052   40593   35674
body 1        2167   5653   10110   31385   26819
body 2        2642   5396   12927   34491   29814
============  =====  =====  ======  ======  ===============

The paper's equations hold for subspaces that are constant in their bodies. Here a joint adds what
its own velocity ``S v`` and acceleration ``S a + dS/dt v`` depend on its own q, by dual numbers: it
is exactly zero, and vanishes from traces, for all joints whose subspace does not move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from dyn_core.dynamics.tree_passes import along, joint_kinematics, outward_pass, placements
from dyn_core.model.joints import Joint
from dyn_core.model.model import Model
from dyn_core.spatial import SE3, Motion, Vector3
from dyn_core.spatial.lie.space import identity
from dyn_core.spatial.scalars import Scalar
from dyn_core.spatial.scalars.dual_numbers import derivative_along


@dataclass(frozen=True)
class MotionColumn:
    """Derivatives of the motion of every body l behind joint j by one coordinate of j.

    "By q" means along the velocity coordinate, in coordinates that move with the body.
    """

    k: int
    """Its place in v; a mimic joint's is its primary's."""
    S: Motion
    """The column of the subspace: the derivative of body l's velocity by the rate."""
    V_q: Motion
    """The derivative of its velocity by q (the paper's Psi-dot)."""
    A_q: Motion
    """The derivative of its acceleration by q is ``A_q + V_q x V_l`` (Psi-double-dot)."""
    A_v: Motion
    """The derivative of its acceleration by the rate is ``A_v + S x V_l`` (Psi-dot + Phi-dot)."""
    S_q: tuple[Motion, ...]
    """The derivatives of its own joint's columns by q, in coordinates that move with the body."""


@dataclass(frozen=True)
class MotionColumns:
    """The motion of all bodies, and how it depends on the coordinates."""

    placements: list[SE3]
    """Of the joints, the universe's first."""
    V: list[Motion]
    """Velocities of the bodies."""
    A: list[Motion]
    """Accelerations of the bodies."""
    of: list[list[MotionColumn]]
    """The columns of each joint."""


MovingBody: TypeAlias = tuple[Motion, Motion, list[MotionColumn]]
"""Velocity and acceleration of a joint's body, and the joint's columns."""


def motion_columns(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    gravity: Vector3,
) -> MotionColumns:
    """The outward pass: velocity and acceleration of bodies with their derivatives.

    Args:
        model: the robot.
        q: configuration.
        v: velocity.
        a: acceleration.
        gravity: in the world frame; the universe accelerates against it.
    """
    joints = joint_kinematics(model, q, v)
    X = placements(model, joints, seen_from=min(1, model.njoints - 1))

    def step(i: int, parent: MovingBody) -> MovingBody:
        joint, act = joints[i], X[i].act_motion
        V_p, A_p, _ = parent
        S = [act(column) for column in joint.S]
        carried = [V_p.cross(column) for column in S]
        rates, accelerations = model.v_of(i, v), model.v_of(i, a)
        V, A = along(S, rates, V_p), along(S, accelerations, A_p + act(joint.c))
        A = along(carried, rates, A)
        changes = joint_changes(model.joints[i], model.q_of(i, q), rates, accelerations)
        own: list[MotionColumn] = []
        for k, change in enumerate(changes):
            vJ_q = act(change.vJ_q)
            V_q = carried[k] + vJ_q
            A_q = A_p.cross(S[k]) + V_p.cross(V_q) + V.cross(vJ_q) + act(change.aJ_q)
            A_v = carried[k] * 2.0 + act(joint.vJ.cross(joint.S[k]) + change.aJ_v)
            S_q = tuple(act(column) for column in change.S_q)
            own.append(MotionColumn(model.idx_v[i] + k, S[k], V_q, A_q, A_v, S_q))
        return V, A, own

    universe: MovingBody = Motion.zero(), Motion(-X[0].rotation.apply(gravity), Vector3.zero()), []
    V, A, of = zip(*outward_pass(model, universe, step), strict=True)
    return MotionColumns(X, list(V), list(A), list(of))


@dataclass(frozen=True)
class JointChange:
    """How the own motion of a joint depends on one of its coordinates; in the child frame."""

    S_q: tuple[Motion, ...]
    """Its subspace's columns by q."""
    vJ_q: Motion
    """``S v`` by q."""
    aJ_q: Motion
    """``S a + dS/dt v`` by q."""
    aJ_v: Motion
    """The same by v."""


def joint_changes(
    joint: Joint, q: Sequence[Scalar], v: Sequence[Scalar], a: Sequence[Scalar]
) -> list[JointChange]:
    """For each coordinate of a joint what changes with it; exact zeros if its subspace is fixed."""

    def bias(x: Sequence[Scalar]) -> list[Scalar]:
        return list(joint.bias(x, v))

    changes = []
    for direction in identity(joint.nv):
        S_q = joint.subspace_rate(q, direction)
        vJ_q = aJ_q = Motion.zero()
        for column, rate, acceleration in zip(S_q, v, a, strict=True):
            vJ_q = vJ_q + column * rate
            aJ_q = aJ_q + column * acceleration
        aJ_q = aJ_q + Motion.of(derivative_along(bias, q, joint.space.rate(q, direction)))
        aJ_v = derivative_along(lambda rates: joint.bias(q, rates), v, direction)
        changes.append(JointChange(S_q, vJ_q, aJ_q, Motion.of(aJ_v)))
    return changes
