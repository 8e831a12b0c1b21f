# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A process that reads robot descriptions and compiles kernels for the process of nodes.

Parsing XML and compiling hold Python's GIL for tenths of a second; a node that sends 1000 commands
a second must not wait for it.

    python -m dyn_ros.process.model_process FD

answers requests on the socket FD until the other end is closed. Machine code is not sent: it goes
through dyn_core's cache on disk. Signals stay blocked, so that Ctrl-C is a matter of the node.
"""

import atexit
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from threading import Lock
from typing import Any

import dyn_core
from dyn_core import serialize
from dyn_core.compiler.runtime import cache_folder
from dyn_ros.kernels.robot import (
    KernelRequest,
    compile_kernels,
    load_compiled,
    note,
    notes_on,
    the_same,
)
from dyn_ros.process.signals import SIGNALS

PROCESS_NICENESS = 10  # of the process; that of a node is 0 as a rule
ENDS = "this process ends"
TIME_TO_END = 5.0  # s; then the process is killed


class ModelProcess:
    """Starts the process when it is first needed, and anew should it have died."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._over = False

    def load(self, description: str, kernels: Sequence[KernelRequest], *how: Any) -> dyn_core.Model:
        """Return the model of a description whose `kernels` are compiled and in the cache.

        `how` it is read, `load_model` says.
        Raises ValueError, worded, if the description cannot be used.
        """
        with self._lock:
            connection = self._connect()
            try:
                connection.send((description, kernels, *how))
                usable, answer = connection.recv()
            except (EOFError, OSError) as error:
                raise ValueError(self._obituary()) from error
        if not usable:
            raise ValueError(answer)
        encoded, notes = answer
        model = the_same(serialize.from_binary(encoded))
        note(model, notes)
        compile_kernels(model, kernels)  # no more than loaded from the cache
        return model

    def end(self) -> None:
        """End the process for good, also while it works.

        A description that still waits to be read starts no other process.
        """
        self._over = True
        process = self._process
        if process is not None:
            process.kill()  # it has nothing to put in order
            process.wait(TIME_TO_END)

    def _connect(self) -> Connection:
        if self._over:
            raise ValueError(ENDS)
        if self._connection is None or self._process is None or self._process.poll() is not None:
            self._start()
        assert self._connection is not None
        return self._connection

    def _start(self) -> None:
        if self._connection is not None:
            self._connection.close()
        ours, theirs = Pipe()
        # It inherits the mask of this thread: Ctrl-C in the terminal reaches it too.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "dyn_ros.process.model_process", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            theirs.close()
        self._connection = ours
        # less priority than the node's, also where that is a real-time one
        os.sched_setscheduler(self._process.pid, os.SCHED_OTHER, os.sched_param(0))
        os.setpriority(os.PRIO_PROCESS, self._process.pid, PROCESS_NICENESS)

    def _obituary(self) -> str:
        if self._over:
            return ENDS
        assert self._process is not None
        try:
            status: int | str = self._process.wait(TIME_TO_END)
        except subprocess.TimeoutExpired:
            status = "unknown"
        return (
            f"the process that reads it ended with status {status} (killed, or out of memory?): "
            "publish the description again"
        )


MODEL_PROCESS = ModelProcess()
atexit.register(MODEL_PROCESS.end)


def cache_is_off() -> bool:
    """Whether machine code cannot come back from the other process."""
    return cache_folder() is None


def serve(connection: Connection) -> None:
    """Send an `answer` to each request, until the pipe is closed."""
    with suppress(EOFError, BrokenPipeError):
        while True:
            connection.send(answer(*connection.recv()))


def answer(description: str, kernels: Sequence[KernelRequest], *how: Any) -> tuple[bool, Any]:
    """Read and compile; return the model and the notes on it, or why there is none."""
    try:
        model = load_compiled(description, kernels, *how)
    except ValueError as error:
        return False, str(error)
    except Exception as error:
        return False, f"{type(error).__name__}: {error}"
    return True, (serialize.to_binary(model), notes_on(model))


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])))
