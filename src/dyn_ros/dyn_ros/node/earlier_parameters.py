# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Parameters of earlier versions: a node that is given one does not start, and says what to do.

A value that nothing reads would be taken for one that is in force.
"""

RENAMED = {
    "damp_duration": "damp.duration",
    "damping_time": "damp.time_constant",
    "effort_limit_scale": "limits.effort_scale",
    "free_joint_timeout": "joint_state_timeout",
    "gravity_frame": "gravity_source",
    "hold_duration": "hold.duration",
    "max_effort_rate": "limits.effort_rate",
    "max_velocity_scale": "limits.velocity_scale",
    "prediction_step": "prediction_duration",
    "prediction_steps": "prediction_duration",
    "ramp_duration": "ramp.duration",
    "setpoint_timeout": "reference_timeout",
    "shutdown_command": "shutdown.command",
    "bad_input.stale": "on_loss",
    "bad_input.stamp_age": "stamps",
    "bad_input.stamp_unchanged": "stamps",
    "bad_input.target_stale": "reference_timeout",
    "brakes_until_command": "brake_release_time",
    "clock_rate": "real_time_factor",
    "command_delay": "delays",
    "state_delay": "delays",
    "effort_noise": "noise",
    "position_noise": "noise",
    "velocity_noise": "noise",
    "wrench_timeout": "joint_state_timeout",
    "garbage_collection": "real_time_priority",
    "lock_memory": "real_time_priority",
    "locked_positions": "locked_joints",
    "massless": "massless_armature",
    "contact_frames": "contacts",
    "contact_links": "contacts",
    "posture_frequency": "natural_frequency",
}
"""The parameter that replaces it, of any node."""

RENAMED_OF_NODE = {
    "cop_filter": {"double_support": "step_times", "single_support": "step_times"},
    "identification": {"periods": "duration", "share": "limits.motion_scale"},
    "ik": {
        "acceleration_limit": "limits.acceleration",
        "avoid_collisions": "collision_distance",
        "max_tool_speed": "tool_speed",
        "max_tool_turn_rate": "tool_speed",
        "target_timeout": "reference_timeout",
        "trajectory_derivatives": "command_interface",
        "tools": "tool",
        "velocity_limit_scale": "limits.motion_scale",
    },
    "robot_sim": {"wrench_timeout": "command_timeout"},
}
"""The same of one node, whose names others may use."""

FIXED = {
    "": "broadcast_base deadline description_timeout drop_height effort_arrow_scale feedback_rate "
    "friction_smoothing goal_tolerance goal_time_tolerance gravity_filter gravity_timeout "
    "gravity_tolerance losses marker_rate matrices max_lost_samples max_numbers prediction_rate "
    "processors publish_coriolis publish_inverse random_seed release_threshold settle_count "
    "settle_duration",
    "cop_filter": "change_lead change_margin clearance iterations period rest world_frame",
    "forward_dynamics": "effort_source",
    "identification": "approach_speed cutoff harmonics method period rate seed self_collisions",
    "ik": "command_rate damping gain max_target_jump max_target_turn max_tool_acceleration "
    "position_margin posture_cost",
}
"""Those that have no successor, of any node or of one."""


def successor(name: str, node: str) -> str:
    """Return what to do instead of giving a node a parameter, in words; empty: it is none of these.

    Args:
        name: of the parameter.
        node: the node as the registry names it.
    """
    found = RENAMED_OF_NODE.get(node, {}).get(name) or RENAMED.get(name)
    if found:
        return f"set {found}, see docs/parameters.md"
    fixed = {*FIXED[""].split(), *FIXED.get(node, "").split()}
    gone = name in fixed or name.startswith("bad_input.")
    return "remove it: its value is fixed now" if gone else ""
