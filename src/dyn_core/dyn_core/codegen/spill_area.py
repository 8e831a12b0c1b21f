"""Spill slots: places in memory for values of a long program.

Two kinds of values are stored there: those that one function of the program computes and a later
one uses, and the lanes of a vector that are known long before the vector is needed. Such a lane is
stored into its place of the vector's slot, and the vector is loaded as a whole. Otherwise each lane
would be loaded from LLVM's own spill slot and inserted, which takes two instructions per lane.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dyn_core.codegen.memory import LANES
from dyn_core.codegen.passes import used
from dyn_core.scalars import Graph

FAR = 100
"""Distance in nodes between a lane and its vector beyond which the lane is spilled."""
UNSTORED = "less"
"""Conditions are not numbers: a later function computes them again from their operands."""


@dataclass
class _Gathered:
    """A vector whose lanes are stored one by one."""

    place: int
    width: int
    users: set[int]
    """The vector and those of its lanes that have no other place, as long as they are needed."""


class SpillArea:
    """Slots of nodes in an array of ``size`` doubles, which is ``%frame`` in the code."""

    def __init__(self, graph: Graph, live: Sequence[int]) -> None:
        self.graph = graph
        self.size = 0
        self.place: dict[int, int] = {}
        """Slots of nodes: indices into the array."""
        self.lanes: dict[int, list[tuple[int, int]]] = {}
        """Of each node, the gathered vectors that it is a lane of, each with the lane."""
        self._left = Counter(x for position in live for x in graph.nodes[position].operands)
        self._over: list[int] = []
        self._free: dict[int, list[int]] = {}
        self._gathered: dict[int, _Gathered] = {}
        """By the vector, and by each lane that has its place there."""
        self._find_vectors(live)

    def _find_vectors(self, live: Sequence[int]) -> None:
        """Note the vectors most of whose lanes are known long before."""
        order = {position: k for k, position in enumerate(live)}
        nodes = self.graph.nodes
        for vector in live if used("gather") else ():
            if nodes[vector].kind != "pack" or nodes[vector].width <= LANES:
                continue
            known = [
                (x, lane)
                for lane, x in enumerate(nodes[vector].operands)
                if nodes[x].kind != "constant"
            ]
            far = sum(order[vector] - order[x] > FAR for x, _ in known)
            if 2 * far > len(known):
                for x, lane in known:
                    self.lanes.setdefault(x, []).append((vector, lane))

    def gather(self, vector: int) -> int:
        """Give a place to a vector whose lanes are about to be stored."""
        width = self.graph.nodes[vector].width
        self.place[vector] = place = self._new_place(width)
        self._gathered[vector] = _Gathered(place, width, {vector})
        return place

    def lane(self, position: int, vector: int, lane: int) -> int:
        """The place of a lane; the node is kept there, if it has no other place."""
        gathered = self._gathered[vector]
        if position not in self.place:
            self.place[position] = gathered.place + lane
            self._gathered[position] = gathered
            gathered.users.add(position)
        return gathered.place + lane

    def printed(self, position: int) -> None:
        """Note that a node, once it is printed, needs its operands no longer."""
        if self.graph.nodes[position].kind == UNSTORED:
            return
        for x in self.graph.nodes[position].operands:
            self._left[x] -= 1
            if not self._left[x] and x in self.place:
                self._over.append(x)

    def keep(self, positions: Iterable[int]) -> set[int]:
        """Give places to nodes that are needed; those that are new in the frame are returned.

        A place of a node that is not needed any longer is given anew, but not in this round: the
        function that stores the one may still read the other.
        """
        needed = {x for x in positions if self._left[x] and x not in self.place}
        new = {x for x in needed if self.graph.nodes[x].kind != UNSTORED}
        for position in sorted(new):
            self.place[position] = self._new_place(self.graph.nodes[position].width)
        for position in self._over:
            self._release(position)
        self._over = []
        return new

    def _release(self, position: int) -> None:
        place, width = self.place.pop(position), self.graph.nodes[position].width
        gathered = self._gathered.pop(position, None)
        if gathered is not None:
            gathered.users.remove(position)
            if gathered.users:
                return
            place, width = gathered.place, gathered.width
        self._free.setdefault(width, []).append(place)

    def _new_place(self, width: int) -> int:
        free = self._free.get(width)
        if free:
            return free.pop()
        start = -(-self.size // width) * width  # where a vector does not cross lines of the cache
        self.size = start + width
        return start
