# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Three bars a joint, as HTML: efforts of gravity, of the motor and from outside."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

GRAVITY, MOTOR, OUTSIDE = "#8a8f98", "#1f6f8b", "#d1495b"
KINDS = (("gravity", GRAVITY), ("motor", MOTOR), ("from outside", OUTSIDE))
TRACK = "position:relative;height:8px;background:rgba(128,128,128,.18);margin:1px 0"
HEAD = "margin-top:6px;display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 8px"
MIDDLE = "position:absolute;left:50%;width:1px;height:8px;background:#888"


@dataclass(frozen=True)
class JointRow:
    """Efforts of a degree of freedom; NaN where unknown."""

    name: str
    position: float
    """rad or m."""
    gravity: float
    """Effort that holds it against gravity, N m or N."""
    motor: float
    """Effort of its motor."""
    outside: float
    """Effort of what acts from outside."""
    limit: float
    """Largest effort of the motor; infinite if the description has none."""
    unit: str = "N m"


def share(effort: float, scale: float) -> float:
    """An effort by its limit, between -1 and 1; 0 if unknown."""
    if not (math.isfinite(effort) and scale > 0.0):
        return 0.0
    return max(-1.0, min(1.0, effort / scale))


def scales(rows: Sequence[JointRow]) -> list[float]:
    """What a whole bar stands for: the joint's limit, else the largest effort of all joints."""
    efforts = [x for row in rows for x in (row.gravity, row.motor, row.outside)]
    largest = max((abs(x) for x in efforts if math.isfinite(x)), default=0.0) or 1.0
    return [row.limit if math.isfinite(row.limit) and row.limit > 0.0 else largest for row in rows]


def bars(rows: Sequence[JointRow]) -> str:
    """HTML of all joints; names are escaped."""
    legend = " ".join(f'<span style="color:{color}">■ {kind}</span>' for kind, color in KINDS)
    blocks = [_block(row, scale) for row, scale in zip(rows, scales(rows), strict=True)]
    return (
        '<div style="padding:0 10px 6px;font:12px sans-serif" class="dyn-bars">'
        f"<div>{legend} <span>(a whole bar is the limit)</span></div>{''.join(blocks)}</div>"
    )


def _block(row: JointRow, scale: float) -> str:
    numbers = f"{_number(row.motor)} / {_number(row.limit, sign='')} {row.unit}"
    position = f"{round(row.position, 2) + 0.0:+.2f} {'m' if row.unit == 'N' else 'rad'}"
    head = (
        f'<div style="{HEAD}">'
        f'<span style="overflow-wrap:anywhere">{escape(row.name)}</span>'
        f'<span style="white-space:nowrap;font-family:monospace">{position}, '
        f"{numbers}</span></div>"
    )
    efforts = (row.gravity, row.motor, row.outside)
    return head + "".join(
        _bar(share(effort, scale), color, f"{kind} {_number(effort)} {row.unit}")
        for effort, (kind, color) in zip(efforts, KINDS, strict=True)
    )


def _bar(part: float, color: str, title: str) -> str:
    left, width = 50.0 + min(0.0, 50.0 * part), abs(50.0 * part)
    inner = f"position:absolute;left:{left:.1f}%;width:{width:.1f}%;height:8px;background:{color}"
    return (
        f'<div style="{TRACK}" title="{title}"><div style="{inner}"></div>'
        f'<div style="{MIDDLE}"></div></div>'
    )


def _number(effort: float, sign: str = "+") -> str:
    if math.isnan(effort):
        return "?"
    return f"{round(effort, 1) + 0.0:{sign}.1f}" if math.isfinite(effort) else "no limit"
