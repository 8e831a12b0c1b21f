# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The straight-line program that tracing an algorithm leaves behind.

A graph is a list of nodes in an order in which every operand precedes its use. Nodes are
hash-consed: the same operation on the same operands exists once, so common subexpressions and
whole computations that two outputs share are computed once.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from itertools import compress
from typing import NamedTuple

from dyn_core.spatial.scalars.operations import Operation

INPUT = Operation("input", 0)
CONSTANT = Operation("constant", 0)
CONSTANTS = Operation("constants", 0)
PACK = Operation("pack", None)
LANE = Operation("lane", 1)
TOTAL = Operation("total", 1)
LEAVES = frozenset({INPUT, CONSTANT, CONSTANTS})
LANE_CONVERSIONS = frozenset({PACK, LANE, TOTAL})
"""From numbers to lanes and back."""


class Node(NamedTuple):
    """A value of a program: an operation on earlier ones, an input or a constant.

    A value has one or several lanes, numbers on which an operation works at once. An operand of one
    lane serves all lanes of the others.

    ============== ==================================================================
    kind           value
    ============== ==================================================================
    INPUT          an entry of the array ``name``
    CONSTANT       ``numbers[0]``
    CONSTANTS      ``numbers``, one per lane
    PACK           its operands side by side, one per lane
    LANE           a lane of its operand
    TOTAL          the sum over the lanes of its operand
    others         an operation on scalars, lane by lane
    ============== ==================================================================
    """

    kind: Operation
    operands: tuple[int, ...] = ()
    """Positions of other nodes."""
    width: int = 1
    """How many lanes."""
    entry: int = 0
    """Which one of an array, or of the lanes of its operand."""
    name: str = ""
    """Of an input's array; of a constant, what keeps it apart from others of the same value."""
    numbers: tuple[float, ...] = ()
    """The value of a constant."""


class TooLongError(Exception):
    """A graph has more nodes than its limit."""


class Graph:
    """Hash-consed nodes; an operand is the position of its node in ``nodes``.

    Methods that add a node return the position of the one that is there already, if any is.

    Raises:
        TooLongError: there would be more nodes than the limit.
    """

    def __init__(self, limit: float = math.inf, lanes: int = 1) -> None:
        self.limit = limit
        self.lanes = lanes
        """How many columns of a matrix may go together."""
        self.matrices: list[list[int | None]] = []
        """Those whose columns went together: the position of each entry that is no constant."""
        self.nodes: list[Node] = []
        self._position: dict[Hashable, int] = {}

    def add(self, kind: Operation, *operands: int) -> int:
        """An operation, lane by lane."""
        if kind.commutative and operands[0] > operands[1]:
            operands = operands[::-1]
        key = kind, operands
        position = self._position.get(key)
        if position is None:
            nodes, width = self.nodes, 1
            for x in operands:
                if nodes[x].width > width:
                    width = nodes[x].width
            node = tuple.__new__(Node, (kind, operands, width, 0, "", ()))  # in half the time
            position = self._append(key, node)
        return position

    def pack(self, operands: Sequence[int]) -> int:
        """Numbers side by side."""
        return self._whole(Node(PACK, tuple(operands), len(operands)))

    def total(self, operand: int) -> int:
        """The sum over the lanes of a node."""
        return self._whole(Node(TOTAL, (operand,)))

    def input(self, name: str, entry: int) -> int:
        """An entry of an input array."""
        return self._whole(Node(INPUT, entry=entry, name=name))

    def constant(self, x: float, mark: str = "") -> int:
        """A constant; with a mark it is not one with others of its value."""
        return self._whole(Node(CONSTANT, name=mark, numbers=(x,)))

    def constants(self, numbers: Sequence[float]) -> int:
        """A constant in each lane."""
        return self._whole(Node(CONSTANTS, width=len(numbers), numbers=tuple(numbers)))

    def lane(self, position: int, k: int) -> int:
        """A lane of a node."""
        return self._whole(Node(LANE, (position,), entry=k))

    def again(self, node: Node, operands: Iterable[int]) -> int:
        """A node, of this or another graph, on these operands."""
        if node.kind in LEAVES or node.kind in LANE_CONVERSIONS:
            return self._whole(node._replace(operands=tuple(operands)))
        return self.add(node.kind, *operands)

    def rebuilt(self, order: Iterable[int]) -> tuple[Graph, dict[int, int]]:
        """A graph of these nodes in this order, and where each is in it; operands come first."""
        graph, moved = Graph(), dict[int, int]()
        for position in order:
            node = self.nodes[position]
            moved[position] = graph.again(node, [moved[x] for x in node.operands])
        return graph, moved

    def live(self, roots: Iterable[int]) -> list[int]:
        """Positions of all nodes that ``roots`` need, in order: everything else is dead."""
        found = list(roots)
        needed = bytearray(max(found, default=-1) + 1)
        for position in found:
            needed[position] = True
        nodes = self.nodes
        for position in reversed(range(len(needed))):
            if needed[position]:
                for x in nodes[position].operands:
                    needed[x] = True
        return list(compress(range(len(needed)), needed))

    def _whole(self, node: Node) -> int:
        position = self._position.get(node)
        return self._append(node, node) if position is None else position

    def _append(self, key: Hashable, node: Node) -> int:
        position = len(self.nodes)
        if position >= self.limit:
            raise TooLongError
        self._position[key] = position
        self.nodes.append(node)
        return position
