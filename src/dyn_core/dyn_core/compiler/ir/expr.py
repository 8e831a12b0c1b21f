# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Symbolic scalars: arithmetic on them is recorded, and simplified as it is recorded.

Constants stay Python floats until they meet a symbol, so whatever the model fixes is folded:
zeros and ones vanish, signs move outwards, factors merge.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dyn_core.compiler.ir.graph import CONSTANT, INPUT, PACK, Graph
from dyn_core.spatial.scalars.operations import (
    ADD,
    DIV,
    LESS,
    MUL,
    NEG,
    NUMBERS,
    SUB,
    Operation,
)


class Expr:
    """A node of a :class:`Graph`. Use it like a float; there is no value to branch on."""

    __slots__ = ("graph", "position")

    def __init__(self, graph: Graph, position: int) -> None:
        self.graph = graph
        self.position = position

    def beside(self, entries: Sequence[Any]) -> Expr | float:
        """Numbers side by side, one per lane, in this one's graph; if all are zero they stay 0."""
        graph = self.graph
        if any(isinstance(x, Expr) for x in entries):
            places = [
                x.position if isinstance(x, Expr) else graph.constant(float(x)) for x in entries
            ]
            return Expr(graph, graph.pack(places))
        numbers = [float(x) for x in entries]
        return Expr(graph, graph.constants(numbers)) if any(numbers) else 0.0

    @classmethod
    def input(cls, graph: Graph, name: str, k: int) -> Expr:
        """Entry ``k`` of the input vector ``name``."""
        return cls(graph, graph.input(name, k))

    @property
    def is_input(self) -> bool:
        """Whether it is an entry of an input array."""
        return self.graph.nodes[self.position].kind is INPUT

    def __repr__(self) -> str:
        return f"Expr({self.graph.nodes[self.position]})"

    def __bool__(self) -> bool:
        raise TypeError(
            "a symbolic condition has no truth value: write select(condition, a, b) "
            "from dyn_core.spatial.scalars.functions instead of if/else in an algorithm"
        )

    def __eq__(self, other: object) -> bool:
        raise TypeError("symbolic scalars cannot be compared for equality in an algorithm")

    __hash__ = None  # type: ignore[assignment]

    def apply(self, operation: Operation, *operands: Any) -> Any:
        """The result of an operation on symbols of this graph and numbers: simplified, or recorded.

        ``self`` only says which graph records it.
        """
        simpler = operation.simplified(*operands)
        if simpler is not None:
            return simpler
        graph = self.graph
        positions = [
            x.position if x.__class__ is Expr else graph.constant(float(x)) for x in operands
        ]
        return Expr(graph, graph.add(operation, *positions))

    def constant(self, x: float, mark: str) -> Expr:
        """A number as a symbol of the same graph: nothing folds, nor is it one with its equals."""
        return Expr(self.graph, self.graph.constant(x, mark))

    def lane(self, k: int) -> Expr:
        """The number in lane ``k`` of several."""
        node = self.graph.nodes[self.position]
        if node.kind is PACK:
            return Expr(self.graph, node.operands[k])
        return Expr(self.graph, self.graph.lane(self.position, k))

    def negated(self) -> Expr | None:
        """``y`` if this is ``-y``."""
        node = self.graph.nodes[self.position]
        return Expr(self.graph, node.operands[0]) if node.kind is NEG else None

    def scaled(self) -> tuple[float, Expr] | None:
        """``(c, y)`` if this is ``c y`` with a constant c that bears no mark."""
        node = self.graph.nodes[self.position]
        if node.kind is MUL:
            for c, y in (node.operands, node.operands[::-1]):
                operand = self.graph.nodes[c]
                if operand.kind is CONSTANT and not operand.name:
                    return operand.numbers[0], Expr(self.graph, y)
        return None

    def _with(self, operation: Operation, other: Any, turned: bool = False) -> Any:
        """An operation of two operands; other scalars know by themselves how to meet a symbol."""
        if other.__class__ is Expr:
            return self.apply(operation, self, other)
        if not isinstance(other, NUMBERS):
            return NotImplemented
        return self.apply(operation, other, self) if turned else self.apply(operation, self, other)

    def __neg__(self) -> Any:
        return self.apply(NEG, self)

    def __add__(self, other: Any) -> Any:
        return self._with(ADD, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._with(SUB, other)

    def __rsub__(self, other: Any) -> Any:
        return self._with(SUB, other, turned=True)

    def __mul__(self, other: Any) -> Any:
        return self._with(MUL, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._with(DIV, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(DIV, other, turned=True)

    def __lt__(self, other: Any) -> Any:
        return self._with(LESS, other)

    def __gt__(self, other: Any) -> Any:
        return other < self if other.__class__ is Expr else self._with(LESS, other, turned=True)
