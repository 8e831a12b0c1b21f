# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Where frames are and how they move."""

from __future__ import annotations

from dyn_core.dynamics.declare.arrays import Acceleration, Configuration, Velocity
from dyn_core.dynamics.declare.options import LOCAL, Frames, Reference
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.joint_motion import of_the_point
from dyn_core.dynamics.tree_passes import (
    accelerations,
    joint_kinematics,
    placements,
    supporting,
    velocities,
)
from dyn_core.model.frame import Frame
from dyn_core.model.model import Model
from dyn_core.spatial import SE3, Motion


@quantity(
    "oMf",
    "placements of frames as homogeneous matrices, in the order of the model or of the request",
    unit="1, m",
    shape=("frames", 4, 4),
    frame="world",
    pinocchio="framesForwardKinematics, updateFramePlacements",
    source="Featherstone 2008, section 4.6",
)
def frame_placements(model: Model, q: Configuration, *, frames: Frames = ()) -> list[SE3]:
    """The placements of several frames in the world: the named ones, or all of the model."""
    oMi = placements(model, joint_kinematics(model, q))
    return [oMi[frame.joint] * frame.placement for frame in frames]


@quantity(
    "frame_placement",
    "placement of a frame as a homogeneous matrix",
    unit="1, m",
    shape=(4, 4),
    frame="world",
    pinocchio="updateFramePlacement",
    source="Featherstone 2008, section 4.6",
)
def frame_placement(model: Model, q: Configuration, *, frame: Frame) -> SE3:
    """The placement of a frame in the world."""
    return supporting(model, joint_kinematics(model, q), frame)[0]


@quantity(
    "frame_velocity",
    "spatial velocity of a frame",
    unit="m/s, rad/s",
    shape=(6,),
    frame="requested",
    pinocchio="getFrameVelocity",
    source="Featherstone 2008, section 2.14",
)
def frame_velocity(
    model: Model, q: Configuration, v: Velocity, *, frame: Frame, reference: Reference = LOCAL
) -> Motion:
    """Velocity of a frame, linear part first: ``J v``."""
    joints = joint_kinematics(model, q, v)
    motion = velocities(model, joints)[frame.joint]
    oMf, _ = supporting(model, joints, frame)
    return reference.of(oMf).act_motion(frame.placement.act_inv_motion(motion))


@quantity(
    "frame_acceleration",
    "spatial or classical acceleration of a frame",
    unit="m/s^2, rad/s^2",
    shape=(6,),
    frame="requested",
    pinocchio="getFrameAcceleration, getFrameClassicalAcceleration(classical=True)",
    source="Featherstone 2008, section 2.11",
)
def frame_acceleration(
    model: Model,
    q: Configuration,
    v: Velocity,
    a: Acceleration,
    *,
    frame: Frame,
    reference: Reference = LOCAL,
    classical: bool = False,
) -> Motion:
    """Acceleration of a frame, linear part first; no gravity.

    With ``classical`` the linear part is the acceleration of the point at the reference's origin,
    such as an accelerometer there measures beside gravity; without, that of the spatial velocity.
    """
    joints = joint_kinematics(model, q, v)
    velocity = velocities(model, joints)
    moving = velocity, accelerations(model, joints, velocity, a, Motion.zero())
    take = reference.of(supporting(model, joints, frame)[0])
    v_f, a_f = (take.act_motion(frame.placement.act_inv_motion(x[frame.joint])) for x in moving)
    return of_the_point(a_f, v_f) if classical else a_f
