# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Reads from diagnostics whether ros2_control's controllers are active.

The controller manager lists them once a second (controller_manager.cpp of ros2_control,
controller_activity_diagnostic_callback): by name, with .state behind the name in newer versions.
"""

from diagnostic_msgs.msg import DiagnosticArray

ACTIVITY = "Controllers Activity"  # how the name of the status ends
SUFFIX = ".state"
STATES = ("unconfigured", "inactive", "active", "finalized")


def controller_states(message: DiagnosticArray) -> dict[str, dict[str, str]]:
    """Return the lifecycle states that the message names, by controller manager and controller.

    Both are names without a namespace, so that two robots may have the same.
    """
    return {
        status.name.partition(":")[0]: {
            value.key.removesuffix(SUFFIX): value.value
            for value in status.values
            if value.value in STATES
        }
        for status in message.status
        if status.name.endswith(ACTIVITY)
    }
