# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics under efforts of the state, such as friction, beside those of the motors."""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.dynamics.aba import aba
from dyn_core.dynamics.declare.arrays import BodyForces, Configuration, Effort, Velocity
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.singular_mass_matrix import refuse_singular
from dyn_core.dynamics.state_efforts import NONE, StateEfforts, with_efforts
from dyn_core.model.model import Model
from dyn_core.spatial import Force
from dyn_core.spatial.scalars import Scalar


def driven(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    tau: Sequence[Scalar],
    f_ext: Sequence[Force] | None,
    efforts: StateEfforts,
) -> Sequence[Scalar]:
    """The acceleration under ``tau`` and ``efforts``."""
    driving = with_efforts(model, tau, efforts, q, v)
    ddq: Sequence[Scalar] = aba.define(model, q, v, driving, f_ext)
    return ddq


@quantity(
    "ddq_net",
    "acceleration under tau and the efforts that depend on the state",
    unit="rad/s^2, m/s^2",
    shape=("nv",),
    source="Featherstone 2008, table 7.1",
    joint_space=True,
    requires=refuse_singular,
)
def net_forward_dynamics(
    model: Model,
    q: Configuration,
    v: Velocity,
    tau: Effort,
    f_ext: BodyForces | None = None,
    *,
    efforts: StateEfforts = NONE,
) -> Sequence[Scalar]:
    """Forward dynamics under ``tau`` and ``efforts``: quantities such as :data:`friction_efforts`.

    With :data:`generalized_gravity` among them the robot is one whose hardware compensates gravity.
    """
    return driven(model, q, v, tau, f_ext, efforts)
