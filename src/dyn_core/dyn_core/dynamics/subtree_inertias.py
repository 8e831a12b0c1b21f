# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Subtrees as one rigid body each."""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.dynamics.declare.arrays import Configuration, Velocity
from dyn_core.dynamics.declare.options import LOCAL, WORLD, Reference
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.tree_passes import (
    composite_inertias,
    inward_sum,
    joint_kinematics,
    placements,
    velocities,
)
from dyn_core.model.model import Model
from dyn_core.spatial import SE3, InertiaRate, Motion
from dyn_core.spatial.scalars import Scalar

Matrices = list[list[list[Scalar]]]


@quantity(
    "mass",
    "masses of the subtrees, the whole robot's first",
    unit="kg",
    shape=("njoints",),
    frame="any",
    pinocchio="computeSubtreeMasses, computeTotalMass",
    source="the sum over the bodies",
)
def subtree_masses(model: Model) -> list[Scalar]:
    """Mass of the bodies that each joint moves; bodies fixed to the world do not count."""
    masses: list[Scalar] = [0.0, *(inertia.mass for inertia in model.inertias[1:])]
    return inward_sum(model, masses.__getitem__, lambda i, total: total)


@quantity(
    "body_inertias",
    "spatial inertias of the bodies; of the universe, zero",
    unit="kg, kg m, kg m^2",
    shape=("njoints", 6, 6),
    frame="requested",
    pinocchio_data="oinertias(reference=WORLD)",
    source="Featherstone 2008, equation 2.66",
)
def body_inertias(model: Model, q: Configuration, *, reference: Reference = WORLD) -> Matrices:
    """The inertia of every body, linear rows and columns first."""
    oMi = placements(model, joint_kinematics(model, q))
    bodies = zip(oMi[1:], model.inertias[1:], strict=True)
    nothing = [[0.0] * 6 for _ in range(6)]
    return [nothing, *(reference.of(M).act_inertia(body).matrix() for M, body in bodies)]


@quantity(
    "Ycrb",
    "composite inertias of the subtrees, the whole robot's first",
    unit="kg, kg m, kg m^2",
    shape=("njoints", 6, 6),
    frame="requested",
    pinocchio_data="Ycrb, oYcrb(reference=WORLD)",
    source="Featherstone 2008, equation 6.10",
)
def subtree_inertias(model: Model, q: Configuration, *, reference: Reference = LOCAL) -> Matrices:
    """The inertia of every joint's subtree as one rigid body, linear rows first."""
    joints = joint_kinematics(model, q)
    pairs = zip(placements(model, joints), composite_inertias(model, joints), strict=True)
    return [reference.of(M).act_inertia(Y).matrix() for M, Y in pairs]


@quantity(
    "doYcrb",
    "rates of the composite inertias of the subtrees, the whole robot's first",
    unit="kg m/s, kg m^2/s",
    shape=("njoints", 6, 6),
    frame="world",
    source="Featherstone 2008, equation 2.70",
)
def subtree_inertia_rates(model: Model, q: Configuration, v: Velocity) -> Matrices:
    """``d/dt oYcrb``: the rate of the inertia of each joint's subtree."""
    joints = joint_kinematics(model, q, v)
    oMi = placements(model, joints)
    return [rate.matrix() for rate in inertia_rates(model, oMi, velocities(model, joints))]


def inertia_rates(model: Model, oMi: Sequence[SE3], motions: Sequence[Motion]) -> list[InertiaRate]:
    """How the inertia of each subtree changes in the world."""

    def own(i: int) -> InertiaRate:
        if not i:
            return InertiaRate.zero()
        body = oMi[i].act_inertia(model.inertias[i])
        return InertiaRate.of_body(body, oMi[i].act_motion(motions[i]))

    return inward_sum(model, own, lambda i, total: total)
