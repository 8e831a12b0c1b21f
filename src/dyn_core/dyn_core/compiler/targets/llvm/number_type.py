# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The numbers of printed code: doubles, or floats of half their size, and how LLVM writes them."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import llvmlite.binding as llvm
import numpy as np


def pointer(to: str) -> str:
    """The type of a pointer; up to LLVM 14 it names the type of what it points to."""
    return "ptr" if llvm.llvm_version_info[0] >= 15 else f"{to}*"


@dataclass(frozen=True)
class Number:
    """A type of numbers."""

    name: str
    """LLVM's name."""
    bits: int
    library: str = ""
    """Suffix of the C library's functions for this type."""

    @property
    def bytes(self) -> int:
        """Size in memory."""
        return self.bits // 8

    @property
    def dtype(self) -> np.dtype[np.floating]:
        """Numpy's type."""
        return np.dtype(f"float{self.bits}")

    @property
    def pointer(self) -> str:
        """The type of an array's address."""
        return pointer(self.name)

    def real(self, lanes: int) -> str:
        """The type of a vector; of one lane, that of a number."""
        return self.name if lanes == 1 else f"<{lanes} x {self.name}>"

    def integer(self, lanes: int) -> str:
        """The type of integers of the same size."""
        return f"<{lanes} x i{self.bits}>"

    def suffix(self, lanes: int) -> str:
        """The type in names of LLVM's intrinsics."""
        return f"f{self.bits}" if lanes == 1 else f"v{lanes}f{self.bits}"

    def literal(self, x: float) -> str:
        """A constant; in single precision the nearest number."""
        if self.bits == 32:
            with np.errstate(over="ignore"):
                x = float(np.float32(x))
        return "0x" + struct.pack(">d", x).hex().upper()

    def constant(self, x: float, lanes: int) -> str:
        """The same constant in each lane."""
        if lanes == 1:
            return self.literal(x)
        return f"<{', '.join([f'{self.name} {self.literal(x)}'] * lanes)}>"


DOUBLE = Number("double", 64)
SINGLE = Number("float", 32, "f")
