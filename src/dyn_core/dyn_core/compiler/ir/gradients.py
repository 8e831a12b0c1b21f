# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of recorded scalars; a gradient costs the same whatever the number of inputs.

The adjoint of a node is the derivative of an output by it. Nodes are visited against the order in
which they were recorded, and each hands its adjoint on to its operands (Griewank and Walther 2008,
section 3.2). Adjoints are recorded in the same graph, so what gradients share exists once.
"""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.graph import CONSTANT, LEAVES, Graph
from dyn_core.spatial.scalars.functions import Scalar


def gradients(
    graph: Graph, outputs: Sequence[Scalar], inputs: Sequence[Expr]
) -> list[list[Scalar]]:
    """The derivatives of every output (a row) by every input; floats have none.

    Inputs are input nodes of the graph; the other nodes are what they were recorded as.
    """
    positions = [x.position for x in inputs]
    reach = _reach(graph, positions, outputs)
    return [_gradient(graph, output, positions, reach) for output in outputs]


def jacobian(graph: Graph, outputs: Sequence[Scalar], inputs: Sequence[Expr]) -> list[list[Scalar]]:
    """The same in the mode that has fewer directions: a row for every output."""
    if len(outputs) < len(inputs):
        return gradients(graph, outputs, inputs)
    columns = [_tangents(graph, outputs, x.position) for x in inputs]
    return [list(row) for row in zip(*columns, strict=True)]


def _tangents(graph: Graph, outputs: Sequence[Scalar], by: int) -> list[Scalar]:
    """Forward mode: the derivatives of all outputs by one input."""
    tangent: dict[int, Scalar] = {by: 1.0}
    for position in sorted(_reach(graph, [by], outputs) - {by}):
        node = graph.nodes[position]
        arguments = [_number(graph, operand) for operand in node.operands]
        parts = node.kind.derivative(1.0, Expr(graph, position), *arguments)
        total: Scalar = 0.0
        for operand, part in zip(node.operands, parts, strict=True):
            total = total + part * tangent.get(operand, 0.0)
        tangent[position] = total
    return [tangent.get(x.position, 0.0) if isinstance(x, Expr) else 0.0 for x in outputs]


def _reach(graph: Graph, inputs: Sequence[int], outputs: Sequence[Scalar]) -> set[int]:
    """The nodes between inputs and outputs: all others have no adjoint that anybody needs."""
    reached = set(inputs)
    for position in graph.live(x.position for x in outputs if isinstance(x, Expr)):
        if not reached.isdisjoint(graph.nodes[position].operands):
            reached.add(position)
    return reached


def _gradient(graph: Graph, output: Scalar, inputs: Sequence[int], reach: set[int]) -> list[Scalar]:
    adjoint: dict[int, Scalar] = {}
    if isinstance(output, Expr) and output.position in reach:
        adjoint[output.position] = 1.0
        for position in sorted(reach.intersection(graph.live([output.position])), reverse=True):
            node = graph.nodes[position]
            if node.kind in LEAVES or position not in adjoint:
                continue
            arguments = [_number(graph, operand) for operand in node.operands]
            handed = node.kind.derivative(adjoint[position], Expr(graph, position), *arguments)
            for operand, x in zip(node.operands, handed, strict=True):
                if operand in reach:
                    adjoint[operand] = adjoint.get(operand, 0.0) + x
    return [adjoint.get(position, 0.0) for position in inputs]


def _number(graph: Graph, position: int) -> Scalar:
    """A node as a number; constants as floats, which are folded into what they meet."""
    node = graph.nodes[position]
    return node.numbers[0] if node.kind is CONSTANT else Expr(graph, position)
