# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""How small errors of where joints are mounted move a frame: for the calibration of lengths."""

from __future__ import annotations

from dyn_core.dynamics.declare.arrays import Configuration
from dyn_core.dynamics.declare.options import LOCAL, JointIndex, Reference
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.tree_passes import joint_kinematics, supporting
from dyn_core.model.frame import Frame, FrameType
from dyn_core.model.model import Model
from dyn_core.spatial import SE3
from dyn_core.spatial.scalars import Scalar

SOURCE = "Khalil and Dombre 2002, section 11.3"


@quantity(
    "joint_kinematic_regressor",
    "regressor of a joint's placement, six columns for each joint",
    unit="1, m",
    shape=(6, "6 nbodies"),
    frame="requested",
    pinocchio="computeJointKinematicRegressor",
    source=SOURCE,
)
def joint_kinematic_regressor(
    model: Model, q: Configuration, *, joint: JointIndex, reference: Reference = LOCAL
) -> list[list[Scalar]]:
    """``Y`` by which small displacements of the mounts of all joints displace a joint's frame.

    A mount, a :attr:`Model.joint_placements`, is displaced by a small motion in its own frame:
    ``placement * exp6(x)``. Joints that do not carry the frame have columns of zeros.
    """
    there = Frame(model.names[joint], FrameType.JOINT, joint, SE3.identity())
    return _regressor(model, q, there, reference)


@quantity(
    "frame_kinematic_regressor",
    "regressor of a frame's placement, six columns for each joint",
    unit="1, m",
    shape=(6, "6 nbodies"),
    frame="requested",
    pinocchio="computeFrameKinematicRegressor",
    source=SOURCE,
)
def frame_kinematic_regressor(
    model: Model, q: Configuration, *, frame: Frame, reference: Reference = LOCAL
) -> list[list[Scalar]]:
    """``Y`` by which small displacements of the mounts of all joints displace a frame."""
    return _regressor(model, q, frame, reference)


def _regressor(
    model: Model, q: Configuration, frame: Frame, reference: Reference
) -> list[list[Scalar]]:
    joints = joint_kinematics(model, q)
    oMf, support = supporting(model, joints, frame)
    seen = reference.of(oMf)
    rows: list[list[Scalar]] = [[0.0] * (6 * model.nbodies) for _ in range(6)]
    for i, iMf in support:
        moved = model.joints[i].transform(model.q_of(i, q))
        action = (seen * (moved * iMf).inverse()).action()
        for row, entries in zip(rows, action, strict=True):
            row[6 * (i - 1) : 6 * i] = entries
    return rows
