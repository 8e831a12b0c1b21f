# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Real time on request: priority, locked memory and no garbage collection of a process."""

import ctypes
import gc
import os
import threading
from dataclasses import dataclass
from errno import EINVAL
from typing import Any, ClassVar

from dyn_ros.node.part import Part
from dyn_ros.node.report import Report
from dyn_ros.node.settings import Group, parameter

MCL_CURRENT, MCL_FUTURE = 1, 2  # of sys/mman.h
HELP = "docs/real_time.md explains how to allow it"


@dataclass(frozen=True)
class RealTimeSettings(Group):
    """What is asked of the operating system."""

    real_time_priority: int = parameter(
        0,
        "SCHED_FIFO priority of the threads that receive, compute and send, 1 to 99; it also "
        "locks all memory of the process and stops garbage collection; 0: none of these",
        limits=(0, 99),
    )


class RealTime(Part):
    """Asks the operating system for what a loop of 1 kHz needs beside other work.

    It holds for the process, from configure of the first node that asks to cleanup of the last.
    What the system does not grant is reported, and the node works without it.
    """

    SETTINGS: ClassVar[tuple[type[Group], ...]] = (RealTimeSettings,)
    _asking: ClassVar[list["RealTime"]] = []  # of this process
    _before: ClassVar[tuple[int, int]]  # policy, priority

    def __init__(self, node: Any) -> None:
        """Ask for nothing yet."""
        super().__init__(node)
        self._granted: list[str] = []
        self._refused: list[str] = []

    def open(self) -> None:
        """Ask."""
        self._granted, self._refused = [], []
        priority = self.values[RealTimeSettings].real_time_priority
        if not priority:
            return
        if not self._asking:
            RealTime._before = os.sched_getscheduler(0), os.sched_getparam(0).sched_priority
        policy = os.SCHED_FIFO | os.SCHED_RESET_ON_FORK  # threads started later have none
        self._ask(f"priority {priority}", lambda: set_priority(policy, priority))
        self._ask("memory locked", lock_memory)
        gc.disable()
        self._granted.append("no garbage collection")
        self._asking.append(self)

    def close(self) -> None:
        """Revert settings that no other node of the process requests."""
        if self not in self._asking:
            return
        self._asking.remove(self)
        if not self._asking:
            set_priority(*self._before)
            unlock_memory()
            gc.enable()

    def report(self, report: Report) -> None:
        """Report the granted settings."""
        report.values["real_time"] = ", ".join(self._granted) or "none"
        for refused in self._refused:
            report.warn(refused)

    def _ask(self, what: str, ask: Any) -> None:
        try:
            ask()
        except OSError as error:
            text = f"real time: {what} is not granted, {error.strerror}: {HELP}"
            self._refused.append(text)
            self.node.get_logger().warning(text)
        else:
            self._granted.append(what)


def fast_threads() -> list[int]:
    """Return this thread and the threads of the middleware, without Python's own.

    Others of Python compile, or answer services.
    """
    others = {thread.native_id for thread in threading.enumerate()} - {threading.get_native_id()}
    return [int(x) for x in os.listdir("/proc/self/task") if int(x) not in others]


def set_priority(policy: int, priority: int) -> None:
    """Schedule these threads so."""
    for thread in fast_threads():
        os.sched_setscheduler(thread, policy, os.sched_param(priority))


def lock_memory() -> None:
    """Lock present and future memory in RAM. Raises OSError if that is not allowed."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mlockall(MCL_CURRENT | MCL_FUTURE):
        code = ctypes.get_errno() or EINVAL
        raise OSError(code, os.strerror(code))


def unlock_memory() -> None:
    """Let the operating system decide again."""
    ctypes.CDLL(None).munlockall()
