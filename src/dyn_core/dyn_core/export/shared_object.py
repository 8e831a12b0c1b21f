# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""From LLVM IR to a shared object in a file."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from dyn_core.compiler import machine_code as machine
from dyn_core.errors import ModelError
from dyn_core.export.processors import Processor

NON_MATH_FUNCTIONS = frozenset({"memcpy", "memset"})
"""Undefined functions that are not in libm."""


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


def is_loaded(path: Path) -> bool:
    """Whether this process has loaded a file: loading its path again gives the code of then."""
    maps = Path("/proc/self/maps")  # where there is none, nothing is known
    return maps.exists() and any(
        line.split(maxsplit=5)[-1].removesuffix(" (deleted)") == str(path.resolve())
        for line in maps.read_text().splitlines()
    )


def replace(path: Path, content: bytes) -> None:
    """Replace a file atomically: a program that has loaded the old file keeps it."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
    Path(file.name).chmod(0o644)
    Path(file.name).replace(path)
