# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Symbolic scalars: arithmetic on them is recorded, and simplified as it is recorded.

Constants stay Python floats until they meet a symbol, so whatever the model fixes is folded:
zeros and ones vanish, signs move outwards, factors merge.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dyn_core.compiler.ir.graph import Graph

NUMBERS = (float, int)
"""What counts as a constant; anything else must know by itself how to meet a symbol."""


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
    def kind(self) -> str:
        """The operation that it is the result of; ``"input"`` if it is none."""
        return self.graph.nodes[self.position].kind

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

    def _new(self, kind: str, *operands: int) -> Expr:
        return Expr(self.graph, self.graph.add(kind, *operands))

    def constant(self, x: float, mark: str) -> Expr:
        """A number as a symbol of the same graph: nothing folds, nor is it one with its equals."""
        return Expr(self.graph, self.graph.constant(x, mark))

    def lane(self, k: int) -> Expr:
        """The number in lane ``k`` of several."""
        node = self.graph.nodes[self.position]
        if node.kind == "pack":
            return Expr(self.graph, node.operands[k])
        return Expr(self.graph, self.graph.lane(self.position, k))

    def _lift(self, x: Any) -> Expr:
        return x if x.__class__ is Expr else Expr(self.graph, self.graph.constant(float(x)))

    def _negated(self) -> Expr | None:
        """``y`` if this is ``-y``."""
        node = self.graph.nodes[self.position]
        return Expr(self.graph, node.operands[0]) if node.kind == "neg" else None

    def _scaled(self) -> tuple[float, Expr] | None:
        """``(c, y)`` if this is ``c y`` with a constant c that bears no mark."""
        node = self.graph.nodes[self.position]
        if node.kind == "mul":
            for c, y in (node.operands, node.operands[::-1]):
                operand = self.graph.nodes[c]
                if operand.kind == "constant" and not operand.name:
                    return operand.numbers[0], Expr(self.graph, y)
        return None

    def __neg__(self) -> Expr:
        minus = self._negated()
        return self._new("neg", self.position) if minus is None else minus

    def __add__(self, other: Any) -> Any:
        if other.__class__ is not Expr:
            return self._plus_constant(other) if isinstance(other, NUMBERS) else NotImplemented
        if (minus := other._negated()) is not None:
            return self - minus
        if (minus := self._negated()) is not None:
            return other - minus
        return self._new("add", self.position, other.position)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if other.__class__ is not Expr:
            return self + (-other)
        if self.position == other.position:
            return 0.0
        if (minus := other._negated()) is not None:
            return self + minus
        if (minus := self._negated()) is not None:
            return -(minus + other)
        return self._new("sub", self.position, other.position)

    def __rsub__(self, other: Any) -> Any:
        return -self if other == 0.0 else self._lift(other) - self

    def __mul__(self, other: Any) -> Any:
        if other.__class__ is not Expr:
            return self._times_constant(other) if isinstance(other, NUMBERS) else NotImplemented
        if (minus := other._negated()) is not None:
            return -(self * minus)
        if (minus := self._negated()) is not None:
            return -(minus * other)
        return self._new("mul", self.position, other.position)

    __rmul__ = __mul__

    def _plus_constant(self, c: float) -> Expr:
        return self if c == 0.0 else self._new("add", self.position, self._lift(c).position)

    def _times_constant(self, c: float) -> Any:
        if c == 0.0:
            return 0.0
        if c == 1.0:
            return self
        if c == -1.0:
            return -self
        if (minus := self._negated()) is not None:
            return minus._times_constant(-c)
        if (scaled := self._scaled()) is not None:
            return scaled[1]._times_constant(c * scaled[0])
        return self._new("mul", self._lift(c).position, self.position)

    def __truediv__(self, other: Any) -> Any:
        if other.__class__ is not Expr:
            return (
                self._times_constant(1.0 / other) if isinstance(other, NUMBERS) else NotImplemented
            )
        return self._new("div", self.position, other.position)

    def __rtruediv__(self, other: Any) -> Any:
        return 0.0 if other == 0.0 else self._lift(other) / self

    def __lt__(self, other: Any) -> Any:
        if other.__class__ is not Expr and not isinstance(other, NUMBERS):
            return NotImplemented
        return self._new("less", self.position, self._lift(other).position)

    def __gt__(self, other: Any) -> Any:
        if other.__class__ is not Expr and not isinstance(other, NUMBERS):
            return NotImplemented
        return self._lift(other) < self

    def sin(self) -> Expr:
        """Sine (of rad)."""
        return self._new("sin", self.position)

    def cos(self) -> Expr:
        """Cosine (of rad)."""
        return self._new("cos", self.position)

    def sqrt(self) -> Expr:
        """Square root."""
        return self._new("sqrt", self.position)

    def exp(self) -> Expr:
        """The exponential function."""
        return self._new("exp", self.position)

    def arctan2(self, y: Any, x: Any) -> Expr:
        """Angle of the point ``(x, y)``; ``self`` only says which graph records it."""
        return self._new("arctan2", self._lift(y).position, self._lift(x).position)

    def select(self, if_true: Any, if_false: Any) -> Any:
        """``if_true`` where this condition holds, else ``if_false``."""
        if not isinstance(if_true, Expr) and not isinstance(if_false, Expr) and if_true == if_false:
            return if_true
        sides = self._lift(if_true).position, self._lift(if_false).position
        return self._new("select", self.position, *sides)
