# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What looks after a node again and again: a timer of its own, or one for all of a process."""

from collections.abc import Callable, Iterable
from weakref import WeakMethod

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.timer import Timer

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
        self._timer: Timer | None = None
        self.begin()

    def begin(self) -> None:
        """Create the timer."""
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._timer = self._node.create_timer(self._period, self._tick, clock=steady)

    def end(self) -> None:
        """Destroy the timer."""
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None

    def _tick(self) -> None:
        for known in self._looks:
            look = known()
            if look is not None:
                look()
