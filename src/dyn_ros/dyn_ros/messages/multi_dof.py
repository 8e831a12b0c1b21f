# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Reads where joints of several degrees of freedom are in requests, and how they move."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_core.spatial import Motion
from dyn_ros.arrays import Matrix, Vector
from dyn_ros.messages.checked_vector import refuse_length
from dyn_ros.messages.free_joint import FreeJoint, free_joints
from dyn_ros.messages.geometry import read_motion, read_placement
from dyn_ros.messages.joint_order import find_all_joints, quoted
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import seconds_of

if TYPE_CHECKING:
    from dyn_msgs.msg import MultiDofPositions
    from trajectory_msgs.msg import MultiDOFJointTrajectory

SAME_TIME = 1e-6  # s by which points of two trajectories may be apart


class MultiDofReader:
    """Reads messages that name every such joint of a model exactly once."""

    def __init__(self, model: dyn_core.Model) -> None:
        """Expect the joints of a model. Raises ValueError if no message can carry one of them."""
        self.joints = free_joints(model)
        self.names = [joint.name for joint in self.joints]
        self.neutral = dyn_core.neutral(model)
        self._nv = model.nv

    def configurations(self, message: "MultiDofPositions", count: int) -> Matrix:
        """Return configurations [count, nq] with all other joints in their neutral ones.

        Raises InputRefusedError, worded for the caller.
        """
        if not (self.joints or message.joint_names or message.transforms):
            neutral = self.neutral[np.newaxis]
            return neutral if count == 1 else neutral.repeat(count, axis=0)
        indices = self._indices("multi_dof_position", message.joint_names)
        there, many = message.transforms, len(self.joints)
        if len(there) != count * many:
            raise InputRefusedError(
                "length mismatch",
                f"multi_dof_position.transforms has {len(there)} entries but should have "
                f"{count * many}, one for each of {quoted(self.names)} in each of {count} states",
            )
        result = self.neutral[np.newaxis].repeat(count, axis=0)
        for joint, i in zip(self.joints, indices, strict=True):
            for k in range(count):
                q, _ = _coordinates(joint, f"in state {k}", there[k * many + i])
                result[k, joint.in_q] = q
        return result

    def trajectory(
        self, message: "MultiDOFJointTrajectory", times: Vector
    ) -> tuple[Matrix, Matrix, Matrix]:
        """Return configurations [k, nq], velocities and accelerations [k, nv] at these times, s.

        Raises InputRefusedError, worded for the caller.
        """
        count = len(times)
        q = np.tile(self.neutral, (count, 1))
        v, a = np.zeros((2, count, self._nv))
        indices = self._indices("multi_dof_trajectory", message.joint_names)
        if self.joints:
            _refuse_other_times(message.points, times)
        for k, point in enumerate(message.points if self.joints else ()):
            for field in ("transforms", "velocities", "accelerations"):
                what = f"{field} of point {k} of multi_dof_trajectory"
                refuse_length(what, self.names, getattr(point, field))
            for joint, i in zip(self.joints, indices, strict=True):
                where, there = f"at point {k}", point.transforms[i]
                q[k, joint.in_q], v[k, joint.in_v] = _coordinates(
                    joint, where, there, point.velocities[i]
                )
                _, a[k, joint.in_v] = _coordinates(joint, where, there, point.accelerations[i])
        return q, v, a

    def _indices(self, field: str, names: Sequence[str]) -> NDArray[np.intp]:
        try:
            return find_all_joints(self.names, names).indices
        except InputRefusedError as refusal:
            raise InputRefusedError(refusal.reason, f"{field}: {refusal}") from refusal


def _coordinates(joint: FreeJoint, where: str, transform: Any, twist: Any = None) -> Any:
    what = f"of joint '{joint.name}' {where}"
    placement = read_placement(f"the transform {what}", transform.translation, transform.rotation)
    motion = Motion.zero() if twist is None else read_motion(f"the motion {what}", twist)
    return joint.coordinates(placement, motion)


def _refuse_other_times(points: Sequence[Any], times: Vector) -> None:
    own = [seconds_of(point.time_from_start) for point in points]
    if len(own) != len(times) or not np.allclose(own, times, rtol=0.0, atol=SAME_TIME):
        raise InputRefusedError(
            "bad times",
            f"multi_dof_trajectory has {len(own)} points, trajectory {len(times)}: give both the "
            "same times from start",
        )
