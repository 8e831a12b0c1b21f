# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Tables and figures in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

Row = dict[str, Any]


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(x: object) -> str:
    if x is None:
        return ""
    return short(x) if isinstance(x, float) else str(x)


def short(x: float) -> str:
    """Four digits, or all before the point."""
    return f"{x:.0f}" if abs(x) >= 1000 else f"{x:.4g}"


def judged(value: float | None, goal: float | None, more: bool = False) -> str:
    """A figure and its goal, and whether it missed it."""
    if value is None or goal is None:
        return _cell(value)
    reached = value >= goal if more else value <= goal
    sign = "≥" if more else "≤"
    return f"{value:.3g} ({sign} {goal:g}{'' if reached else ', **missed**'})"
