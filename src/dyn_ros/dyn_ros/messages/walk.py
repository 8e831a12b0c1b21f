# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Footsteps in, motions of a walking robot out."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, PointStamped
from std_msgs.msg import Header
from trajectory_msgs.msg import MultiDOFJointTrajectory

from dyn_core.model import FloatArray, Model
from dyn_core.walking import Footstep
from dyn_ros.messages.free_joint import FreeJoint
from dyn_ros.messages.geometry import xyz
from dyn_ros.messages.prediction import multi_dof_points
from dyn_ros.messages.refusal import InputRefusedError

if TYPE_CHECKING:
    from dyn_msgs.msg import Footsteps


def read_footsteps(message: "Footsteps") -> list[Footstep]:
    """Return the footsteps of a message. Raises InputRefusedError, worded, if one is none."""
    result = []
    for k, step in enumerate(message.footsteps):
        try:
            result.append(Footstep(int(step.foot), xyz(step.position), step.heading))
        except ValueError as error:
            raise InputRefusedError("bad footstep", f"footstep {k}: {error}") from error
    return result


def base_trajectory(
    times: Iterable[float], states: Sequence[Iterable[FloatArray]], frame: str, model: Model
) -> MultiDOFJointTrajectory:
    """Return poses in `frame` of the base of a model, its twists and their rates.

    Times and `states` (configurations, velocities, accelerations) are those of `multi_dof_points`.
    """
    base = FreeJoint(model, 1)
    points = multi_dof_points(times, [base], *states)
    header = Header(frame_id=frame)
    return MultiDOFJointTrajectory(header=header, joint_names=[base.name], points=points)


def point(values: FloatArray, height: float, frame: str, stamp: Time) -> PointStamped:
    """Return a point in `frame`, at this height if it has none of its own."""
    z = float(values[2]) if len(values) > 2 else height
    return PointStamped(
        header=Header(stamp=stamp, frame_id=frame),
        point=Point(x=float(values[0]), y=float(values[1]), z=z),
    )
