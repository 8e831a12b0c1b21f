# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Second derivatives of placements: how Jacobians change with each coordinate."""

from __future__ import annotations

from dyn_core.dynamics.declare.arrays import Configuration
from dyn_core.dynamics.declare.options import LOCAL, JointIndex, Reference
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.jacobian_time_variation import (
    frame_jacobian_time_variation,
    joint_jacobians_time_variation,
)
from dyn_core.dynamics.joint_jacobians import refuse_shared_columns
from dyn_core.model.frame import Frame
from dyn_core.model.model import Model
from dyn_core.spatial.scalars import Scalar

Tensor = list[list[list[Scalar]]]


@quantity(
    "frame_hessian",
    "kinematic Hessian of a frame: entry (:, j, k) is the derivative of column j of J by q_k",
    unit="m, 1",
    shape=(6, "nv", "nv"),
    frame="asked for",
    pinocchio="getFrameKinematicHessian",
    source="the rate of the Jacobian at unit velocities",
)
def frame_kinematic_hessian(
    model: Model, q: Configuration, *, frame: Frame, reference: Reference = LOCAL
) -> Tensor:
    """``dJ/dq`` of a frame, by the tangent of q."""
    return stacked(
        [
            frame_jacobian_time_variation.define(model, q, v, frame=frame, reference=reference)
            for v in unit_velocities(model)
        ],
    )


@quantity(
    "joint_hessian",
    "kinematic Hessian of a joint: entry (:, j, k) is the derivative of column j of J by q_k",
    unit="m, 1",
    shape=(6, "nv", "nv"),
    frame="asked for",
    pinocchio="getJointKinematicHessian",
    source="the rate of the Jacobian at unit velocities",
)
def joint_kinematic_hessian(
    model: Model, q: Configuration, *, joint: JointIndex, reference: Reference = LOCAL
) -> Tensor:
    """``dJ/dq`` of a joint frame: :data:`frame_kinematic_hessian` there."""
    frame = Frame.of_joint(model.names[joint], joint)
    hessian: Tensor = frame_kinematic_hessian.define(model, q, frame=frame, reference=reference)
    return hessian


@quantity(
    "kinematic_hessians",
    "derivatives of the motion subspaces of all joints: (:, j, k) is that of column j by q_k",
    unit="m, 1",
    shape=(6, "nv", "nv"),
    frame="world",
    pinocchio="computeJointKinematicHessians",
    source="the rate of the Jacobian at unit velocities",
    requires=refuse_shared_columns,
)
def joint_kinematic_hessians(model: Model, q: Configuration) -> Tensor:
    """The derivatives of the columns of :data:`joint_jacobians`, by the tangent of q."""
    units = unit_velocities(model)
    return stacked([joint_jacobians_time_variation.define(model, q, v) for v in units])


def unit_velocities(model: Model) -> list[list[float]]:
    """One velocity for each coordinate, in which it alone moves."""
    return [[1.0 if j == k else 0.0 for j in range(model.nv)] for k in range(model.nv)]


def stacked(slices: list[list[list[Scalar]]]) -> Tensor:
    """Matrices, one for each coordinate, as the last index of a tensor."""
    if not slices:
        return []
    rows, columns = range(len(slices[0])), range(len(slices[0][0]))
    return [[[matrix[i][j] for matrix in slices] for j in columns] for i in rows]
