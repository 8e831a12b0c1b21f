# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""LLVM IR text: types of numbers, instructions, loops, loads and stores, lanes of vectors."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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


def function(head: str, lines: Sequence[str], attributes: str = "") -> str:
    """The definition of a function that is not inlined."""
    body = "\n  ".join(lines)
    return f"define {head} noinline {attributes} {{\n  {body}\n}}\n"


class Emitter:
    """Appends instructions to ``lines``; methods that compute a value return its name."""

    def __init__(self, number: Number = DOUBLE, prefix: str = "t") -> None:
        self.number = number
        """The type of numbers in arrays and vectors."""
        self.prefix = prefix
        """The begin of generated names."""
        self.lines: list[str] = []
        self.block = ""
        """The label of the current basic block."""

    def label(self, name: str) -> None:
        """Begin a basic block."""
        self.lines.append(f"{name}:")
        self.block = name

    @contextmanager
    def loop(self, index: str, first: int | str, end: int | str, step: int = 1) -> Iterator[None]:
        """A loop over the instructions of the context, run at least once, up to before ``end``."""
        name, before = index[1:], self.block
        self.lines.append(f"br label %{name}.loop")
        self.label(f"{name}.loop")
        place = len(self.lines)
        self.lines.append("")
        yield
        following = self.op(f"add i64 {index}, {step}", f"{index}.next")
        again = self.op(f"icmp slt i64 {following}, {end}", f"{index}.again")
        self.lines[place] = f"{index} = phi i64 [{first}, %{before}], [{following}, %{self.block}]"
        self.lines.append(f"br i1 {again}, label %{name}.loop, label %{name}.done")
        self.label(f"{name}.done")

    def op(self, instruction: str, name: str = "") -> str:
        """An instruction with a result."""
        name = name or f"%{self.prefix}.{len(self.lines)}"
        self.lines.append(f"{name} = {instruction}")
        return name

    def address(self, name: str, base: str, offset: int | str, lanes: int) -> str:
        """A pointer to ``lanes`` numbers, ``offset`` numbers behind ``base``."""
        kind = self.number.pointer
        element = f"{self.number.name}, {kind} {base}, i64 {offset}"
        place = self.op(f"getelementptr {element}", f"{name}.a")
        if lanes > 1 and kind != "ptr":
            vector = pointer(self.number.real(lanes))
            place = self.op(f"bitcast {kind} {place} to {vector}", f"{place}.v")
        return place

    def read(self, name: str, base: str, offset: int | str, lanes: int) -> str:
        """Load ``lanes`` numbers, ``offset`` numbers behind ``base``, as ``name``."""
        place, kind = self.address(name, base, offset, lanes), self.number.real(lanes)
        return self.op(f"load {kind}, {pointer(kind)} {place}, align {self.number.bytes}", name)

    def write(self, name: str, value: str, base: str, offset: int | str, lanes: int) -> None:
        """Store ``lanes`` numbers, ``offset`` numbers behind ``base``, a place called ``name``.

        The store is volatile for LLVM not to compare each with all others, which it would merge
        if it could: that takes the square of their number.
        """
        place, kind = self.address(name, base, offset, lanes), self.number.real(lanes)
        self.lines.append(
            f"store volatile {kind} {value}, {pointer(kind)} {place}, align {self.number.bytes}"
        )

    def inserted(self, name: str, vector: str, number: str, lane: int, width: int) -> str:
        """A vector with a number in one of its lanes."""
        operands = f"{self.number.real(width)} {vector}, {self.number.name} {number}, i32 {lane}"
        return self.op(f"insertelement {operands}", name)

    def packed(self, name: str, numbers: Sequence[str], width: int) -> str:
        """Numbers in the first lanes of a vector; its other lanes are zero."""
        last = len(numbers) - 1
        vector = "undef" if len(numbers) == width else "zeroinitializer"
        for lane, number in enumerate(numbers):
            filled = name if lane == last else f"{name}.{lane}"
            vector = self.inserted(filled, vector, number, lane, width)
        return vector

    def spread(self, name: str, number: str, width: int) -> str:
        """A vector with a number in each lane."""
        first = self.inserted(f"{name}.0", "undef", number, 0, width)
        return self.shuffled(name, first, "undef", width, [0] * width)

    def part(self, name: str, vector: str, width: int, start: int, count: int = 1) -> str:
        """Adjacent lanes of a vector of ``width`` lanes; one lane is a number."""
        if count == 1:
            return self.op(f"extractelement {self.number.real(width)} {vector}, i32 {start}", name)
        return self.shuffled(name, vector, "undef", width, range(start, start + count))

    def shuffled(self, name: str, a: str, b: str, width: int, chosen: Sequence[int]) -> str:
        """The ``chosen`` lanes of ``a`` and ``b``, which have ``width`` lanes each."""
        mask = ", ".join(f"i32 {k}" for k in chosen)
        kind = self.number.real(width)
        vectors = f"{kind} {a}, {kind} {b}, <{len(chosen)} x i32> <{mask}>"
        return self.op(f"shufflevector {vectors}", name)

    def transposed(self, tag: str, vectors: Sequence[str], lanes: int) -> list[str]:
        """Square blocks side by side, each transposed: exchange of halves, quarters, ... (Eklundh).

        Vector ``i`` then has in lane ``j`` what vector ``j`` had in lane ``i`` of each block.
        """
        current, size = list(vectors), 1
        while size < len(vectors):
            for i in (i for i in range(len(current)) if not i & size):
                a, b = current[i], current[i + size]
                low = [k if not k & size else lanes + k - size for k in range(lanes)]
                high = [k + size if not k & size else lanes + k for k in range(lanes)]
                current[i] = self.shuffled(f"{tag}{size}.{i}", a, b, lanes, low)
                current[i + size] = self.shuffled(f"{tag}{size}.{i + size}", a, b, lanes, high)
            size *= 2
        return current

    def rows(self, tag: str, vectors: Sequence[str], lanes: int) -> list[str]:
        """A vector for each lane, of the numbers in this lane of the given vectors."""
        width, mixed = len(vectors), self.transposed(f"{tag}.t", vectors, lanes)
        if width == lanes:
            return mixed
        return [
            self.part(f"{tag}.p{lane}", mixed[lane % width], lanes, lane - lane % width, width)
            for lane in range(lanes)
        ]
