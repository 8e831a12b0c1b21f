# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Symmetric outputs: the upper triangle is stored as it is computed, the lower one is copied.

To store entries below the diagonal takes an extraction and a scalar store per entry, in
straight-line code. A loop over the finished matrix copies blocks of four by four entries; its code
has the same size for all matrices.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.targets.llvm.instructions import Emitter, function
from dyn_core.spatial.scalars import Scalar

SIDE = 4
"""Rows and columns of a block."""
MANY = 250
"""The least number of entries below the diagonal for which they are copied, unless many of them are
constants: runs of zeros are stored as vectors. Fewer stores take one cycle each, and the loop takes
as long or longer."""


def mirrored(scalars: Sequence[Scalar]) -> list[int]:
    """The first stored column of each row of a symmetric matrix that is worth copying; else empty.

    It is the first column of the row's diagonal block; the last block overlaps the one before.
    """
    n = isqrt(len(scalars))
    below = n * (n - 1) // 2
    if n * n != len(scalars) or below < MANY:
        return []
    known = [x.position if isinstance(x, Expr) else ("constant", x) for x in scalars]
    pairs = ((i * n + j, j * n + i) for i in range(n) for j in range(i))
    symmetric = all(known[a] == known[b] for a, b in pairs)
    constants = sum(not isinstance(x, Expr) for x in scalars)
    return [min(i - i % SIDE, n - SIDE) for i in range(n) if symmetric and constants < below]


def print_mirror(name: str, n: int) -> str:
    """The text of a function that copies the blocks above the diagonal of a matrix of n rows."""
    out = Emitter()
    out.label("start")
    with out.loop("%j", 1, -(-n // SIDE)):
        column = _first(out, "%j", n)
        with out.loop("%i", 0, "%j"):
            row = _first(out, "%i", n)
            block, mirrored = _block(out, row, column, n), _block(out, column, row, n)
            rows = [out.read(f"%r{k}", block, k * n, SIDE) for k in range(SIDE)]
            for k, turned in enumerate(out.transposed("%t", rows, SIDE)):
                out.write(f"%w{k}", turned, mirrored, k * n, SIDE)
    return function(f"internal void {name}({out.number.pointer} %matrix)", [*out.lines, "ret void"])


def _first(out: Emitter, block: str, n: int) -> str:
    """The first row or column of a block."""
    whole = out.op(f"mul i64 {block}, {SIDE}")
    fits = out.op(f"icmp ult i64 {whole}, {n - SIDE}")
    return out.op(f"select i1 {fits}, i64 {whole}, i64 {n - SIDE}")


def _block(out: Emitter, row: str, column: str, n: int) -> str:
    """The address of the block that begins there."""
    rows = out.op(f"mul i64 {row}, {n}")
    first = out.op(f"add i64 {rows}, {column}")
    element = f"{out.number.name}, {out.number.pointer}"
    return out.op(f"getelementptr {element} %matrix, i64 {first}")
