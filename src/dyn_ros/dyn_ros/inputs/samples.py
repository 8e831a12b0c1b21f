# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Samples of a topic: their counts, the time to their results, and whether enough of them come."""

from array import array
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, nan
from typing import Any

import numpy as np

from dyn_ros.clock import CLOCK, Clock
from dyn_ros.node.report import key

BIN_BITS = 6  # bits; a bin is 1 us wide up to 2^7 us, then at most 2^-6 of its value
BINS = 40 << BIN_BITS  # up to 2^40 us, 12 days
MAX_PENDING_TIMES = 4096  # times that are put into bins together
MOST_PUBLISHERS = 100  # that are told apart
MIN_SLOW_GAPS = 3  # gaps beyond the time-out in a row that are taken for the publisher's rate
LARGEST_GAP = 1000  # samples; a larger jump of the sequence number is another publisher's


@dataclass(frozen=True)
class Summary:
    """Statistics over a span of time."""

    samples_in: int  # messages received, refused ones included
    samples_out: int  # results published
    refused: int  # messages not computed with
    lost: int  # messages that were published but never came
    rate_in: float  # Hz, messages received per second
    rate: float  # Hz, results published per second
    latency_median: float  # us from received to published; NaN without samples
    latency_p99: float  # us
    latency_max: float  # us
    late: int  # results published later than the deadline after their sample came

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
    """Counts since the start and since the last `take_interval`."""

    def __init__(self, clock: Clock = CLOCK) -> None:
        """Start counting now."""
        self._clock = clock
        self.deadline = inf  # us from a sample to its result; later results are counted
        self.reset()

    def reset(self) -> None:
        """Forget everything and start counting now."""
        self.reasons: Counter[str] = Counter()  # refused samples by reason
        self.held_back = 0  # good samples while the output waited for joint states to settle
        self._in = self._out = self._refused = self._lost = self._late = 0
        self._interval_in = self._interval_out = self._interval_late = 0
        self._interval_refused = self._interval_lost = 0
        self._sequences: dict[Any, int] = {}  # number of each publisher's last sample
        self._bins = np.zeros(BINS, dtype=np.int64)
        self._interval_bins = np.zeros(BINS, dtype=np.int64)
        self._times = array("q", bytes(8 * MAX_PENDING_TIMES))  # ns, not yet in bins
        self._waiting = 0
        self._started = self._interval_started = self._clock.now()
        self._stopped = self._started

    def record_in(self, info: Mapping[str, Any]) -> None:
        """Count a received sample and the samples lost before it; `info`: MessageInfo."""
        self._interval_in += 1
        sequence = info.get("publication_sequence_number")
        if sequence is None:
            return
        publisher, sequences = info.get("publisher_gid"), self._sequences
        if isinstance(publisher, dict):  # as gid_of has it
            publisher = publisher["data"]
        if len(sequences) > MOST_PUBLISHERS:  # some that are long gone
            sequences.clear()
        missing = sequence - sequences.get(publisher, sequence) - 1
        if 0 < missing < LARGEST_GAP:
            self._interval_lost += missing
        sequences[publisher] = sequence

    @property
    def numbers(self) -> Mapping[Any, int]:
        """The number of the last message of each publisher."""
        return self._sequences

    def record_refused(self, reason: str) -> None:
        """Count a sample that was not computed with."""
        self._interval_refused += 1
        self.reasons[reason] += 1

    def record_held_back(self) -> None:
        """Count a good sample that was not computed with, as the output waits for more of them."""
        self.held_back += 1

    def record_out(self, received_ns: int = 0) -> None:
        """Count a published result; `received_ns` is when its sample came, ns since 1970."""
        self._interval_out += 1
        if received_ns:  # 0: the middleware does not tell
            self._times[self._waiting] = self._clock.since_1970() - received_ns
            self._waiting += 1
            if self._waiting == MAX_PENDING_TIMES:
                self._fill_bins()

    def _fill_bins(self) -> None:
        """Put the times that wait into bins."""
        times = np.frombuffer(self._times, dtype=np.int64)[: self._waiting] // 1000
        self._waiting = 0
        np.add.at(self._interval_bins, _bins_of(times), 1)
        self._interval_late += int(np.count_nonzero(times > self.deadline))

    def take_interval(self) -> Summary:
        """Return what happened since the last call, and add it to the total."""
        now = self._clock.now()
        self._fill_bins()
        bins = self._interval_bins
        summary = Summary(
            self._interval_in,
            self._interval_out,
            self._interval_refused,
            self._interval_lost,
            _rate(self._interval_in, now - self._interval_started),
            _rate(self._interval_out, now - self._interval_started),
            *_percentiles(bins),
            self._interval_late,
        )
        self._bins += bins
        bins[:] = 0
        self._in += self._interval_in
        self._out += self._interval_out
        self._refused += self._interval_refused
        self._lost += self._interval_lost
        self._late += self._interval_late
        self._interval_in = self._interval_out = self._interval_late = 0
        self._interval_refused = self._interval_lost = 0
        self._interval_started = self._stopped = now
        return summary

    def total(self) -> Summary:
        """Return what happened from the reset to the last `take_interval`."""
        return Summary(
            self._in,
            self._out,
            self._refused,
            self._lost,
            _rate(self._in, self._stopped - self._started),
            _rate(self._out, self._stopped - self._started),
            *_percentiles(self._bins),
            self._late,
        )

    def report_values(self, interval: Summary) -> dict[str, Any]:
        """Return the values of diagnostics: totals, and rate and latency of an interval."""
        total = self.total()
        return {
            "samples_in": total.samples_in,
            "samples_out": total.samples_out,
            "samples_refused": total.refused,
            "samples_lost": total.lost,
            "samples_held_back": self.held_back,
            **{key("refused", why): n for why, n in self.reasons.items()},
            "deadlines_missed": total.late,
            "rate_in_hz": interval.rate_in,
            "rate_hz": interval.rate,
            "latency_median_us": interval.latency_median,
            "latency_p99_us": interval.latency_p99,
            "latency_max_us": interval.latency_max,
            "total_rate_hz": total.rate,
            "total_latency_median_us": total.latency_median,
            "total_latency_p99_us": total.latency_p99,
            "total_latency_max_us": total.latency_max,
        }


class Freshness:
    """Stale after a time-out; fresh again only after a settled stretch of samples.

    A publisher at the edge of the time-out would otherwise switch the output on and off in every
    cycle. All times are given, s of a steady clock.
    """

    def __init__(self) -> None:
        """Start with times that never expire; `set` and `start` come next."""
        self.stale = False
        self._period = 0.0  # s between samples that come too slowly; 0: they do not
        self._timeout = inf
        self._settle_count, self._settle_duration = 1, 0.0
        self._last = 0.0  # when the last sample came, or the start
        self._before = 0.0  # when the one before came
        self._since = 0.0  # start of the stretch without a gap
        self._count = 0  # samples in that stretch
        self._late = 0  # gaps in a row

    def set(self, timeout: float, settle_count: int, settle_duration: float) -> None:
        """Be stale after `timeout`; back after so many samples and seconds without a gap."""
        self._timeout = timeout
        self._settle_count, self._settle_duration = settle_count, settle_duration

    def start(self, now: float, patience: float = 0.0) -> None:
        """Count as fresh, for `patience` and the time-out from now."""
        self.stale = False
        self._period = 0.0
        self._last = self._before = self._since = now + patience
        self._count = self._late = 0

    def due(self, now: float) -> bool:
        """Return whether `expire` would say so."""
        return not self.stale and now - self._last > self._timeout

    def left(self, now: float) -> float | None:
        """Return when `expire` would say so, s from now; None: it has, or no sample came yet."""
        return None if self.stale or not self._count else self._last + self._timeout - now

    def expire(self, now: float) -> bool:
        """Return whether samples have just become stale."""
        if not self.due(now):
            return False
        self.stale = True
        self._count = 0
        return True

    def accept(self, now: float) -> bool:
        """Take a good sample; return whether it may be used."""
        self._before = self._last
        gap, self._last = now - self._last, now
        if gap > self._timeout:
            self._since, self._count = now, 0
            self._late += 1
            self._period = gap if self._late >= MIN_SLOW_GAPS else 0.0
        else:
            self._late = 0
            self._period = 0.0
        self._count += 1
        settled = self._count >= self._settle_count and now - self._since >= self._settle_duration
        if self.stale and settled:
            self.stale = False
        return not self.stale

    def wait(self, now: float) -> None:
        """Take note that no time has gone by for who sends the samples."""
        if self._count and not self.stale:
            self._last = now

    def reject(self) -> None:
        """Take the last good sample back: nothing could be computed from it."""
        self._last = self._before

    def settling(self, now: float) -> bool:
        """Return whether samples are back, but not for long enough."""
        return self.stale and self._count > 1 and now - self._last <= self._timeout

    def slow_period(self, now: float) -> float:
        """Return the time between samples that come regularly but too slowly, else 0, s."""
        return self._period if now - self._last <= 2 * self._period else 0.0


def gid_of(info: Mapping[str, Any]) -> bytes | None:
    """Return the identity of a message's publisher; None: jazzy does not tell."""
    publisher = info.get("publisher_gid")
    return publisher["data"] if isinstance(publisher, dict) else publisher


def _rate(count: int, seconds: float) -> float:
    return count / seconds if seconds > 0 else 0.0


def _bins_of(times: np.ndarray) -> np.ndarray:
    """Return the bins of times, us: as many for each power of two, so that none is too long."""
    times = np.maximum(times, 0)
    bits: np.ndarray = np.frexp(times)[1]
    shift = np.maximum(bits - BIN_BITS - 1, 0)
    return np.minimum((shift << BIN_BITS) + (times >> shift), BINS - 1)


def _latency_of(bin_: int) -> float:
    """Return the middle of a bin, us."""
    shift = max((bin_ >> BIN_BITS) - 1, 0)
    return float(((bin_ - (shift << BIN_BITS)) << shift) + (1 << shift) // 2)


def _percentiles(bins: np.ndarray) -> tuple[float, float, float]:
    """Return median, 99th percentile and longest of a histogram, us; NaN if it is empty."""
    cumulative = np.cumsum(bins)
    count = int(cumulative[-1])
    if not count:
        return nan, nan, nan
    places = np.searchsorted(cumulative, [0.5 * count, 0.99 * count, count])
    median, p99, longest = map(_latency_of, places.tolist())
    return median, p99, longest
