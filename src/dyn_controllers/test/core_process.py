# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The core of the controllers as a process that answers line by line: see core_program.cpp."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from robots import OWN_ARM

PACKAGE = Path(__file__).resolve().parents[1]
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror")
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")


def compiled(folder: Path) -> Path:
    """Return the program, compiled once for all processes of a test run."""
    path = folder / "core"
    sources = [PACKAGE / "test" / "core_program.cpp", *sorted(PACKAGE.glob("src/*.cpp"))]
    options = ["-std=c++17", *WARNINGS, *SANITIZERS, f"-I{PACKAGE / 'include'}"]
    with open(f"{path}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            subprocess.run(
                [shutil.which("c++"), *options, *sources, "-ldl", "-o", path], check=True
            )
    return path


def _written(word: object) -> str:
    """As the program reads it: numbers exactly, and in quotes what may have a space."""
    if isinstance(word, np.ndarray):
        return " ".join(float(x).hex() for x in word)
    if isinstance(word, float):
        return word.hex()
    return f'"{word}"' if isinstance(word, Path) else str(word)


def numbers(words: Sequence[str]) -> np.ndarray:
    """Return what the program wrote."""
    return np.array([float.fromhex(x) for x in words])


class Core:
    """The program."""

    def __init__(self, program: Path, object_file: Path = OWN_ARM) -> None:
        self._process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.object_file = object_file

    def __call__(self, *words: object) -> str:
        """Return what it answers."""
        self._process.stdin.write(" ".join(map(_written, words)) + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()

    def policy(
        self,
        limit: np.ndarray,
        rate: np.ndarray,
        *,
        ramp: float = 0.0,
        hold: float = 0.2,
        damp: float = 2.0,
        damping_time: float = 0.1,
        shutdown: str = "damp",
    ) -> str:
        """Begin with a new policy of efforts."""
        durations = (float(ramp), float(hold), float(damp), float(damping_time))
        return self("policy", *durations, shutdown, len(limit), limit, rate)

    def begin(self, efforts: np.ndarray) -> np.ndarray:
        """Begin at efforts; return the command."""
        return numbers(self("begin", efforts).split()[2:])

    def step(
        self,
        now: float,
        event: str,
        *,
        wanted: np.ndarray | None = None,
        gravity: np.ndarray | None = None,
        velocity: np.ndarray | None = None,
        mass: np.ndarray | None = None,
        age: float = 0.0,
        trust: str = "-",
    ) -> tuple[str, np.ndarray | None]:
        """Return the phase after a step of the policy, and the command if there is one."""
        words: list[object] = []
        for array in (wanted, gravity, velocity, mass):
            words += ["-"] if array is None else ["+", array.ravel()]
        answer = self("step", float(now), event, trust, float(age), *words)
        sent, phase, _, *command = answer.split()
        return phase, numbers(command) if sent == "sent" else None

    def start(
        self,
        *quantities: str,
        at: np.ndarray,
        limit: float = np.inf,
        rate: float = np.inf,
        **settings: float,
    ) -> None:
        """Load the object and begin at efforts."""
        assert "refused" not in self("load", self.object_file, OWN_ARM)
        for quantity in quantities:
            assert self("use", quantity, -1 if "friction" in quantity else 1) == "used"
        ones = np.ones(len(at))
        assert self.policy(limit * ones, rate * ones, **settings) == "set"
        self.begin(at)

    def cycle(
        self, q: np.ndarray, v: np.ndarray, reference: np.ndarray
    ) -> tuple[str, int, np.ndarray]:
        """Return phase, saturated joints and efforts after a cycle of 1 ms."""
        phase, saturated, *efforts = self("cycle", q, v, reference).split()
        return phase, int(saturated), numbers(efforts)

    def end(self) -> int:
        """Return the exit status."""
        self._process.stdin.close()
        return self._process.wait(timeout=20)
