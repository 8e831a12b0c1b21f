# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A predicted motion as a trajectory message, allocated once and filled in place."""

from array import array
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import Transform, Twist
from numpy.typing import NDArray
from trajectory_msgs.msg import JointTrajectoryPoint, MultiDOFJointTrajectoryPoint

import dyn_core
from dyn_core.spatial import SE3, quaternion_of_matrix
from dyn_ros.messages.free_joint import free_joints
from dyn_ros.messages.geometry import write_quaternion, write_xyz
from dyn_ros.messages.stamp import duration_message, time_message

FIELDS = ("positions", "velocities", "accelerations")


class PredictionMessage:
    """A JointTrajectory of points at equal intervals, the first one interval after its stamp."""

    def __init__(
        self, kind: Any, joint_names: Sequence[str], *, steps: int, seconds: float
    ) -> None:
        """Name the joints; `kind` is trajectory_msgs/JointTrajectory."""
        self.message = kind(joint_names=list(joint_names))
        zeros = bytes(8 * len(joint_names))
        self.message.points = [
            JointTrajectoryPoint(
                **{field: array("d", zeros) for field in FIELDS},
                time_from_start=duration_message(seconds * (step + 1)),
            )
            for step in range(steps)
        ]

    def fill(self, stamp: int, **fields: NDArray[np.float64]) -> Any:
        """Write FIELDS, each [steps, n] (rad, rad/s, rad/s^2 or m, m/s, m/s^2)."""
        for field, values in fields.items():
            for point, row in zip(self.message.points, values, strict=True):
                np.frombuffer(getattr(point, field))[:] = row
        self.message.header.stamp = time_message(stamp)
        return self.message


class MultiDofPrediction:
    """A MultiDOFJointTrajectory of the joints with several degrees of freedom, at such points.

    Twists and their rates are in the child link's own axes.
    """

    def __init__(self, kind: Any, model: dyn_core.Model, steps: int, seconds: float) -> None:
        """Name the joints; `kind` is trajectory_msgs/MultiDOFJointTrajectory."""
        self._joints = free_joints(model)
        self.message = kind(joint_names=[joint.name for joint in self._joints])
        self.message.points = [
            MultiDOFJointTrajectoryPoint(
                transforms=[Transform() for _ in self._joints],
                velocities=[Twist() for _ in self._joints],
                accelerations=[Twist() for _ in self._joints],
                time_from_start=duration_message(seconds * (step + 1)),
            )
            for step in range(steps)
        ]

    def fill(
        self,
        stamp: int,
        configurations: NDArray[np.float64],
        velocities: NDArray[np.float64],
        accelerations: NDArray[np.float64],
    ) -> Any:
        """Write configurations [steps, nq] and their derivatives [steps, nv]."""
        self.message.header.stamp = time_message(stamp)
        rows = zip(configurations, velocities, accelerations, strict=True)
        for point, (q, v, a) in zip(self.message.points, rows, strict=True):
            for i, joint in enumerate(self._joints):
                write_transform(point.transforms[i], joint.placement(q))
                write_twist(point.velocities[i], joint.motion(q, v))
                write_twist(point.accelerations[i], joint.motion(q, a))
        return self.message


def write_transform(message: Transform, placement: SE3) -> None:
    """Write a placement into a message."""
    write_xyz(message.translation, placement.translation)
    write_quaternion(message.rotation, quaternion_of_matrix(placement.rotation))


def write_twist(message: Twist, motion: Iterable[float]) -> None:
    """Write a motion, its linear part first, into a message."""
    numbers = tuple(motion)
    write_xyz(message.linear, numbers[:3])
    write_xyz(message.angular, numbers[3:])
