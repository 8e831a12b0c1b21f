# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Second derivatives of placements: how Jacobians change with each coordinate."""

from __future__ import annotations

from dyn_core.dynamics.declare.arrays import Configuration
from dyn_core.dynamics.declare.options import LOCAL, JointIndex, Reference
from dyn_core.dynamics.declare.quantity import Request, Resolved, quantity
from dyn_core.dynamics.derivative import derivative
from dyn_core.dynamics.frame_jacobian import frame_jacobian
from dyn_core.dynamics.jacobian_time_variation import joint_jacobians_time_variation
from dyn_core.dynamics.joint_jacobians import refuse_shared_columns
from dyn_core.model.frame import Frame
from dyn_core.model.model import Model
from dyn_core.spatial.lie.space import identity
from dyn_core.spatial.scalars import Scalar

Tensor = list[list[list[Scalar]]]


@quantity(
    "frame_hessian",
    "kinematic Hessian of a frame: entry (:, j, k) is the derivative of column j of J by q_k",
    unit="m, 1",
    shape=(6, "nv", "nv"),
    frame="requested",
    pinocchio="getFrameKinematicHessian",
    source="the derivative of the Jacobian by dual numbers",
)
def frame_kinematic_hessian(
    model: Model, q: Configuration, *, frame: Frame, reference: Reference = LOCAL
) -> list[Scalar]:
    """``dJ/dq`` of a frame, by the tangent of q."""
    of = Resolved(Request(frame_jacobian), {"frame": frame, "reference": reference})
    hessian: list[Scalar] = derivative.define(model, q, of=of, by="q")
    return hessian


@quantity(
    "joint_hessian",
    "kinematic Hessian of a joint: entry (:, j, k) is the derivative of column j of J by q_k",
    unit="m, 1",
    shape=(6, "nv", "nv"),
    frame="requested",
    pinocchio="getJointKinematicHessian",
    source="the derivative of the Jacobian by dual numbers",
)
def joint_kinematic_hessian(
    model: Model, q: Configuration, *, joint: JointIndex, reference: Reference = LOCAL
) -> list[Scalar]:
    """``dJ/dq`` of a joint frame: that of :data:`frame_kinematic_hessian` there."""
    options = {"frame": Frame.of_joint(model.names[joint], joint), "reference": reference}
    hessian: list[Scalar] = frame_kinematic_hessian.define(model, q, **options)
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
    slices = [joint_jacobians_time_variation.define(model, q, v) for v in identity(model.nv)]
    rows, columns = range(6), range(model.nv)
    return [[[J[i][j] for J in slices] for j in columns] for i in rows]
