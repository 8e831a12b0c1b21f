"""The straight-line program that tracing an algorithm leaves behind.

A graph is a list of nodes in an order in which every operand precedes its use. Nodes are
hash-consed: the same operation on the same operands exists once, so common subexpressions and
whole computations that two outputs share are computed once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import compress
from typing import TypeAlias

Node: TypeAlias = tuple[str | float | int, ...]
"""``("constant", value)``, ``("input", name, k)`` or ``(operation, operand, ...)``.

Constants may carry a mark, which keeps apart what happens to have the same value.

An input of several numbers side by side says how many behind ``k``, which is the first.

A node may stand for several numbers, its lanes, on which an operation works at once; an operand of
one number serves all lanes. Between numbers and lanes go ``("constants", value, ...)``, one per
lane, ``("pack", operand, ...)``, ``("lane", operand, k)`` and ``("total", operand)``, the sum.
"""

LEAVES = frozenset({"constant", "constants", "input"})
COMMUTATIVE = frozenset({"add", "mul"})


class TooLongError(Exception):
    """A graph has more nodes than its limit."""


class Graph:
    """Hash-consed nodes; an operand is the position of its node in ``nodes``."""

    def __init__(self, limit: float = math.inf, lanes: int = 1) -> None:
        self.limit = limit
        self.lanes = lanes
        """How many columns of a matrix may go together."""
        self.matrices: list[list[int | None]] = []
        """Those whose columns went together: the position of each entry that is no constant."""
        self.nodes: list[Node] = []
        self.widths: list[int] = []
        """For each node how many lanes it has."""
        self._position: dict[Node, int] = {}
        self._operands: list[tuple[int, ...]] = []

    def add(self, *node: str | float | int) -> int:
        """The position of ``node``, which is appended if it is new.

        Raises:
            TooLongError: one more would be beyond the limit.
        """
        if node[0] in COMMUTATIVE and node[1] > node[2]:  # type: ignore[operator]
            node = (node[0], node[2], node[1])
        position = self._position.get(node)
        if position is None:
            position = self._position[node] = len(self.nodes)
            if position >= self.limit:
                raise TooLongError
            operands = _operands(node)
            self.nodes.append(node)
            self._operands.append(operands)
            self.widths.append(self._width(node, operands))
        return position

    def live(self, roots: Iterable[int]) -> list[int]:
        """Positions of all nodes that ``roots`` need, in order: everything else is dead."""
        found = list(roots)
        needed = bytearray(max(found, default=-1) + 1)
        for position in found:
            needed[position] = True
        operands = self._operands
        for position in reversed(range(len(needed))):
            if needed[position]:
                for x in operands[position]:
                    needed[x] = True
        return list(compress(range(len(needed)), needed))

    def operands(self, position: int) -> tuple[int, ...]:
        """Positions of the operands of a node."""
        return self._operands[position]

    def _width(self, node: Node, operands: tuple[int, ...]) -> int:
        if node[0] in ("constants", "pack"):
            return len(node) - 1
        if not operands or node[0] in ("lane", "total"):
            return int(node[3]) if node[0] == "input" and len(node) > 3 else 1
        widths = self.widths
        if len(operands) == 2:
            a, b = operands
            return max(widths[a], widths[b])
        return max([widths[x] for x in operands])


def _operands(node: Node) -> tuple[int, ...]:
    if node[0] in LEAVES:
        return ()
    return node[1:2] if node[0] == "lane" else node[1:]  # type: ignore[return-value]
