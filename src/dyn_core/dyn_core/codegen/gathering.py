"""Stores lanes that are known long before their vector into the slot of the vector."""

from __future__ import annotations

from dyn_core.codegen.memory import Memory
from dyn_core.codegen.spill_area import SpillArea
from dyn_core.scalars import Graph


class Gathering:
    """Prints the stores into the spill area."""

    def __init__(self, graph: Graph, spills: SpillArea, memory: Memory) -> None:
        self.graph = graph
        self.spills = spills
        self.memory = memory

    def store(self, position: int, value: str) -> None:
        """Store a node where vectors that it is a lane of will be loaded from."""
        for vector, lane in self.spills.lanes.get(position, ()):
            if vector not in self.spills.place:
                self._begin(vector)
            place = self.spills.lane(position, vector, lane)
            self.memory.write(f"%n{vector}.{lane}.of", value, "%frame", place, 1)

    def _begin(self, vector: int) -> None:
        """Give a place to a vector, and constants among its lanes."""
        place, number = self.spills.gather(vector), self.memory.number
        lanes = [self.graph.nodes[x] for x in self.graph.nodes[vector].operands]
        constants = [x.numbers[0] if x.kind == "constant" else None for x in lanes]
        if any(x is not None for x in constants):
            literals = (f"{number.name} {number.literal(x or 0.0)}" for x in constants)
            whole = f"<{', '.join(literals)}>"
            self.memory.write(f"%n{vector}.of", whole, "%frame", place, len(lanes))
