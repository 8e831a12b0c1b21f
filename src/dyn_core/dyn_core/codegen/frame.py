"""Places in memory for what goes from one function of a long program to a later one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from dyn_core.scalars import Graph

UNSTORED = "less"
"""Conditions are no numbers: they are found again from their operands, not stored."""


class Frame:
    """Which nodes are kept, and where: an array of ``size`` doubles."""

    def __init__(self, graph: Graph, live: Iterable[int]) -> None:
        self.graph = graph
        self.size = 0
        self.place: dict[int, int] = {}
        """Where a node is."""
        self._left = Counter(x for position in live for x in graph.operands(position))
        self._over: list[int] = []
        self._free: dict[int, list[int]] = {}

    def printed(self, position: int) -> None:
        """Note that a node, once it is printed, needs its operands no longer."""
        if self.graph.nodes[position][0] == UNSTORED:
            return
        for x in self.graph.operands(position):
            self._left[x] -= 1
            if not self._left[x] and x in self.place:
                self._over.append(x)

    def keep(self, positions: Iterable[int]) -> set[int]:
        """Give places to nodes that are needed; those that are new in the frame are returned.

        A place of a node that is not needed any longer is given anew, but not in this round: the
        function that stores the one may still read the other.
        """
        needed = {x for x in positions if self._left[x] and x not in self.place}
        new = {x for x in needed if self.graph.nodes[x][0] != UNSTORED}
        for position in sorted(new):
            self.place[position] = self._new_place(self.graph.widths[position])
        for position in self._over:
            width = self.graph.widths[position]
            self._free.setdefault(width, []).append(self.place.pop(position))
        self._over = []
        return new

    def _new_place(self, width: int) -> int:
        free = self._free.get(width)
        if free:
            return free.pop()
        start = -(-self.size // width) * width  # where a vector does not cross lines of the cache
        self.size = start + width
        return start
