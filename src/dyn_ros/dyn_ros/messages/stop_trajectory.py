# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Makes the trajectory that stops a motion, also of a joint_trajectory_controller."""

import numpy as np
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from dyn_core.configuration import position_limits
from dyn_core.control import take_short_way, turning_joints
from dyn_core.identification import Recording
from dyn_core.model import Model
from dyn_ros.arrays import Vector
from dyn_ros.messages.stamp import duration_message

MIN_STOP_TIME = 0.3  # s
MAX_STOP_TIME = 1.5  # s
# of decelerations over their mean: 1.5, more where the robot accelerates
PEAK_DECELERATION_RATIO = 2.0
SMALLEST = 1e-9  # rad/s^2 or m/s^2, of decelerations


def stop_trajectory(
    model: Model, here: Vector, recent: Recording, deceleration: Vector
) -> JointTrajectory:
    """Return a trajectory of one point at rest, within position limits, that brakes a motion.

    A joint_trajectory_controller rejects a trajectory without points and continues the motion. The
    robot goes from position q and velocity v to rest at q + v T / 2 within time T. The point has
    accelerations, so that the controller interpolates without steps of acceleration or effort.

    Args:
        model: the robot.
        here: positions, [nv].
        recent: joint states from which the velocity is computed; it is 0 where they tell none.
        deceleration: of which the robot is capable, [nv].
    """
    velocity = _velocity(model, recent)
    needed = PEAK_DECELERATION_RATIO * float(
        (np.abs(velocity) / np.maximum(deceleration, SMALLEST)).max()
    )
    duration = min(max(needed, MIN_STOP_TIME), MAX_STOP_TIME)
    # A joint beyond a limit stays there: a stop moves no joint back.
    lower, upper = position_limits(model)
    low, high = np.minimum(lower, here), np.maximum(upper, here)
    point = JointTrajectoryPoint(
        positions=np.clip(here + 0.5 * duration * velocity, low, high).tolist(),
        velocities=[0.0] * model.nv,
        accelerations=[0.0] * model.nv,
        time_from_start=duration_message(duration),
    )
    return JointTrajectory(joint_names=list(model.dof_names), points=[point])


def _velocity(model: Model, recent: Recording) -> Vector:
    usable = np.isfinite(recent.q).all(axis=1) & np.isfinite(recent.times)
    times, q = recent.times[usable], recent.q[usable]
    if len(times) < 2 or not times[-1] > times[0]:
        return np.zeros(model.nv)
    way = q[-1] - q[0]
    take_short_way(way, turning_joints(model))
    return way / (times[-1] - times[0])
