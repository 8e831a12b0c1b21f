# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Shows what the demo does and the state of the robot, line by line."""

from dyn_ros.clock import CLOCK
from dyn_ros.demo.watcher import ArmState, in_words

LINE_PERIODS = (1.0, 60.0)  # s between plain lines: at first, and after a minute without a step


class Display:
    """A line a second after each step, then ever fewer."""

    def __init__(self, page: str = "") -> None:
        """Print the first state at once."""
        self._page, self._next = page, 0.0
        self._period = LINE_PERIODS[0]

    def say(self, line: str) -> None:
        """Print it."""
        self._period = LINE_PERIODS[0]
        print(line, flush=True)

    def show(self, state: ArmState) -> None:
        """Print a line if it is time for one."""
        if CLOCK.now() < self._next:
            return
        self._next = CLOCK.now() + self._period
        self._period = min(2.0 * self._period, LINE_PERIODS[1])
        efforts = " ".join(f"{effort:.1f}" for effort in state.joints.effort)
        print(f"  efforts [N m] {efforts}", f"  {report_line(state)}", sep="\n", flush=True)
        if self._page and self._period == LINE_PERIODS[1]:
            print(f"  the arm in the browser: {self._page} (Ctrl-C ends)", flush=True)


def report_line(state: ArmState) -> str:
    """Return which node commands, how fast, and how far the arm has moved while it is held."""
    held = f", {in_words(state.deviation)}" if state.held else ""
    if not state.reports:
        return f"measuring{held}"
    name = state.working
    if not name:
        return f"no node commands the arm{held}"
    report = state.reports[name]
    return (
        f"{name}: {report['rate_hz']} Hz, latency {report['latency_median_us']} us "
        f"(99 %: {report['latency_p99_us']} us){held}"
    )
