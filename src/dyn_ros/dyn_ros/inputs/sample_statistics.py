# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Counts of samples of a topic, and the time to their results."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import nan
from typing import Any

import numpy as np

from dyn_ros.arrays import Vector
from dyn_ros.clock import Clock
from dyn_ros.node.report import Report, key

DEADLINE_S = 0.01  # from a joint state that comes to its result published
MAX_LOST_SHARE = 0.01  # of joint states that get lost, or whose results are late, without a warning
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
}
"""Meaning of the keys of diagnostics."""


class SampleStatistics:
    """Counts since activation, and since the last report.

    In each sample nothing is done but to append to `arrived` and `latencies`.
    """

    def __init__(self, clock: Clock) -> None:
        """Start counting now."""
        self._clock = clock
        self.reset()

    def reset(self) -> None:
        """Forget everything and start counting now."""
        self.arrived: list[tuple[Mapping[str, Any], Sequence[str]]] = []
        """MessageInfo and joints of each sample since the last report."""
        self.senders: dict[Any, set[str]] = {}
        """Joints in the samples of each publisher before the last report."""
        self.latencies: list[float] = []
        """Of each result since the last report, ns; NaN: unknown."""
        self.reasons: Counter[str] = Counter()  # refused samples by reason
        self.last_refusal = ""
        self.held_back = 0  # good samples while the output waited for joint states to settle
        self._numbers: dict[Any, int] = {}  # of each publisher's last sample
        self._total: Counter[str] = Counter()
        self._before = self._clock.now()

    @property
    def results(self) -> int:
        """How many results were published."""
        return self._total["out"] + len(self.latencies)

    def refuse(self, reason: str, text: str) -> None:
        """Count a sample that was refused."""
        self.reasons[reason] += 1
        self.last_refusal = text

    def report(self, report: Report) -> None:
        """Add totals, rates and latencies, and warnings of what happened since the last report."""
        arrived, self.arrived = self.arrived, []
        latencies, self.latencies = np.array(self.latencies, dtype=np.float64) / 1e3, []
        times = np.maximum(latencies[np.isfinite(latencies)], 0.0)
        self.senders = {gid_of(info): set() for info, _ in arrived}
        for info, names in arrived:
            self.senders[gid_of(info)].update(names)
        total = self._total
        new = {
            "in": len(arrived),
            "out": len(latencies),
            "refused": self.reasons.total() - total["refused"],
            "lost": sum(self._lost_before(info) for info, _ in arrived),
            "late": int(np.count_nonzero(times > 1e6 * DEADLINE_S)),
        }
        total.update(new)
        now = self._clock.now()
        seconds, self._before = now - self._before, now
        median, p99, longest = _percentiles(times)
        if new["refused"]:
            report.warn(f"{new['refused']} joint states refused, the last: {self.last_refusal}")
        sent = new["in"] + new["lost"]
        if new["lost"] > MAX_LOST_SHARE * sent:
            report.warn(
                f"{new['lost']} of {sent} joint states got lost: is the processor or the network "
                "overloaded?"
            )
        if new["late"] > MAX_LOST_SHARE * new["out"]:
            report.warn(
                f"{new['late']} of {new['out']} results came later than the deadline of "
                f"{DEADLINE_S:g} s, the slowest after {longest / 1e6:.3g} s: is the processor "
                "overloaded?"
            )
        report.values |= {
            **{f"samples_{what}": total[what] for what in ("in", "out", "refused", "lost")},
            "samples_held_back": self.held_back,
            **{key("refused", why): n for why, n in self.reasons.items()},
            "deadlines_missed": total["late"],
            "rate_in_hz": _rate(new["in"], seconds),
            "rate_hz": _rate(new["out"], seconds),
            "latency_median_us": median,
            "latency_p99_us": p99,
            "latency_max_us": longest,
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
    """Return the identity of a message's publisher; None: unknown, in Jazzy."""
    publisher = info.get("publisher_gid")
    return publisher["data"] if isinstance(publisher, dict) else publisher


def _rate(count: int, seconds: float) -> float:
    return count / seconds if seconds > 0.0 else 0.0


def _percentiles(times: Vector) -> list[float]:
    """Return median, 99th percentile and longest of times; NaN if there are none."""
    if not len(times):
        return [nan] * 3
    return [float(x) for x in np.quantile(times, [0.5, 0.99, 1.0], method="inverted_cdf")]
