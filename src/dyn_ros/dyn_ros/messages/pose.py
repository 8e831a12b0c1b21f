# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Reads geometry_msgs/PoseStamped."""

from typing import TYPE_CHECKING

import numpy as np

from dyn_core.spatial import SE3, Matrix3, Vector3
from dyn_ros.arrays import Matrix
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.vectors import refuse_not_finite, unit_quaternion, xyz

if TYPE_CHECKING:
    from geometry_msgs.msg import PoseStamped


def read_pose(message: "PoseStamped") -> tuple[str, Matrix]:
    """Return the frame of a pose, and its placement (4, 4) there, m.

    Raises InputRefusedError if a number is not finite, the quaternion not of length 1, or the frame
    has no name.
    """
    frame = message.header.frame_id
    if not frame:
        raise InputRefusedError(
            "no frame", "header.frame_id is empty: name the link or frame that the pose is given in"
        )
    what = f"in frame '{frame}'"
    place = xyz(message.pose.position)
    refuse_not_finite(f"the position {what}", place)
    turn = unit_quaternion(f"the orientation {what}", message.pose.orientation)
    placement = SE3(Matrix3.quaternion(*turn), Vector3(*place))
    return frame, np.array(placement.homogeneous(), dtype=np.float64)
