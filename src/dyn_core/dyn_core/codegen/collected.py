# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Long rows of results: collected in a block, and transposed when all of them are known.

The program computes the entries of a row in an order of its own. Few of them fit into registers
until their neighbours are known, so most entries of a humanoid's matrix would be stored number by
number. Instead each entry is stored in a block as a vector, and a short loop transposes the block
into the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dyn_core.codegen.memory import StateRows
from dyn_core.codegen.number import DOUBLE, Number, pointer
from dyn_core.codegen.trace import Trace
from dyn_core.scalars import Expr, Scalar

FIRST_CACHE = 2**15
"""Bytes of results of one call up to which they are transposed as they come: where all of them stay
in the first cache, storing twice costs more than storing parts of tiles."""
SECOND_CACHE = 2**20
"""Bytes of the block at most; it is on the stack too."""


class CollectedRows(StateRows):
    """Rows that are collected if those of one call outgrow the first cache.

    A tile is as many entries of a row as there are lanes: what is transposed at once. Tiles that
    are zero in every state are not collected.
    """

    def __init__(self, trace: Trace, lanes: int, number: Number = DOUBLE) -> None:
        super().__init__(trace, lanes, number)
        self.block = 0
        """Numbers that are collected."""
        self.tiles: dict[str, list[int | None]] = {}
        """Where in the block each tile of an array is; None if it is zero."""
        self.constant: list[str] = []
        """Stores into the block that all states share."""
        results = sum(map(len, trace.outputs.values())) * lanes * number.bytes
        if results > FIRST_CACHE:
            for name, scalars in trace.outputs.items():
                self._plan(self.outputs[name], scalars)

    def _plan(self, array: str, scalars: Sequence[Scalar]) -> None:
        """Give the tiles of an array places in the block, if its rows are long."""
        if len(scalars) < self.lanes:
            return
        places: list[int | None] = []
        end = self.block
        for tile in range(-(-len(scalars) // self.lanes)):
            start = self._start(array, tile)
            zero = all(_is_zero(x) for x in scalars[start : start + self.lanes])
            places.append(None if zero else end)
            end += 0 if zero else self.lanes * self.lanes
        if end * self.number.bytes <= SECOND_CACHE:
            self.block, self.tiles[array] = end, places

    def _start(self, array: str, tile: int) -> int:
        """Where in a row a tile begins; the last one may overlap the one before."""
        return min(tile * self.lanes, self.sizes[array] - self.lanes)

    def _places(self, array: str, k: int) -> Iterator[int]:
        """Where in the block entry ``k`` of a row belongs."""
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
        """Collect it, or keep it until its neighbours in the row are known."""
        array = self.outputs[name]
        if array not in self.tiles:
            super().store(name, k, value, entries)
            return
        for place in self._places(array, k):
            self._store(value, "%block", place, self.lanes)

    def store_constants(self, name: str, constants: Mapping[int, float]) -> None:
        """They are collected once for all states."""
        if self.outputs[name] not in self.tiles:
            super().store_constants(name, constants)
            return
        lines, self.lines = self.lines, self.constant
        super().store_constants(name, constants)
        self.lines = lines

    def before(self) -> list[str]:
        """Make the block, with what is the same in all states."""
        if not self.tiles:
            return []
        made = f"%block = alloca {self.number.name}, i64 {max(1, self.block)}, align 64"
        return [made, *self.constant]

    def after(self) -> list[str]:
        """Move what was collected to its rows."""
        return [f"call void @rows{array[1:]}({self._taken(array)})" for array in self.tiles]

    def _taken(self, array: str) -> str:
        kind = self.number.pointer
        return f"i64 %first, i64 %count, {kind} {array}, {kind} %block"

    def functions(self) -> str:
        """The functions that move what was collected to its rows."""
        return "\n".join(map(self._mover, self.tiles))

    def _mover(self, array: str) -> str:
        """A loop over the tiles of an array, of which a table says which ones are zero."""
        places, lanes, last = self.tiles[array], self.lanes, self.sizes[array] - self.lanes
        start = next((x for x in places if x is not None), 0)
        kinds = ", ".join(f"i1 {int(x is not None)}" for x in places)
        kind, table = f"[{len(places)} x i1]", f"@tiles{array[1:]}"
        lines = [
            "start:",
            *self._rows([array]),
            "br label %tile",
            "tile:",
            "%k = phi i64 [0, %start], [%k.next, %next]",
            f"%from = phi i64 [{start}, %start], [%from.next, %next]",
            f"%kind = getelementptr {kind}, {pointer(kind)} {table}, i64 0, i64 %k",
            f"%varies = load i1, {pointer('i1')} %kind",
            f"%start.k = mul i64 %k, {lanes}",
            f"%before.last = icmp ult i64 %start.k, {last}",
            f"%at = select i1 %before.last, i64 %start.k, i64 {last}",
            "br i1 %varies, label %moved, label %zero",
            "moved:",
            *self._moved(array),
            f"%from.moved = add i64 %from, {lanes * lanes}",
            "br label %next",
            "zero:",
            *self._zeros(array),
            "br label %next",
            "next:",
            "%from.next = phi i64 [%from.moved, %moved], [%from, %zero]",
            "%k.next = add i64 %k, 1",
            f"%more = icmp ult i64 %k.next, {len(places)}",
            "br i1 %more, label %tile, label %end",
            "end:",
            "ret void",
        ]
        return "\n".join(
            [
                f"{table} = private constant {kind} [{kinds}]",
                f"define internal void @rows{array[1:]}({self._taken(array)}) noinline {{",
                *lines,
                "}\n",
            ]
        )

    def _moved(self, array: str) -> list[str]:
        """The entries of a tile, transposed."""
        self.lines = []
        tile = []
        for k in range(self.lanes):
            self.lines.append(f"%place{k} = add i64 %from, {k * self.lanes}")
            tile.append(self.read(f"%entry{k}", "%block", f"%place{k}", self.lanes))
        for lane, row in enumerate(self._transposed("%t", tile)):
            self.write(f"%moved{lane}", row, f"{array}.row{lane}.a", "%at", self.lanes)
        return self.lines

    def _zeros(self, array: str) -> list[str]:
        self.lines = []
        zero = self.number.constant(0.0, self.lanes)
        for lane in range(self.lanes):
            self.write(f"%zero{lane}", zero, f"{array}.row{lane}.a", "%at", self.lanes)
        return self.lines


def _is_zero(x: Scalar) -> bool:
    return not isinstance(x, Expr) and x == 0.0
