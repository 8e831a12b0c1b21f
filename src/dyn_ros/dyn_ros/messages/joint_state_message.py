# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A sensor_msgs/JointState, allocated once and filled in place."""

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import JointState

from dyn_ros.messages.stamp import NANOSECONDS


class JointStateMessage:
    """A JointState message whose numbers are overwritten in place."""

    def __init__(self, joint_names: Sequence[str]) -> None:
        """Name the joints, in the order of the vectors."""
        self.message = JointState(name=list(joint_names))
        for field in ("position", "velocity", "effort"):
            setattr(self.message, field, array("d", bytes(8 * len(joint_names))))
        self._position = np.frombuffer(self.message.position)
        self._velocity = np.frombuffer(self.message.velocity)
        self._effort = np.frombuffer(self.message.effort)

    def fill(
        self,
        nanoseconds: int,
        position: NDArray[np.float64],
        velocity: NDArray[np.float64],
        effort: NDArray[np.float64],
    ) -> JointState:
        """Write a state of the joints (rad, rad/s, N m or m, m/s, N) and its time."""
        stamp = self.message.header.stamp
        stamp.sec, stamp.nanosec = divmod(nanoseconds, NANOSECONDS)
        self._position[:] = position
        self._velocity[:] = velocity
        self._effort[:] = effort
        return self.message
