# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Footsteps in, motions of a walking robot out."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, PointStamped, Transform
from std_msgs.msg import Header
from trajectory_msgs.msg import MultiDOFJointTrajectory, MultiDOFJointTrajectoryPoint

from dyn_core.model import FloatArray
from dyn_core.walking import Footstep
from dyn_ros.messages.geometry import write_quaternion, write_xyz
from dyn_ros.messages.prediction import twist_message
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import duration_message

if TYPE_CHECKING:
    from dyn_msgs.msg import Footsteps

POSE, TWIST = 7, 6  # coordinates and degrees of freedom of a floating base


def read_footsteps(message: "Footsteps") -> list[Footstep]:
    """Return the footsteps of a message. Raises InputRefusedError, worded, if one is none."""
    result = []
    for k, step in enumerate(message.footsteps):
        place = (step.position.x, step.position.y, step.position.z)
        try:
            result.append(Footstep(int(step.foot), place, step.heading))
        except ValueError as error:
            raise InputRefusedError("bad footstep", f"footstep {k}: {error}") from error
    return result


def base_trajectory(
    times: Iterable[float], states: Sequence[Iterable[FloatArray]], frame: str, joint: str
) -> MultiDOFJointTrajectory:
    """Return poses in `frame` of the base, which `joint` moves, its twists and their rates.

    These are in the base's own axes. `times` are after the start, s, `states` configurations of the
    robot, velocities and accelerations.
    """
    points = [_base_point(*row) for row in zip(times, *states, strict=True)]
    header = Header(frame_id=frame)
    return MultiDOFJointTrajectory(header=header, joint_names=[joint], points=points)


def point(values: FloatArray, height: float, frame: str, stamp: Time) -> PointStamped:
    """Return a point in `frame`, at this height if it has none of its own."""
    z = float(values[2]) if len(values) > 2 else height
    return PointStamped(
        header=Header(stamp=stamp, frame_id=frame),
        point=Point(x=float(values[0]), y=float(values[1]), z=z),
    )


def _base_point(
    time: float, q: FloatArray, v: FloatArray, a: FloatArray
) -> MultiDOFJointTrajectoryPoint:
    pose = Transform()
    write_xyz(pose.translation, q[:3])
    write_quaternion(pose.rotation, q[3:POSE])
    return MultiDOFJointTrajectoryPoint(
        transforms=[pose],
        velocities=[twist_message(v[:TWIST])],
        accelerations=[twist_message(a[:TWIST])],
        time_from_start=duration_message(time),
    )
