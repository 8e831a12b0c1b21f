# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Jacobian of a frame: its velocity is J v."""

from __future__ import annotations

from dyn_core.dynamics.declare.arrays import Configuration
from dyn_core.dynamics.declare.options import LOCAL, Reference
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.tree_passes import Columns, joint_kinematics, supporting
from dyn_core.model.frame import Frame
from dyn_core.model.model import Model
from dyn_core.spatial.scalars import Scalar


@quantity(
    "Jf",
    "Jacobian of a frame, linear rows first",
    unit="m, 1",
    shape=(6, "nv"),
    frame="requested",
    pinocchio="computeFrameJacobian, getFrameJacobian",
    source="Featherstone 2008, section 2.14",
)
def frame_jacobian(
    model: Model, q: Configuration, *, frame: Frame, reference: Reference = LOCAL
) -> list[list[Scalar]]:
    """``J`` with ``J v`` the spatial velocity of a frame.

    Columns of joints that do not move the frame are exactly zero; that of a primary joint is the
    sum of its own and those of its mimic joints.
    """
    joints = joint_kinematics(model, q)
    oMf, support = supporting(model, joints, frame)
    seen = reference.of(oMf)
    columns = Columns(model)
    for i, iMf in support:
        for k, column in enumerate(joints[i].S, model.idx_v[i]):
            columns.add(k, seen.act_motion(iMf.act_inv_motion(column)))
    return columns.rows
