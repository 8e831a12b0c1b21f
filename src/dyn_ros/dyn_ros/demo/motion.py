# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The fast motion that the arm of the demo follows."""

from collections.abc import Sequence

import numpy as np
from trajectory_msgs.msg import JointTrajectory

from dyn_ros.arrays import Vector
from dyn_ros.messages.joint_trajectory import points_of
from dyn_ros.messages.stamp import time_message

SWINGS = {  # rad
    "shoulder_pan_joint": 0.8,
    "shoulder_lift_joint": 0.3,
    "elbow_joint": 0.5,
    "wrist_1_joint": 0.6,
    "wrist_2_joint": 0.8,
    "wrist_3_joint": 0.9,
}
DURATION = 4.0  # s
POINTS = 81
# sin(pi t / T)^2 sin(2 pi f t) as a sum of sines, by their amplitudes and rates in rad/s; f: 0.5 Hz
AMPLITUDES = np.array([0.5, -0.25, -0.25])
RATES = np.pi + 2.0 * np.pi / DURATION * np.array([0.0, 1.0, -1.0])


class SwingMotion:
    """All joints swing and come back: start + a sin(pi t / T)^2 sin(2 pi f t)."""

    def __init__(self, names: list[str], start: Sequence[float]) -> None:
        """Begin and end where the arm is, `start` [joints] in rad."""
        self._start = np.array(start)
        self._swing = np.array([SWINGS.get(name, 0.0) for name in names])
        self.times = np.linspace(0.0, DURATION, POINTS).tolist()  # s

    def at(self, time: float) -> tuple[Vector, Vector, Vector]:
        """Return position, velocity and acceleration `time` s after the start."""
        phases = RATES * min(max(time, 0.0), DURATION)
        value, bend = AMPLITUDES @ np.sin(phases), -(AMPLITUDES * RATES**2) @ np.sin(phases)
        rate = (AMPLITUDES * RATES) @ np.cos(phases)
        return self._start + self._swing * value, self._swing * rate, self._swing * bend

    def message(self, names: list[str], start: int) -> JointTrajectory:
        """Return the motion as a trajectory from the time `start` in ns."""
        states = zip(*map(self.at, self.times), strict=True)
        message = JointTrajectory(joint_names=names)
        message.header.stamp = time_message(start)
        message.points = points_of(self.times, *map(np.array, states))
        return message
