# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Coriolis matrix by composite inertias and their rates."""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.dynamics.declare.arrays import Configuration, Velocity
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.tree_passes import (
    JointKinematics,
    column_rates,
    composite_inertias,
    inward_sum,
    joint_kinematics,
    velocities,
)
from dyn_core.model.model import Model
from dyn_core.spatial import InertiaRate, Motion
from dyn_core.spatial.scalars import Scalar


@quantity(
    "C",
    "Coriolis matrix",
    unit="kg m^2/s, kg m/s, kg/s",
    shape=("nv", "nv"),
    pinocchio="computeCoriolisMatrix, getCoriolisMatrix",
    source="Echeandia and Wensing 2021, algorithm 1",
    joint_space=True,
)
def coriolis_matrix(model: Model, q: Configuration, v: Velocity) -> list[list[Scalar]]:
    """``C(q, v)`` with ``C v`` the Coriolis and centrifugal efforts, ``dM/dt - 2 C`` skew.

    ``C = sum J_i' (I_i dJ_i + B_i J_i)`` over the bodies, where ``B_i`` is that half of the rate of
    the inertia which belongs to Christoffel's symbols (:class:`InertiaRate`). Where velocities are
    rates of coordinates, this is the matrix of these symbols.
    """
    joints = joint_kinematics(model, q, v)
    motions = velocities(model, joints)
    composite = composite_inertias(model, joints)
    changes = _composite_changes(model, joints, motions)
    rates = column_rates(model, joints, motions, q, v)
    C: list[list[Scalar]] = [[0.0] * model.nv for _ in range(model.nv)]
    for i in reversed(model.moving_joints):
        for k, (s, ds) in enumerate(zip(joints[i].S, rates[i], strict=True), model.idx_v[i]):
            # along this column: efforts on it, momentum of its rate, efforts of its momentum
            effort = composite[i].apply(ds) + changes[i].apply(s)
            momentum, turning = composite[i].apply(s), changes[i].apply_transpose(s)
            for j in model.inwards(i):
                pairs = zip(joints[j].S, rates[j], strict=True)
                for row, (t, dt) in enumerate(pairs, model.idx_v[j]):
                    C[row][k] = C[row][k] + t.dot(effort)
                    if i != j:
                        C[k][row] = C[k][row] + (dt.dot(momentum) + t.dot(turning))
                effort, momentum, turning = (
                    joints[j].liMi.act_force(F) for F in (effort, momentum, turning)
                )
    return C


def _composite_changes(
    model: Model, joints: Sequence[JointKinematics], motions: Sequence[Motion]
) -> list[InertiaRate]:
    """Half the rate of each subtree's composite inertia, in the joint's frame taken to rest."""

    def own(i: int) -> InertiaRate:
        return InertiaRate.of_body(model.inertias[i], motions[i]) if i else InertiaRate.zero()

    return inward_sum(model, own, lambda i, total: joints[i].liMi.act_inertia_rate(total))
