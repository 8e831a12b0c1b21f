# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A pass on the graph: sums of products become chains of fused multiply-adds.

A trace has its sums as they were written, nested and with signs: ``(a b + c) - (d e - f)``.
Flattened, they are lists of signed terms, each a value or a product of two, and a product is fused
into every sum that uses it: n terms take n instructions. A chain takes its terms in the order in
which they are ready, so that a late term delays one instruction and not the whole sum.
"""

from __future__ import annotations

from typing import TypeAlias

from dyn_core.codegen.trace import Trace
from dyn_core.scalars import Expr, Graph
from dyn_core.scalars.graph import Node

SUMS = frozenset({"add", "sub"})
LATENCY = {"neg": 0, "sin": 60, "cos": 60, "div": 14, "sqrt": 18, "arctan2": 100}
"""Cycles until a result is ready, where it is not those of a multiplication."""
MULTIPLICATION = 4

SignedProduct: TypeAlias = tuple[int, tuple[int, ...]]
"""A sign (1 or -1) and one or two factors, positions in the new graph."""


def latency(node: Node) -> int:
    """Cycles until the result of a node is ready after its operands are."""
    return LATENCY.get(node.kind, MULTIPLICATION)


def fuse(trace: Trace) -> Trace:
    """The same program with nodes ``fma`` of a, b and c for ``a b + c``."""
    return _Fusion(trace).run()


class _Fusion:
    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.nodes = trace.graph.nodes
        self.live = trace.live()
        self.absorbed = _absorbed(trace, self.live)
        self.new = Graph()
        self.at: dict[int, int] = {}
        self.terms: dict[int, list[SignedProduct]] = {}
        self.ready: dict[int, int] = {}

    def run(self) -> Trace:
        for position in self.live:
            node = self.nodes[position]
            if position in self.absorbed:
                self.terms[position] = self._terms(position)
            elif node.kind in SUMS:
                self.at[position] = self._chain(self._terms(position))
            else:
                operands = [self.at[x] for x in node.operands]
                self.at[position] = self._timed(self.new.again(node, operands))
        return self.trace.of_nodes(self.new, self.at)

    def _add(self, kind: str, *operands: int) -> int:
        return self._timed(self.new.add(kind, *operands))

    def _timed(self, position: int) -> int:
        """A node, of which is noted when it is ready."""
        if position not in self.ready:
            node = self.new.nodes[position]
            start = max((self.ready[x] for x in node.operands), default=0)
            self.ready[position] = start + latency(node) if node.operands else 0
        return position

    def _terms(self, position: int) -> list[SignedProduct]:
        """The signed terms of a sum, a negation or a product."""
        node = self.nodes[position]
        if node.kind == "mul":
            a, b = (self.at[x] for x in node.operands)
            return [(1, (a, b))]
        signs = {"add": (1, 1), "sub": (1, -1), "neg": (-1,)}[node.kind]
        found: list[SignedProduct] = []
        for operand, sign in zip(node.operands, signs, strict=True):
            inner = self.terms.get(operand) or [(1, (self.at[operand],))]
            found += [(sign * s, factors) for s, factors in inner]
        return found

    def _chain(self, terms: list[SignedProduct]) -> int:
        """The sum of the terms; values come before products that are ready at the same time."""
        terms.sort(key=lambda term: (max(self.ready[x] for x in term[1]), len(term[1]), -term[0]))
        (sign, first), *rest = terms
        value = first[0] if len(first) == 1 else self._add("mul", *first)
        for s, factors in rest:  # the sum so far is sign * value
            if sign < 0 < s:
                value, sign = self._add("neg", value), 1
            value = self._plus(value, s * sign, factors)
        return value if sign > 0 else self._add("neg", value)

    def _plus(self, value: int, sign: int, factors: tuple[int, ...]) -> int:
        """``value + sign * factors``."""
        if len(factors) == 1:
            return self._add("add" if sign > 0 else "sub", value, *factors)
        a, b = sorted(
            factors, key=lambda x: -self.new.nodes[x].width
        )  # signs of vectors cost nothing
        return self._add("fma", a if sign > 0 else self._add("neg", a), b, value)


def _absorbed(trace: Trace, live: list[int]) -> set[int]:
    """Nodes that vanish into the sums that use them.

    A product does if all its uses are sums of as many lanes; so does a sum or a negation that is
    used once.
    """
    nodes = trace.graph.nodes
    outputs = {x.position for xs in trace.outputs.values() for x in xs if isinstance(x, Expr)}
    uses = dict.fromkeys(live, 0)
    kept = set(outputs)
    absorbed: set[int] = set()
    for position in reversed(live):  # uses come before what they use
        node = nodes[position]
        kind = node.kind
        once = kind in SUMS or kind == "neg"
        if position not in kept and (kind == "mul" or (once and uses[position] == 1)):
            absorbed.add(position)
        sums = kind in SUMS or (position in absorbed and kind == "neg")
        for operand in node.operands:
            uses[operand] += 1
            if not sums or nodes[operand].width != node.width:
                kept.add(operand)
    return absorbed
