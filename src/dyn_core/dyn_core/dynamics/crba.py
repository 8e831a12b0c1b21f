# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Composite-rigid-body algorithm: the joint-space mass matrix.

::

    IC_i = I_i + sum iXj* IC_j jXi    over the joints j that joint i carries
    F = IC_i S_i;  H_ii = S_i' F;  then, from i towards the base:  F = lXi* F;  H_li = S_l' F

(Featherstone 2008, section 6.2, table 6.2).
"""

from __future__ import annotations

from dyn_core.dynamics.declare.arrays import Configuration
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.tree_passes import composite_inertias, joint_kinematics
from dyn_core.model.model import Model
from dyn_core.spatial.scalars import Scalar


@quantity(
    "M",
    "joint-space mass matrix, both triangles",
    unit="kg m^2, kg m, kg",
    shape=("nv", "nv"),
    pinocchio="crba",
    source="Featherstone 2008, table 6.2",
    joint_space=True,
)
def crba(model: Model, q: Configuration) -> list[list[Scalar]]:
    """Mass matrix ``M(q)`` by the composite-rigid-body algorithm, rotors included.

    Entries of joints on different branches are exactly zero.
    """
    joints = joint_kinematics(model, q)
    IC = composite_inertias(model, joints)
    M: list[list[Scalar]] = [[0.0] * model.nv for _ in range(model.nv)]
    for i in reversed(model.moving_joints):
        F = [IC[i].apply(column) for column in joints[i].S]
        for j in model.inwards(i):
            for row, force in enumerate(F, model.idx_v[i]):
                for k, column in enumerate(joints[j].S, model.idx_v[j]):
                    if i != j or k >= row:
                        _add(M, row, k, column.dot(force), mirror=i != j or k != row)
            F = [joints[j].liMi.act_force(force) for force in F]
    for k, rotor in enumerate(model.armature.tolist()):
        M[k][k] = M[k][k] + rotor
    return M


def _add(M: list[list[Scalar]], i: int, j: int, entry: Scalar, mirror: bool) -> None:
    """Add an entry of two joints to that of their coordinates, and to the one across the diagonal.

    The entries still are zero, but for coordinates that several joints share: those of a primary
    collect what all its mimic joints contribute, also on the diagonal itself.
    """
    M[i][j] = M[i][j] + entry
    if mirror:
        M[j][i] = M[j][i] + entry
