# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The numbers of printed code: doubles, or floats of half their size, and how LLVM writes them."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import llvmlite.binding as llvm
import numpy as np


def pointer(to: str) -> str:
    """The type of a pointer; LLVM 14 and older want to know what it points to."""
    return "ptr" if llvm.llvm_version_info[0] >= 15 else f"{to}*"


@dataclass(frozen=True)
class Number:
    """A type of numbers."""

    name: str
    """As LLVM calls it."""
    bits: int
    library: str = ""
    """Suffix of the C library's functions for this type."""

    @property
    def bytes(self) -> int:
        """Size in memory."""
        return self.bits // 8

    @property
    def dtype(self) -> np.dtype[np.floating]:
        """As numpy has it."""
        return np.dtype(f"float{self.bits}")

    @property
    def pointer(self) -> str:
        """The type of an array's address."""
        return pointer(self.name)

    def real(self, lanes: int) -> str:
        """The type of a number in each of some lanes; one lane is a number."""
        return self.name if lanes == 1 else f"<{lanes} x {self.name}>"

    def integer(self, lanes: int) -> str:
        """The type of integers of the same size."""
        return f"<{lanes} x i{self.bits}>"

    def suffix(self, lanes: int) -> str:
        """How LLVM's intrinsics name the type."""
        return f"f{self.bits}" if lanes == 1 else f"v{lanes}f{self.bits}"

    def literal(self, x: float) -> str:
        """A constant, exactly; for a float, the nearest one."""
        if self.bits == 32:
            with np.errstate(over="ignore"):
                x = float(np.float32(x))
        return "0x" + struct.pack(">d", x).hex().upper()

    def constant(self, x: float, lanes: int) -> str:
        """The same constant in each lane."""
        if lanes == 1:
            return self.literal(x)
        return f"<{', '.join([f'{self.name} {self.literal(x)}'] * lanes)}>"

    def inserted(self, name: str, vector: str, number: str, lane: int, width: int) -> str:
        """The line that puts a number into a lane of a vector."""
        operands = f"{self.real(width)} {vector}, {self.name} {number}, i32 {lane}"
        return f"{name} = insertelement {operands}"

    def part(self, name: str, vector: str, width: int, start: int, count: int = 1) -> str:
        """The line that takes some lanes side by side out of a vector; one is a number."""
        kind = self.real(width)
        if count == 1:
            return f"{name} = extractelement {kind} {vector}, i32 {start}"
        mask = ", ".join(f"i32 {start + k}" for k in range(count))
        return f"{name} = shufflevector {kind} {vector}, {kind} undef, <{count} x i32> <{mask}>"


DOUBLE = Number("double", 64)
SINGLE = Number("float", 32, "f")
