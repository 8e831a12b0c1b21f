# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The operator of the demo, who lets the arm follow a motion too."""

import numpy as np
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory

from dyn_ros.demo.motion import SwingMotion
from dyn_ros.messages.joint_trajectory import points_of
from dyn_ros.messages.stamp import time_message
from dyn_ros.operator import Operator


class DemoOperator(Operator):
    """Acts through a node; whatever has to wait is an iterator of pauses."""

    def __init__(self, node: Node) -> None:
        """Create the publishers."""
        super().__init__(node)
        self._motions = node.create_publisher(
            JointTrajectory, "computed_torque/joint_trajectory", 10
        )

    def follow(self, names: list[str], motion: SwingMotion, start: int) -> None:
        """Let computed_torque follow a motion from the time `start` in ns."""
        states = zip(*map(motion.at, motion.times), strict=True)
        message = JointTrajectory(joint_names=names)
        message.header.stamp = time_message(start)
        message.points = points_of(motion.times, *map(np.array, states))
        self._motions.publish(message)
