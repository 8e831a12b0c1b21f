"""Composite-rigid-body algorithm: the joint-space mass matrix (Featherstone 2008, section 6.2)."""

from __future__ import annotations

from dyn_core.algorithms.arrays import Configuration
from dyn_core.algorithms.quantity import quantity
from dyn_core.model.kinematics import composite_inertias, joint_kinematics
from dyn_core.model.model import Model
from dyn_core.scalars import Scalar


@quantity(
    "M",
    "joint-space mass matrix, both triangles",
    unit="kg m^2, kg m, kg",
    shape=("nv", "nv"),
    name="mass_matrix",
    pinocchio="crba",
    source="Featherstone 2008, table 6.2",
    joint_space=True,
)
def crba(model: Model, q: Configuration) -> list[list[Scalar]]:
    """Mass matrix ``M(q)`` by the composite-rigid-body algorithm.

    Entries of joints on different branches are exactly zero.
    """
    joints = joint_kinematics(model, q)
    M: list[list[Scalar]] = [[0.0] * model.nv for _ in range(model.nv)]
    composite = composite_inertias(model, joints)
    for i in reversed(model.moving_joints):
        force = [composite[i].apply(column) for column in joints[i].S]
        j = i
        while j:  # the subtree's momentum, seen by every joint between it and the universe
            for row, F in enumerate(force, model.idx_v[i]):
                for k, column in enumerate(joints[j].S, model.idx_v[j]):
                    if i != j or k >= row:
                        add(M, row, k, column.dot(F), mirror=i != j or k != row)
            force = [joints[j].liMi.act_force(F) for F in force]
            j = model.parents[j]
    for k, rotor in enumerate(model.armature.tolist()):
        M[k][k] = M[k][k] + rotor
    return M


def add(M: list[list[Scalar]], i: int, j: int, entry: Scalar, mirror: bool) -> None:
    """Add an entry of two joints to that of their coordinates, and to the one across the diagonal.

    The entries still are zero, but for coordinates that several joints share: those of a primary
    collect what all its mimic joints contribute, also on the diagonal itself.
    """
    M[i][j] = M[i][j] + entry
    if mirror:
        M[j][i] = M[j][i] + entry
