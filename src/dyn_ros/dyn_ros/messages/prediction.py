# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Motions of joints with several degrees of freedom as points of a trajectory message."""

from collections.abc import Iterable, Sequence

from geometry_msgs.msg import Transform, Twist
from trajectory_msgs.msg import MultiDOFJointTrajectoryPoint

from dyn_ros.arrays import Vector
from dyn_ros.messages.free_joint import FreeJoint
from dyn_ros.messages.geometry import write_quaternion, write_xyz
from dyn_ros.messages.stamp import duration_message


def multi_dof_points(
    times: Iterable[float],
    joints: Sequence[FreeJoint],
    configurations: Iterable[Vector],
    velocities: Iterable[Vector],
    accelerations: Iterable[Vector],
) -> list[MultiDOFJointTrajectoryPoint]:
    """Return the points of a motion of the model: times [n] after the start, s, and its states.

    Configurations are [n, nq], their derivatives [n, nv]. Twists and their rates are in the child
    link's own axes.
    """
    return [
        MultiDOFJointTrajectoryPoint(
            transforms=[transform_message(q[joint.in_q]) for joint in joints],
            velocities=[twist_message(v[joint.in_v]) for joint in joints],
            accelerations=[twist_message(a[joint.in_v]) for joint in joints],
            time_from_start=duration_message(time),
        )
        for time, q, v, a in zip(times, configurations, velocities, accelerations, strict=True)
    ]


def transform_message(numbers: Vector) -> Transform:
    """Return a position and a quaternion, x, y, z, w, as a message."""
    message = Transform()
    write_xyz(message.translation, numbers[:3])
    write_quaternion(message.rotation, numbers[3:])
    return message


def twist_message(motion: Iterable[float]) -> Twist:
    """Return a motion, its linear part first, as a message."""
    message, numbers = Twist(), tuple(motion)
    write_xyz(message.linear, numbers[:3])
    write_xyz(message.angular, numbers[3:])
    return message
