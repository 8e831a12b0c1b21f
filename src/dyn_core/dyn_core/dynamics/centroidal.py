# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Momentum about the centre of mass, its matrix, and their rates.

All are in axes of the world, about the centre of mass (Orin, Goswami and Lee 2013).
"""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.dynamics.center_of_mass import momenta, momentum_rates, refuse_massless
from dyn_core.dynamics.declare.arrays import Acceleration, Configuration, Velocity
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.tree_passes import (
    Columns,
    JointKinematics,
    composite_inertias,
    force_sums,
    joint_kinematics,
    placements,
)
from dyn_core.model.model import Model
from dyn_core.spatial import SE3, Force, Matrix3
from dyn_core.spatial.scalars import Scalar
from dyn_core.spatial.scalars.dual_numbers import derivative_along

FRAME = "world, about the centre of mass"


@quantity(
    "hg",
    "centroidal momentum, linear part first",
    unit="kg m/s, kg m^2/s",
    shape=(6,),
    frame=FRAME,
    pinocchio="computeCentroidalMomentum",
    source="Orin, Goswami and Lee 2013, equation 8",
    requires=refuse_massless,
)
def centroidal_momentum(model: Model, q: Configuration, v: Velocity) -> Force:
    """Momentum of the whole robot, the angular part about its centre of mass."""
    joints = joint_kinematics(model, q, v)
    return at_center(model, joints).act_inv_force(_whole(model, joints, momenta(model, joints)))


@quantity(
    "dhg",
    "rate of the centroidal momentum, linear part first",
    unit="N, N m",
    shape=(6,),
    frame=FRAME,
    pinocchio="computeCentroidalMomentumTimeVariation",
    source="Orin, Goswami and Lee 2013, section 2",
    requires=refuse_massless,
)
def centroidal_momentum_rate(model: Model, q: Configuration, v: Velocity, a: Acceleration) -> Force:
    """The sum of all forces on the robot, gravity included: ``d/dt hg``."""
    joints = joint_kinematics(model, q, v)
    rates = momentum_rates(model, joints, a)
    return at_center(model, joints).act_inv_force(_whole(model, joints, rates))


@quantity(
    "Ag",
    "centroidal momentum matrix",
    unit="kg, kg m, kg m^2",
    shape=(6, "nv"),
    frame=FRAME,
    pinocchio="computeCentroidalMap, ccrba",
    source="Orin, Goswami and Lee 2013, equation 27",
    requires=refuse_massless,
)
def centroidal_map(model: Model, q: Configuration) -> list[list[Scalar]]:
    """``Ag`` with ``Ag v = hg``."""
    joints = joint_kinematics(model, q)
    oMi, composite = placements(model, joints), composite_inertias(model, joints)
    center, columns = at_center(model, joints), Columns(model)
    for i in model.moving_joints:
        to_center = center.inverse() * oMi[i]
        for k, column in enumerate(joints[i].S, model.idx_v[i]):
            columns.add(k, to_center.act_force(composite[i].apply(column)))
    return columns.rows


@quantity(
    "dAg",
    "rate of the centroidal momentum matrix",
    unit="kg/s, kg m/s, kg m^2/s",
    shape=(6, "nv"),
    frame=FRAME,
    pinocchio="computeCentroidalMapTimeVariation, dccrba",
    source="Orin, Goswami and Lee 2013, section 5",
    requires=refuse_massless,
)
def centroidal_map_time_variation(
    model: Model, q: Configuration, v: Velocity
) -> list[list[Scalar]]:
    """``d/dt Ag``: the rate of hg is ``Ag a + dAg v``.

    By dual numbers, in less than half of the operations that the rates of subtree inertias take.
    """

    def entries(x: Sequence[Scalar]) -> list[Scalar]:
        return [entry for row in centroidal_map.define(model, x) for entry in row]

    flat = derivative_along(entries, q, model.space.rate(q, v))
    return [flat[k : k + model.nv] for k in range(0, len(flat), model.nv)]


@quantity(
    "Ig",
    "centroidal composite inertia, linear rows first",
    unit="kg, kg m, kg m^2",
    shape=(6, 6),
    frame=FRAME,
    pinocchio="also ccrba",
    source="Orin, Goswami and Lee 2013, equation 16",
    requires=refuse_massless,
)
def centroidal_inertia(model: Model, q: Configuration) -> list[list[Scalar]]:
    """The inertia of the robot about its centre of mass if all joints were locked."""
    joints = joint_kinematics(model, q)
    whole = composite_inertias(model, joints)[0]
    return at_center(model, joints).act_inv_inertia(whole).matrix()


def at_center(model: Model, joints: list[JointKinematics]) -> SE3:
    """The frame at the centre of mass, in axes of the world."""
    return SE3(Matrix3.identity(), composite_inertias(model, joints)[0].com)


def _whole(model: Model, joints: list[JointKinematics], forces: list[Force]) -> Force:
    """The sum over all bodies, in the world."""
    return force_sums(model, joints, forces)[0]
