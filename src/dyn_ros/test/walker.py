# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""cop_filter on a humanoid that follows its walks."""

from __future__ import annotations

import re
from typing import Any

from called import Called
from dyn_msgs.msg import Footstep, Footsteps
from geometry_msgs.msg import Point, PointStamped
from rclpy.time import Time
from robots import ROBOT_FILES, example_robots
from ros_helpers import until
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, MultiDOFJointTrajectory

from dyn_ros.nodes.cop_filter import CopFilter

BENT = {"HIP_P": -0.45, "KNEE": 0.87, "ANKLE_P": -0.42}
POSTURE = ", ".join(f"{side}LEG_{joint}={angle}" for side in "LR" for joint, angle in BENT.items())
USUAL: dict[str, Any] = {
    "feet": ["l_ankle", "r_ankle"],
    "ankle_height": 0.1,
    "posture": POSTURE,
    "step_times": [0.4, 0.1],
}
TOPICS = {
    "joint_trajectory": JointTrajectory,
    "base_trajectory": MultiDOFJointTrajectory,
    "center_of_mass": PointStamped,
    "cop": PointStamped,
}
HUMANOID = example_robots() / ROBOT_FILES["simple_humanoid"]


def description(effort: float = 1000.0) -> str:
    """The humanoid with wide limits: those of its file are another joint's, and forbid to stand."""
    text = re.sub(r'effort="[^"]*"', f'effort="{effort}"', HUMANOID.read_text())
    text = re.sub(r'lower="[^"]*"', 'lower="-3"', text)
    return re.sub(r'upper="[^"]*"', 'upper="3"', text)


class Walker:
    """The node on a humanoid, and what it publishes; it is active unless `parameters` differ.

    The robot stands in its posture, reports its joints, and goes where trajectories want it.
    """

    def __init__(self, called: Called, **parameters: Any) -> None:
        values = {**USUAL, "robot_description": description(), "autostart": True, **parameters}
        self.node = called.create(CopFilter, **values)
        self.received = {x: called.collect(kind, f"/cop_filter/{x}") for x, kind in TOPICS.items()}
        self.footsteps = called.tester.create_publisher(Footsteps, "/cop_filter/footsteps", 1)
        until(lambda: self.node.active or not values["autostart"], 60.0)
        self.at: dict[str, float] = {}
        self.follows = True
        if self.node.active:
            biped = self.node._biped
            self.at = dict(zip(biped.model.dof_names[6:], biped.posture[7:].tolist(), strict=True))
        self._states = called.tester.create_publisher(JointState, "joint_states", 10)
        self.driver = called.tester.create_timer(0.02, self.tick)
        self.tick()

    def tick(self) -> None:
        """Go where the newest trajectory wants the robot now, and publish a joint state."""
        begun = [x for x in self.received["joint_trajectory"] if number(x) <= self.now]
        if self.follows and begun and begun[-1].points:
            self.at = self.wanted(begun[-1])
        if self.at:
            self._states.publish(JointState(name=list(self.at), position=list(self.at.values())))

    @property
    def now(self) -> float:
        """Time of ROS, s."""
        return 1e-9 * self.node.ros_time()

    def wanted(self, message: JointTrajectory) -> dict[str, float]:
        """Where a trajectory wants the joints now; it begins with its first point."""
        times = [x.time_from_start for x in message.points]
        since = self.now - number(message)
        k = sum(x.sec + 1e-9 * x.nanosec <= since for x in times[1:])
        return dict(zip(message.joint_names, message.points[k].positions, strict=True))

    def walk(self, *steps: tuple[int, float, float], **fields: Any) -> None:
        """Publish footsteps: foot, x and y."""
        message = Footsteps(**fields)
        message.footsteps = [
            Footstep(foot=foot, position=Point(x=x, y=y, z=0.0)) for foot, x, y in steps
        ]
        self.footsteps.publish(message)


def number(message: JointTrajectory) -> float:
    """When it begins, s."""
    return 1e-9 * Time.from_msg(message.header.stamp).nanoseconds
