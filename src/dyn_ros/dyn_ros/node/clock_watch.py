# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Notices that use_sim_time is set but /clock has no publisher."""

from dyn_ros.node.part import Part
from dyn_ros.node.report import Report

# s from activation until the missing time is reported, and between two looks
MISSING_TIME_PERIOD_S = 3.0
MISSING_TIME_TEXT = (
    "use_sim_time is true but nothing has come on /clock, so stamps are 0: start what publishes it "
    "(robot_sim does if its use_sim_time is true), or set use_sim_time to false"
)


class ClockWatch(Part):
    """Without /clock simulated time is 0 for ever, and so are the stamps of all messages."""

    _until = 0.0  # s, monotonic, that is waited for the first time
    _reported = False

    def start(self) -> None:
        """Begin to wait for the time."""
        self._until = self.clock.now() + MISSING_TIME_PERIOD_S
        self._reported = False

    def watch(self) -> None:
        """Log once that no time has come."""
        if self._reported or self.clock.now() < self._until:
            return
        self._until = self.clock.now() + MISSING_TIME_PERIOD_S  # the parameter may be set later
        if self._is_missing():
            self._reported = True
            self.node.get_logger().error(MISSING_TIME_TEXT)

    def report(self, report: Report) -> None:
        """Warn as long as there is no time."""
        if self._is_missing():
            report.warn(MISSING_TIME_TEXT)

    def _is_missing(self) -> bool:
        follows = self.node.get_parameter("use_sim_time").value
        return bool(follows) and self.node.ros_time() == 0
