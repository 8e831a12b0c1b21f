# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What looks after a node again and again: a timer of its own, or one for all of a process."""

from collections.abc import Callable, Iterable
from weakref import WeakMethod

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.timer import Timer

PERIOD = 0.02  # s
PERIODS = (0.18, 0.06, PERIOD)  # s, the longest that is short enough


class Supervision:
    """Calls functions again and again, also while simulated time stands still.

    A tick wakes two threads, which costs as much processor time as a joint state does: nodes that
    one thread spins share it, and it comes less often where nothing has to be looked after soon.
    """

    def __init__(
        self, node: Node, looks: Iterable[Callable[[], float | None]], period: float = PERIOD
    ) -> None:
        """Call methods as long as their objects are there; `node` has the timer.

        They return for how long, s, nobody has to look; it is never more often than each `period`.
        """
        self._node, self._period = node, period
        self._looks = [WeakMethod(look) for look in looks]
        self._timer: Timer | None = None
        self.begin()

    def begin(self) -> None:
        """Create the timer."""
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._now = self._period  # between two ticks, s
        self._timer = self._node.create_timer(self._period, self._tick, clock=steady)

    def end(self) -> None:
        """Destroy the timer."""
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None

    def _tick(self) -> None:
        looks = [look for known in self._looks if (look := known()) is not None]
        calm = min([look() or 0.0 for look in looks], default=0.0)
        period = next((x for x in PERIODS if self._period <= x <= calm), self._period)
        if period != self._now and self._timer is not None:  # unless one of them has ended it
            self._now = period
            self._timer.timer_period_ns = round(1e9 * period)
            self._timer.reset()
