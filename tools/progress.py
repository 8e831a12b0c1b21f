# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Run pip or colcon and show what it is doing and how far it is, with no more than that."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic

PERCENT = re.compile(r"^\[ *(\d+)%\]")
EVENT = re.compile(r"(Starting >>>|Finished <<<|Failed   <<<) (\S+)(.*)")
PERIOD = 10.0
"""s between two lines where the output is no terminal."""


def run(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], progress: Progress
) -> tuple[int, str]:
    """Run a command; return its status and its whole output."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        progress.take(line)
    progress.end()
    return process.wait(), "".join(lines)


class Progress:
    """One line that is written over in a terminal; elsewhere a line each PERIOD."""

    def __init__(self) -> None:
        self._live = sys.stdout.isatty()
        self._began = self._shown = monotonic()

    def take(self, line: str) -> None:
        """Take a line of the command's output."""
        raise NotImplementedError

    def end(self) -> None:
        """Leave a clean line."""
        if self._live:
            print("\r\x1b[K", end="", flush=True)

    def show(self, words: str) -> None:
        """Show what is being done now."""
        now = monotonic()
        if self._live:
            print(f"\r\x1b[K  {words}, {now - self._began:.0f} s", end="", flush=True)
        elif now >= self._shown + PERIOD:
            self._shown = now
            print(f"  {words}, {now - self._began:.0f} s", flush=True)

    def keep(self, words: str) -> None:
        """Print a line that stays."""
        print(f"\r\x1b[K  {words}" if self._live else f"  {words}", flush=True)


class PipProgress(Progress):
    """How many of the packages pip has found, then that it unpacks them."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self._count, self._found = count, 0

    def take(self, line: str) -> None:
        """Take a line of the command's output."""
        if line.startswith("Collecting "):
            self._found += 1
            self.show(f"package {self._found} of {self._count}: {line.split()[1]}")
        elif line.startswith("Installing collected packages"):
            self.show(f"unpacking {self._found} packages")


class ColconProgress(Progress):
    """Which packages are being built, and each that is finished."""

    def __init__(self) -> None:
        super().__init__()
        self._building: list[str] = []

    def take(self, line: str) -> None:
        """Take a line of the output of colcon with console_direct+."""
        event, percent = EVENT.search(line), PERCENT.match(line)
        if event is not None:
            word, name, rest = event.groups()
            if word.startswith("Starting"):
                self._building.append(name)
            else:
                self._building = [other for other in self._building if other != name]
                self.keep(f"{word.split()[0].lower()} {name}{rest}")
        if self._building and (event or percent):
            share = f": {percent[1]} %" if percent else ""
            self.show(f"building {', '.join(self._building)}{share}")
