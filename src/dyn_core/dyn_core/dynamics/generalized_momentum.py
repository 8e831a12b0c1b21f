# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Generalized momentum, and its rate without knowing accelerations: what observers compare.

With h_i the momentum of what joint i moves, in its frame::

    p_i = S_i' h_i                                      M v
    dp_i/dt = (v_i x S_i + dS_i/dt)' h_i + S_i' dh_i/dt

The first term is ``C' v``; the second is the effort at the joint without that of bodies at rest,
for S_i' dh_i/dt is what gravity, efforts and forces from outside do along the joint's axes.
"""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.dynamics.center_of_mass import momenta
from dyn_core.dynamics.declare.arrays import BodyForces, Configuration, Effort, Velocity
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.rnea import static_torque
from dyn_core.dynamics.state_efforts import NONE, StateEfforts, with_efforts
from dyn_core.dynamics.tree_passes import (
    column_rates,
    force_sums,
    joint_efforts,
    joint_kinematics,
    projected,
    velocities,
    with_rotors,
)
from dyn_core.model.model import Model
from dyn_core.spatial.scalars import Scalar

SOURCE = "De Luca and Mattone 2005"


@quantity(
    "p",
    "generalized momentum",
    unit="kg m^2/s, kg m/s",
    shape=("nv",),
    source=SOURCE,
    joint_space=True,
)
def generalized_momentum(model: Model, q: Configuration, v: Velocity) -> list[Scalar]:
    """``M(q) v``, rotors included."""
    joints = joint_kinematics(model, q, v)
    return with_rotors(model, joint_efforts(model, joints, momenta(model, joints)), v)


@quantity(
    "dp",
    "rate of the generalized momentum under known efforts",
    unit="N m, N",
    shape=("nv",),
    source=SOURCE,
    joint_space=True,
)
def generalized_momentum_rate(
    model: Model,
    q: Configuration,
    v: Velocity,
    tau: Effort,
    f_ext: BodyForces | None = None,
    *,
    efforts: StateEfforts = NONE,
) -> Sequence[Scalar]:
    """``tau + C(q, v)' v - g(q) + sum J_i' f_i`` and ``efforts`` of the state, such as friction.

    By how much the momentum changes faster, efforts act that are not among them.
    """
    joints = joint_kinematics(model, q, v)
    h = force_sums(model, joints, momenta(model, joints))
    held = static_torque.define(model, q, f_ext)
    driving = [effort - x for effort, x in zip(tau, held, strict=True)]
    turning = column_rates(model, joints, velocities(model, joints), q, v)
    return with_efforts(model, projected(model, driving, turning, h), efforts, q, v)
