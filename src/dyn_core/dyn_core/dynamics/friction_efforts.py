# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Friction in the joints: viscous, Coulomb and Stribeck's, with or without a jump at rest."""

from __future__ import annotations

from dyn_core.dynamics.declare.arrays import Velocity
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.model.model import Model
from dyn_core.spatial.scalars import Scalar, exp, sign, tanh


@quantity(
    "friction",
    "friction efforts of the joints, opposing their motion",
    unit="N m, N",
    shape=("nv",),
    source="Armstrong-Helouvry, Dupont and Canudas de Wit 1994, equations 2 and 10",
    joint_space=True,
)
def friction_efforts(model: Model, v: Velocity, *, smoothing: float = 0.0) -> list[Scalar]:
    """``-(b v + (c + s exp(-(v / w)^2)) sign(v))``, an effort beside ``tau``.

    b, c, s and w are damping, friction, stiction and stribeck_velocity of a joint's limits. With a
    ``smoothing`` speed (rad/s, m/s) above 0, ``tanh(v / smoothing)`` is in place of the sign, so
    that the effort has no jump; without, it is zero in a joint at rest, which is what friction does
    only where nothing pushes. What a mimic joint loses at its own shaft, its primary feels.
    """
    efforts: list[Scalar] = [0.0] * model.nv
    for i in model.moving_joints:
        joint, limits = model.joints[i], model.tree[i].limits
        for k, rate in enumerate(model.v_of(i, v)):
            shaft, row = joint.ratio * rate, model.idx_v[i] + k
            dry: Scalar = limits.friction[k]
            if limits.stiction[k]:
                part = shaft * (1.0 / limits.stribeck_velocity[k])
                dry = dry + limits.stiction[k] * exp(-(part * part))
            direction = tanh(shaft * (1.0 / smoothing)) if smoothing > 0.0 else sign(shaft)
            loss = limits.damping[k] * shaft + dry * direction
            efforts[row] = efforts[row] - joint.ratio * loss
    return efforts
