# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Efforts of the last ten seconds as curves."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from dyn_core.extras import optional

LAST = 10.0  # s
RATE = 10.0  # Hz, of samples that are drawn
MOST = 12
"""Curves; more cannot be told apart."""
COLORS = (
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
        self._names = list(names)[:MOST]
        self._samples: deque[tuple[float, ...]] = deque(maxlen=int(LAST * RATE))
        series = [uplot.Series(label="s")] + [
            uplot.Series(label=name, stroke=color, width=1.5)
            for name, color in zip(self._names, COLORS, strict=False)
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
        if self._samples and 0.0 <= time - self._samples[-1][0] < 1.0 / RATE:
            return
        if self._samples and time < self._samples[-1][0]:
            self._samples.clear()  # the clock was set back
        self._samples.append((time, *map(float, efforts[: len(self._names)])))
        self._plot.data = self._data()

    def _data(self) -> tuple[Any, ...]:
        empty = [(-LAST, *[0.0] * len(self._names)), (0.0, *[0.0] * len(self._names))]
        table = np.array(list(self._samples) if len(self._samples) > 1 else empty)
        table[:, 0] -= table[-1, 0]
        return tuple(np.ascontiguousarray(column) for column in table.T)
