"""A predicted motion as a trajectory message, allocated once and filled in place."""

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration, Time
from numpy.typing import NDArray
from trajectory_msgs.msg import JointTrajectoryPoint

from dyn_ros.adapters.joint_state import NANOSECONDS

FIELDS = ("positions", "velocities", "accelerations")


class PredictionMessage:
    """A JointTrajectory of points at equal intervals, the first one interval after its stamp."""

    def __init__(
        self, kind: Any, joint_names: Sequence[str], *, steps: int, seconds: float
    ) -> None:
        """Name the joints; `kind` is trajectory_msgs/JointTrajectory."""
        self.message = kind(joint_names=list(joint_names))
        zeros = bytes(8 * len(joint_names))
        self.message.points = [
            JointTrajectoryPoint(
                **{field: array("d", zeros) for field in FIELDS},
                time_from_start=duration(seconds * (step + 1)),
            )
            for step in range(steps)
        ]

    def fill(self, stamp: Time, **fields: NDArray[np.float64]) -> Any:
        """Write FIELDS, each [steps, n] (rad, rad/s, rad/s^2 or m, m/s, m/s^2)."""
        for field, values in fields.items():
            for point, row in zip(self.message.points, values, strict=True):
                np.frombuffer(getattr(point, field))[:] = row
        self.message.header.stamp = stamp
        return self.message


def duration(seconds: float) -> Duration:
    """Return a time that is not negative as a message, to the nanosecond."""
    whole, rest = divmod(round(seconds * NANOSECONDS), NANOSECONDS)
    return Duration(sec=whole, nanosec=rest)


def time_message(nanoseconds: int) -> Time:
    """Return a point in time as a message."""
    whole, rest = divmod(nanoseconds, NANOSECONDS)
    return Time(sec=whole, nanosec=rest)
