# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A node process that ends with its parent, whatever happens to the parent."""

import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence

from dyn_ros.process.signals import SIGNALS, end_with_parent

TIME_TO_END = 20.0  # s after SIGINT, which is heard after all imports; then the process is killed
LAST_LINES = 15  # of a dead process's output that are shown


class DemoError(RuntimeError):
    """What went wrong, worded for the one who started the demo."""


class Child:
    """Runs an executable of the suite; its output is kept for the case that it dies."""

    def __init__(self, name: str, arguments: Sequence[str]) -> None:
        """Start the process."""
        self._name = name
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 (closed by end)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "dyn_ros.executables", name, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C in the terminal is for the demo, which ends its nodes
            preexec_fn=_prepare_process,
        )

    def check(self) -> None:
        """Raise DemoError, with the last lines of its output, if the process has ended."""
        if self.status is not None:
            raise DemoError(self.end_in_words())

    @property
    def status(self) -> int | None:
        """The exit status of the process; None while it runs."""
        return self._process.poll()

    def end_in_words(self) -> str:
        """Return with which status the process ended, and the last lines of its output."""
        self._output.seek(0)
        lines = self._output.read().decode(errors="replace").splitlines()[-LAST_LINES:]
        return "\n".join([f"{self._name} ended with status {self.status}:", *lines])

    def forget(self) -> None:
        """Leave a process that has ended as it is: `end` raises nothing then."""
        self._output.close()

    def end(self) -> None:
        """Ask the process to end and wait for it; raise DemoError if that goes wrong."""
        if self._output.closed:
            return
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(TIME_TO_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        problem = self.end_in_words()
        self._output.close()
        if self.status != 0:
            raise DemoError(problem)

    def __enter__(self) -> "Child":
        """Return the child."""
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """End the process; an error that is under way already is not replaced."""
        try:
            self.end()
        except DemoError:
            if error is None:
                raise


def _prepare_process() -> None:
    """Between fork and exec: die with the parent; hold signals back until the node takes them."""
    end_with_parent()
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
