# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Shows the state of the robot: a table refreshed in place, or plain lines without a terminal."""

import sys
from typing import Any

from dyn_core.view import short_names
from dyn_ros.clock import CLOCK
from dyn_ros.demo.watcher import ArmState, in_words

LINE_PERIODS = (1.0, 60.0)  # s between plain lines: at first, and after a minute without a step
TABLE_PERIOD = 0.1  # s between tables


def create_display(page: str = "") -> "LineDisplay":
    """Return a table if stdout is a terminal and rich is installed, plain lines otherwise.

    `page` is the address at which a browser shows the arm, empty if none does.
    """
    if sys.stdout.isatty():
        try:
            return TableDisplay(page)
        except ImportError:
            print("install rich (python3-rich) to see a table instead of these lines")
    return LineDisplay(page)


class LineDisplay:
    """A line a second after each step, then ever fewer; without escape codes."""

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
        efforts = " ".join(f"{effort:.1f}" for effort in state.effort)
        print(f"  efforts [N m] {efforts}", f"  {report_line(state)}", sep="\n", flush=True)
        if self._page and self._period == LINE_PERIODS[1]:
            print(f"  the arm in the browser: {self._page} (Ctrl-C ends)", flush=True)

    def __enter__(self) -> "LineDisplay":
        """Return the display."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Nothing is left to do."""


class TableDisplay(LineDisplay):
    """A table of all joints, refreshed in place."""

    def __init__(self, page: str = "") -> None:
        """Prepare the table. Raises ImportError without rich."""
        from rich.live import Live

        self._page = page
        self._live = Live(auto_refresh=False)
        self._next = 0.0

    def say(self, line: str) -> None:
        """Print it above the table."""
        self._live.console.print(line, highlight=False, markup=False)

    def show(self, state: ArmState) -> None:
        """Redraw the table if it is time for that."""
        if CLOCK.now() >= self._next:
            self._next = CLOCK.now() + TABLE_PERIOD
            self._live.update(_table(state, self._page), refresh=True)

    def __enter__(self) -> "TableDisplay":
        """Take over the terminal."""
        self._live.start()
        return self

    def __exit__(self, *exception: object) -> None:
        """Give the terminal back."""
        self._live.stop()


def _table(state: ArmState, page: str) -> Any:
    from rich.table import Table

    title = f"UR5, simulated{f', in the browser at {page}' if page else ''} (Ctrl-C ends)"
    table = Table(title=title, caption=report_line(state))
    table.add_column("joint")
    for heading in ("position", "velocity", "gravity", "applied", "from outside"):
        table.add_column(heading, justify="right")
    table.add_row("", "rad", "rad/s", "N m", "N m", "N m", style="dim", end_section=True)
    names = state.joint_names
    motion = (state.position, state.velocity, state.gravity, state.effort)
    rows = (short_names(names), names, *motion)
    for name, full, position, velocity, gravity, effort in zip(*rows, strict=False):
        table.add_row(
            name,
            f"{position:+.6f}",
            f"{velocity:+.6f}",
            f"{gravity:+.3f}",
            f"{effort:+.3f}",
            f"{state.external.get(full, 0.0):+.3f}",
        )
    return table


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
