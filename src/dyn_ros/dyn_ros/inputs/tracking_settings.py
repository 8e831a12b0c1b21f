# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The parameters by which trajectories are followed."""

from dataclasses import dataclass

from dyn_ros.node.settings import Group, parameter
from dyn_ros.tracking.setpoint import STOP_TIME_S


@dataclass(frozen=True)
class FollowSettings(Group):
    """How trajectories are followed."""

    reference_timeout: float = parameter(
        0.1,
        "s for which velocity and acceleration of a set-point (a trajectory of one point at time "
        f"0) apply; then they go to zero within {STOP_TIME_S:g} s",
        limits=(0.001, 60.0),
        live=True,
    )
    max_tracking_error: float = parameter(
        0.5,
        "rad or m between desired and measured position beyond which the node deactivates "
        "itself; a trajectory that starts further away is refused; 0: no limit",
        limits=(0.0, 1e6),
        live=True,
    )


@dataclass(frozen=True)
class TrackingSettings(Group):
    """The law of computed torque."""

    natural_frequency: float = parameter(
        10.0,
        "rad/s of the decay of position errors, the same for all joints; at most 0.26 times the "
        "rate of joint states with damping_ratio 1",
        limits=(0.0, 1000.0),
        live=True,
    )
    damping_ratio: float = parameter(
        1.0,
        "<1 underdamped, 1 critically damped, >1 overdamped; 2 * damping_ratio * "
        "natural_frequency is at most 0.63 times the rate of joint states",
        limits=(0.0, 100.0),
        live=True,
    )
    feed_forward: bool = parameter(
        True,
        "add the efforts of the desired accelerations; without them a position error must build "
        "up first",
        live=True,
    )
    include_coriolis: bool = parameter(
        True,
        "add Coriolis and centrifugal efforts; slow robots need none, and noise of measured "
        "velocities then acts through the damping only",
        live=True,
    )
