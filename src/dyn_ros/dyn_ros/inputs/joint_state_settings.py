# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the joint_states subscription."""

from dataclasses import dataclass

from dyn_ros.node.settings import Group, parameter

SKIP = "skip"
CHOICES = (SKIP, "hold", "damp", "zero", "deactivate")


@dataclass(frozen=True)
class JointStateSettings(Group):
    """How joint states are checked, and what follows their loss."""

    joint_state_timeout: float = parameter(
        0.1,
        "s without a valid joint state after which the output stops, an error is reported, and "
        "on_loss selects the reaction; poses on odom may be older than joint states by as much, "
        "wrenches on wrench_topics than now",
        limits=(0.001, 60.0),
        live=True,
    )
    stamps: str = parameter(
        "required",
        "required: joint states are refused without a stamp, with one further than "
        "joint_state_timeout from the node's time, or with that of the state before; ignored: "
        "stamps are not checked",
        choices=("required", "ignored"),
        live=True,
    )
    on_loss: str = parameter(
        "hold",
        "reaction to lost joint states: hold, gravity for hold.duration, then damp; damp, "
        "gravity and damping for damp.duration, then zero effort; zero, zero effort at once; "
        "skip, nothing is sent, so a controller keeps the last efforts; deactivate, as "
        "shutdown.command",
        choices=CHOICES,
        live=True,
    )
