# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of inverse dynamics (Singh, Russell and Wensing 2022).

Let coordinate j move body l, whose force is ``I A + V x* I V``. In axes that move with the body,
the force's derivative by q_j is ``I A_q + 2 B V_q``, by v_j ``I A_v + 2 B S``, with the columns of
:mod:`dyn_core.dynamics.motion_derivatives` and the half ``B`` of the inertia's rate (the paper's
body Coriolis matrix). In one common frame these sum over a subtree to the same with its composite
``I`` and ``B``. The efforts ``tau_i = S_i . F_i`` then change

* by coordinates j that carry joint i by ``S_i . (I_i A_q + 2 B_i V_q)``, and
* by coordinates j that joint i carries by ``S_i . (I_j A_q + 2 B_j V_q + S_j x* F_j)``: the
  subtree turns against joint i, and its force F_j with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dyn_core.dynamics.declare.arrays import (
    Acceleration,
    BodyForces,
    Configuration,
    Output,
    Velocity,
)
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.motion_derivatives import MotionColumn, MotionColumns, motion_columns
from dyn_core.dynamics.tree_passes import inward_sum
from dyn_core.model.model import Model
from dyn_core.spatial import Force, Inertia, InertiaRate
from dyn_core.spatial.scalars import Rows, Scalar

PER_Q = "N m/rad, N m/m, N/rad, N/m"
PER_V = "N m s/rad, N m s/m, N s/rad, N s/m"
PER_A = "kg m^2, kg m, kg"
SQUARE = ("nv", "nv")
SOURCE = "Singh, Russell and Wensing 2022, algorithm 1"


@dataclass(frozen=True)
class Sensitivity:
    """Inverse dynamics and its derivatives."""

    tau: list[Scalar]
    by_q: Rows
    by_v: Rows
    by_a: Rows
    """The mass matrix."""


@quantity(
    Output("dtau_dq", "derivative of inverse dynamics by q", PER_Q, SQUARE),
    Output("dtau_dv", "derivative of inverse dynamics by v", PER_V, SQUARE),
    Output("dtau_da", "derivative of inverse dynamics by a", PER_A, SQUARE, pinocchio="also M"),
    pinocchio="computeRNEADerivatives",
    source=SOURCE,
    joint_space=True,
)
def rnea_derivatives(
    model: Model,
    q: Configuration,
    v: Velocity,
    a: Acceleration,
    f_ext: BodyForces | None = None,
) -> tuple[Rows, Rows, Rows]:
    """Derivatives of inverse dynamics by q (along velocity coordinates), v and a.

    Forces from outside stay as they are in the frames of their joints.
    """
    found = sensitivity(model, q, v, a, f_ext)
    return found.by_q, found.by_v, found.by_a


@quantity(
    "dg_dq",
    "derivative of generalized gravity by q",
    unit=PER_Q,
    shape=SQUARE,
    pinocchio="computeGeneralizedGravityDerivatives",
    source=SOURCE,
    joint_space=True,
)
def generalized_gravity_derivatives(model: Model, q: Configuration) -> Rows:
    """Derivative of ``g(q)`` by q: the stiffness that gravity gives the robot."""
    rest = [0.0] * model.nv
    return sensitivity(model, q, rest, rest).by_q


@quantity(
    "dtau_static_dq",
    "derivative of the static efforts by q",
    unit=PER_Q,
    shape=SQUARE,
    pinocchio="computeStaticTorqueDerivatives",
    source=SOURCE,
    joint_space=True,
)
def static_torque_derivatives(
    model: Model, q: Configuration, f_ext: BodyForces | None = None
) -> Rows:
    """Derivative by q of ``g(q) - sum J_i' f_i``, the efforts that hold the robot at rest."""
    rest = [0.0] * model.nv
    return sensitivity(model, q, rest, rest, f_ext).by_q


@dataclass(frozen=True)
class CompositeBody:
    """Sums over the bodies of a subtree, in the common frame."""

    inertia: Inertia
    rate: InertiaRate
    """Half of its inertia's rate, B."""
    momentum: Force
    force: Force
    """The force that its motion needs, less the external forces."""

    def __add__(self, other: CompositeBody) -> CompositeBody:
        return CompositeBody(
            self.inertia + other.inertia,
            self.rate + other.rate,
            self.momentum + other.momentum,
            self.force + other.force,
        )


def composites(
    model: Model, motion: MotionColumns, f_ext: Sequence[Force] | None = None
) -> list[CompositeBody]:
    """The subtree of every joint; entry 0 is the whole robot without the world."""
    return inward_sum(model, lambda i: of_body(model, motion, i, f_ext), lambda i, total: total)


def of_body(
    model: Model, motion: MotionColumns, i: int, f_ext: Sequence[Force] | None
) -> CompositeBody:
    """The contribution of one body; zero for the world."""
    if not i:
        return CompositeBody(Inertia.zero(), InertiaRate.zero(), Force.zero(), Force.zero())
    X, V = motion.placements[i], motion.V[i]
    inertia = X.act_inertia(model.inertias[i])
    momentum = inertia.apply(V)
    force = inertia.apply(motion.A[i]) + V.cross_force(momentum)
    if f_ext is not None:
        force = force - X.act_force(f_ext[i])
    return CompositeBody(inertia, InertiaRate.of_body(inertia, V), momentum, force)


@dataclass(frozen=True)
class ForceColumn:
    """Derivatives of a subtree's force by one coordinate, in axes that move with the subtree."""

    by_q: Force
    by_v: Force
    by_a: Force

    @classmethod
    def of(cls, column: MotionColumn, body: CompositeBody) -> ForceColumn:
        """The derivatives by a coordinate that moves the whole subtree."""
        inertia, rate = body.inertia, body.rate
        return cls(
            inertia.apply(column.A_q) + rate.apply(column.V_q) * 2.0,
            inertia.apply(column.A_v) + rate.apply(column.S) * 2.0,
            inertia.apply(column.S),
        )


def sensitivity(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    f_ext: Sequence[Force] | None = None,
) -> Sensitivity:
    """Inverse dynamics with all its derivatives, by one pass outwards and one inwards."""
    motion = motion_columns(model, q, v, a, model.gravity_vector)
    nv = model.nv
    found = Sensitivity(
        [rotor * x for rotor, x in zip(model.armature.tolist(), a, strict=True)],
        [[0.0] * nv for _ in range(nv)],
        [[0.0] * nv for _ in range(nv)],
        [[rotor if i == j else 0.0 for j in range(nv)] for i, rotor in enumerate(model.armature)],
    )

    def felt(j: int, body: CompositeBody) -> CompositeBody:
        """Add the efforts of joint j and of its ancestors by the subtree of joint j."""
        forces = [ForceColumn.of(column, body) for column in motion.of[j]]
        for i in model.inwards(j):
            if i == j:
                within_joint(found, motion.of[j], forces, body)
            else:
                across_joints(found, motion.of[i], motion.of[j], forces, body)
        return body

    inward_sum(model, lambda i: of_body(model, motion, i, f_ext), felt)
    return found


def within_joint(
    found: Sensitivity,
    own: Sequence[MotionColumn],
    forces: Sequence[ForceColumn],
    body: CompositeBody,
) -> None:
    """The efforts of a joint, and how they depend on its own coordinates."""
    for k, row in enumerate(own):
        add(found.tau, row.k, row.S.dot(body.force))
        for column, force in zip(own, forces, strict=True):
            turned = column.S_q[k].dot(body.force)
            add(found.by_q[row.k], column.k, row.S.dot(force.by_q) + turned)
            add(found.by_v[row.k], column.k, row.S.dot(force.by_v))
            if row.k <= column.k:
                mirrored(found.by_a, row.k, column.k, row.S.dot(force.by_a))


def across_joints(
    found: Sensitivity,
    carrying: Sequence[MotionColumn],
    carried: Sequence[MotionColumn],
    forces: Sequence[ForceColumn],
    body: CompositeBody,
) -> None:
    """The efforts of a joint by the coordinates of one that it carries, and the other way round."""
    for column, force in zip(carried, forces, strict=True):
        turned = force.by_q + column.S.cross_force(body.force)
        turning = body.rate.apply_transpose(column.S) * 2.0
        for row in carrying:
            add(found.by_q[row.k], column.k, row.S.dot(turned))
            add(found.by_v[row.k], column.k, row.S.dot(force.by_v))
            by_q = row.V_q.dot(turning) + row.A_q.dot(force.by_a)
            by_v = row.S.dot(turning) + row.A_v.dot(force.by_a)
            add(found.by_q[column.k], row.k, by_q)
            add(found.by_v[column.k], row.k, by_v)
            by_a = row.S.dot(force.by_a)
            add(found.by_a[row.k], column.k, by_a)
            add(found.by_a[column.k], row.k, by_a)


def add(row: list[Scalar], k: int, entry: Scalar) -> None:
    """Add to an entry; those of a primary collect what all its mimic joints contribute."""
    row[k] = row[k] + entry


def mirrored(matrix: Rows, i: int, j: int, entry: Scalar) -> None:
    """Add to an entry of one joint's block and, off the diagonal, to the one across."""
    add(matrix[i], j, entry)
    if i != j:
        add(matrix[j], i, entry)
