# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""SIGINT and SIGTERM: held back while a process starts, a request to end afterwards."""

import ctypes
import os
import signal
from collections.abc import Callable
from pathlib import Path
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)
LAUNCHER_VARIABLE = "DYN_ROS_LAUNCHER"
"""Environment variable: the process by whose end this one is asked to end, if it is its parent."""

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


def end_with_parent() -> None:
    """Have SIGTERM sent to this process when its parent ends, in whatever way."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def end_with_launcher() -> None:
    """End with the launch that started this process, if it has asked for that.

    `ros2 launch` passes only Ctrl-C to its processes: SIGTERM, SIGKILL or a crash of it would leave
    nodes that command, and the next launch would add a second set of them.
    """
    launcher, parent = os.environ.get(LAUNCHER_VARIABLE), os.getppid()
    if launcher == str(parent):
        end_with_parent()
        ended = os.getppid() != parent
    else:  # another one's from the beginning, as with a prefix, or since it has ended
        ended = launcher is not None and not Path("/proc", launcher).exists()
    if ended:
        os.kill(os.getpid(), signal.SIGTERM)


def ignore() -> None:
    """Let no more signals come: the process ends already.

    Python stops to handle signals before it has taken itself down, and a launch sends a second one.
    """
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


class StopRequest:
    """Becomes true at the first SIGINT or SIGTERM.

    rclpy's own handlers end half of all processes with status 1, and leaving Python while an
    executor spins aborts it: the loop has to end by itself. Executors take it for a future, which
    is done then; one of rclpy takes a lock, and a signal may come while that is held.
    """

    def __init__(self) -> None:
        """Handle SIGINT and SIGTERM, pending ones from the start of Python included."""
        self._requested = False
        self._wake: Wake | None = None
        for number in SIGNALS:
            signal.signal(number, self._on_signal)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)

    def __bool__(self) -> bool:
        """Return whether the process has been asked to end."""
        return self._requested

    def done(self) -> bool:
        """Return the same, for executors."""
        return self._requested

    def add_done_callback(self, wake: "Wake") -> None:
        """Call the newest of these functions when a signal comes."""
        self._wake = wake

    def remove_done_callback(self, wake: "Wake") -> None:
        """Call it no more."""
        self._wake = None

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._requested = True
        if self._wake is not None:  # an executor spins
            self._wake(self)


Wake = Callable[[StopRequest], None]
