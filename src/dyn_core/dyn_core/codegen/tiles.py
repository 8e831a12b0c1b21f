# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Results of limbs that are lanes: several vectors stored together, transposed into their rows.

Each lane of such a vector is an entry of another limb's rows or columns of a matrix, far from the
other lanes. A core stores once per cycle, so that single stores take longer than the computation.
Adjacent entries are the same lane of other vectors. So these vectors are transposed as a tile, and
each lane's entries are stored as one vector.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dyn_core.codegen.memory import Memory, OneState
from dyn_core.codegen.trace import Store, Trace
from dyn_core.scalars import Graph

NEAR = 44
"""Largest distance in nodes between the first and the last vector of a tile, over the square of the
lanes: a tile saves so many stores, but its vectors occupy registers until the last one is known.
With a distance of 350, limbs in pairs lose 2 % and limbs in fours gain 4 %."""


@dataclass(frozen=True)
class Tile:
    """Vectors whose lanes lie side by side in an output."""

    positions: tuple[int, ...]
    output: str
    entries: tuple[int, ...]
    """For each lane the entry where that of the first vector belongs."""

    def covers(self) -> Iterator[tuple[str, int]]:
        """The entries that are stored."""
        for entry in self.entries:
            yield from ((self.output, entry + k) for k in range(len(self.positions)))

    def store(self, memory: Memory, tag: str, values: Sequence[str]) -> None:
        """Store the vectors."""
        lanes, width = len(self.entries), len(self.positions)
        mixed = _Lanes(lanes, memory).transposed(tag, values)
        for lane, entry in enumerate(self.entries):
            part, first = mixed[lane % width], lane - lane % width
            if width < lanes:
                whole, part = part, f"{tag}.p{lane}"
                memory.lines.append(memory.number.part(part, whole, lanes, first, width))
            memory.store(self.output, entry, part, width)


class _Lanes(OneState):
    """Vectors of some lanes, in the lines of another memory."""

    def __init__(self, lanes: int, memory: Memory) -> None:
        super().__init__(Trace(Graph(), {}, {}))
        self.lanes = lanes
        self.lines = memory.lines

    def transposed(self, tag: str, vectors: Sequence[str]) -> list[str]:
        """The vectors, square block by square block."""
        return self._transposed(tag, vectors)


def tiles(graph: Graph, stores: Iterable[Store]) -> Iterator[Tile]:
    """The tiles that can be made of stores of single lanes."""
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
            while width > 1 and _wait(run[done : done + width]) > NEAR * len(entries) ** 2:
                width //= 2
            if width > 1:
                first = tuple(x + done for x in entries)
                yield Tile(tuple(run[done : done + width]), output, first)
            done += width


def _wait(positions: Sequence[int]) -> int:
    return max(positions) - min(positions)


def _columns(graph: Graph, stores: Iterable[Store]) -> dict[tuple[str, tuple[int, ...]], int]:
    """Vectors of which all lanes are stored alone, by the entries that these belong to."""
    places: dict[tuple[int, str], list[list[int]]] = {}
    for store in stores:
        node = graph.nodes[store.position]
        if store.entries == 1 and node.kind == "lane":
            (whole,), lane = node.operands, node.entry
            nowhere: list[list[int]] = [[] for _ in range(graph.nodes[whole].width)]
            places.setdefault((whole, store.output), nowhere)[lane].append(store.entry)
    return {
        (output, entries): whole
        for (whole, output), of_lane in places.items()
        if len(of_lane).bit_count() == 1 and len({len(entries) for entries in of_lane}) == 1
        for entries in zip(*of_lane, strict=True)
    }
