"""Composite-rigid-body algorithm: the joint-space mass matrix (Featherstone 2008, section 6.2)."""

from __future__ import annotations

from dyn_core.model.kinematics import joint_space_inertia
from dyn_core.model.model import Model
from dyn_core.quantities.arrays import Configuration
from dyn_core.quantities.quantity import quantity
from dyn_core.scalars import Scalar


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
    """Mass matrix ``M(q)`` by the composite-rigid-body algorithm.

    Entries of joints on different branches are exactly zero.
    """
    return joint_space_inertia(model, q)
