# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Rows of a recording that no motion explains: positions that jump, or come again."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dyn_core.extras import optional
from dyn_core.model.model import FloatArray

Rows = NDArray[np.bool_]
WINDOW = 11
"""Steps around one, whose median is the usual step of a joint."""
MAX_STEP_RATIO, LEAST_JUMP, MAX_ACCELERATION = 4.0, 0.02, 50.0
"""A step is a jump beyond so many usual ones, and so many rad (m), more than a count of an encoder,
or what an acceleration in rad/s^2 (m/s^2) makes of a step within a period."""
MAX_HOLD_RATIO = 2.0
"""Largest time for which a joint holds its position, over the usual one, in which it may move."""
MAX_REPEATED_S = 0.2
"""Longest time of positions that come again; a longer one is a robot at rest, which begins to move
slowly: its first step is no jump beside the next one."""


def jumps(times: FloatArray, q: FloatArray) -> Rows:
    """(n - 1,) steps of positions (n, nv) by which a joint jumps.

    A joint may be read less often than the others: its steps are those of a longer time.
    """
    result = np.zeros(len(times) - 1, dtype=np.bool_)
    median = partial(
        optional("scipy.ndimage", "identification", extra="identification").median_filter,
        size=WINDOW,
        mode="mirror",
    )
    least = _least(times)
    for column in q.T:
        read = np.append(0, np.flatnonzero(np.diff(column)) + 1)
        held = np.diff(times[read])
        if not len(held):
            continue
        gaps = times[read[1:]] - times[read[1:] - 1]
        held = np.maximum(np.minimum(held, MAX_HOLD_RATIO * median(held)), gaps)
        with np.errstate(over="ignore", invalid="ignore"):
            steps = np.abs(np.diff(column[read]))
            usual = median(steps / held) * held if len(steps) >= WINDOW else 0.0 * steps
        result[read[1:] - 1] |= ~(steps <= MAX_STEP_RATIO * usual + least)
    return result


def repeated(times: FloatArray, q: FloatArray) -> Rows:
    """(n,) rows with exactly the positions of the row before, in a motion."""
    same = np.append(False, (np.diff(q, axis=0) == 0.0).all(axis=1))[: len(times)]
    result = np.zeros(len(times), dtype=np.bool_)
    new, least = np.flatnonzero(~same), _least(times)
    for first, end in pairwise(new):
        step = np.abs(q[end] - q[first])
        most = np.full(q.shape[1], least)
        if times[end] - times[first] > MAX_REPEATED_S:
            most = most + MAX_STEP_RATIO * np.abs(q[min(end + 1, len(q) - 1)] - q[end])
        result[first + 1 : end] = (step > most).any()
    return result


def _least(times: FloatArray) -> float:
    """The least step, rad or m, that is a jump."""
    period = float(np.median(np.diff(times))) if len(times) > 1 else 0.0
    return max(LEAST_JUMP, MAX_ACCELERATION * period**2)
