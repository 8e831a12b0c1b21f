# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joint states that come too slowly never switch the output on and off."""

from __future__ import annotations

import numpy as np
import pytest

from dyn_ros.inputs.joint_states import Freshness

WATCH = 0.02  # s between looks at the clock


def watched(times: np.ndarray, timeout: float = 0.1, count: int = 5, duration: float = 0.2):
    """Play samples at `times`; return the state, which of them were used, how often it expired."""
    state = Freshness()
    state.timeout, state.settle_count, state.settle_duration = timeout, count, duration
    state.start(0.0)
    used, expired, now = [], 0, 0.0
    for time in times:
        while now + WATCH < time:
            now += WATCH
            expired += state.expire(now)
        expired += state.expire(time)
        used.append(state.accept(time))
    return state, used, expired


STRETCH = np.arange(0.0, 0.15, 0.01)  # shorter than the time in which samples settle
NEVER = 10_000


@pytest.mark.parametrize(
    ("times", "options", "lost", "back", "expired", "slow"),
    [
        pytest.param(np.arange(0.0, 1.0, 0.001), {}, NEVER, 0, 0, 0.0, id="fast"),
        pytest.param(np.arange(0.0, 10.0, 0.125), {}, 1, NEVER, 1, 0.125, id="slow"),
        pytest.param(np.array([0.0, 0.05, 0.55, 0.6, 1.1]), {}, 2, NEVER, 1, 0.0, id="no rate"),
        pytest.param(  # the five samples needed come within 0.05 s, but 0.2 s have to pass too
            np.array([0.0, *np.arange(1.0, 2.0, 0.01)]), {}, 1, 21, 1, 0.0, id="duration"
        ),
        pytest.param(
            np.array([0.0, *np.arange(1.0, 3.0, 0.09)]),
            {"count": 6, "duration": 0.1},
            *(1, 6, 1, 0.0),
            id="count",
        ),
        pytest.param(  # each gap starts the stretch anew
            np.concatenate([[0.0], 1.0 + STRETCH, 2.0 + STRETCH, 3.0 + STRETCH]),
            {},
            *(1, NEVER, 1, 0.0),
            id="gaps",
        ),
        pytest.param(
            np.array([0.0, 0.015]), {"timeout": 0.01}, 1, NEVER, 1, 0.0, id="between two looks"
        ),
    ],
)
def test_samples_are_used_until_a_gap_and_again_once_they_have_settled(
    times: np.ndarray, options: dict[str, float], lost: int, back: int, expired: int, slow: float
) -> None:
    """Those before number `lost`, and from number `back` on; `slow` is the period reported."""
    state, used, found = watched(times, **options)
    assert used == [i < lost or i >= back for i in range(len(times))]
    assert found == expired
    assert state.slow_period(times[-1]) == slow
    assert state.slow_period(times[-1] + 1.0) == 0.0


def test_samples_that_nothing_can_be_computed_from_become_stale() -> None:
    state = Freshness()
    state.timeout = 0.1
    state.start(0.0)
    assert state.accept(0.05)
    for now in (0.1, 0.14, 0.16):
        expired = state.expire(now)
        state.accept(now)
        state.reject()
    assert expired


def test_nothing_is_missed_before_there_was_time_to_come() -> None:
    state = Freshness()
    state.timeout = 0.1
    state.start(5.0, patience=1.0)
    assert not state.expire(6.0)
    assert state.accept(6.05), "the first sample was late for nothing"
    state.start(5.0, patience=1.0)
    assert state.expire(6.2)
