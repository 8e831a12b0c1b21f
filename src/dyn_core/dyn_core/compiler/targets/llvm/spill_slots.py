# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Spill slots: memory for values that one function of a program computes and another uses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from dyn_core.compiler.ir.graph import Graph


class SpillArea:
    """Slots of nodes in an array ``%frame`` of ``size`` numbers per state."""

    def __init__(self, graph: Graph, live: Sequence[int]) -> None:
        self.graph = graph
        self.size = 0
        self.place: dict[int, int] = {}
        """The slots of nodes, as indices into the array."""
        self._left = Counter(x for position in live for x in graph.nodes[position].operands)
        self._over: list[int] = []
        self._free: dict[int, list[int]] = {}

    def printed(self, position: int) -> None:
        """Count a use of the operands of a printed node; slots become free after the last use."""
        if self.graph.nodes[position].kind.is_condition:
            return
        for x in self.graph.nodes[position].operands:
            self._left[x] -= 1
            if not self._left[x] and x in self.place:
                self._over.append(x)

    def keep(self, positions: Iterable[int]) -> set[int]:
        """Give slots to those nodes that have uses left; return the nodes with a new slot.

        Conditions get none: functions compute them again from their operands. Slots whose node has
        no uses left are free after this round: the function that stores the new nodes may still
        read them.
        """
        needed = {x for x in positions if self._left[x] and x not in self.place}
        new = {x for x in needed if not self.graph.nodes[x].kind.is_condition}
        for position in sorted(new):
            self.place[position] = self._new_place(self.graph.nodes[position].width)
        for position in self._over:
            width = self.graph.nodes[position].width
            self._free.setdefault(width, []).append(self.place.pop(position))
        self._over = []
        return new

    def _new_place(self, width: int) -> int:
        free = self._free.get(width)
        if free:
            return free.pop()
        start = -(-self.size // width) * width  # a vector does not cross lines of the cache
        self.size = start + width
        return start
