# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Parameters of earlier versions, and what to do instead: a node that is given one does not start.

A value that nothing reads would be taken for one that is in force.
"""

import re

NAME = re.compile(r"[a-z_.]+")

SUCCESSORS = {
    "brakes_until_command": "set brake_release_time to -1 where it was false",
    "clock_rate": "it is 100 Hz; set real_time_factor to 0 where it was 0",
    "command_delay": "set delays to [state, command]",
    "command_loss": "set losses to [state, command]",
    "damp_duration": "damp.duration",
    "damping_time": "damp.time_constant",
    "deadline": "it is 0.01 s",
    "description_timeout": "it is 10 s",
    "drop_height": "a robot starts on the ground",
    "effort_limit_scale": "limits.effort_scale",
    "effort_noise": "set noise to [position, velocity, effort]",
    "feedback_rate": "it is 20 Hz",
    "free_joint_timeout": "joint_state_timeout",
    "friction_smoothing": "it is 0.01 rad/s or m/s",
    "garbage_collection": "there is none with real_time_priority above 0",
    "goal_time_tolerance": "it is 1 s unless the goal sets it",
    "goal_tolerance": "it is 0.05 rad or m unless the goal sets it",
    "gravity_filter": "it is 0.5 s",
    "gravity_frame": "set gravity_source to the name of the frame",
    "gravity_timeout": "it is 1 s",
    "gravity_tolerance": "it is 1 m/s^2",
    "hold_duration": "hold.duration",
    "lock_memory": "memory is locked with real_time_priority above 0",
    "locked_positions": "write them into locked_joints, as 'joint=position'",
    "marker_rate": "it is 10 Hz",
    "massless": "set massless_armature to 0 where it was true",
    "max_effort_rate": "limits.effort_rate",
    "max_lost_samples": "it is 0.01",
    "max_numbers": "it is 100000",
    "max_velocity_scale": "limits.velocity_scale",
    "position_noise": "set noise to [position, velocity, effort]",
    "prediction_rate": "it is 20 Hz",
    "prediction_step": "prediction_duration",
    "prediction_steps": "prediction_duration",
    "processors": "start the process with taskset",
    "publish_coriolis": "name coriolis in matrices",
    "publish_inverse": "name inverse in matrices",
    "ramp_duration": "ramp.duration",
    "random_seed": "it is 0",
    "release_threshold": "it is 0.6 times contact_threshold",
    "settle_count": "it is 10",
    "settle_duration": "it is 0.2 s",
    "setpoint_timeout": "reference_timeout",
    "shutdown_command": "shutdown.command",
    "state_delay": "set delays to [state, command]",
    "state_loss": "set losses to [state, command]",
    "velocity_noise": "set noise to [position, velocity, effort]",
}
"""By name, of any node: the parameter that replaces it, or what is so now."""

OF_NODE = {
    "cop_filter": {
        "change_lead": "it is 0.5 s",
        "change_margin": "it is 0.03 m",
        "clearance": "it is 0.07 m",
        "double_support": "set step_times to [single support, double support]",
        "iterations": "it is 1",
        "period": "it is 0.005 s",
        "rest": "it is 1.7 s",
        "single_support": "set step_times to [single support, double support]",
        "world_frame": "it is world",
    },
    "identification": {
        "approach_speed": "it is 0.3 rad/s or m/s",
        "cutoff": "it is 5 Hz",
        "harmonics": "they are 5",
        "method": "it is weighted; dyn-core identify has the others",
        "period": "it is 10 s",
        "periods": "duration",
        "rate": "it is 100 Hz",
        "seed": "it is 0",
        "self_collisions": "collision shapes of the description are kept apart",
        "share": "limits.motion_scale",
    },
    "ik": {
        "acceleration_limit": "limits.acceleration",
        "avoid_collisions": "set collision_distance above 0",
        "command_rate": "it is 250 Hz",
        "damping": "it is 1e-6",
        "gain": "it is 5 1/s",
        "max_target_jump": "it is 1 m",
        "max_target_turn": "there is no limit",
        "max_tool_acceleration": "it is 1 m/s^2",
        "max_tool_speed": "set tool_speed to [m/s, rad/s]",
        "max_tool_turn_rate": "set tool_speed to [m/s, rad/s]",
        "position_margin": "it is 0.02 rad or m",
        "posture_cost": "it is 0.001 m/rad",
        "target_timeout": "reference_timeout",
        "trajectory_derivatives": "set command_interface to joint_positions where it was false",
        "velocity_limit_scale": "limits.motion_scale",
    },
}
"""The same of one node, whose names others may use."""

STAMPS = "set stamps to required or ignored"
FIXED_REACTION = "such input is refused and counted"
PREFIX = "bad_input."
REACTIONS = {
    "commands_misplaced": "zero effort is sent and the node deactivates itself",
    "effort_over_limit": "efforts are clamped",
    "free_joint_stale": "zero effort is sent",
    "gains_over_rate": "the node deactivates itself",
    "gravity_absent": "the last gravity is used",
    "missing_joint": "joints of several publishers are merged",
    "no_solution": "the robot brakes",
    "stale": "on_loss",
    "stamp_age": STAMPS,
    "stamp_unchanged": STAMPS,
    "target_stale": "set reference_timeout to 0 where it was ignore",
    "tracking_error": "the node deactivates itself",
    "unknown_joint": "joints that the model does not have are ignored",
    "velocity_over_limit": "the arm is braked and the node deactivates itself",
    "wrench_stale": "the node computes without it",
}
"""By what follows PREFIX: the parameter that replaces it, or what happens now."""


def successor(name: str, node: str) -> str:
    """Return what to do instead of giving a node a parameter, in words; empty: it is none of these.

    Args:
        name: of the parameter.
        node: the node as the registry names it.
    """
    if name.startswith(PREFIX):
        found = REACTIONS.get(name.removeprefix(PREFIX), FIXED_REACTION)
    else:
        found = OF_NODE.get(node, {}).get(name) or SUCCESSORS.get(name, "")
    return f"set {found}" if NAME.fullmatch(found) else found
