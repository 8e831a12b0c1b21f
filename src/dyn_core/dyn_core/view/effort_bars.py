# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Efforts on the page: three bars a joint, and curves of the last ten seconds."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from dyn_core.extras import optional

GRAVITY, MOTOR, OUTSIDE = "#8a8f98", "#1f6f8b", "#d1495b"
BAR_KINDS = (("gravity", GRAVITY), ("motor", MOTOR), ("from outside", OUTSIDE))
TRACK = "position:relative;height:8px;background:rgba(128,128,128,.18);margin:1px 0"
HEAD = "margin-top:6px;display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 8px"
ZERO_LINE_STYLE = "position:absolute;left:50%;width:1px;height:8px;background:#888"


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
    legend = " ".join(f'<span style="color:{color}">■ {kind}</span>' for kind, color in BAR_KINDS)
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
        for effort, (kind, color) in zip(efforts, BAR_KINDS, strict=True)
    )


def _bar(part: float, color: str, title: str) -> str:
    left, width = 50.0 + min(0.0, 50.0 * part), abs(50.0 * part)
    inner = f"position:absolute;left:{left:.1f}%;width:{width:.1f}%;height:8px;background:{color}"
    return (
        f'<div style="{TRACK}" title="{title}"><div style="{inner}"></div>'
        f'<div style="{ZERO_LINE_STYLE}"></div></div>'
    )


def _number(effort: float, sign: str = "+") -> str:
    if math.isnan(effort):
        return "?"
    return f"{round(effort, 1) + 0.0:{sign}.1f}" if math.isfinite(effort) else "no limit"


CURVE_SPAN_S = 10.0  # s
CURVE_RATE_HZ = 10.0  # Hz, of samples that are drawn
MAX_CURVES = 12
"""Curves; more cannot be distinguished."""
CURVE_COLORS = (
    *("#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#17becf"),
    *("#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#393b79", "#637939"),
)


class EffortCurves:
    """A plot of one number for each joint, which scrolls."""

    def __init__(self, gui: Any, names: Sequence[str]) -> None:
        """Add the plot to a panel; joints beyond the first twelve are left out.

        A robot without joints has no plot.
        """
        uplot = optional("viser", "a live view", "view").uplot
        self._names = list(names)[:MAX_CURVES]
        self._samples: deque[tuple[float, ...]] = deque(maxlen=int(CURVE_SPAN_S * CURVE_RATE_HZ))
        series = [uplot.Series(label="s")] + [
            uplot.Series(label=name, stroke=color, width=1.5)
            for name, color in zip(self._names, CURVE_COLORS, strict=False)
        ]
        if not self._names:
            return
        self._plot = gui.add_uplot(
            data=self._data(),
            series=tuple(series),
            scales={"x": uplot.Scale(time=False, auto=True), "y": uplot.Scale(auto=True)},
            legend=uplot.Legend(show=True),
            aspect=1.4,
        )

    def add(self, time: float, efforts: Sequence[float]) -> None:
        """Take efforts at a time in s, and draw if a tenth of a second has gone by."""
        if not self._names:
            return
        if self._samples and 0.0 <= time - self._samples[-1][0] < 1.0 / CURVE_RATE_HZ:
            return
        if self._samples and time < self._samples[-1][0]:
            self._samples.clear()  # the clock was set back
        self._samples.append((time, *map(float, efforts[: len(self._names)])))
        self._plot.data = self._data()

    def _data(self) -> tuple[Any, ...]:
        empty = [(-CURVE_SPAN_S, *[0.0] * len(self._names)), (0.0, *[0.0] * len(self._names))]
        table = np.array(list(self._samples) if len(self._samples) > 1 else empty)
        table[:, 0] -= table[-1, 0]
        return tuple(np.ascontiguousarray(column) for column in table.T)


JOINT_SUFFIX = "_joint"


def short_names(names: Sequence[str]) -> list[str]:
    """The names without the ending ``_joint``, if all of them have it, as ``a_joint/vx`` has."""
    parts = [name.partition("/") for name in names]
    if names and all(
        joint.endswith(JOINT_SUFFIX) and joint != JOINT_SUFFIX for joint, _, _ in parts
    ):
        return [joint.removesuffix(JOINT_SUFFIX) + slash + part for joint, slash, part in parts]
    return list(names)
