# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Samples are counted, and latencies become percentiles."""

from __future__ import annotations

from math import isnan, nan
from typing import Any

import pytest

from dyn_ros.clock import ManualClock
from dyn_ros.inputs.sample_statistics import SampleStatistics

CLOCK = ManualClock(1e10)


def info(sequence: int, publisher: str = "a") -> dict[str, Any]:
    return {"publication_sequence_number": sequence, "publisher_gid": publisher}


@pytest.mark.parametrize("scale", [1, 50, 1_000_000])
def test_percentiles_of_known_latencies(scale: int) -> None:
    """From microseconds to minutes, to 2 %, while the clock stands still."""
    statistics = SampleStatistics(CLOCK)
    statistics.latencies.extend(latency * scale * 1000 for latency in range(1, 101))
    summary = statistics.take_interval()
    assert summary.samples_out == 100
    assert summary.latencies == pytest.approx(
        (50 * scale, 99 * scale, 100 * scale), rel=0.02, abs=1
    )


def test_very_late_and_unknown_times() -> None:
    statistics = SampleStatistics(CLOCK)
    statistics.latencies.append(nan)  # the middleware does not tell
    assert isnan(statistics.take_interval().latencies[0])
    statistics.latencies.append(10**18)
    assert statistics.take_interval().latencies[0] > 1e12 * 0.9
    statistics.latencies.append(-(10**12))  # the clock was set back
    assert statistics.take_interval().latencies[0] == 0


def test_results_after_the_deadline_are_counted() -> None:
    statistics = SampleStatistics(CLOCK)
    statistics.deadline = 1e6
    for seconds in (0, 2, 0, 3):
        statistics.latencies.append(seconds * 10**9)
    assert statistics.take_interval().late == 2
    assert statistics.take_interval().late == 0
    assert statistics.total().late == 2


def test_intervals_add_up_to_the_total() -> None:
    statistics = SampleStatistics(CLOCK)
    for sequence in (1, 2, 3):
        statistics.arrived.append((info(sequence), []))
    statistics.latencies.append(0.0)
    statistics.reasons["not finite"] += 1
    assert statistics.take_interval().samples_in == 3
    assert statistics.take_interval().samples_in == 0
    total = statistics.total()
    assert (total.samples_in, total.samples_out, total.refused) == (3, 1, 1)
    assert statistics.reasons == {"not finite": 1}
    statistics.reset()
    statistics.take_interval()
    assert statistics.total().samples_in == 0


@pytest.mark.parametrize(
    ("samples", "lost"),
    [
        ([info(1), info(2), info(3)], 0),
        ([info(7), info(8), info(11)], 2),
        ([info(7), info(900, "b"), info(8)], 0),
        ([info(7), info(900, "b"), info(9), info(903, "b")], 3),
        ([info(7), info(1)], 0),
        ([info(7), info(100_000)], 0),
        ([{}, {}], 0),
    ],
)
def test_gaps_are_losses(samples: list[dict[str, Any]], lost: int) -> None:
    statistics = SampleStatistics(CLOCK)
    for sample in samples:
        statistics.arrived.append((sample, []))
    assert statistics.take_interval().lost == lost
    assert statistics.total().lost == lost
