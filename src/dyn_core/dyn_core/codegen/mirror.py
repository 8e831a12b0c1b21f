# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Symmetric outputs: what is above the diagonal is stored as it is computed, the rest copied.

Storing each entry below the diagonal as well takes an extraction and a scalar store per entry, in
straight-line code. A loop over the finished matrix copies blocks of four by four entries; the size
of its code does not depend on the matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

from dyn_core.codegen.memory import OneState
from dyn_core.codegen.trace import Trace
from dyn_core.scalars import Expr, Graph, Scalar

SIDE = 4
"""Rows and columns that are moved at once."""
MANY = 250
"""Entries below the diagonal from which on they are copied, if few of them are constants: zeros
of a mass matrix are stored together anyway, and no faster copied. With fewer, code is short, stores
of it cost a cycle each, and the loop takes as long or longer."""


def mirrored(scalars: Sequence[Scalar]) -> int:
    """How many rows a symmetric matrix has that is worth copying, given row by row; else 0."""
    n = isqrt(len(scalars))
    below = n * (n - 1) // 2
    if n * n != len(scalars) or below < MANY:
        return 0
    known = [x.position if isinstance(x, Expr) else ("constant", x) for x in scalars]
    pairs = ((i * n + j, j * n + i) for i in range(n) for j in range(i))
    symmetric = all(known[a] == known[b] for a, b in pairs)
    constants = sum(not isinstance(x, Expr) for x in scalars)
    return n if symmetric and constants < below else 0


def print_mirror(name: str, n: int) -> str:
    """The text of a function that copies what is above the diagonal of n rows to below it.

    Blocks on the diagonal are made symmetric before others are copied, so that what lies in them
    below it does not matter. The last block overlaps the one before.
    """
    memory = _Square()
    pointer = memory.number.pointer
    lines = [
        "start:",
        "br label %diagonal",
        "diagonal:",
        "%j = phi i64 [0, %start], [%j.next, %ahead]",
        *_first("%column", "%j", n),
        *memory.made_symmetric("%d", "%column", n),
        "%above = icmp ne i64 %j, 0",
        "br i1 %above, label %beside, label %ahead",
        "beside:",
        "%i = phi i64 [0, %diagonal], [%i.next, %beside]",
        *_first("%row", "%i", n),
        *memory.moved("%b", "%row", "%column", n),
        "%i.next = add i64 %i, 1",
        "%i.more = icmp ult i64 %i.next, %j",
        "br i1 %i.more, label %beside, label %ahead",
        "ahead:",
        "%j.next = add i64 %j, 1",
        f"%j.more = icmp ult i64 %j.next, {-(-n // SIDE)}",
        "br i1 %j.more, label %diagonal, label %end",
        "end:",
        "ret void",
    ]
    body = "\n".join(line if line.endswith(":") else f"  {line}" for line in lines)
    return f"define internal void {name}({pointer} %matrix) noinline {{\n{body}\n}}\n"


def _first(name: str, block: str, n: int) -> list[str]:
    """The lines that find the first row or column of a block."""
    return [
        f"{name}.whole = mul i64 {block}, {SIDE}",
        f"{name}.fits = icmp ult i64 {name}.whole, {n - SIDE}",
        f"{name} = select i1 {name}.fits, i64 {name}.whole, i64 {n - SIDE}",
    ]


class _Square(OneState):
    """Blocks of a matrix, of ``SIDE`` rows and columns."""

    def __init__(self) -> None:
        super().__init__(Trace(Graph(), {}, {}))
        self.lanes = SIDE

    def made_symmetric(self, tag: str, start: str, n: int) -> list[str]:
        """The lines that copy what is above the diagonal of a block on it."""
        lines = self.begin()
        self._find(tag, start, start, n)
        rows = self._rows(tag, n)
        for k, turned in enumerate(self._transposed(f"{tag}.t", rows)):
            chosen = [column + SIDE * (column >= k) for column in range(SIDE)]
            whole = self._shuffled(f"{tag}.s{k}", turned, rows[k], SIDE, chosen)
            self._store(whole, tag, k * n, SIDE)
        return lines

    def moved(self, tag: str, row: str, column: str, n: int) -> list[str]:
        """The lines that copy a block to the other side of the diagonal."""
        lines = self.begin()
        self._find(f"{tag}.from", row, column, n)
        self._find(f"{tag}.to", column, row, n)
        for k, turned in enumerate(self._transposed(f"{tag}.t", self._rows(f"{tag}.from", n))):
            self._store(turned, f"{tag}.to", k * n, SIDE)
        return lines

    def _find(self, name: str, row: str, column: str, n: int) -> None:
        """Name the address of the block that begins there."""
        element = f"{self.number.name}, {self.number.pointer}"
        self.lines += [
            f"{name}.rows = mul i64 {row}, {n}",
            f"{name}.first = add i64 {name}.rows, {column}",
            f"{name} = getelementptr {element} %matrix, i64 {name}.first",
        ]

    def _rows(self, block: str, n: int) -> list[str]:
        return [self.read(f"{block}.r{k}", block, k * n, SIDE) for k in range(SIDE)]
