# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Reads the direction of gravity from sensor_msgs/Imu."""

from math import sqrt
from typing import TYPE_CHECKING

from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.vectors import refuse_not_finite, xyz

if TYPE_CHECKING:
    from sensor_msgs.msg import Imu

NO_ESTIMATE = -1.0  # first element of a covariance: the sensor does not measure this


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
    norm = sqrt(sum(x * x for x in measured))
    if abs(norm - strength) > tolerance or not norm:
        raise InputRefusedError(
            "implausible gravity",
            f"{what} is {norm:.3f} m/s^2, more than {tolerance:g} m/s^2 from "
            f"{strength:.3f} m/s^2: keep the IMU at rest, in SI units and with gravity included",
        )
    x, y, z = measured
    return frame, (-x / norm, -y / norm, -z / norm)
