# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""When steps are due: none too early, late ones made up for, lost ones counted."""

from __future__ import annotations

import numpy as np
import pytest

from dyn_ros.simulator.pace import MOST_AT_ONCE, MOST_LATE, Pace

PERIOD = 0.001  # s


def run(pace: Pace, times: np.ndarray) -> list[int]:
    """Return how many steps are done at each of these times."""
    counts = []
    for now in times:
        counts.append(pace.due(now))
        for _ in range(counts[-1]):
            assert pace.next_due <= now
            pace.advance()
    return counts


def test_the_mean_rate_is_exact_however_late_the_timer_comes() -> None:
    random = np.random.default_rng(1)
    times = np.cumsum(PERIOD * random.exponential(1.0, 20_000))
    pace = Pace(PERIOD)
    assert abs(sum(run(pace, times)) - times[-1] / PERIOD) <= MOST_AT_ONCE
    assert pace.lost == 0


def test_one_step_at_a_time_when_nothing_is_late() -> None:
    assert run(Pace(PERIOD), PERIOD * (0.5 + np.arange(1000))) == [1] * 1000


def test_a_late_step_is_made_up_for_in_portions() -> None:
    pace = Pace(PERIOD)
    counts = run(pace, 0.05 + PERIOD * (0.5 + np.arange(10)))
    assert counts == [MOST_AT_ONCE] * 5 + [6, 1, 1, 1, 1]
    assert pace.lost == 0


def test_steps_that_are_too_late_are_lost_and_counted() -> None:
    pace = Pace(PERIOD)
    counts = run(pace, 2.0 + PERIOD * (0.5 + np.arange(100)))
    assert counts == [1] * 100  # and what comes after them is in time
    assert sum(counts) + pace.lost == 2100  # all that were due
    progress = pace.take_interval(2.1)
    assert progress.lost_share > 0.9
    assert progress.speed == pytest.approx(sum(counts) / 2100)


def test_what_was_due_before_an_interval_and_is_lost_in_it_counts() -> None:
    pace = Pace(PERIOD)
    pace.take_interval(2.0)  # two seconds without a step
    counts = run(pace, 2.0 + PERIOD * (0.5 + np.arange(100)))
    progress = pace.take_interval(2.1)
    share = sum(counts) / (sum(counts) + progress.lost)
    assert progress.speed == pytest.approx(share)
    assert progress.speed < 0.1


def test_a_computer_that_is_too_slow_is_not_always_as_late_as_it_may_be() -> None:
    """Or stamps would all be too old for nodes whose joint_state_timeout is the same."""
    pace, ages = Pace(PERIOD), []
    for now in 0.02 * np.arange(1, 501):  # s; half of the steps can be done
        for _ in range(pace.due(now)):
            ages.append(now - pace.next_due)
            pace.advance()
    assert pace.lost > 4000
    assert np.mean(np.array(ages) > 0.9 * MOST_LATE) < 0.2
    assert max(ages) <= MOST_LATE


def test_an_interval_counts_what_happened_in_it() -> None:
    pace = Pace(PERIOD)
    pace.start(5.0)
    run(pace, 5.0 + PERIOD * (0.5 + np.arange(500)))
    assert pace.take_interval(5.5).done == 500
    progress = pace.take_interval(6.0)
    assert (progress.done, progress.lost, progress.speed) == (0, 0, 0.0)
