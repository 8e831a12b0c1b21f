# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Long output rows of a batch: collected as vectors in a block, then transposed by a loop.

A program does not compute the entries of a row in their order, and registers hold few entries until
their neighbours are known. So most entries of a humanoid's matrix would be stored number by number.
Instead each entry is stored in a block, as a vector over the states, and a short loop transposes
the block into the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.targets.llvm.array_layouts import StateRows
from dyn_core.compiler.targets.llvm.instructions import DOUBLE, Number, function, pointer
from dyn_core.spatial.scalars import Scalar

FIRST_CACHE = 2**15
"""Bytes of the results of one call up to which they are not collected: in the first-level cache, a
second store costs more than stores of single numbers."""
SECOND_CACHE = 2**20
"""The most bytes of the block, which is on the stack."""


class CollectedRows(StateRows):
    """Rows that are collected if the results of one call outgrow the first-level cache.

    A tile is as many entries of a row as there are lanes, transposed at once. Tiles that are zero
    in every state have no place in the block.
    """

    def __init__(self, trace: Trace, lanes: int, number: Number = DOUBLE) -> None:
        super().__init__(trace, lanes, number)
        self.size = 0
        """Numbers in the block."""
        self.tiles: dict[str, list[int | None]] = {}
        """The place of each tile of an array in the block; None if the tile is zero."""
        self.constant: list[str] = []
        """Stores of constants into the block."""
        results = sum(map(len, trace.outputs.values())) * lanes * number.bytes
        if results > FIRST_CACHE:
            for name, scalars in trace.outputs.items():
                self._plan(self.outputs[name], scalars)

    def _plan(self, array: str, scalars: Sequence[Scalar]) -> None:
        """Give the tiles of an array places in the block, if its rows have a tile."""
        if len(scalars) < self.lanes:
            return
        places: list[int | None] = []
        end = self.size
        for tile in range(-(-len(scalars) // self.lanes)):
            start = self._start(array, tile)
            zero = all(_is_zero(x) for x in scalars[start : start + self.lanes])
            places.append(None if zero else end)
            end += 0 if zero else self.lanes * self.lanes
        if end * self.number.bytes <= SECOND_CACHE:
            self.size, self.tiles[array] = end, places

    def _start(self, array: str, tile: int) -> int:
        """The first entry of a tile; the last tile may overlap the one before."""
        return min(tile * self.lanes, self.sizes[array] - self.lanes)

    def _places(self, array: str, k: int) -> Iterator[int]:
        """The places of entry ``k`` of a row in the block: two if tiles overlap there."""
        places = self.tiles[array]
        for tile in {k // self.lanes, len(places) - 1}:
            start, place = self._start(array, tile), places[tile]
            if place is not None and start <= k:
                yield place + self.lanes * (k - start)

    @property
    def parameters(self) -> str:
        """Parameters of the printed function."""
        block = f", {self.number.pointer} %block" if self.tiles else ""
        return super().parameters + block

    def store(self, name: str, k: int, value: str, entries: int = 1) -> None:
        """Store the value in the block, or keep it as :class:`StateRows` does."""
        array = self.outputs[name]
        if array not in self.tiles:
            super().store(name, k, value, entries)
            return
        for place in self._places(array, k):
            self._store(value, "%block", place, self.lanes)

    def store_constants(self, name: str, constants: Mapping[int, float]) -> None:
        """Store constants in the block once for all states."""
        if self.outputs[name] not in self.tiles:
            super().store_constants(name, constants)
            return
        lines, self.lines = self.lines, self.constant
        super().store_constants(name, constants)
        self.lines = lines

    def before(self) -> list[str]:
        """Allocate the block and store the constants in it."""
        if not self.tiles:
            return []
        made = f"%block = alloca {self.number.name}, i64 {max(1, self.size)}, align 64"
        return [made, *self.constant]

    def after(self) -> list[str]:
        """Transpose the block into the rows."""
        return [f"call void @rows{array[1:]}({self._taken(array)})" for array in self.tiles]

    def _taken(self, array: str) -> str:
        kind = self.number.pointer
        return f"i64 %first, i64 %count, {kind} {array}, {kind} %block"

    def functions(self) -> str:
        """The functions that transpose the block into rows."""
        return "\n".join(map(self._mover, self.tiles))

    def _mover(self, array: str) -> str:
        """A loop over the tiles of an array, whose places are in a table."""
        places, lanes, last = self.tiles[array], self.lanes, self.sizes[array] - self.lanes
        kind, table = f"[{len(places)} x i64]", f"@tiles{array[1:]}"
        numbers = ", ".join(f"i64 {-1 if x is None else x}" for x in places)
        self.lines = []
        self.label("start")
        self._find_rows([array])
        with self.loop("%k", 0, len(places)):
            entry = self.op(f"getelementptr {kind}, {pointer(kind)} {table}, i64 0, i64 %k")
            place = self.op(f"load i64, {pointer('i64')} {entry}")
            start = self.op(f"mul i64 %k, {lanes}")
            fits = self.op(f"icmp ult i64 {start}, {last}")
            to = self.op(f"select i1 {fits}, i64 {start}, i64 {last}")
            zero = self.op(f"icmp slt i64 {place}, 0")
            self.lines.append(f"br i1 {zero}, label %zero, label %moved")
            self.label("zero")
            self._write_rows(array, "%zero", [self.number.constant(0.0, lanes)] * lanes, to)
            self.lines.append("br label %next")
            self.label("moved")
            tile = []
            for k in range(lanes):
                at = self.op(f"add i64 {place}, {k * lanes}")
                tile.append(self.read(f"%entry{k}", "%block", at, lanes))
            self._write_rows(array, "%moved", self.rows("%tile", tile, lanes), to)
            self.lines.append("br label %next")
            self.label("next")
        head = f"internal void @rows{array[1:]}({self._taken(array)})"
        text = function(head, [*self.lines, "ret void"])
        return f"{table} = private constant {kind} [{numbers}]\n{text}"

    def _write_rows(self, array: str, tag: str, rows: Sequence[str], at: str) -> None:
        for lane, row in enumerate(rows):
            self.write(f"{tag}{lane}", row, f"{array}.row{lane}.a", at, self.lanes)


def _is_zero(x: Scalar) -> bool:
    return not isinstance(x, Expr) and x == 0.0
