# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What the diagnostics of the nodes come to: a traffic light with words."""

from collections.abc import Collection
from math import isfinite

from dyn_ros.listener import IDLE, NodeReport

OK, WARN, ERROR = range(3)  # of diagnostic_msgs/DiagnosticStatus
MAX_SILENCE_S = 3.0  # s without a report after which a node counts as gone
LIGHTS = {OK: "green", WARN: "yellow", ERROR: "red"}


def is_active(report: NodeReport, now: float) -> bool:
    """Return whether a node has just reported that it is active."""
    return now - report.time < MAX_SILENCE_S and report.active


def judged(reports: Collection[NodeReport], now: float) -> tuple[str, str]:
    """Return the light for all nodes and lines of words.

    The first line says who commands and which terms the efforts contain; the others what is lost,
    late or wrong.
    """
    alive = [report for report in reports if now - report.time < MAX_SILENCE_S]
    if not alive:
        return "grey", "no node reported in the last seconds"
    lines, worst = [_commanding(alive)], OK
    for report in alive:
        if report.level in (WARN, ERROR):
            worst = max(worst, report.level)
            lines.append(f"{report.node}: {report.message}")
        latency = _number(report, "latency_p99_us")
        if latency > 0.0 and report.active:
            lines.append(f"{report.node}: 99 of 100 results within {latency / 1e3:.2f} ms")
    return LIGHTS[worst], "\n".join(lines)


def _commanding(reports: Collection[NodeReport]) -> str:
    words = []
    for report in reports:
        state = report.values.get("commands")
        if state not in (None, *IDLE) and report.active:
            terms = report.values.get("terms", "")
            content = f", terms: {terms}" if terms else ""
            words.append(f"{report.node} commands ({state}{content})")
    return "; ".join(words) or "no node reports commands"


def _number(report: NodeReport, key: str) -> float:
    """Return a number of a report, 0 if there is none."""
    try:
        value = float(report.values.get(key, ""))
    except ValueError:
        return 0.0
    return value if isfinite(value) else 0.0
