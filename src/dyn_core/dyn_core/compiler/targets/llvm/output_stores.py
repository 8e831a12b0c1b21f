# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Stores of a program's outputs.

Some outputs of limbs that are lanes are transposed, and stored as parts of matrix rows.

The lanes of such a vector are entries of different limbs' rows or columns of a matrix, far from
each other. A core stores once per cycle, so that single stores take longer than the computation.
Adjacent entries are the same lane of other vectors. These vectors form a tile: they are transposed,
and the entries of each lane are stored as one vector.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.graph import LANE, Graph
from dyn_core.compiler.ir.program import Store, Trace
from dyn_core.compiler.targets.llvm.array_layouts import Memory

MAX_TILE_DISTANCE = 44
"""The largest distance in nodes between the first and the last vector of a tile, divided by the
square of the number of lanes. A tile saves as many stores as this square, but its vectors occupy
registers until the last one is known. With 350, limbs in pairs lose 2 %, in fours gain 4 %."""


@dataclass(frozen=True)
class Tile:
    """Vectors whose equal lanes are adjacent entries of an output."""

    positions: tuple[int, ...]
    output: str
    entries: tuple[int, ...]
    """The first vector's entry of each lane."""

    def covers(self) -> Iterator[tuple[str, int]]:
        """The entries of the output."""
        for entry in self.entries:
            yield from ((self.output, entry + k) for k in range(len(self.positions)))

    def store(self, memory: Memory, tag: str, values: Sequence[str]) -> None:
        """Store the vectors."""
        rows = memory.rows(tag, values, len(self.entries))
        for entry, row in zip(self.entries, rows, strict=True):
            memory.store(self.output, entry, row, len(values))


def tiles(graph: Graph, stores: Iterable[Store]) -> Iterator[Tile]:
    """Tiles of stores of single lanes."""
    columns = _columns(graph, stores)
    for output, entries in columns:
        if (output, tuple(x - 1 for x in entries)) in columns:
            continue
        run: list[int] = []
        while (beside := (output, tuple(x + len(run) for x in entries))) in columns:
            run.append(columns[beside])
        done = 0
        while len(run) - done > 1:
            width = min(len(entries), 1 << (len(run) - done).bit_length() - 1)
            while (
                width > 1
                and _wait(run[done : done + width]) > MAX_TILE_DISTANCE * len(entries) ** 2
            ):
                width //= 2
            if width > 1:
                first = tuple(x + done for x in entries)
                yield Tile(tuple(run[done : done + width]), output, first)
            done += width


def _wait(positions: Sequence[int]) -> int:
    return max(positions) - min(positions)


def _columns(graph: Graph, stores: Iterable[Store]) -> dict[tuple[str, tuple[int, ...]], int]:
    """Vectors whose lanes are all stored singly, by output and the lanes' entries."""
    places: dict[tuple[int, str], list[list[int]]] = {}
    for store in stores:
        node = graph.nodes[store.position]
        if store.entries == 1 and node.kind is LANE:
            (whole,), lane = node.operands, node.entry
            nowhere: list[list[int]] = [[] for _ in range(graph.nodes[whole].width)]
            places.setdefault((whole, store.output), nowhere)[lane].append(store.entry)
    return {
        (output, entries): whole
        for (whole, output), of_lane in places.items()
        if len(of_lane).bit_count() == 1 and len({len(entries) for entries in of_lane}) == 1
        for entries in zip(*of_lane, strict=True)
    }


class Results:
    """Stores outputs of a program as soon as their values are known."""

    def __init__(self, trace: Trace, memory: Memory, transposing: bool) -> None:
        self.trace = trace
        self.memory = memory
        self._stores: dict[int, list[Store]] = {}
        self._tiles: dict[int, list[Tile]] = {}
        self._values: dict[int, str] = {}
        """Values that wait for the rest of their tile."""
        stores = trace.stores()
        covered: set[tuple[str, int]] = set()
        for tile in tiles(trace.graph, stores) if transposing else ():
            covered.update(tile.covers())
            for position in dict.fromkeys(tile.positions):  # a node may be in a tile twice
                self._tiles.setdefault(position, []).append(tile)
        for store in stores:
            if store.entries > 1 or (store.output, store.entry) not in covered:
                self._stores.setdefault(store.position, []).append(store)

    def take(self, position: int) -> bool:
        """Whether a node is an output."""
        return position in self._stores or position in self._tiles

    def store_constants(self) -> None:
        """Store the entries that do not depend on inputs."""
        for name, scalars in self.trace.outputs.items():
            constants = {k: x for k, x in enumerate(scalars) if not isinstance(x, Expr)}
            self.memory.store_constants(name, constants)

    def store(self, position: int, value: str) -> None:
        """Store the value of a node in all its places."""
        for store in self._stores.get(position, ()):
            self._store(store, value)
        for tile in self._tiles.get(position, ()):
            self._values[position] = value
            if all(x in self._values for x in tile.positions):
                values = [self._values[x] for x in tile.positions]
                tile.store(self.memory, f"%tile{tile.output[:1]}{tile.entries[0]}", values)

    def _store(self, store: Store, value: str) -> None:
        """Store lanes of a node, in parts whose lengths are powers of two."""
        width, done = self.trace.graph.nodes[store.position].width, 0
        while done < store.entries:
            count, part = 1 << (store.entries - done).bit_length() - 1, value
            if count < width:
                # the value itself may be a constant, which names nothing
                part = f"%part{store.position}.{store.output[:1]}{store.entry}.{done}"
                self.memory.part(part, value, width, store.lane + done, count)
            self.memory.store(store.output, store.entry + done, part, count)
            done += count
