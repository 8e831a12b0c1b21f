# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The parameters of commanded motion."""

from dataclasses import dataclass

from dyn_ros.node.settings import Group, Kind, parameter

TRAJECTORY, POSITIONS, VELOCITY = INTERFACES = (
    "joint_trajectory",
    "joint_positions",
    "velocity",
)
COMMAND_RATE_HZ = 250.0  # at most; joint states in between are passed over
POSITION_MARGIN = 0.02  # rad or m that joints stay away from their ends
POSTURE_COST = 1e-3
"""m/rad of a joint's way to the posture, which settles what targets leave open."""
DAMPING = 1e-6
"""Of squared joint velocities, beside a cost of 1; more is calmer near singularities."""


@dataclass(frozen=True)
class MotionScale(Group):
    """Which part of the limits a motion may use."""

    motion_scale: float = parameter(
        0.5,
        "share of the description's limits that a motion may use: of velocity in ik (1 rad/s or "
        "m/s for a joint without a limit), of position, velocity and effort in identification",
        limits=(0.01, 1.0),
        name="limits.motion_scale",
    )


@dataclass(frozen=True)
class MotionSettings(Group):
    """How motion is commanded."""

    command_interface: str = parameter(
        TRAJECTORY,
        "joint_trajectory: ~/joint_trajectory with one point at time 0, for computed_torque or a "
        "joint_trajectory_controller, which hold it if this node is killed; joint_positions: the "
        "same without velocities and accelerations, for a joint_trajectory_controller without "
        "allow_nonzero_velocity_at_trajectory_end; velocity: ~/commands for a velocity "
        "controller, which keeps the last velocities if this node is killed",
        choices=INTERFACES,
    )
    acceleration: float = parameter(
        5.0,
        "largest acceleration of every joint, rad/s^2 or m/s^2, also when it brakes",
        limits=(0.001, 1e6),
        name="limits.acceleration",
    )
    max_tracking_error: float = parameter(
        0.5,
        "rad or m between commanded and measured position beyond which the node deactivates "
        "itself; 0: no limit",
        limits=(0.0, 1e6),
        live=True,
    )


@dataclass(frozen=True)
class ToolSettings(Group):
    """How tools go to targets."""

    tool_speed: list[float] = parameter(
        [0.25, 1.0],
        "largest speed of the tool, m/s and rad/s",
        kind=Kind.DOUBLE_ARRAY,
        live=True,
    )
    orientation_cost: float = parameter(
        0.5,
        "m/rad: so many metres of position error count as one radian of orientation error; 0: "
        "orientations are free",
        limits=(0.0, 1e6),
    )
    posture: str = parameter(
        "",
        "'joint=position, joint=position' in rad or m, which redundant joints approach; other "
        "joints keep their first position",
    )
    collision_distance: float = parameter(
        0.0,
        "smallest distance of links, m, by their collision shapes; needs coal: pip install coal; "
        "0: collisions are not avoided",
        limits=(0.0, 10.0),
    )
    srdf_file: str = parameter(
        "",
        "path of an SRDF file whose disabled pairs of links may touch",
    )
