# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Efforts of a controller that gives a robot an acceleration while it follows a desired motion."""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.dynamics.declare.arrays import Acceleration, BodyForces, Configuration, Velocity
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.rnea import rnea
from dyn_core.dynamics.state_efforts import NONE, StateEfforts, symbols
from dyn_core.model.model import Model
from dyn_core.spatial.scalars import Scalar


@quantity(
    "tau_tracking",
    "efforts for an acceleration; friction and other efforts are those at the desired velocity",
    unit="N m, N",
    shape=("nv",),
    source="Siciliano et al. 2009, section 8.5.2",
    joint_space=True,
)
def tracking_efforts(
    model: Model,
    q: Configuration,
    v: Velocity,
    a: Acceleration,
    v_desired: Velocity,
    f_ext: BodyForces | None = None,
    *,
    efforts: StateEfforts = NONE,
) -> Sequence[Scalar]:
    """``M(q) a + C(q, v) v + g(q) - sum J_i' f_i`` less ``efforts`` at the desired velocity.

    Friction is compensated where the robot shall move: the measured velocity of a joint that
    stands turns back with every bit of noise.
    """
    tau: list[Scalar] = rnea.define(model, q, v, a, f_ext)
    if efforts:
        tau = (symbols(tau) - efforts.total(model, q, v_desired)).tolist()
    return tau
