# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Samples are counted, and latencies become percentiles."""

from __future__ import annotations

from math import isnan, nan
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticStatus

from dyn_ros.clock import ManualClock
from dyn_ros.inputs.sample_statistics import SampleStatistics
from dyn_ros.node.report import Report

CLOCK = ManualClock(1e10)


def info(sequence: int, publisher: str = "a") -> dict[str, Any]:
    return {"publication_sequence_number": sequence, "publisher_gid": publisher}


def values(statistics: SampleStatistics) -> dict[str, Any]:
    report = Report()
    statistics.report(report)
    return report.values


@pytest.mark.parametrize("scale", [1, 50, 1_000_000])
def test_percentiles_of_known_latencies(scale: int) -> None:
    """From microseconds to minutes, while the clock stands still."""
    statistics = SampleStatistics(CLOCK)
    statistics.latencies.extend(latency * scale * 1000 for latency in range(1, 101))
    found = values(statistics)
    assert found["samples_out"] == 100
    latencies = [found[f"latency_{which}_us"] for which in ("median", "p99", "max")]
    assert latencies == [50 * scale, 99 * scale, 100 * scale]


def test_very_late_and_unknown_times() -> None:
    statistics = SampleStatistics(CLOCK)
    statistics.latencies.append(nan)  # unknown to the middleware
    assert isnan(values(statistics)["latency_median_us"])
    statistics.latencies.append(10**18)
    assert values(statistics)["latency_median_us"] > 1e12 * 0.9
    statistics.latencies.append(-(10**12))  # the clock was set back
    assert values(statistics)["latency_median_us"] == 0


def test_results_after_the_deadline_are_counted() -> None:
    statistics, report = SampleStatistics(CLOCK), Report()
    for milliseconds in (0, 11, 9, 3000):
        statistics.latencies.append(milliseconds * 10**6)
    statistics.report(report)
    assert report.values["deadlines_missed"] == 2
    assert report.messages[0].startswith("2 of 4 results came later")
    report = Report()
    statistics.report(report)
    assert (report.values["deadlines_missed"], report.messages) == (2, [])


def test_intervals_add_up_to_the_total() -> None:
    statistics = SampleStatistics(CLOCK)
    for sequence in (1, 2, 3):
        statistics.arrived.append((info(sequence), []))
    statistics.latencies.append(0.0)
    statistics.refuse("not finite", "text")
    for _ in range(2):
        found = values(statistics)
        counts = [found[f"samples_{what}"] for what in ("in", "out", "refused")]
        assert (counts, found["refused_not_finite"]) == ([3, 1, 1], 1)
    statistics.reset()
    assert values(statistics)["samples_in"] == 0


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
def test_gaps_are_losses_of_which_a_report_warns_once(
    samples: list[dict[str, Any]], lost: int
) -> None:
    statistics, first, second = SampleStatistics(CLOCK), Report(), Report()
    for sample in samples:
        statistics.arrived.append((sample, []))
    statistics.report(first)
    statistics.report(second)
    assert first.values["samples_lost"] == second.values["samples_lost"] == lost
    assert first.level == (DiagnosticStatus.WARN if lost else DiagnosticStatus.OK)
    assert second.level == DiagnosticStatus.OK
    text = f"{lost} of {len(samples) + lost} joint states got lost"
    assert [x.startswith(text) for x in first.messages] == ([True] if lost else [])
