# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Whether samples come often enough to be used."""

from math import inf

SLOW = 3  # gaps beyond the time-out in a row that are taken for the publisher's rate


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
            self._period = gap if self._late >= SLOW else 0.0
        else:
            self._late = 0
            self._period = 0.0
        self._count += 1
        settled = self._count >= self._settle_count and now - self._since >= self._settle_duration
        if self.stale and settled:
            self.stale = False
        return not self.stale

    def follow(self, last: float, count: int) -> None:
        """Take good samples, the `last` at this time, between which there was no gap."""
        self._before, self._last = self._last, last
        self._count += count
        self._late, self._period = 0, 0.0

    def reject(self) -> None:
        """Take the last good sample back: nothing could be computed from it."""
        self._last = self._before

    def settling(self, now: float) -> bool:
        """Return whether samples are back, but not for long enough."""
        return self.stale and self._count > 1 and now - self._last <= self._timeout

    def slow_period(self, now: float) -> float:
        """Return the time between samples that come regularly but too slowly, else 0, s."""
        return self._period if now - self._last <= 2 * self._period else 0.0
