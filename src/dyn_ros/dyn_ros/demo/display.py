"""Shows the state of the robot: a table refreshed in place, or plain lines without a terminal."""

import sys
from time import monotonic
from typing import Any, Protocol

from dyn_core.view.names import short_names
from dyn_ros.demo.watcher import ArmState, in_words

LINE_PERIOD = 1.0  # s between plain lines
TABLE_PERIOD = 0.1  # s between tables


class Display(Protocol):
    """Something that shows states while it is entered."""

    def say(self, line: str) -> None:
        """Show what happens now."""
        ...

    def show(self, state: ArmState) -> None:
        """Show a state."""
        ...

    def __enter__(self) -> "Display":
        """Begin to show."""
        ...

    def __exit__(self, *exception: object) -> None:
        """Leave what was shown last."""
        ...


def create_display() -> Display:
    """Return a table if stdout is a terminal and rich is installed, plain lines otherwise."""
    if sys.stdout.isatty():
        try:
            return TableDisplay()
        except ImportError:
            print("install rich (python3-rich) to see a table instead of these lines")
    return LineDisplay()


class LineDisplay:
    """One line a second, without escape codes."""

    def __init__(self) -> None:
        """Print the first state at once."""
        self._next = 0.0

    def say(self, line: str) -> None:
        """Print it."""
        print(line, flush=True)

    def show(self, state: ArmState) -> None:
        """Print a line if it is time for one."""
        if monotonic() < self._next:
            return
        self._next = monotonic() + LINE_PERIOD
        efforts = " ".join(f"{effort:.2f}" for effort in state.effort)
        print(f"efforts [N m] {efforts}; {_report_line(state)}", flush=True)

    def __enter__(self) -> "LineDisplay":
        """Return the display."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Nothing is left to do."""


class TableDisplay:
    """A table of all joints, refreshed in place."""

    def __init__(self) -> None:
        """Prepare the table. Raises ImportError without rich."""
        from rich.live import Live

        self._live = Live(auto_refresh=False)
        self._next = 0.0

    def say(self, line: str) -> None:
        """Print it above the table."""
        self._live.console.print(line, highlight=False, markup=False)

    def show(self, state: ArmState) -> None:
        """Redraw the table if it is time for that."""
        if monotonic() >= self._next:
            self._next = monotonic() + TABLE_PERIOD
            self._live.update(_table(state), refresh=True)

    def __enter__(self) -> "TableDisplay":
        """Take over the terminal."""
        self._live.start()
        return self

    def __exit__(self, *exception: object) -> None:
        """Give the terminal back."""
        self._live.stop()


def _table(state: ArmState) -> Any:
    from rich.table import Table

    table = Table(title="UR5, simulated (Ctrl-C ends)", caption=_report_line(state))
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


def _report_line(state: ArmState) -> str:
    deviation = in_words(state.deviation)
    if not state.reports:
        return f"measuring, {deviation}"
    name = state.working
    if not name:
        return f"no node commands the arm, {deviation}"
    report = state.reports[name]
    return (
        f"{name} commands at {report['rate [Hz]']} Hz, received to published "
        f"{report['latency median [us]']} us (99 %: {report['latency p99 [us]']} us), {deviation}"
    )
