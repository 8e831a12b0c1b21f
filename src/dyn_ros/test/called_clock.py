# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The time of called nodes: it goes on while somebody sleeps, and timers call then."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from typing import Any

from dyn_ros.clock import ManualClock


class SteppedClock(ManualClock):
    """A clock by which timers call while somebody sleeps."""

    def __init__(self) -> None:
        super().__init__()
        self._timers: list[tuple[float, int, Timer, int]] = []
        self._count = itertools.count()

    def add(self, due: float, timer: Timer, begun: int) -> None:
        """Have a timer called, unless it begins anew before."""
        heapq.heappush(self._timers, (due, next(self._count), timer, begun))

    def sleep(self, seconds: float) -> None:
        """Move on, and call the timers that are due."""
        end = self.now() + seconds
        while self._timers and self._timers[0][0] <= end:
            due, _, timer, begun = heapq.heappop(self._timers)
            super().sleep(max(0.0, due - self.now()))
            timer.fire(due, begun)
        super().sleep(max(0.0, end - self.now()))


class Timer:
    """A timer that the clock of its world drives."""

    def __init__(self, node: Any, period: float, tick: Callable[[], None]) -> None:
        self._node, self._clock = node, node.world.clock
        self._tick, self.timer_period_ns = tick, round(1e9 * period)
        self._begun, self._is_on = 0, True
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        self._is_on = True
        self._begun += 1
        self._clock.add(self._clock.now() + 1e-9 * self.timer_period_ns, self, self._begun)

    def cancel(self) -> None:
        """Call no more."""
        self._is_on = False

    destroy = cancel

    def is_canceled(self) -> bool:
        """Return whether it calls no more."""
        return not self._is_on

    def fire(self, due: float, begun: int) -> None:
        """Call, and again after the period."""
        if self._is_on and begun == self._begun:
            self._clock.add(due + 1e-9 * self.timer_period_ns, self, begun)
            if self._node.alive:
                self._tick()
