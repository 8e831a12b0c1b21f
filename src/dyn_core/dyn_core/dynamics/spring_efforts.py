# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Springs in the joints."""

from __future__ import annotations

from dyn_core.dynamics.declare.arrays import Configuration
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.model.model import Model
from dyn_core.spatial.lie.space import multiply
from dyn_core.spatial.scalars import Scalar


@quantity(
    "spring",
    "spring efforts of the joints",
    unit="N m, N",
    shape=("nv",),
    source="minus the gradient of spring_energy",
    joint_space=True,
)
def spring_efforts(model: Model, q: Configuration) -> list[Scalar]:
    """``-k (q - rest)``, an effort beside ``tau``; of an orientation along the way back to rest.

    k and rest are stiffness and rest of a joint's limits. A spring at the shaft of a mimic joint is
    felt by its primary.
    """
    efforts: list[Scalar] = [0.0] * model.nv
    for i in model.moving_joints:
        joint, limits = model.joints[i], model.tree[i].limits
        if not any(limits.stiffness):
            continue
        away = _away(model, i, q)
        force = [[k * x for k, x in zip(limits.stiffness, away, strict=True)]]
        (gradient,) = multiply(force, joint.space.jlog(away))
        for row, x in enumerate(gradient, model.idx_v[i]):
            efforts[row] = efforts[row] - joint.ratio * x
    return efforts


@quantity(
    "spring_energy",
    "energy in the springs of the joints",
    unit="J",
    source="Hooke's law",
)
def spring_energy(model: Model, q: Configuration) -> Scalar:
    """``1/2 k (q - rest)^2`` over all coordinates; no part of :data:`potential_energy`."""
    twice: Scalar = 0.0
    for i in model.moving_joints:
        stiffness = model.tree[i].limits.stiffness
        if any(stiffness):
            for k, x in zip(stiffness, _away(model, i, q), strict=True):
                twice = twice + k * x * x
    return 0.5 * twice


def _away(model: Model, i: int, q: Configuration) -> tuple[Scalar, ...]:
    """How far the shaft of joint i is from its rest."""
    joint = model.joints[i]
    return joint.space.difference(model.tree[i].limits.rest, joint.own_q(model.q_of(i, q)))
