# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The time at which samples were taken, from the time at which they were received."""

from __future__ import annotations

import numpy as np

from dyn_core.extras import optional
from dyn_core.model.model import FloatArray

WINDOWS = (11, 51, 251)
"""Samples over which a clock is taken to be even, of which the best is chosen."""
BETTER = 0.9
"""Share of the roughness of positions by stamps below which another clock is better."""


def fitted(times: FloatArray, q: FloatArray, gap: float) -> FloatArray:
    """Times (n,) by an even clock fitted to stamps, or the stamps where these are better.

    Stamps of a receiver jitter, those of a robot's own clock may be uneven but right. The positions
    tell: by the right clock each lies nearer to the line between its neighbours. A clock is fitted
    as a straight line through the stamps around each sample, up to the next gap.

    Args:
        times: stamps, increasing, s.
        q: positions (n, nv).
        gap: s, between stamps across which no line is fitted.
    """
    ends = np.flatnonzero(np.diff(times) > gap) + 1
    parts = [slice(a, b) for a, b in zip([0, *ends], [*ends, len(times)], strict=True)]
    best, least = times, BETTER * _roughness(times, q, parts)
    for window in WINDOWS:
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
    """Root mean square of how far positions are from the line between their neighbours."""
    total, count = 0.0, 0
    for part in parts:
        t, x = times[part], q[part]
        if len(t) < 3:
            continue
        share = ((t[1:-1] - t[:-2]) / (t[2:] - t[:-2]))[:, None]
        total += float(((x[1:-1] - (1.0 - share) * x[:-2] - share * x[2:]) ** 2).sum())
        count += x[1:-1].size
    return float(np.sqrt(total / max(count, 1)))
