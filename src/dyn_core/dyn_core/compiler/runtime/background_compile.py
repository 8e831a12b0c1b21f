# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Machine code that is compiled in the background, while the tape computes.

A thread of this process prints the text, and another process compiles it, one kernel at a time. The
other process can be killed at any moment, which a thread within LLVM could not: this process ends
without waiting.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress

from dyn_core.compiler import machine_code as machine

Compiler = Callable[[str], bytes]
"""From a module text to object code."""
PROGRAM = (
    "import runpy, sys; compiler = runpy.run_path(sys.argv[1])['to_object_code'];"
    "code = compiler(sys.stdin.buffer.read().decode()); sys.stdout.buffer.write(code)"
)
"""The program of the other process: it imports the compiler without the package."""


class Build:
    """Machine code that is being compiled."""

    def __init__(self, make: Callable[[Compiler], bytes], functions: Sequence[str]) -> None:
        """Queue the compilation.

        Args:
            make: makes the object code with the given compiler.
            functions: exported functions.
        """
        self.make = make
        self.functions = functions
        self.loaded: machine.LoadedCode | None = None
        self.failure: Exception | None = None
        self.over = threading.Event()
        _builder.queue(self)

    @property
    def ready(self) -> bool:
        """Whether the code can be called."""
        return self.loaded is not None

    def address(self, function: str) -> int:
        """The address of ``function``; waits for the compilation.

        Raises:
            RuntimeError: the compilation failed.
        """
        self.over.wait()
        if self.loaded is None:
            raise RuntimeError("the machine code could not be built") from self.failure
        return self.loaded.address(function)


class _Builder:
    """A queue of compilations and the thread that works on it, until the queue is empty."""

    def __init__(self) -> None:
        self._waiting: deque[Build] = deque()
        self._start_anew()

    def _start_anew(self) -> None:
        """Begin without thread and process; so does a forked child, whose parent has them."""
        self._guard = threading.Lock()
        self._working = self._closing = False
        self._process: subprocess.Popen[bytes] | None = None

    def queue(self, build: Build) -> None:
        with self._guard:
            self._waiting.append(build)
            self._begin()

    def after_fork(self) -> None:
        """Compile in a forked child what the parent had not finished."""
        self._start_anew()
        if self._waiting:
            self._begin()

    def close(self) -> None:
        """At exit: kill the other process, and load no more code, since LLVM is torn down."""
        with self._guard:
            self._closing = True
            if self._process is not None:
                self._process.kill()
                self._process.wait()

    def _begin(self) -> None:
        if not self._working:
            self._working = True
            threading.Thread(target=self._work, name="dyn_core builder", daemon=True).start()

    def _work(self) -> None:
        while True:
            with self._guard:
                if not self._waiting or self._closing:
                    self._working = False
                    return
                build = self._waiting[0]
            if not build.ready:  # it is in a child forked before the parent set `over`
                self._build(build)
            if self._closing:
                return
            build.over.set()
            self._waiting.popleft()

    def _build(self, build: Build) -> None:
        try:
            object_code = build.make(self._compile)
            with self._guard:
                if not self._closing:
                    build.loaded = machine.LoadedCode(object_code, build.functions)
        except Exception as error:
            build.failure = error
            if not self._closing:
                with suppress(Warning):  # where warnings are errors, as in tests of users
                    warnings.warn(f"no machine code, interpreting: {error}", stacklevel=1)

    def _compile(self, text: str) -> bytes:
        paths = os.pathsep.join(path for path in sys.path if path)
        with self._guard:
            if self._closing:
                raise InterruptedError
            self._process = subprocess.Popen(
                [sys.executable, "-c", PROGRAM, machine.__file__],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": paths},
                start_new_session=True,  # Ctrl-C is for this process, which then ends that one
            )  # fmt: skip
        object_code, words = self._process.communicate(text.encode())
        with self._guard:
            status, self._process = self._process.returncode, None
        if status != 0 or not object_code:
            last = words.decode(errors="replace").strip().splitlines()[-1:]
            raise RuntimeError(f"the compiler ended with status {status}: {' '.join(last)}")
        return object_code


_builder = _Builder()
stop = _builder.close
"""Ends compilations; called at exit, and by a process that ends without that."""
atexit.register(stop)
os.register_at_fork(after_in_child=_builder.after_fork)
