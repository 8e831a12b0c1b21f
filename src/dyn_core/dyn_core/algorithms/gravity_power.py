"""Power of gravity: how fast the bodies' weights do work."""

from __future__ import annotations

from dyn_core.algorithms.arrays import Configuration, Velocity
from dyn_core.algorithms.quantity import quantity
from dyn_core.model.kinematics import joint_kinematics, placements, velocities
from dyn_core.model.model import Model
from dyn_core.scalars import Scalar


@quantity(
    "gravity_power",
    "power of the bodies' weights",
    unit="W",
    frame="world",
    source="Featherstone 2008, section 2.14",
)
def gravity_power(model: Model, q: Configuration, v: Velocity) -> Scalar:
    """``sum m_i g' c_i'``, with the velocity c_i' of each centre of mass."""
    joints = joint_kinematics(model, q, v)
    oMi = placements(model, joints)
    power = 0.0
    for i, velocity in velocities(model, joints):
        body = model.inertias[i]
        momentum = oMi[i].rotation.apply(body.apply(velocity).linear)
        power = power + momentum.dot(model.gravity_vector)
    return power
