# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Peers in C and C++: compiled for this processor when they are first asked for."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pinocchio as pin

BUILD = Path(__file__).parents[1] / ".build"
CLANG = (*(f"clang-{k}" for k in range(21, 13, -1)), "clang")
"""The first one that is there is taken."""
PREFIX = next(x for x in Path(pin.__file__).parents if x.name == "cmeel.prefix")
"""Where the wheels of Pinocchio, Eigen and Boost have their headers and libraries."""
PINOCCHIO = (
    "-std=c++17", "-DNDEBUG", f"-I{PREFIX}/include", f"-I{PREFIX}/include/eigen3",
    f"-L{PREFIX}/lib", f"-Wl,-rpath,{PREFIX}/lib",
    # as Pinocchio's own CMake targets have them
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)  # fmt: skip
"""For programs of Pinocchio's headers."""


@cache
def compilers() -> tuple[str, ...]:
    """The newest clang and gcc, as far as they are there; for C++ they end with ``++``."""
    clang = next(filter(shutil.which, CLANG), None)
    return tuple(filter(None, (clang, "gcc" if shutil.which("gcc") else None)))


def for_cpp(compiler: str) -> str:
    """The same compiler as it is called for C++."""
    name, _, version = compiler.partition("-")
    plus = {"clang": "clang++", "gcc": "g++"}[name]
    return f"{plus}-{version}" if version else plus


@cache
def name(compiler: str) -> str:
    """With its version."""
    answer = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout
    return answer.splitlines()[0] if answer else compiler


def built(
    result: str, compiler: str, options: Sequence[str], sources: Sequence[Path], tail: str = ""
) -> Path:
    """What the compiler makes of sources, kept until they, it or its options change.

    Args:
        result: name of the file in .build, as ``"peer.so"``.
        compiler: the program.
        options: of the compiler, before the sources, and
        sources: which are compiled.
        tail: libraries, after the sources.

    Raises:
        CalledProcessError, OSError: it did not work; what the compiler says is on stderr.
    """
    command = [compiler, *options, *map(str, sources), *tail.split()]
    known = repr((name(compiler), command)).encode() + b"".join(x.read_bytes() for x in sources)
    path = BUILD / f"{hashlib.sha256(known).hexdigest()[:16]}-{result}"
    if not path.exists():
        BUILD.mkdir(exist_ok=True)
        print(f"compiling {result} by {compiler}", file=sys.stderr)
        unfinished = path.with_suffix(".unfinished")
        subprocess.run([*command, "-o", str(unfinished)], check=True)
        unfinished.replace(path)
    return path
