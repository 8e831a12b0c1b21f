# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What looks after a node again and again: a timer of its own, or one for all of a process.

And what comes before the next request: the executor serves in the order of arrival, and clients
that ask faster than they get answers would keep joint states waiting, and the timer.
"""

from collections.abc import Callable, Iterable
from time import monotonic
from weakref import WeakMethod, WeakSet

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.timer import Timer

from dyn_ros.base.newest import NewestFirst

PERIOD = 0.02  # s


class Supervision:
    """Calls functions again and again, also while simulated time stands still.

    A tick wakes two threads, which costs as much processor time as a joint state does: nodes that
    one thread spins share it.
    """

    def __init__(
        self, node: Node, looks: Iterable[Callable[[], None]], period: float = PERIOD
    ) -> None:
        """Call methods as long as their objects are there; `node` has the timer, `period` in s."""
        self._node, self._period = node, period
        self._looks = [WeakMethod(look) for look in looks]
        self.first: WeakSet[NewestFirst] = WeakSet()  # topics that who commands reads
        self._ticked = 0.0  # s
        self._instead: Supervision | None = None
        self._timer: Timer | None = None
        self.begin()

    def begin(self) -> None:
        """Create the timer."""
        self._instead = None
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._timer = self._node.create_timer(self._period, self._tick, clock=steady)

    def end(self, instead: "Supervision | None" = None) -> None:
        """Destroy the timer; leave everything to that of others `instead`."""
        self._instead = instead
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None

    def catch_up(self) -> None:
        """Take what comes first, and look after what is due; to be called after each request."""
        for topic in self.first:
            topic.catch_up()
        if self._instead is not None:
            self._instead.catch_up()
        elif self._timer is not None and monotonic() - self._ticked > self._period:
            self._tick()

    def _tick(self) -> None:
        self._ticked = monotonic()
        for known in self._looks:
            look = known()
            if look is not None:
                look()
