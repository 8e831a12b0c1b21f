# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Counts of samples of a topic, and the time to their results."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, nan
from typing import Any

import numpy as np

from dyn_ros.arrays import Vector
from dyn_ros.clock import CLOCK, Clock
from dyn_ros.node.report import key

EDGES: Vector = np.concatenate([[0.0], np.geomspace(1.0, 1e12, 2800)])  # us, of bins of latencies
MAX_PUBLISHERS = 100  # counted one by one
MAX_GAP = 1000  # samples; a larger jump of the sequence number is another publisher's
ABOUT = {
    "samples_in": "joint states received since activation, including refused ones",
    "samples_out": "results published since activation",
    "samples_refused": "joint states refused since activation; counts by reason follow",
    "samples_lost": "joint states published but not received",
    "samples_held_back": "valid joint states while the output waited for several in a row",
    "deadlines_missed": "results published later than the deadline after their sample",
    "rate_in_hz": "joint states received per second, since the last report",
    "rate_hz": "results published per second, since the last report",
    "latency_median_us": "from a joint state to its published result, since the last report",
    "latency_p99_us": "99th percentile of this time, since the last report",
    "latency_max_us": "maximum of this time, since the last report",
    "total_rate_hz": "results published per second, since activation",
    "total_latency_median_us": "median of this time, since activation",
    "total_latency_p99_us": "99th percentile of this time, since activation",
    "total_latency_max_us": "maximum of this time, since activation",
}
"""Meaning of the keys of diagnostics."""


@dataclass(frozen=True)
class Summary:
    """Statistics over a span of time."""

    samples_in: int  # messages received, refused ones included
    samples_out: int  # results published
    refused: int  # messages not computed with
    lost: int  # messages that were published but never came
    late: int  # results published later than the deadline after their sample came
    seconds: float
    latencies: tuple[float, float, float]  # us: median, 99th percentile, maximum; NaN: no sample

    @property
    def rate(self) -> float:
        """Results published per second, Hz."""
        return self.samples_out / self.seconds if self.seconds > 0.0 else 0.0

    def loss(self, most: float) -> str:
        """Say that more than this part of all joint states got lost; empty: not so many."""
        sent = self.samples_in + self.lost
        if self.lost <= most * sent:
            return ""
        return (
            f"{self.lost} of {sent} joint states got lost: is the processor or the network "
            "overloaded?"
        )


class SampleStatistics:
    """Counts since the start and since the last `take_interval`.

    In each sample nothing is done but to append to `arrived` and `latencies`.
    """

    def __init__(self, clock: Clock = CLOCK) -> None:
        """Start counting now."""
        self._clock = clock
        self.deadline = inf  # us from a sample to its result; later results are counted
        self.reset()

    def reset(self) -> None:
        """Forget everything and start counting now."""
        self.arrived: list[tuple[Mapping[str, Any], Sequence[str]]] = []
        """MessageInfo and joints of each sample since the last interval."""
        self.senders: dict[Any, set[str]] = {}
        """Joints in the samples of each publisher in the last interval."""
        self.latencies: list[float] = []
        """Of each result since the last interval, ns; NaN: unknown."""
        self.reasons: Counter[str] = Counter()  # refused samples by reason
        self.held_back = 0  # good samples while the output waited for joint states to settle
        self._numbers: dict[Any, int] = {}  # of each publisher's last sample
        self._total: Counter[str] = Counter()
        self._bins = np.zeros(len(EDGES) - 1, dtype=np.int64)
        self._started = self._before = self._clock.now()

    @property
    def results(self) -> int:
        """How many results were published."""
        return self._total["samples_out"] + len(self.latencies)

    def take_interval(self) -> Summary:
        """Return what happened since the last call, and add it to the total."""
        arrived, self.arrived = self.arrived, []
        latencies, self.latencies = np.array(self.latencies, dtype=np.float64) / 1e3, []
        times = np.clip(latencies[np.isfinite(latencies)], 0.0, EDGES[-1])
        bins = np.histogram(times, EDGES)[0]
        counts = Counter(
            samples_in=len(arrived),
            samples_out=len(latencies),
            refused=self.reasons.total() - self._total["refused"],
            lost=sum(self._lost_before(info) for info, _ in arrived),
            late=int(np.count_nonzero(times > self.deadline)),
        )
        self.senders = {gid_of(info): set() for info, _ in arrived}
        for info, names in arrived:
            self.senders[gid_of(info)].update(names)
        self._bins += bins
        self._total.update(counts)
        now = self._clock.now()
        seconds, self._before = now - self._before, now
        return Summary(**counts, seconds=seconds, latencies=_percentiles(bins))

    def total(self) -> Summary:
        """Return what happened from the reset to the last `take_interval`."""
        names = "samples_in", "samples_out", "refused", "lost", "late"
        counts = {name: self._total[name] for name in names}
        seconds = self._before - self._started
        return Summary(**counts, seconds=seconds, latencies=_percentiles(self._bins))

    def report_values(self, interval: Summary) -> dict[str, Any]:
        """Return the values of diagnostics: totals, and rate and latency of an interval."""
        total = self.total()
        spans = {"": interval, "total_": total}
        latencies = {
            f"{span}latency_{which}_us": value
            for span, summary in spans.items()
            for which, value in zip(("median", "p99", "max"), summary.latencies, strict=True)
        }
        seconds = interval.seconds
        return {
            "samples_in": total.samples_in,
            "samples_out": total.samples_out,
            "samples_refused": total.refused,
            "samples_lost": total.lost,
            "samples_held_back": self.held_back,
            **{key("refused", why): n for why, n in self.reasons.items()},
            "deadlines_missed": total.late,
            "rate_in_hz": interval.samples_in / seconds if seconds > 0.0 else 0.0,
            "rate_hz": interval.rate,
            "total_rate_hz": total.rate,
            **latencies,
        }

    def _lost_before(self, info: Mapping[str, Any]) -> int:
        """Return how many samples of the same publisher were lost before one."""
        number, publisher = info.get("publication_sequence_number"), gid_of(info)
        if number is None:
            return 0
        if len(self._numbers) > MAX_PUBLISHERS:  # some that are long gone
            self._numbers.clear()
        missing = number - self._numbers.get(publisher, number) - 1
        self._numbers[publisher] = number
        return missing if 0 < missing < MAX_GAP else 0


def gid_of(info: Mapping[str, Any]) -> bytes | None:
    """Return the identity of a message's publisher; None: jazzy does not tell."""
    publisher = info.get("publisher_gid")
    return publisher["data"] if isinstance(publisher, dict) else publisher


def _percentiles(bins: np.ndarray) -> tuple[float, float, float]:
    """Return median, 99th percentile and longest of a histogram, us; NaN if it is empty."""
    cumulative = np.cumsum(bins)
    count = int(cumulative[-1])
    if not count:
        return nan, nan, nan
    places = np.searchsorted(cumulative, [0.5 * count, 0.99 * count, count])
    median, p99, longest = EDGES[places].tolist()
    return median, p99, longest
