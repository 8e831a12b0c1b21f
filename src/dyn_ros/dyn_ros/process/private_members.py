# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Private members of rclpy for which there is no public way."""

from collections.abc import Collection
from typing import Any


def leave_dds(node: Any) -> None:
    """Let a destroyed lifecycle node leave DDS, also while a thread refers to it.

    Its state machine would keep it there, and files in /dev/shm (ros2/rclpy issue 1710).
    """
    node._state_machine.destroy_when_not_in_use()


def given_parameters(node: Any) -> Collection[str]:
    """Return the names of the parameters that are given to a node, declared or not.

    Declaring them all automatically would be public, and fails on an empty list, which has no type
    (rclpy 9.1.2; ros2/rclpy pull request 363 brought the option).
    """
    names: Collection[str] = node._parameter_overrides
    return names
