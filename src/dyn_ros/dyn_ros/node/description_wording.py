# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What a node says about robot descriptions that do not come or cannot be used."""

from collections.abc import Collection

from dyn_ros.messages.joint_order import quoted

MAY_PAUSE = (
    "the output may pause while the robot_description is prepared: with DYN_CORE_CACHE empty, "
    "machine code cannot come from another process"
)

WAITING_TEXT = "waiting for a robot description"
TIMEOUT_S = 10.0
"""s without a robot description after which an error is reported; the node continues to wait."""
LAST_COMMAND = (
    "the last command of before (shutdown.command) is still under way: try again when it is over"
)


def none_came(topic: str) -> str:
    """Return why a node cannot be configured without a description."""
    return (
        f"no robot_description came on {topic} yet: start robot_state_publisher or set the "
        "parameter robot_description, then configure again"
    )


def still_waiting(topic: str) -> str:
    """Return what a node says that waits for a description for too long."""
    return (
        f"no robot_description on {topic} yet; waiting: start robot_state_publisher, remap "
        "the topic, or set the parameter robot_description"
    )


def other_joints(new: Collection[str], gone: Collection[str]) -> str:
    """Return why an active node goes on with the old description."""
    return (
        "robot_description refused while active, the old one stays in use: its joints are others "
        f"(new: {quoted(sorted(new)) or 'none'}; gone: {quoted(sorted(gone)) or 'none'}): "
        "deactivate the node to use it"
    )
