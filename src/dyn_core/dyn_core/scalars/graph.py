"""The straight-line program that tracing an algorithm leaves behind.

A graph is a list of nodes in an order in which every operand precedes its use. Nodes are
hash-consed: the same operation on the same operands exists once, so common subexpressions and
whole computations that two outputs share are computed once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

Node: TypeAlias = tuple[str | float | int, ...]
"""``("constant", value)``, ``("input", name, k)`` or ``(operation, operand, ...)``."""

LEAVES = frozenset({"constant", "input"})
COMMUTATIVE = frozenset({"add", "mul"})


class Graph:
    """Hash-consed nodes; an operand is the position of its node in ``nodes``."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._position: dict[Node, int] = {}

    def add(self, *node: str | float | int) -> int:
        """The position of ``node``, which is appended if it is new."""
        if node[0] in COMMUTATIVE and node[1] > node[2]:  # type: ignore[operator]
            node = (node[0], node[2], node[1])
        position = self._position.get(node)
        if position is None:
            position = self._position[node] = len(self.nodes)
            self.nodes.append(node)
        return position

    def live(self, roots: Iterable[int]) -> list[int]:
        """Positions of all nodes that ``roots`` need, in order: everything else is dead."""
        needed: set[int] = set()
        pending = list(roots)
        while pending:
            position = pending.pop()
            if position not in needed:
                needed.add(position)
                pending.extend(self.operands(position))
        return sorted(needed)

    def operands(self, position: int) -> tuple[int, ...]:
        """Positions of the operands of a node."""
        node = self.nodes[position]
        return () if node[0] in LEAVES else node[1:]  # type: ignore[return-value]
