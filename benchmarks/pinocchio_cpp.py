"""Pinocchio's C++ as machine code to time: `pinocchio_kernels.cpp`, compiled for this processor."""

from __future__ import annotations

import ctypes
import hashlib
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pinocchio as pin

SOURCE = Path(__file__).with_name("pinocchio_kernels.cpp")
BUILD = Path(__file__).parents[1] / ".build"
COMPILERS = ("clang++", *(f"clang++-{k}" for k in range(21, 13, -1)), "g++")
"""The first one that is there is taken: clang is up to twice as fast as gcc 12 here."""
OPTIONS = (
    "-O3", "-march=native", "-DNDEBUG", "-std=c++17", "-shared", "-fPIC",
    # as Pinocchio's own CMake targets have them
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)  # fmt: skip
CLANG_OPTIONS = ("-fno-slp-vectorize",)
"""Which makes it faster."""


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


def compiler_here() -> str | None:
    """The compiler of peers, if there is one."""
    return next(filter(None, map(shutil.which, COMPILERS)), None)


@cache
def pinocchio_kernels() -> PinocchioKernels | None:
    """The compiled functions; None, with the reason on stderr, where they cannot be built."""
    compiler = compiler_here()
    prefix = next(x for x in Path(pin.__file__).parents if x.name == "cmeel.prefix")
    if compiler is None or not (prefix / "include" / "eigen3").is_dir():
        print("Pinocchio's C++ needs clang++ or g++, and the wheel cmeel-eigen", file=sys.stderr)
        return None
    try:
        return PinocchioKernels(ctypes.CDLL(str(_built(compiler, prefix))), _name(compiler))
    except (subprocess.CalledProcessError, OSError) as error:
        print(f"Pinocchio's C++ cannot be built: {error}", file=sys.stderr)
        return None


def _name(compiler: str) -> str:
    """With its version."""
    said = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout
    return said.splitlines()[0] if said else Path(compiler).name


def _built(compiler: str, prefix: Path) -> Path:
    """The shared library, compiled if there is none of this source and compiler yet."""
    special = CLANG_OPTIONS if "clang" in compiler else ()
    command = [compiler, *OPTIONS, *special, str(SOURCE), f"-I{prefix}/include"]
    command += [f"-I{prefix}/include/eigen3", f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib"]
    command += ["-lboost_serialization"]
    digest = hashlib.sha256(repr(command).encode() + SOURCE.read_bytes()).hexdigest()[:16]
    library = BUILD / f"pinocchio_kernels-{digest}.so"
    if not library.exists():
        BUILD.mkdir(exist_ok=True)
        print("compiling Pinocchio's C++, which takes a while", file=sys.stderr)
        subprocess.run([*command, "-o", str(library)], check=True)
    return library
