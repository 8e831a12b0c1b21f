# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Symbolic scalars: what is recorded, how it is simplified, and which programs are refused."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from robots import load

from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.graph import LANE, Graph, Node
from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.ir.verify import VARIABLE, MalformedProgramError, verify
from dyn_core.compiler.signature import requests_of
from dyn_core.compiler.tracing import trace
from dyn_core.spatial.scalars.functions import select, sin
from dyn_core.spatial.scalars.operations import ADD, LESS, NEG, SELECT, SIN, Operation


@pytest.fixture
def symbols() -> tuple[Expr, Expr]:
    graph = Graph()
    return Expr.input(graph, "q", 0), Expr.input(graph, "q", 1)


def same(a: Expr, b: Expr) -> bool:
    """Whether two expressions are one node."""
    return a.graph is b.graph and a.position == b.position


def test_zeros_and_ones_vanish(symbols) -> None:
    x, _ = symbols
    assert 0.0 * x == 0.0
    for unchanged in (x + 0.0, 0.0 + x, x - 0.0, 1.0 * x, x / 1.0, (-x) * -1.0):
        assert same(unchanged, x)
    assert x - x == 0.0


def test_the_same_operation_exists_once(symbols) -> None:
    x, y = symbols
    assert same(x * y, y * x)
    assert same(x + y, y + x)
    assert same(sin(x), sin(x))
    assert not same(x - y, y - x)


def test_branching_on_a_symbol_is_refused_with_the_way_out(symbols) -> None:
    x, y = symbols
    with pytest.raises(TypeError, match="select"):
        max(x, y)
    with pytest.raises(TypeError, match="equality"):
        x == y  # noqa: B015
    assert isinstance(select(x < y, x, y), Expr)
    assert select(True, x, y) is x


def test_outputs_traced_together_share_their_kinematics() -> None:
    model = load("hyq").model
    traces = [
        trace(model, requests_of([x])) for x in ("generalized_gravity", "nonlinear_effects", "crba")
    ]
    together = trace(model, requests_of(["generalized_gravity", "nonlinear_effects", "crba"]))
    assert len(together.live()) < sum(len(alone.live()) for alone in traces)
    for alone in traces:
        assert count(together, SIN) == count(alone, SIN) == 12


def count(traced: Trace, operation: Operation) -> int:
    """How often an operation occurs in a trace."""
    return sum(traced.graph.nodes[position].kind == operation for position in traced.live())


def test_gravity_holds_no_velocity_and_a_fixed_base_no_dead_work() -> None:
    """Zeros of the velocity vanish: gravity costs a fraction of inverse dynamics."""
    model = load("ur5").model
    gravity = len(trace(model, requests_of(["gravity"])).live())
    assert gravity < 0.3 * len(trace(model, requests_of(["rnea"])).live())


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
