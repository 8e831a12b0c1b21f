# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Efforts that hold the robot at rest against forces from outside."""

from __future__ import annotations

from dyn_core.dynamics.declare.arrays import BodyForces, Configuration
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.rnea import rnea
from dyn_core.model.model import Model
from dyn_core.spatial.scalars import Scalar


@quantity(
    "static_torque",
    "efforts that hold the robot at rest",
    unit="N m, N",
    shape=("nv",),
    pinocchio="computeStaticTorque",
    source="Featherstone 2008, table 5.1",
    joint_space=True,
)
def static_torque(model: Model, q: Configuration, f_ext: BodyForces | None = None) -> list[Scalar]:
    """``g(q) - sum J_i' f_i``: inverse dynamics at rest."""
    rest = [0.0] * model.nv
    efforts: list[Scalar] = rnea.define(model, q, rest, rest, f_ext)
    return efforts
