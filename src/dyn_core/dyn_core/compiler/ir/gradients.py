# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Reverse mode: gradients of recorded scalars, at a cost that does not grow with what they are by.

The adjoint of a node is the derivative of an output by it. Nodes are visited against the order in
which they were recorded, and each hands its adjoint on to its operands (Griewank and Walther 2008,
section 3.2). Adjoints are recorded in the same graph, so what gradients share exists once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.graph import LEAVES, Graph
from dyn_core.spatial.scalars import functions as scalar
from dyn_core.spatial.scalars.functions import Scalar

Handed = tuple[Scalar, ...]
"""What a node hands on to each of its operands."""


def gradients(
    graph: Graph, outputs: Sequence[Scalar], inputs: Sequence[Expr]
) -> list[list[Scalar]]:
    """The derivatives of every output (a row) by every input; floats have none.

    Inputs are input nodes of the graph; the other nodes are what they were recorded as.
    """
    positions = [x.position for x in inputs]
    reach = _reach(graph, positions, outputs)
    return [_gradient(graph, output, positions, reach) for output in outputs]


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
            handed = RULES[node.kind](adjoint[position], Expr(graph, position), *arguments)
            for operand, x in zip(node.operands, handed, strict=True):
                if operand in reach:
                    adjoint[operand] = adjoint.get(operand, 0.0) + x
    return [adjoint.get(position, 0.0) for position in inputs]


def _number(graph: Graph, position: int) -> Scalar:
    """A node as a number; constants as floats, which are folded into what they meet."""
    node = graph.nodes[position]
    return node.numbers[0] if node.kind == "constant" else Expr(graph, position)


def _sqrt(a: Scalar, root: Expr, x: Expr) -> Handed:
    return (0.5 * a / root,)


def _arctan2(a: Scalar, angle: Expr, y: Expr, x: Expr) -> Handed:
    scaled = a / (x * x + y * y)
    return scaled * x, -(scaled * y)


def _select(a: Scalar, chosen: Expr, condition: Expr, x: Expr, y: Expr) -> Handed:
    return 0.0, scalar.select(condition, a, 0.0), scalar.select(condition, 0.0, a)


RULES: dict[str, Callable[..., Any]] = {
    "add": lambda a, _, x, y: (a, a),
    "sub": lambda a, _, x, y: (a, -a),
    "mul": lambda a, _, x, y: (a * y, a * x),
    "div": lambda a, quotient, x, y: (a / y, -(a * quotient) / y),
    "neg": lambda a, _, x: (-a,),
    "sin": lambda a, _, x: (a * x.cos(),),
    "cos": lambda a, _, x: (-(a * x.sin()),),
    "sqrt": _sqrt,
    "exp": lambda a, power, x: (a * power,),
    "arctan2": _arctan2,
    "less": lambda a, _, x, y: (0.0, 0.0),
    "select": _select,
}
"""What each operation hands on: a function of its adjoint, its own node and its operands."""
