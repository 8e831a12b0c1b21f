# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The parameters of commanded motion."""

from dyn_ros.inputs.bad_input import TRACKING_ERROR, answer_setting
from dyn_ros.inputs.command_settings import COMMAND_JOINTS
from dyn_ros.node.settings import Kind, Setting

TRAJECTORY, VELOCITY = INTERFACES = ("joint_trajectory", "velocity")
COST = (0.0, 1e6)
MOTION_SETTINGS = (
    Setting(
        "command_interface",
        TRAJECTORY,
        "joint_trajectory: ~/joint_trajectory with one point at time 0, for computed_torque or a "
        "joint_trajectory_controller, which hold the last one if this node is killed; velocity: "
        "~/commands for a velocity controller, which goes on with the last one then",
        choices=INTERFACES,
    ),
    COMMAND_JOINTS,
    Setting(
        "trajectory_derivatives",
        True,
        "points have velocities and accelerations too; false for a joint_trajectory_controller "
        "without allow_nonzero_velocity_at_trajectory_end",
        live=True,
    ),
    Setting(
        "command_rate",
        250.0,
        "Hz of commands at most; joint states in between are passed over",
        limits=(1.0, 10_000.0),
        live=True,
    ),
    Setting(
        "velocity_limit_scale",
        0.5,
        "part of the description's velocity limits that may be used; of 1 rad/s or m/s for a joint "
        "without a limit",
        limits=(0.001, 1.0),
    ),
    Setting(
        "acceleration_limit",
        5.0,
        "rad/s^2 or m/s^2 of every joint, also when it brakes",
        limits=(0.001, 1e6),
    ),
    Setting(
        "position_margin",
        0.02,
        "rad or m that joints stay away from their ends",
        limits=(0.0, 10.0),
    ),
    Setting(
        "max_tracking_error",
        0.5,
        "rad or m between commanded and measured position that is answered as "
        "bad_input.tracking_error says; 0: no limit",
        limits=(0.0, 1e6),
        live=True,
    ),
    TRACKING_ERROR,
)
TOOL_SETTINGS = (
    Setting(
        "gain",
        5.0,
        "1/s, by which what is left to a target decays",
        limits=(0.01, 1000.0),
        live=True,
    ),
    Setting(
        "max_tool_speed",
        0.25,
        "m/s of the tool on its way to a target",
        limits=(1e-6, 100.0),
        live=True,
    ),
    Setting(
        "max_tool_turn_rate",
        1.0,
        "rad/s of the tool on its way to a target",
        limits=(1e-6, 100.0),
        live=True,
    ),
    Setting(
        "max_tool_acceleration",
        1.0,
        "m/s^2, by which the speed grows and falls; max_tool_turn_rate does so in proportion",
        limits=(1e-6, 1000.0),
        live=True,
    ),
    Setting(
        "orientation_cost",
        0.5,
        "m/rad: a radian of orientation counts as so many metres; 0: orientations are free",
        limits=COST,
    ),
    Setting(
        "posture_cost",
        1e-3,
        "m/rad, of a joint's way to the posture, which settles what targets leave open",
        limits=COST,
    ),
    Setting(
        "posture",
        [],
        "positions of all joints in the model's order, rad or m, for what targets leave open; "
        "empty: where the robot is when it begins to move",
        kind=Kind.DOUBLE_ARRAY,
    ),
    Setting(
        "damping",
        1e-6,
        "of squared joint velocities, beside a cost of 1; more is calmer near singularities",
        limits=(1e-12, 1e3),
    ),
    Setting(
        "avoid_collisions",
        False,
        "links stay apart by their collision shapes; needs coal: pip install coal",
    ),
    Setting(
        "collision_distance",
        0.02,
        "m that links stay apart at least",
        limits=(0.0, 10.0),
    ),
    Setting(
        "srdf_file",
        "",
        "path of an SRDF file whose disabled pairs of links may touch",
    ),
    answer_setting(
        "no solution",
        "a joint state for which no velocity keeps to all limits and distances",
        "hold",
    ),
)
