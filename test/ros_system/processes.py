# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The executables as a user starts them, and what they must not leave behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import uuid
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

from ament_index_python.packages import get_package_prefix, get_package_share_directory
from robots import ROBOT_FILES, example_robots

from dyn_ros.demo.pose import START_POSITION
from dyn_ros.process.domain import isolate

CONFIG = Path(get_package_share_directory("dyn_ros"), "config")
UR5 = CONFIG / "robots" / "ur5.urdf"
QUADRUPED = example_robots() / ROBOT_FILES["hyq"]
TIME_TO_END = 10.0  # s
MARK = "DYN_SYSTEM_TEST"  # variable that marks our processes

SIM_PARAMETERS = {
    "urdf_file": str(UR5),
    "start_position": START_POSITION,
    "command_timeout": 3.0,  # s; tests may have to share their processors
}
PATIENT = {"joint_state_timeout": 3.0}  # s; likewise
TO_SIM = ("-r", "~/commands:=robot_sim/commands")


def listen_to_signals() -> None:
    """A process of a shell's background job ignores SIGINT, and would until our first line."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class NodeProcess:
    """An installed executable of dyn_ros in a domain."""

    def __init__(
        self,
        executable: str,
        domain: int,
        *arguments: str,
        environment: dict[str, str] | None = None,
        **parameters: object,
    ) -> None:
        self.mark = uuid.uuid4().hex
        variables = {**os.environ, MARK: self.mark, "PYTHONFAULTHANDLER": "1"}
        isolate(variables, domain)
        variables.update(environment or {})
        path = Path(get_package_prefix("dyn_ros"), "lib", "dyn_ros", executable)
        command = [str(path), *arguments]
        if parameters:
            command += [] if "--ros-args" in arguments else ["--ros-args"]
        for name, value in parameters.items():
            command += ["-p", f"{name}:={value}"]
        self.command = command
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 (closed by close)
        self.process = subprocess.Popen(
            command,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=listen_to_signals,
        )

    def output(self) -> str:
        """Return what it has printed."""
        self._output.seek(0)
        return self._output.read().decode(errors="replace")

    def wait_for_output(self, word: str, timeout: float = 20.0) -> None:
        """Wait until it has printed `word`."""
        deadline = monotonic() + timeout
        while word not in self.output():
            assert self.process.poll() is None, f"ended early:\n{self.output()}"
            assert monotonic() < deadline, f"no '{word}' in:\n{self.output()}"
            sleep(0.02)

    def wait(self, timeout: float = TIME_TO_END) -> int:
        """Return the exit status; say where its threads are if it does not end."""
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill(signal.SIGABRT)
            raise AssertionError(f"still running after {timeout} s:\n{self.output()}") from None

    def end(self, number: int = signal.SIGINT) -> int:
        """Send a signal and return the exit status."""
        self.process.send_signal(number)
        return self.wait()

    def shared_memory(self) -> set[str]:
        """Return the data files that it uses."""
        return data_files(self.process.pid)

    def leftovers(self) -> list[str]:
        """Return the command lines of processes that it has started and that still run."""
        return [
            (entry / "cmdline").read_text().replace("\0", " ")
            for entry in Path("/proc").iterdir()
            if entry.name.isdigit() and self._is_ours(entry)
        ]

    def kill(self, number: int = signal.SIGKILL) -> None:
        """End it without notice, and remove what it could not remove itself.

        What it had mapped of another process stays, or who starts later would not hear that one.
        """
        files = self.shared_memory()
        self.process.send_signal(number)
        self.process.wait()
        for name in files - shared_memory_of_all():
            Path(name).unlink(missing_ok=True)

    def end_if_running(self) -> None:
        """End it if it runs; what it has printed can still be read."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(TIME_TO_END)
            except subprocess.TimeoutExpired:
                self.kill()

    def close(self) -> None:
        """End it if it runs, and forget what it has printed."""
        self.end_if_running()
        self._output.close()

    def _is_ours(self, entry: Path) -> bool:
        try:
            return f"{MARK}={self.mark}".encode() in (entry / "environ").read_bytes()
        except OSError:
            return False


def shared_memory(pid: int) -> set[str]:
    """Return the files in /dev/shm that a process has mapped."""
    lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
    return {line.split()[-1] for line in lines if "/dev/shm/" in line and "(deleted)" not in line}


def shared_memory_of_all() -> set[str]:
    """Return the files in /dev/shm that any process has mapped."""
    used: set[str] = set()
    for entry in Path("/proc").iterdir():
        with suppress(OSError):  # it has ended meanwhile
            used |= shared_memory(int(entry.name)) if entry.name.isdigit() else set()
    return used


def data_files(pid: int) -> set[str]:
    """Return a process' data files of Fast DDS in /dev/shm; ports belong to all who use them."""
    data = re.compile("/fast(dds|rtps)_[0-9a-f]{16}$")
    return {name for name in shared_memory(pid) if data.search(name)}
