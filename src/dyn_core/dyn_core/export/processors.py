# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Target processors of objects, their linkers, and shared objects that these make of LLVM IR."""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from dyn_core.compiler import machine_code as machine
from dyn_core.errors import ModelError

NON_MATH_FUNCTIONS = frozenset({"memcpy", "memset"})
"""Undefined functions that are not in libm."""


@dataclass(frozen=True)
class Processor:
    """A level of an architecture; every processor of the level runs the code."""

    name: str
    machine: str
    """The architecture, in the words of ``uname -m``."""
    cpu: str
    """LLVM's name of the processor."""
    features: frozenset[str]
    """LLVM's names of the features that every processor of the level has."""
    linkers: tuple[str, ...]
    """Commands of linkers; the first that is installed is used."""
    package: str
    """The Debian package of one of these linkers."""

    @property
    def triple(self) -> str:
        """LLVM's target triple."""
        return f"{self.machine}-unknown-linux-gnu"

    @property
    def has_fma(self) -> bool:
        """Whether it has fused multiply-add instructions."""
        return self.machine == "aarch64" or "fma" in self.features

    def runs_here(self) -> bool:
        """Whether this computer's processor has all features that the code uses."""
        own = llvm.get_host_cpu_features() if self.features else {}
        return platform.machine() == self.machine and all(own.get(x) for x in self.features)

    def linker(self) -> str:
        """The command of its linker.

        Raises:
            ModelError: none is installed; the message names a package that has one.
        """
        for name in self.linkers:
            if path := shutil.which(name):
                return path
        raise ModelError(
            f"no linker for {self.name} is installed ({', '.join(self.linkers)}): "
            f"apt install {self.package}"
        )


V8: frozenset[str] = frozenset()
V2 = frozenset({"sse4.2", "popcnt"})
V3 = V2 | {"avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"}
V4 = V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
OF_X86 = ("x86_64-linux-gnu-ld", "ld.lld", "ld")
OF_ARM = ("aarch64-linux-gnu-ld", "ld.lld")
PROCESSORS = {
    processor.name: processor
    for processor in (
        Processor("x86-64-v2", "x86_64", "x86-64-v2", V2, OF_X86, "binutils"),
        Processor("x86-64-v3", "x86_64", "x86-64-v3", V3, OF_X86, "binutils"),
        Processor("x86-64-v4", "x86_64", "x86-64-v4", V4, OF_X86, "binutils"),
        Processor("aarch64", "aarch64", "generic", V8, OF_ARM, "binutils-aarch64-linux-gnu"),
    )
}  # fmt: skip
"""By name, of each architecture the newest last."""


def native() -> Processor:
    """The newest level that this computer's processor has.

    Raises:
        ModelError: it has none of them.
    """
    running = [processor for processor in PROCESSORS.values() if processor.runs_here()]
    if not running:
        raise ModelError(
            f"objects are made for {', '.join(PROCESSORS)}, and this processor "
            f"({platform.machine()}) is none of these: name one as target"
        )
    return running[-1]


def processor_named(target: str | None) -> Processor:
    """The processor of a name in :data:`PROCESSORS`, or by default this computer's.

    Raises:
        ModelError: there is none of that name.
    """
    if target is None:
        return native()
    if target not in PROCESSORS:
        raise ModelError(f"no target '{target}': choose from {', '.join(PROCESSORS)}")
    return PROCESSORS[target]


def linked(texts: Sequence[str], processor: Processor) -> bytes:
    """Module texts as one shared object.

    Raises:
        ModelError: a linker is missing or fails.
    """
    code, called = machine.to_object_code_for(texts, processor.triple, processor.cpu)
    maths = bool(set(called) - NON_MATH_FUNCTIONS) or not processor.has_fma
    linker = processor.linker()
    with tempfile.TemporaryDirectory() as folder:
        source, result = Path(folder, "code.o"), Path(folder, "code.so")
        source.write_bytes(code)
        words = [linker, "-shared", "--as-needed", "-z", "noexecstack", "-o", str(result)]
        run = subprocess.run(
            [*words, str(source), *(["-lm"] if maths else [])], capture_output=True, text=True
        )
        if run.returncode != 0:
            raise ModelError(f"{linker} failed: {run.stderr.strip()}")
        return result.read_bytes()


def not_loaded(path: Path, code: bytes) -> tuple[Path, list[str]]:
    """The path, with a number before the dot where this process has loaded it, and notes on it.

    The system returns the old functions of a path that is loaded, whatever the file has now.
    """
    free, count, notes = path, 1, []
    while is_loaded(free):
        count += 1
        free = path.with_stem(f"{path.stem}_{count}")
    if count > 1:
        notes.append(
            f"this process has loaded {path.name}, and would get its old functions under that "
            f"name: the new ones are in {free.name}"
        )
    if free.exists() and free.read_bytes() != code:
        notes.append(
            f"{free} has new code: programs that have loaded it get the old functions until they "
            "are started again"
        )
    return free, notes


def is_loaded(path: Path) -> bool:
    """Whether the system returns an older file for a path: one that was loaded by that name.

    It compares the words of names, so a relative one stands for any path that ends with it.
    """
    names, visit = list[str](), getattr(ctypes.CDLL(None), "dl_iterate_phdr", None)

    def take(found: Any, size: int, data: object) -> int:
        del size, data
        names.append(os.path.normpath(os.fsdecode(found.contents.name or b"")))
        return 0

    if visit is not None:  # where there is none, nothing is known
        visit(_VISITOR(take), None)
    return any(
        name == own or (not os.path.isabs(name) and own.endswith(f"/{name}"))
        for name in names
        for own in (os.path.abspath(path), os.path.realpath(path))
    )


class _LoadedObject(ctypes.Structure):
    """The beginning of the C library's struct dl_phdr_info."""

    _fields_ = (("address", ctypes.c_void_p), ("name", ctypes.c_char_p))


_VISITOR = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(_LoadedObject), ctypes.c_size_t, ctypes.c_void_p
)


def replace(path: Path, content: bytes) -> None:
    """Replace a file atomically: a program that has loaded the old file keeps it."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
    Path(file.name).chmod(0o644)
    Path(file.name).replace(path)
