# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Real time on request: priority, locked memory, processors, garbage collection of a process."""

import ctypes
import gc
import os
import threading
from collections.abc import Iterable
from errno import EINVAL
from typing import Any, ClassVar

from dyn_ros.node.part import Part
from dyn_ros.node.report import Report
from dyn_ros.node.settings import Kind, Setting

MCL_CURRENT, MCL_FUTURE = 1, 2  # of sys/mman.h
HELP = "docs/real_time.md says how to allow it"
PRIORITY, LOCK, PROCESSORS, GARBAGE = (
    "real_time_priority",
    "lock_memory",
    "processors",
    "garbage_collection",
)


class RealTime(Part):
    """Asks the operating system for what a loop of 1 kHz needs beside other work.

    It holds for the process, from configure of the first node that asks to cleanup of the last.
    What is not granted is told, and the node works without.
    """

    SETTINGS: ClassVar[tuple[Setting, ...]] = (
        Setting(
            PRIORITY,
            0,
            "SCHED_FIFO priority of the threads that receive, compute and send, 1 to 99; 0: none",
            limits=(0, 99),
        ),
        Setting(
            LOCK,
            False,
            "keep all memory of the process in RAM, so that nothing waits for a page",
        ),
        Setting(
            PROCESSORS,
            [],
            "processors that these threads run on, by number from 0; empty: any",
            kind=Kind.INTEGER_ARRAY,
        ),
        Setting(
            GARBAGE,
            True,
            "look for garbage in cycles of objects while running; without it nothing pauses, and "
            "some KiB may be lost with each change of parameters",
        ),
    )
    _asking: ClassVar[list["RealTime"]] = []  # of this process
    _before: ClassVar[tuple[int, int, set[int]]]  # policy, priority, processors

    def __init__(self, node: Any) -> None:
        """Ask for nothing yet."""
        super().__init__(node)
        self._granted: list[str] = []
        self._refused: list[str] = []

    @staticmethod
    def impossible(values: dict[str, Any]) -> str:
        """Refuse processors that are not there."""
        there = os.cpu_count() or 1
        wrong = [x for x in values[PROCESSORS] if not 0 <= x < there]
        return f"processors names {wrong[0]}: there are 0 to {there - 1}" if wrong else ""

    def open(self) -> None:
        """Ask."""
        values = self.values
        self._granted, self._refused = [], []
        if not self._asking:
            before = os.sched_getscheduler(0), os.sched_getparam(0).sched_priority
            RealTime._before = (*before, os.sched_getaffinity(0))
        if values[PRIORITY]:
            policy = os.SCHED_FIFO | os.SCHED_RESET_ON_FORK  # threads started later have none
            self._ask(
                f"priority {values[PRIORITY]}", lambda: set_priority(policy, values[PRIORITY])
            )
        if values[LOCK]:
            self._ask("memory locked", lock_memory)
        if values[PROCESSORS]:
            names = ", ".join(map(str, values[PROCESSORS]))
            self._ask(f"processors {names}", lambda: set_processors(values[PROCESSORS]))
        if not values[GARBAGE]:
            gc.disable()
            self._granted.append("no garbage collection")
        if self._granted:
            self._asking.append(self)

    def close(self) -> None:
        """Revert settings that no other node of the process requests."""
        if self not in self._asking:
            return
        self._asking.remove(self)
        if not self._asking:
            policy, priority, processors = self._before
            set_priority(policy, priority)
            set_processors(processors)
            unlock_memory()
            gc.enable()

    def report(self, report: Report) -> None:
        """Report the granted settings."""
        report.values["real time"] = ", ".join(self._granted) or "none"
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


def set_processors(processors: Iterable[int]) -> None:
    """Let these threads run on processors alone."""
    for thread in fast_threads():
        os.sched_setaffinity(thread, processors)


def lock_memory() -> None:
    """Lock present and future memory in RAM. Raises OSError if that is not allowed."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mlockall(MCL_CURRENT | MCL_FUTURE):
        code = ctypes.get_errno() or EINVAL
        raise OSError(code, os.strerror(code))


def unlock_memory() -> None:
    """Let the operating system decide again."""
    ctypes.CDLL(None).munlockall()
