# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Jacobians of joint frames."""

from __future__ import annotations

from dyn_core.dynamics.declare.arrays import Configuration
from dyn_core.dynamics.declare.options import LOCAL, JointIndex, Reference
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.frame_jacobian import frame_jacobian
from dyn_core.dynamics.tree_passes import Columns, joint_kinematics, placements
from dyn_core.errors import ModelError
from dyn_core.model.frame import Frame
from dyn_core.model.model import Model
from dyn_core.spatial.scalars import Rows


def refuse_shared_columns(model: Model) -> None:
    """Refuse a robot with mimic joints, whose columns are not those of their primaries.

    Raises:
        ModelError: it has some; the message says what to use instead.
    """
    if model.has_mimic_joints:
        raise ModelError(
            f"'{model.name}' has mimic joints, which share the coordinate of their primary, but "
            "not its column: use joint_jacobian or frame_jacobian"
        )


@quantity(
    "Ji",
    "Jacobian of a joint frame, linear rows first",
    unit="m, 1",
    shape=(6, "nv"),
    frame="requested",
    pinocchio="computeJointJacobian, getJointJacobian",
    source="Featherstone 2008, section 2.14",
)
def joint_jacobian(
    model: Model, q: Configuration, *, joint: JointIndex, reference: Reference = LOCAL
) -> Rows:
    """``J`` with ``J v`` the spatial velocity of a joint frame: :data:`frame_jacobian` there."""
    frame = Frame.of_joint(model.names[joint], joint)
    J: Rows = frame_jacobian.define(model, q, frame=frame, reference=reference)
    return J


@quantity(
    "J",
    "motion subspaces of all joints side by side",
    unit="m, 1",
    shape=(6, "nv"),
    frame="world",
    pinocchio="computeJointJacobians",
    source="Featherstone 2008, section 2.14",
    requires=refuse_shared_columns,
)
def joint_jacobians(model: Model, q: Configuration) -> Rows:
    """The columns that make up the Jacobians of all bodies, at the origin of the world.

    The Jacobian of a body has those of the joints that move it, and zeros elsewhere.
    """
    joints, columns = joint_kinematics(model, q), Columns(model)
    for i, oMi in enumerate(placements(model, joints)):
        for k, column in enumerate(joints[i].S, model.idx_v[i]):
            columns.add(k, oMi.act_motion(column))
    return columns.rows
