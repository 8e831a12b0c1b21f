# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A program as readable lines, as docs/compiler.md shows them after each pass."""

from __future__ import annotations

from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.graph import CONSTANT, INPUT, LANE, Node
from dyn_core.compiler.ir.program import Trace
from dyn_core.spatial.scalars import Scalar
from dyn_core.spatial.scalars.operations import ADD, DIV, LESS, MUL, NEG, SUB

INFIX = {ADD: "+", SUB: "-", MUL: "*", DIV: "/", LESS: "<"}


def listing(program: Trace) -> str:
    """A line per operation, with the number of lanes of vectors, then the outputs."""
    printer = _Listing(program)
    lines = [line for position in program.live() for line in printer.line(position)]
    outputs = (x for scalars in program.outputs.values() for x in scalars)
    results = [f"output[{k}] = {printer.value(x)}" for k, x in enumerate(outputs)]
    return "\n".join([*lines, *results])


class _Listing:
    def __init__(self, program: Trace) -> None:
        self.nodes = program.graph.nodes
        self.names: dict[int, str] = {}

    def value(self, x: Scalar) -> str:
        return self._operand(x.position) if isinstance(x, Expr) else f"{x:.4g}"

    def line(self, position: int) -> list[str]:
        """The line of a node; none if the node takes no operation."""
        node = self.nodes[position]
        if node.kind in (INPUT, CONSTANT):
            return []
        self.names[position] = f"n{len(self.names)}"
        lanes = f"  ({node.width} lanes)" if node.width > 1 else ""
        return [f"{self.names[position]} = {self._expression(node)}{lanes}"]

    def _operand(self, position: int) -> str:
        node = self.nodes[position]
        if node.kind is INPUT:
            return f"{node.name}[{node.entry}]"
        if node.kind is CONSTANT:
            return f"{node.numbers[0]:.4g}"
        return self.names[position]

    def _expression(self, node: Node) -> str:
        operands = [self._operand(x) for x in node.operands]
        if node.kind in INFIX:
            return f" {INFIX[node.kind]} ".join(operands)
        if node.kind is NEG:
            return f"-{operands[0]}"
        if node.kind is LANE:
            return f"{operands[0]}[{node.entry}]"
        return f"{node.kind}({', '.join([*operands, *(f'{x:.4g}' for x in node.numbers)])})"
