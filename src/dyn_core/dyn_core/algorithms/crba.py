"""Composite-rigid-body algorithm: the joint-space mass matrix (Featherstone 2008, section 6.2)."""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.algorithms.joint_kinematics import joint_kinematics
from dyn_core.model.model import Model
from dyn_core.spatial import Scalar


def crba(model: Model, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """``M(q)``, nv rows of nv scalars; entries of joints on different branches are exactly zero."""
    joints = joint_kinematics(model, q)
    M: list[list[Scalar]] = [[0.0] * model.nv for _ in range(model.nv)]
    composite = list(model.inertias)
    for i in reversed(model.moving_joints):
        rows = range(model.idx_v[i], model.idx_v[i] + model.joints[i].nv)
        force = [composite[i].apply(column) for column in joints[i].S]
        j = i
        while j:  # the subtree's momentum, seen by every joint between it and the universe
            for row, F in zip(rows, force, strict=True):
                for k, column in enumerate(joints[j].S):
                    entry = column.dot(F)
                    M[row][model.idx_v[j] + k] = M[model.idx_v[j] + k][row] = entry
            force = [joints[j].liMi.act_force(F) for F in force]
            j = model.parents[j]
        parent = model.parents[i]
        if parent:
            composite[parent] = composite[parent] + joints[i].liMi.act_inertia(composite[i])
    for k, rotor in enumerate(model.armature):
        M[k][k] = M[k][k] + rotor
    return M
