# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joint states that come too slowly never switch the output on and off."""

from __future__ import annotations

import numpy as np

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


def test_fast_samples_are_all_used() -> None:
    times = np.arange(0.0, 1.0, 0.001)
    state, used, expired = watched(times)
    assert all(used)
    assert not expired
    assert state.slow_period(times[-1]) == 0.0


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


def test_slow_samples_expire_once_and_never_come_back() -> None:
    times = np.arange(0.0, 10.0, 0.125)
    state, used, expired = watched(times)
    assert used == [True] + [False] * (len(used) - 1)
    assert expired == 1
    assert state.slow_period(times[-1]) == 0.125
    assert state.slow_period(times[-1] + 1.0) == 0.0


def test_one_gap_is_no_rate() -> None:
    times = np.array([0.0, 0.05, 0.55, 0.6, 1.1])
    state, _, expired = watched(times)
    assert expired == 1
    assert state.slow_period(times[-1]) == 0.0


def test_back_after_count_and_duration() -> None:
    """The five samples needed come within 0.05 s, but 0.2 s have to pass too."""
    after_gap = np.arange(1.0, 2.0, 0.01)
    _, used, expired = watched(np.concatenate([[0.0], after_gap]))
    assert expired == 1
    back = after_gap[used[1:].index(True)]
    assert 0.2 <= back - 1.0 < 0.22
    assert all(used[1 + used[1:].index(True) :])


def test_back_after_the_count_where_the_duration_is_over_sooner() -> None:
    after_gap = np.arange(1.0, 3.0, 0.09)
    _, used, _ = watched(np.concatenate([[0.0], after_gap]), count=6, duration=0.1)
    assert used[1:].index(True) == 5


def test_a_gap_while_settling_starts_the_stretch_anew() -> None:
    stretch = np.arange(0.0, 0.15, 0.01)
    times = np.concatenate([[0.0], 1.0 + stretch, 2.0 + stretch, 3.0 + stretch])
    _, used, _ = watched(times)
    assert not any(used[1:])


def test_a_gap_between_two_looks_at_the_clock_counts() -> None:
    _, used, expired = watched(np.array([0.0, 0.015]), timeout=0.01)
    assert (used, expired) == ([True, False], 1)


def test_nothing_is_missed_before_there_was_time_to_come() -> None:
    state = Freshness()
    state.timeout = 0.1
    state.start(5.0, patience=1.0)
    assert not state.expire(6.0)
    assert state.accept(6.05), "the first sample was late for nothing"
    state.start(5.0, patience=1.0)
    assert state.expire(6.2)
