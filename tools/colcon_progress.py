# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Run colcon and say what it is building and how far it is, with no more than that."""

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


def run(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> tuple[int, str]:
    """Run a command of colcon with console_direct+; return its status and all that it said."""
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
    progress, lines = Progress(), []
    for line in process.stdout:
        lines.append(line)
        progress.take(line)
    progress.end()
    return process.wait(), "".join(lines)


class Progress:
    """What is being built: one line that is written over in a terminal, a few lines elsewhere."""

    def __init__(self) -> None:
        self._live = sys.stdout.isatty()
        self._began = monotonic()
        self._building: list[str] = []
        self._next = 0.0

    def take(self, line: str) -> None:
        """Take a line of colcon's output."""
        event, percent = EVENT.search(line), PERCENT.match(line)
        if event is not None:
            word, name, rest = event.groups()
            if word.startswith("Starting"):
                self._building.append(name)
            else:
                self._building = [other for other in self._building if other != name]
                self._say(f"  {word.split()[0].lower()} {name}{rest}", lasting=True)
            self._say(f"  building {', '.join(self._building)}" if self._building else "")
        elif percent is not None and (self._live or monotonic() >= self._next):
            self._next = monotonic() + PERIOD
            seconds = monotonic() - self._began
            self._say(f"  {', '.join(self._building)}: {percent[1]} % after {seconds:.0f} s")

    def end(self) -> None:
        """Leave a clean line."""
        if self._live:
            print("\r\x1b[K", end="", flush=True)

    def _say(self, words: str, lasting: bool = False) -> None:
        if self._live:
            print(f"\r\x1b[K{words}", end="\n" if lasting else "", flush=True)
        elif words:
            print(words, flush=True)
