# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A nav_msgs/Odometry, allocated once and filled in place."""

import numpy as np
from nav_msgs.msg import Odometry
from numpy.typing import NDArray

from dyn_ros.messages.stamp import NANOSECONDS
from dyn_ros.messages.vectors import write_quaternion, write_xyz


class OdometryMessage:
    """An Odometry message about one body; its covariances stay zero."""

    def __init__(self, frame: str, child_frame: str) -> None:
        """Name the frame that the pose is in, and the body, in whose axes the twist is."""
        self.message = Odometry(child_frame_id=child_frame)
        self.message.header.frame_id = frame

    def fill(self, nanoseconds: int, state: NDArray[np.float64]) -> Odometry:
        """Write position, quaternion x y z w, linear and angular velocity [13], and the time."""
        stamp, pose = self.message.header.stamp, self.message.pose.pose
        twist = self.message.twist.twist
        stamp.sec, stamp.nanosec = divmod(nanoseconds, NANOSECONDS)
        numbers = state.tolist()
        write_xyz(pose.position, numbers[:3])
        write_quaternion(pose.orientation, numbers[3:7])
        write_xyz(twist.linear, numbers[7:10])
        write_xyz(twist.angular, numbers[10:])
        return self.message
