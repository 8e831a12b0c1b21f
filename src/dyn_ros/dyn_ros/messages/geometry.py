# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Reads and writes geometry_msgs and sensor_msgs/Imu: vectors, quaternions, poses, wrenches."""

import re
from collections.abc import Iterable, Sequence
from math import hypot, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from dyn_core.spatial import SE3, Matrix3, Motion, Vector3
from dyn_ros.arrays import Matrix
from dyn_ros.messages.refusal import InputRefusedError

if TYPE_CHECKING:
    from geometry_msgs.msg import PoseStamped, TwistStamped, WrenchStamped
    from sensor_msgs.msg import Imu

WORLD = "odom"  # where a floating base is by REP 105, unless its odometry says otherwise
UNIT_TOLERANCE = 1e-2  # how far a quaternion's length may be from 1; publishers round to floats
NO_ESTIMATE = -1.0  # first element of a covariance: the sensor does not measure this


def frame_topic(topic: str, frame: str) -> str:
    """Return the topic below another that is of a frame; what topics cannot have becomes _."""
    token = re.sub("[^A-Za-z0-9_]", "_", frame)
    return f"{topic}/_{token}" if token[:1].isdigit() else f"{topic}/{token}"


def xyz(vector: Any) -> tuple[float, float, float]:
    """Return a Vector3 or Point as numbers."""
    return vector.x, vector.y, vector.z


def write_xyz(vector: Any, numbers: Iterable[float]) -> None:
    """Write three numbers into a Vector3 or Point."""
    vector.x, vector.y, vector.z = map(float, numbers)


def write_quaternion(quaternion: Any, numbers: Iterable[float]) -> None:
    """Write (x, y, z, w) into a Quaternion."""
    quaternion.x, quaternion.y, quaternion.z, quaternion.w = map(float, numbers)


def refuse_not_finite(what: str, numbers: Sequence[float]) -> None:
    """Raise InputRefusedError if not all numbers are finite."""
    if not all(map(isfinite, numbers)):
        raise InputRefusedError(
            "not finite",
            f"{what} is {list(numbers)}: send {len(numbers)} finite numbers",
        )


def unit_quaternion(what: str, quaternion: Any) -> tuple[float, float, float, float]:
    """Return a Quaternion (x, y, z, w) of unit length.

    Raises InputRefusedError if it is not of length 1, as in an empty message.
    """
    numbers = (*xyz(quaternion), quaternion.w)
    refuse_not_finite(what, numbers)
    length = hypot(*numbers)
    if abs(length - 1.0) > UNIT_TOLERANCE:
        raise InputRefusedError(
            "no orientation",
            f"{what} is {list(numbers)}, of length {length:.3g}: send a quaternion of length 1",
        )
    x, y, z, w = (number / length for number in numbers)
    return x, y, z, w


def refuse_unnamed_frame(frame: str, what: str) -> None:
    """Raise InputRefusedError if header.frame_id is empty."""
    if not frame:
        raise InputRefusedError(
            "no frame", f"header.frame_id is empty: name the link or frame {what}"
        )


def read_placement(what: str, position: Any, orientation: Any) -> SE3:
    """Return the placement of the fields of a Pose or Transform."""
    numbers = xyz(position)
    refuse_not_finite(f"the position of {what}", numbers)
    turn = unit_quaternion(f"the orientation of {what}", orientation)
    return SE3(Matrix3.quaternion(*turn), Vector3(*numbers))


def read_motion(what: str, twist: Any) -> Motion:
    """Return the motion of a Twist."""
    numbers = (*xyz(twist.linear), *xyz(twist.angular))
    refuse_not_finite(what, numbers)
    return Motion.of(numbers)


def read_pose(message: "PoseStamped") -> tuple[str, Matrix]:
    """Return the frame of a pose, and its placement (4, 4) there, m.

    Raises InputRefusedError if a number is not finite, the quaternion not of length 1, or the frame
    has no name.
    """
    frame = message.header.frame_id
    refuse_unnamed_frame(frame, "that the pose is given in")
    pose = message.pose
    placement = read_placement(f"the pose in frame '{frame}'", pose.position, pose.orientation)
    return frame, np.array(placement.homogeneous(), dtype=np.float64)


def read_wrench(message: "WrenchStamped") -> tuple[str, tuple[float, ...]]:
    """Return the frame and the wrench [force, torque] (N, N m) in its axes, at its origin.

    Raises InputRefusedError if a number is not finite or the frame has no name.
    """
    frame = message.header.frame_id
    wrench = (*xyz(message.wrench.force), *xyz(message.wrench.torque))
    refuse_unnamed_frame(frame, "where the wrench acts")
    refuse_not_finite(f"the wrench at frame '{frame}'", wrench)
    return frame, wrench


def read_twist(message: "TwistStamped") -> tuple[str, tuple[float, ...]]:
    """Return the frame and the twist [linear, angular] (m/s, rad/s) in its axes.

    Raises InputRefusedError if a number is not finite or the frame has no name.
    """
    frame = message.header.frame_id
    twist = (*xyz(message.twist.linear), *xyz(message.twist.angular))
    refuse_unnamed_frame(frame, "in whose axes the twist is")
    refuse_not_finite(f"the twist in frame '{frame}'", twist)
    return frame, twist


def read_direction(
    message: "Imu", strength: float, tolerance: float
) -> tuple[str, tuple[float, float, float]]:
    """Return the frame of an IMU at rest and the direction of gravity in its axes, of length 1.

    An accelerometer at rest shows the opposite of gravity. One that is shaken shows something
    else: what is further than `tolerance` from `strength` (m/s^2) is not taken for gravity.

    Raises InputRefusedError if there is no acceleration, or none that can be gravity.
    """
    frame = message.header.frame_id
    measured = xyz(message.linear_acceleration)
    what = f"linear_acceleration of the IMU at '{frame}'"
    if message.linear_acceleration_covariance[0] == NO_ESTIMATE:
        raise InputRefusedError(
            "implausible gravity",
            f"{what} is marked as not measured: subscribe to an IMU with an accelerometer",
        )
    refuse_not_finite(what, measured)
    norm = hypot(*measured)
    if abs(norm - strength) > tolerance or not norm:
        raise InputRefusedError(
            "implausible gravity",
            f"{what} is {norm:.3f} m/s^2, more than {tolerance:g} m/s^2 from "
            f"{strength:.3f} m/s^2: keep the IMU at rest, in SI units and with gravity included",
        )
    x, y, z = measured
    return frame, (-x / norm, -y / norm, -z / norm)
