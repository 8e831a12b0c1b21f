# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The rules of a well-formed program, which every pass keeps.

Set the environment variable ``DYN_CORE_VERIFY`` to check each program after each pass, as the tests
do.
"""

from __future__ import annotations

import os

from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.graph import CONSTANT, CONSTANTS, INPUT, LANE, LEAVES, PACK, TOTAL, Node
from dyn_core.compiler.ir.program import Trace
from dyn_core.spatial.scalars.operations import OPERATIONS, SELECT

VARIABLE = "DYN_CORE_VERIFY"
KINDS = frozenset({*OPERATIONS, *LEAVES, PACK, LANE, TOTAL})


class MalformedProgramError(AssertionError):
    """A pass has made a program that breaks a rule."""


def verified(program: Trace, made_by: str) -> Trace:
    """The program, checked by :func:`verify` if ``DYN_CORE_VERIFY`` is set."""
    if os.environ.get(VARIABLE):
        verify(program, made_by)
    return program


def verify(program: Trace, made_by: str) -> None:
    """Check the nodes that the outputs of a program need.

    Raises:
        MalformedProgramError: a node or an output breaks a rule; the message names the pass.
    """
    nodes = program.graph.nodes
    for name, scalars in program.outputs.items():
        for k, x in enumerate(scalars):
            if isinstance(x, Expr):
                here = x.graph is program.graph and x.position < len(nodes)
                if not here or nodes[x.position].width != 1 or nodes[x.position].kind.is_condition:
                    raise MalformedProgramError(
                        f"{made_by}: entry {k} of output '{name}' is not one number of this graph"
                    )
    for position in program.live():
        node = nodes[position]
        if any(x >= position for x in node.operands):
            broken = "an operand that follows it"
        else:
            broken = _broken_rule(node, [nodes[x] for x in node.operands], program.inputs)
        if broken:
            raise MalformedProgramError(f"{made_by}: node {position}, {node}, has {broken}")


def _broken_rule(node: Node, operands: list[Node], inputs: dict[str, int]) -> str:
    """The rule that a node breaks, in words; empty if it keeps all of them."""
    kind, widths = node.kind, [x.width for x in operands]
    if kind not in KINDS:
        return "an operation that is not in the table"
    if kind.arity not in (None, len(operands)):
        return f"{len(operands)} operands and not {kind.arity}"
    for k, operand in enumerate(operands):
        if operand.kind.is_condition != (kind is SELECT and k == 0):
            return "a condition for a number, or a number for a condition"
    if kind is INPUT and not 0 <= node.entry < inputs.get(node.name, 0):
        return "no entry of an input"
    if kind in (CONSTANT, CONSTANTS):
        return "" if len(node.numbers) == node.width else "not one number for each lane"
    if kind is LANE:
        return "" if node.width == 1 and 0 <= node.entry < widths[0] else "no lane of its operand"
    if kind is PACK:
        fits = node.width == len(operands) and set(widths) == {1}
        return "" if fits else "not one number for each lane"
    expected = 1 if kind is TOTAL else max(widths, default=1)
    if node.width != expected or any(x not in (1, max(widths)) for x in widths):
        return f"operands of {widths} lanes"
    return ""
