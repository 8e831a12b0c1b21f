# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Pinocchio's C++ as machine code to time: `pinocchio_kernels.cpp`, compiled for this processor."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import native
import pinocchio as pin

SOURCE = Path(__file__).with_name("pinocchio_kernels.cpp")
OPTIONS = ("-O3", "-march=native", "-shared", "-fPIC", *native.PINOCCHIO)
FASTER_BY_CLANG = "-fno-slp-vectorize"


class PinocchioKernels:
    """Functions ``void f(double *inputs...)`` for the model that was chosen last."""

    def __init__(self, library: ctypes.CDLL, compiler: str) -> None:
        self._library = library
        self._numbers: dict[int, int] = {}
        self._models: list[pin.Model] = []
        """Those that were chosen: while they live, no other has their identity."""
        self.compiler = compiler

    def address(self, model: pin.Model, function: str) -> int:
        """Where ``function`` is, which from now on computes ``model``."""
        if id(model) not in self._numbers:
            self._models.append(model)
            with tempfile.NamedTemporaryFile(suffix=".txt") as archive:
                model.saveToText(archive.name)
                self._numbers[id(model)] = self._library.load(archive.name.encode())
        self._library.choose(self._numbers[id(model)])
        return int(ctypes.cast(getattr(self._library, function), ctypes.c_void_p).value or 0)

    def choose_legs(self, *numbers: int) -> None:
        """Frames of the left and the right foot, and the first column of each leg."""
        self._library.choose_legs(*numbers)


@cache
def pinocchio_kernels() -> PinocchioKernels | None:
    """The compiled functions; None, with the reason on stderr, where they cannot be built.

    By clang where it is there, which is up to twice as fast as gcc 12 here.
    """
    if not native.compilers() or not (native.PREFIX / "include" / "eigen3").is_dir():
        print("Pinocchio's C++ needs clang++ or g++, and the wheel cmeel-eigen", file=sys.stderr)
        return None
    compiler = native.for_cpp(native.compilers()[0])
    options = (*OPTIONS, FASTER_BY_CLANG) if "clang" in compiler else OPTIONS
    try:
        library = native.built(
            "pinocchio_kernels.so", compiler, options, [SOURCE], "-lboost_serialization"
        )
        return PinocchioKernels(ctypes.CDLL(str(library)), native.name(compiler))
    except (subprocess.CalledProcessError, OSError) as error:
        print(f"Pinocchio's C++ cannot be built: {error}", file=sys.stderr)
        return None
