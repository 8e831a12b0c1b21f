# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Pinocchio's generated code: straight-line C of one model, by CppAD and CppADCodeGen.

Optional: neither is in Debian or a wheel. The environment variable ``CPPAD_PREFIX`` names the
folder where both were installed from source, so that it has include/cppad/cg.hpp;
docs/benchmarks.md says how. The generator is Pinocchio's own; its C is compiled by clang and by gcc
for this processor, as Pinocchio does it with -ffast-math, unless that makes the numbers wrong.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import native
import numpy as np
import pinocchio as pin
from robots import Robot, relative_error

VARIABLE = "CPPAD_PREFIX"
SOURCE = Path(__file__).with_name("pinocchio_generator.cpp")
CALLED = Path(__file__).with_name("pinocchio_generated.c")
OPTIONS = ("-O3", "-march=native", "-shared", "-fPIC")
LIBERTIES = (("-ffast-math",), ("-fno-math-errno", "-ffp-contract=fast"))
"""Of which the first that gives right numbers counts: clang 19's -ffast-math makes the mass matrix
of panda, whose constants are rounded sines and cosines, wrong by a percent."""
TOLERANCE = 1e-9


class Generated:
    """``void f(double *x, double *y)``: the inputs in a row, the outputs in a row."""

    def __init__(self, library: Path, compiler: str) -> None:
        self.compiler = compiler
        self._library = ctypes.CDLL(str(library))
        self.address = int(ctypes.cast(self._library.generated, ctypes.c_void_p).value or 0)

    def __call__(self, x: np.ndarray, size: int) -> np.ndarray:
        """So many outputs."""
        y = np.empty(size)
        pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (x, y)]
        self._library.generated(*pointers)
        return y


def outputs(robot: Robot, function: str) -> int:
    """How many numbers a function gives: of symmetric matrices one half."""
    nv = robot.model.nv
    return {"rnea": nv, "aba": nv}.get(function, nv * (nv + 1) // 2)


def generated(robot: Robot, function: str, states: list[dict[str, np.ndarray]]) -> list[Generated]:
    """The function by each compiler that makes right code of it, or none where it cannot be had."""
    generator = _generator()
    if generator is None:
        return []
    found: list[Generated] = []
    folder = native.BUILD / "generated" / f"{robot.name}-{function}"
    folder.mkdir(parents=True, exist_ok=True)
    robot.pin_model.saveToText(str(folder / "model.txt"))
    subprocess.run([generator, folder / "model.txt", function, folder], check=True)
    texts = sorted(folder.glob("generated_forward_zero*.c"))
    for compiler in native.compilers():
        tried = (_compiled(f"{robot.name}-{function}.so", compiler, x, texts) for x in LIBERTIES)
        found += next(([one] for one in tried if _is_right(one, robot, function, states[0])), [])
    return found


def _compiled(name: str, compiler: str, liberties: Sequence[str], texts: list[Path]) -> Generated:
    path = native.built(name, compiler, (*OPTIONS, *liberties), [CALLED, *texts], "-lm")
    return Generated(path, compiler.partition("-")[0])


def _is_right(one: Generated, robot: Robot, function: str, state: dict[str, np.ndarray]) -> bool:
    """Whether it computes what Pinocchio itself does; the time of anything else means nothing."""
    model, data = robot.pin_model, robot.pin_model.createData()
    names = {"rnea": ("q", "v", "a"), "aba": ("q", "v", "tau")}.get(function, ("q",))
    arguments = [state[x] for x in names]
    call = pin.computeMinverse if function == "minverse" else getattr(pin, function)
    expected = call(model, data, *arguments)
    if expected.ndim == 2:
        expected = expected[np.triu_indices(model.nv)]
    return relative_error(one(np.concatenate(arguments), expected.size), expected) < TOLERANCE


@cache
def _generator() -> Path | None:
    """The generator; None, with the reason on stderr, where it cannot be built."""
    prefix = os.environ.get(VARIABLE, "")
    if not (Path(prefix) / "include" / "cppad" / "cg.hpp").is_file() or not prefix:
        print(
            f"Pinocchio's generated code is left out: ${VARIABLE}/include has no cppad/cg.hpp",
            file=sys.stderr,
        )
        return None
    options = (f"-I{prefix}/include", f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib", "-O1")
    libraries = "-lboost_serialization -lcppad_lib -ldl"
    try:
        compiler = native.for_cpp(native.compilers()[0])
        return native.built(
            "pinocchio_generator", compiler, (*native.PINOCCHIO, *options), [SOURCE], libraries
        )
    except (subprocess.CalledProcessError, OSError, IndexError) as error:
        print(f"Pinocchio's generator cannot be built: {error}", file=sys.stderr)
        return None
