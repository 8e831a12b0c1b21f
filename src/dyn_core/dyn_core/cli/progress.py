# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""How far a command has come: one bar for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn


@contextmanager
def progress(what: str, silent: bool = False) -> Iterator[Callable[..., None]]:
    """Show a bar on standard error while something is done, if that is a terminal.

    The result is called with the numbers of parts that are done and of all, and what comes next.

    Args:
        what: is being done.
        silent: for machines.
    """
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    shown = Progress(
        *columns, console=console, transient=True, disable=silent or not console.is_terminal
    )
    with shown:
        task = shown.add_task(what, total=None)

        def report(done: int, total: int, what: str = what) -> None:
            shown.update(task, completed=done, total=total, description=what)

        yield report
