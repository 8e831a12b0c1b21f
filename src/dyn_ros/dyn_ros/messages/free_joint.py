# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Reads the state of floating joints, of which a base is one."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_core.joints import FreeFlyer
from dyn_core.model import FrameType
from dyn_core.spatial import SE3, Motion, quaternion_of_matrix
from dyn_ros.messages.geometry import read_motion, read_placement
from dyn_ros.messages.joint_order import quoted
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import nanoseconds, refuse_order

if TYPE_CHECKING:
    from nav_msgs.msg import Odometry

Numbers = tuple[float, ...]


class FreeJoint:
    """The newest state of one joint: `q` and `v`, those of its parts of the model's vectors."""

    def __init__(self, model: dyn_core.Model, index: int) -> None:
        """Belong to joint `index`, a FreeFlyer."""
        self.name = model.names[index]
        joint = model.joints[index]
        self.in_q = slice(model.idx_q[index], model.idx_q[index] + joint.nq)
        self.in_v = slice(model.idx_v[index], model.idx_v[index] + joint.nv)
        self.q: NDArray[np.float64] = np.zeros(joint.nq)
        self.v: NDArray[np.float64] = np.zeros(joint.nv)
        self.stamp = 0  # ns, of q and v
        self._last = 0  # ns, of the last message, which may have been refused

    def take(self, placement: SE3, motion: Motion, stamp: int, repeated: bool = False) -> None:
        """Take the child's placement in the parent and its velocity in its own axes.

        Raises InputRefusedError if time does not go on; a stamp may come again if `repeated`.
        """
        before, self._last = self._last, stamp
        refuse_order(f"joint '{self.name}'", before, stamp, repeated)
        self.q[:], self.v[:] = self.coordinates(placement, motion)
        self.stamp = stamp

    def coordinates(self, placement: SE3, motion: Motion) -> tuple[Numbers, Numbers]:
        """Return q and v that belong to the child's placement and velocity.

        An acceleration in the place of the velocity gives the rate of v.
        """
        q = (*placement.translation, *quaternion_of_matrix(placement.rotation))
        return q, (*motion.linear, *motion.angular)


def free_joints(model: dyn_core.Model) -> list[FreeJoint]:
    """Return the joints whose state no JointState can carry.

    Raises ValueError, worded, if one is of a type that no message here can carry either.
    """
    indices = [i for i in model.own_coordinates if model.joints[i].nv != 1]
    other = [model.names[i] for i in indices if type(model.joints[i]) is not FreeFlyer]
    if other:
        raise ValueError(
            f"joint {quoted(other)} has several degrees of freedom and is not floating: replace it "
            "by revolute and prismatic joints"
        )
    return [FreeJoint(model, i) for i in indices]


def read_odometry(
    message: "Odometry", model: dyn_core.Model, base: FreeJoint
) -> tuple[SE3, Motion, int]:
    """Return placement, motion and stamp, ns, of a floating base.

    The frame of the message may be any that is fixed to the base.

    Raises InputRefusedError if the message cannot be used.
    """
    child = message.child_frame_id
    index = model.names.index(base.name)
    frames = [frame for frame in model.frames if frame.joint == index]
    fixed = {frame.name: frame.placement for frame in frames}
    if child not in fixed:
        links = [frame.name for frame in frames if frame.type is FrameType.BODY]
        raise InputRefusedError(
            "unknown frame",
            f"child_frame_id is '{child}', which is not fixed to the base: set it to one of "
            f"{quoted(links)}",
        )
    pose, twist = message.pose.pose, message.twist.twist
    placement = read_placement("the pose", pose.position, pose.orientation)
    motion = read_motion("the twist", twist)
    moved = fixed[child].inverse()
    motion = fixed[child].act_motion(motion)
    return placement * moved, motion, nanoseconds(message.header.stamp)
