# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""When the steps of a simulation are due: paced by the wall clock, late steps are caught up."""

from dataclasses import dataclass
from math import floor

MOST_LATE = 0.1  # s of wall time; after a step that is later than that, all that are late are lost
MOST_AT_ONCE = 10  # steps; then commands may come in, and states fit into usual queues


@dataclass(frozen=True)
class Progress:
    """What became of the steps that were due over a span of wall time."""

    done: int
    lost: int  # too late to be made up for
    speed: float  # steps done over steps due without delay: 1 in real time

    @property
    def lost_share(self) -> float:
        """Steps lost among all that were due."""
        return self.lost / max(1, self.done + self.lost)


class Pace:
    """Says how many steps are due; counts those that came too late to be made up for."""

    def __init__(self, period: float) -> None:
        """Have a step due every `period` s of wall time."""
        self._period = period
        self.start(0.0)

    def start(self, now: float) -> None:
        """Begin with a step that is due at `now` (s, of a clock that never jumps)."""
        self.lost = 0  # since the start
        self.change(self._period, now)

    def change(self, period: float, now: float) -> None:
        """Have a step due every `period` s from `now` on; what was lost stays counted."""
        self._origin, self._period = now, period
        self._step = 0  # number of the next one since the origin
        self._done = self._lost = 0  # in this interval
        self._interval_started = now

    @property
    def next_due(self) -> float:
        """When the next step is due or was, s."""
        return self._origin + self._step * self._period

    def due(self, now: float) -> int:
        """Return how many steps to do now; more may be late still.

        Were only those lost that are too late, all steps of a busy computer would come so late that
        their stamps are no measurements any more.
        """
        late = max(0, floor((now - self.next_due) / self._period) + 1)
        lost = late - 1 if late > round(MOST_LATE / self._period) else 0
        self._origin += lost * self._period
        self.lost += lost
        self._lost += lost
        return min(late - lost, MOST_AT_ONCE)

    def advance(self) -> None:
        """Note that a step was done."""
        self._step += 1
        self._done += 1

    def take_interval(self, now: float) -> Progress:
        """Return what happened since the last call, or since the start."""
        due = max((now - self._interval_started) / self._period, self._done + self._lost)
        progress = Progress(self._done, self._lost, self._done / due if due > 0 else 1.0)
        self._done = self._lost = 0
        self._interval_started = now
        return progress
