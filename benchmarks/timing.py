# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Sides that take turns: what disturbs the machine disturbs all of them."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from typing import Any

Side = Callable[[], float]
"""Takes one measurement."""


def in_turns(sides: Mapping[str, Side], repetitions: int) -> dict[str, dict[str, float]]:
    """Measure all sides so often, one after the other; the first round only warms up.

    Returns:
        For each side the shortest time, the median, and the spread: how far the middle 80 % are
        apart, over the median.
    """
    taken: dict[str, list[float]] = {side: [] for side in sides}
    for _ in range(repetitions + 1):
        for side, measure in sides.items():
            taken[side].append(measure())
    return {side: summary(times[1:]) for side, times in taken.items()}


def summary(times: list[float]) -> dict[str, float]:
    """The shortest time, the median, and the spread."""
    deciles = statistics.quantiles(times, n=10)
    median = statistics.median(times)
    spread = (deciles[-1] - deciles[0]) / median
    return {"min": _short(min(times)), "median": _short(median), "spread": round(spread, 3)}


def _short(x: float) -> float:
    return float(f"{x:.4g}")


def ratio(row: Mapping[str, Any], peer: str, ours: str = "dyn_core") -> float | None:
    """Our shortest time over a peer's, where it was measured."""
    times = row["ns"]
    return round(times[ours]["min"] / times[peer]["min"], 3) if peer in times else None
