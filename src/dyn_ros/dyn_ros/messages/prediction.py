# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Motions of joints with several degrees of freedom as points of a trajectory message."""

from collections.abc import Iterable, Sequence

from geometry_msgs.msg import Transform, Twist
from trajectory_msgs.msg import MultiDOFJointTrajectoryPoint

from dyn_core.spatial import SE3, quaternion_of_matrix
from dyn_ros.arrays import Matrix
from dyn_ros.messages.free_joint import FreeJoint
from dyn_ros.messages.geometry import write_quaternion, write_xyz
from dyn_ros.messages.stamp import duration_message


def multi_dof_points(
    times: Iterable[float],
    joints: Sequence[FreeJoint],
    configurations: Matrix,
    velocities: Matrix,
    accelerations: Matrix,
) -> list[MultiDOFJointTrajectoryPoint]:
    """Return the points of a motion of the model: times [n] after the start, s, and its states.

    Configurations are [n, nq], their derivatives [n, nv]. Twists and their rates are in the child
    link's own axes.
    """
    return [
        MultiDOFJointTrajectoryPoint(
            transforms=[transform_message(joint.placement(q)) for joint in joints],
            velocities=[twist_message(joint.motion(q, v)) for joint in joints],
            accelerations=[twist_message(joint.motion(q, a)) for joint in joints],
            time_from_start=duration_message(time),
        )
        for time, q, v, a in zip(times, configurations, velocities, accelerations, strict=True)
    ]


def transform_message(placement: SE3) -> Transform:
    """Return a placement as a message."""
    message = Transform()
    write_xyz(message.translation, placement.translation)
    write_quaternion(message.rotation, quaternion_of_matrix(placement.rotation))
    return message


def twist_message(motion: Iterable[float]) -> Twist:
    """Return a motion, its linear part first, as a message."""
    message, numbers = Twist(), tuple(motion)
    write_xyz(message.linear, numbers[:3])
    write_xyz(message.angular, numbers[3:])
    return message
