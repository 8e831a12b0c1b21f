# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What looks after a node again and again: a timer of its own, or one for all of a process.

The executor serves in the order of arrival. Clients that ask faster than they get answers would
keep joint states and the timer waiting, so these are looked after between requests too.
"""

from collections.abc import Callable, Iterable
from weakref import WeakMethod

from rclpy.clock import Clock as RosClock
from rclpy.clock import ClockType
from rclpy.node import Node
from rclpy.timer import Timer

from dyn_ros.clock import CLOCK, Clock

PERIOD = 0.02  # s


class Supervision:
    """Calls functions again and again, also while simulated time stands still.

    A tick wakes two threads, which costs as much processor time as a joint state does: nodes that
    one thread spins share it.
    """

    def __init__(
        self,
        node: Node,
        looks: Iterable[Callable[[], None]],
        period: float = PERIOD,
        clock: Clock = CLOCK,
    ) -> None:
        """Call methods each `period` as long as their objects are there; `node` has the timer."""
        self._node, self._period, self._clock = node, period, clock
        self._looks = [WeakMethod(look) for look in looks]
        self.first: list[Callable[[], None]] = []
        """Called before the next request."""
        self._ticked = 0.0  # s
        self._instead: Supervision | None = None
        self._timer: Timer | None = None
        self.begin()

    def begin(self) -> None:
        """Create the timer."""
        self._instead = None
        steady = RosClock(clock_type=ClockType.STEADY_TIME)
        self._timer = self._node.create_timer(self._period, self._tick, clock=steady)

    def end(self, instead: "Supervision | None" = None) -> None:
        """Destroy the timer; leave everything to that of others `instead`."""
        self._instead = instead
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None

    def catch_up(self) -> None:
        """Take what comes first, and look after what is due; to be called after each request."""
        for take in tuple(self.first):
            take()
        if self._instead is not None:
            self._instead.catch_up()
        elif self._timer is not None and self._clock.now() - self._ticked > self._period:
            self._tick()

    def _tick(self) -> None:
        self._ticked = self._clock.now()
        for known in self._looks:
            if look := known():
                look()
