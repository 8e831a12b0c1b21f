# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A pass on the graph: sums of products become chains of fused multiply-adds.

The sums of a trace are nested and have signs: ``(a b + c) - (d e - f)``. This pass flattens each
sum into signed terms, values or products of two values, and fuses products into all sums that use
them: n terms take n instructions. A chain adds its terms in the order in which they are ready, so
that a late term delays one instruction and not the whole sum.
"""

from __future__ import annotations

from typing import TypeAlias

from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.graph import Graph, Node
from dyn_core.compiler.ir.program import Trace
from dyn_core.spatial.scalars import operations as op
from dyn_core.spatial.scalars.operations import Operation

SUMS = frozenset({op.ADD, op.SUB})
LATENCY = {op.NEG: 0, op.SIN: 60, op.COS: 60, op.DIV: 14, op.SQRT: 18, op.ARCTAN2: 100}
"""Latency in cycles of operations that differ from a multiplication."""
MULTIPLICATION = 4

SignedProduct: TypeAlias = tuple[int, tuple[int, ...]]
"""A sign (1 or -1) and one or two factors, positions in the new graph."""


def _latency(node: Node) -> int:
    """Cycles from when the operands of a node are ready to when its result is."""
    return LATENCY.get(node.kind, MULTIPLICATION)


def fuse(trace: Trace) -> Trace:
    """The same program with fused multiply-adds: ``fma(a, b, c)`` is ``a b + c``."""
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

    def _add(self, kind: Operation, *operands: int) -> int:
        return self._timed(self.new.add(kind, *operands))

    def _timed(self, position: int) -> int:
        """Note the cycle in which a node is ready; return the node."""
        if position not in self.ready:
            node = self.new.nodes[position]
            start = max((self.ready[x] for x in node.operands), default=0)
            self.ready[position] = start + _latency(node) if node.operands else 0
        return position

    def _terms(self, position: int) -> list[SignedProduct]:
        """The signed terms of a sum, a negation or a product."""
        node = self.nodes[position]
        if node.kind is op.MUL:
            a, b = (self.at[x] for x in node.operands)
            return [(1, (a, b))]
        signs = {op.ADD: (1, 1), op.SUB: (1, -1), op.NEG: (-1,)}[node.kind]
        found: list[SignedProduct] = []
        for operand, sign in zip(node.operands, signs, strict=True):
            inner = self.terms.get(operand) or [(1, (self.at[operand],))]
            found += [(sign * s, factors) for s, factors in inner]
        return found

    def _chain(self, terms: list[SignedProduct]) -> int:
        """The sum of the terms; values come before products that are ready at the same time."""
        terms.sort(key=lambda term: (max(self.ready[x] for x in term[1]), len(term[1]), -term[0]))
        (sign, first), *rest = terms
        value = first[0] if len(first) == 1 else self._add(op.MUL, *first)
        for s, factors in rest:  # the sum so far is sign * value
            if sign < 0 < s:
                value, sign = self._add(op.NEG, value), 1
            value = self._plus(value, s * sign, factors)
        return value if sign > 0 else self._add(op.NEG, value)

    def _plus(self, value: int, sign: int, factors: tuple[int, ...]) -> int:
        """``value + sign * factors``."""
        if len(factors) == 1:
            return self._add(op.ADD if sign > 0 else op.SUB, value, *factors)
        # the wider factor takes the sign, which costs nothing there
        a, b = sorted(factors, key=lambda x: -self.new.nodes[x].width)
        return self._add(op.FMA, a if sign > 0 else self._add(op.NEG, a), b, value)


def _absorbed(trace: Trace, live: list[int]) -> set[int]:
    """Nodes that become terms of the sums that use them.

    These are products that only sums with the same number of lanes use, and sums and negations that
    one such sum uses.
    """
    nodes = trace.graph.nodes
    outputs = {x.position for xs in trace.outputs.values() for x in xs if isinstance(x, Expr)}
    uses = dict.fromkeys(live, 0)
    kept = set(outputs)
    absorbed: set[int] = set()
    for position in reversed(live):  # uses come before what they use
        node = nodes[position]
        kind = node.kind
        once = kind in SUMS or kind is op.NEG
        if position not in kept and (kind is op.MUL or (once and uses[position] == 1)):
            absorbed.add(position)
        sums = kind in SUMS or (position in absorbed and kind is op.NEG)
        for operand in node.operands:
            uses[operand] += 1
            if not sums or nodes[operand].width != node.width:
                kept.add(operand)
    return absorbed
