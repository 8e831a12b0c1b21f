# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Rates of Jacobians: what velocity adds to accelerations."""

from __future__ import annotations

from dyn_core.dynamics.declare.arrays import Configuration, Velocity
from dyn_core.dynamics.declare.definition import scalars_in
from dyn_core.dynamics.declare.options import LOCAL, JointIndex, Reference
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.frame_jacobian import frame_jacobian
from dyn_core.dynamics.joint_jacobians import refuse_shared_columns
from dyn_core.dynamics.tree_passes import (
    Columns,
    joint_kinematics,
    placements,
    subspace_rates,
    velocities,
)
from dyn_core.model.frame import Frame
from dyn_core.model.model import Model
from dyn_core.spatial.scalars import Rows, Scalar
from dyn_core.spatial.scalars.dual_numbers import derivative_along


@quantity(
    "dJf",
    "rate of the Jacobian of a frame",
    unit="m/s, 1/s",
    shape=(6, "nv"),
    frame="requested",
    pinocchio="frameJacobianTimeVariation, getFrameJacobianTimeVariation",
    source="Featherstone 2008, section 2.10",
)
def frame_jacobian_time_variation(
    model: Model, q: Configuration, v: Velocity, *, frame: Frame, reference: Reference = LOCAL
) -> list[Scalar]:
    """``dJ/dt``, so that ``J a + dJ/dt v`` is the rate of the frame's velocity ``J v``.

    That is its spatial acceleration in LOCAL and WORLD, the classical one in LOCAL_WORLD_ALIGNED.
    """

    def numbers(x: Configuration) -> list[Scalar]:
        return list(scalars_in(frame_jacobian.define(model, x, frame=frame, reference=reference)))

    return derivative_along(numbers, q, model.space.rate(q, v))


@quantity(
    "dJi",
    "rate of the Jacobian of a joint frame",
    unit="m/s, 1/s",
    shape=(6, "nv"),
    frame="requested",
    pinocchio="getJointJacobianTimeVariation",
    source="Featherstone 2008, section 2.10",
)
def joint_jacobian_time_variation(
    model: Model, q: Configuration, v: Velocity, *, joint: JointIndex, reference: Reference = LOCAL
) -> list[Scalar]:
    """``dJ/dt`` of a joint frame: :data:`frame_jacobian_time_variation` there."""
    options = {"frame": Frame.of_joint(model.names[joint], joint), "reference": reference}
    dJ: list[Scalar] = frame_jacobian_time_variation.define(model, q, v, **options)
    return dJ


@quantity(
    "dJ",
    "rates of the motion subspaces of all joints side by side",
    unit="m/s, 1/s",
    shape=(6, "nv"),
    frame="world",
    pinocchio="computeJointJacobiansTimeVariation",
    source="Featherstone 2008, section 2.10",
    requires=refuse_shared_columns,
)
def joint_jacobians_time_variation(model: Model, q: Configuration, v: Velocity) -> Rows:
    """The rates of the columns of :data:`joint_jacobians`."""
    joints, rates = joint_kinematics(model, q, v), subspace_rates(model, q, v)
    oMi, columns = placements(model, joints), Columns(model)
    motions = velocities(model, joints)
    for i in model.moving_joints:
        pairs = zip(joints[i].S, rates[i], strict=True)
        for k, (column, rate) in enumerate(pairs, model.idx_v[i]):
            columns.add(k, oMi[i].act_motion(motions[i].cross(column) + rate))
    return columns.rows
