# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The time at which samples were taken, from the time at which they were received."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dyn_core.extras import optional
from dyn_core.model.model import FloatArray

CLOCK_WINDOWS = (11, 51, 251)
"""Windows, in samples, over which the clock counts as uniform; the best one is chosen."""
MAX_ROUGHNESS_RATIO = 0.9
"""Roughness of positions by a fitted clock over that by stamps below which the fit is used."""


def fitted(times: FloatArray, q: FloatArray, gaps: NDArray[np.bool_]) -> FloatArray:
    """Times (n,) of a uniform clock fitted to the stamps, or the stamps if they fit better.

    Stamps at reception jitter; stamps of a robot's own clock may be irregular but exact. Positions
    decide between them: the better clock puts each position nearer to the line between its
    neighbours. The fit is a straight line through the stamps around each sample, up to the next
    gap.

    Args:
        times: stamps, increasing, s.
        q: positions (n, nv).
        gaps: (n - 1,) steps across which no line is fitted.
    """
    ends = np.flatnonzero(gaps) + 1
    parts = [slice(a, b) for a, b in zip([0, *ends], [*ends, len(times)], strict=True)]
    best, least = times, MAX_ROUGHNESS_RATIO * _roughness(times, q, parts)
    for window in CLOCK_WINDOWS:
        clock = _even(times, parts, window)
        if (np.diff(clock) <= 0.0).any():
            continue
        rough = _roughness(clock, q, parts)
        if rough < least:
            best, least = clock, rough
    return best


def _even(times: FloatArray, parts: list[slice], window: int) -> FloatArray:
    signal = optional("scipy.signal", "identification", extra="identification")
    clock = times.copy()
    for part in parts:
        if part.stop - part.start > window:
            clock[part] = signal.savgol_filter(times[part], window, 1)
    return clock


def _roughness(times: FloatArray, q: FloatArray, parts: list[slice]) -> float:
    """Root mean square distance of positions from the line between their neighbours."""
    total, count = 0.0, 0
    for part in parts:
        t, x = times[part], q[part]
        if len(t) < 3:
            continue
        share = ((t[1:-1] - t[:-2]) / (t[2:] - t[:-2]))[:, None]
        total += float(((x[1:-1] - (1.0 - share) * x[:-2] - share * x[2:]) ** 2).sum())
        count += x[1:-1].size
    return float(np.sqrt(total / max(count, 1)))
