# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The diagnostics of a node: the reports of its parts in one message on /diagnostics."""

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

import dyn_core
from dyn_ros.kernels.robot import notes_on

MAX_QUOTED_NOTES = 3  # warnings of a description that diagnostics quote
EVERYWHERE = {
    "/diagnostics": "state of the node, with the numbers below, at 1 Hz",
    "robot_description": "URDF text of the robot; the newest is used",
    "/clock": "simulated time",
    "state": "of the lifecycle: unconfigured, inactive or active",
    "model_fingerprint": "hash of the model; it is equal in nodes that use the same robot",
    "description_warnings": "elements of the description that are ignored or changed",
    "real_time": "granted real-time settings; none: none were requested",
    "kernels": "number of functions, and whether their machine code was compiled, came from the "
    "cache, or is still interpreted",
}
"""Meaning of the topics and keys of all nodes."""

NOT_ACTIVE = "configured, not active"


def key(*words: str) -> str:
    """Return a key of the diagnostics, in snake case, of names of topics and reasons in words."""
    return re.sub(r"[^a-z0-9]+", "_", "_".join(words).lower()).strip("_")


@dataclass
class Report:
    """Level, worded messages and numbers; the worst level and all messages survive a merge."""

    level: bytes = DiagnosticStatus.OK
    messages: list[str] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)

    def note(self, message: str) -> None:
        """Add something worth knowing."""
        self.messages.append(message)

    def warn(self, message: str) -> None:
        """Add something that the operator should look at."""
        self._add(DiagnosticStatus.WARN, message)

    def error(self, message: str) -> None:
        """Add something that keeps the node from doing its job."""
        self._add(DiagnosticStatus.ERROR, message)

    def message(self, node: Node, robot_name: str) -> DiagnosticArray:
        """Return this as the status of a node and its robot."""
        status = DiagnosticStatus(
            level=self.level,
            name=f"{node.get_fully_qualified_name()}: dynamics",
            message="; ".join(self.messages) or "working",
            hardware_id=robot_name,
            values=[KeyValue(key=key, value=_text(value)) for key, value in self.values.items()],
        )
        message = DiagnosticArray(status=[status])
        message.header.stamp = node.get_clock().now().to_msg()
        return message

    def _add(self, level: bytes, message: str) -> None:
        self.level = max(self.level, level)
        self.messages.append(message)


def of_lifecycle(
    fault: str, ended_by: str, *, configured: bool, active: bool, waits: bool
) -> Report:
    """Return a report that begins with what keeps a node from working, if anything does.

    `fault` is why its description is not in use, `ended_by` why it is not active any more; it
    `waits` for a description if it starts by itself.
    """
    state = "active" if active else "inactive" if configured else "unconfigured"
    report = Report(values={"state": state})
    if fault:
        (report.warn if configured else report.error)(fault)
    elif not configured:
        if waits:
            report.warn("waiting for robot_description")
        else:
            report.note("not configured")
    elif not active:
        (report.error if ended_by else report.note)(ended_by or NOT_ACTIVE)
    return report


def facts(model: dyn_core.Model) -> dict[str, Any]:
    """Return the fingerprint of the robot, the origins of its machine code, and warnings of it.

    `model.kernels` also holds functions of scalar quantities, which call kernels that it holds too.
    """
    kernels = {id(x): x for x in model.kernels.values() if isinstance(x, dyn_core.Kernel)}
    counts = Counter(kernel.origin for kernel in kernels.values())
    text = ", ".join(f"{count} {origin}" for origin, count in counts.items()) or "none"
    notes = notes_on(model)
    more = len(notes) - MAX_QUOTED_NOTES
    quoted = "; ".join((*notes[:MAX_QUOTED_NOTES], *([f"and {more} more"] if more > 0 else [])))
    warnings = {"description_warnings": quoted or "none"}
    return {"model_fingerprint": model.fingerprint[:16], "kernels": text, **warnings}


def _text(value: Any) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)
