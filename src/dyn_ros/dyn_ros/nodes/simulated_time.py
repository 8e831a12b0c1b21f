# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The time that a simulator gives its messages, and /clock."""

from collections.abc import Iterator

from rclpy.time import Time
from rosgraph_msgs.msg import Clock

from dyn_ros.messages.stamp import NANOSECONDS
from dyn_ros.node.interfaces import Interfaces
from dyn_ros.node.safe_lifecycle import SafeLifecycleNode

# ns; smaller differences of two clocks are their reading, not an adjustment
CLOCK_JITTER_NS = 500_000
# ns between readings of two clocks, unless preempted
PROMPT_READING_NS, READING_ATTEMPTS = 50_000, 10


class SimulatedTime:
    """Stamps the steps of a simulation; publishes /clock if this node is to make the time."""

    def __init__(self, node: SafeLifecycleNode, opened: Interfaces, rate: float) -> None:
        """Publish /clock at `rate` (Hz, in simulated time) if `node` uses simulated time."""
        self._node = node
        self._follows = bool(node.get_parameter("use_sim_time").value)
        self._publishes = self._follows and rate > 0.0
        self._now = self._offset = 0  # ns; the node's clock, and its lead over the steady one
        if self._publishes:
            self._period = NANOSECONDS / rate
            self._next = 0.0  # ns
            self._publisher = opened.lifecycle_publisher(Clock, "/clock")

    def read_clock(self) -> None:
        """Read the node's clock; call this before steps are stamped."""
        _, self._now, offset = min(self._readings())
        if abs(offset - self._offset) > CLOCK_JITTER_NS:
            self._offset = offset

    def _readings(self) -> Iterator[tuple[int, int, int]]:
        """Yield readings until one is prompt: (ns that it took, node's clock, its lead)."""
        for _ in range(READING_ATTEMPTS):
            before = self._node.clock.nanoseconds()
            now = self._node.ros_time()
            took = self._node.clock.nanoseconds() - before
            yield took, now, now - before
            if took < PROMPT_READING_NS:
                return

    def stamp(self, simulated: int, due: float) -> int:
        """Return the time in ns of a step that ends at `simulated` ns.

        It was `due` by the steady clock (s), so that steps that are caught up with have the times
        that they should have had.
        """
        if self._publishes:
            self._publish(simulated)
            return simulated
        return self._now if self._follows else self._offset + round(due * NANOSECONDS)

    def _publish(self, simulated: int) -> None:
        if simulated >= self._next:
            self._publisher.publish(Clock(clock=Time(nanoseconds=simulated).to_msg()))
            self._next = max(self._next + self._period, simulated)
