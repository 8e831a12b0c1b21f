# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Programs that break a rule are refused with the pass that made them."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.graph import LANE, Graph, Node
from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.ir.verify import VARIABLE, MalformedProgramError, verify
from dyn_core.spatial.scalars.operations import ADD, LESS, NEG, SELECT, Operation


def program(make: Callable[[Graph], int]) -> Trace:
    """A program of the inputs ``x[0]`` and ``x[1]`` whose output is one more node."""
    graph = Graph()
    for k in range(2):
        graph.input("x", k)
    return Trace(graph, {"x": 2}, {"y": [Expr(graph, make(graph))]})


def appended(node: Node) -> Callable[[Graph], int]:
    """Append a node without the checks of a graph's methods."""

    def make(graph: Graph) -> int:
        graph.nodes.append(node)
        return len(graph.nodes) - 1

    return make


BROKEN: dict[str, Callable[[Graph], int]] = {
    "2 operands and not 1": lambda graph: graph.add(NEG, 0, 1),
    "an operand that follows it": appended(Node(NEG, (2,))),
    "a condition for a number": lambda graph: graph.add(ADD, 0, graph.add(LESS, 0, 1)),
    "or a number for a condition": lambda graph: graph.add(SELECT, 0, 1, 1),
    "not in the table": lambda graph: graph.add(Operation("cbrt", 1), 0),
    "no entry of an input": lambda graph: graph.input("x", 2),
    "no lane of its operand": appended(Node(LANE, (0,), entry=1)),
    "operands of": lambda graph: graph.total(
        graph.add(ADD, graph.pack([0, 1]), graph.pack([0, 1, 0, 1]))
    ),
    "is not one number": lambda graph: graph.pack([0, 1]),
}


@pytest.mark.parametrize("words", BROKEN)
def test_a_broken_rule_is_named(words: str) -> None:
    with pytest.raises(MalformedProgramError, match=rf"mypass: .*{words}"):
        verify(program(BROKEN[words]), "mypass")


def test_programs_are_verified_in_all_tests() -> None:
    assert os.environ[VARIABLE]
    verify(program(lambda graph: graph.add(ADD, 0, 1)), "mypass")
