# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What follows the trajectories of a node."""

from __future__ import annotations

import numpy as np
from trajectory_msgs.msg import JointTrajectory

from dyn_core.control import Trajectory


class Controller:
    """What joint_trajectory_controller does with a trajectory, by its source since humble.

    It rejects one without points, with other joints, or with a velocity at its end, and continues
    the one before. Between points it interpolates by quintics, as accelerations are given.
    """

    def __init__(self, names: list[str], start: np.ndarray) -> None:
        self.names, self.rejected, self.accepted = names, 0, 0
        self.motion = Trajectory(np.zeros(1), start[None], 0.0 * start[None], 0.0 * start[None])

    def receive(self, message: JointTrajectory, now: float) -> None:
        points = message.points
        moving = points and np.abs(points[-1].velocities).max() > np.finfo(np.float32).eps
        if message.joint_names != self.names or not points or moving:
            self.rejected += 1
            return
        self.accepted += 1
        ends = [now + x.time_from_start.sec + 1e-9 * x.time_from_start.nanosec for x in points]
        rows = zip(self.motion.sample(now), *(
            (x.positions, x.velocities, x.accelerations) for x in points
        ), strict=True)  # fmt: skip
        self.motion = Trajectory([now, *ends], *(np.array(row) for row in rows))

    def state(self, now: float) -> np.ndarray:
        """Position, velocity and acceleration, [3, nv]."""
        return np.array(self.motion.sample(now))
