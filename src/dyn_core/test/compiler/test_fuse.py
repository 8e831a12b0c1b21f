# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Sums as chains of fused multiply-adds: the same program in fewer operations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from robots import Robot

import dyn_core
from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.graph import CONSTANT, INPUT, Graph
from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.passes.multiply_add import fuse
from dyn_core.compiler.tracing import trace
from dyn_core.dynamics.declare import Quantity
from dyn_core.spatial.scalars.functions import sin
from dyn_core.spatial.scalars.operations import FMA, SIN


def traced(function: Any, size: int) -> Trace:
    """``function`` of ``size`` symbols."""
    graph = Graph()
    symbols = [Expr.input(graph, "x", k) for k in range(size)]
    return Trace(graph, {"x": size}, {"y": list(function(*symbols))})


def operations(program: Trace) -> Counter[str]:
    """How often each operation occurs, inputs and constants aside."""
    kinds = Counter(program.graph.nodes[position].kind.name for position in program.live())
    del kinds["input"], kinds["constant"]
    return kinds


def evaluate(program: Trace, x: Sequence[float]) -> list[float]:
    """Run a program of arithmetic on floats."""
    value: dict[int, float] = {}
    for position in program.live():
        node = program.graph.nodes[position]
        if node.kind is INPUT:
            value[position] = x[node.entry]
        elif node.kind is CONSTANT:
            value[position] = node.numbers[0]
        else:
            value[position] = node.kind(*(value[k] for k in node.operands))
    return [value[y.position] if isinstance(y, Expr) else y for y in program.outputs["y"]]


CASES = {
    "value first": (lambda a, b, c, d: [a * b + c], {"fma": 1}),
    "nested": (
        lambda a, b, c, d: [(a * b + c * d) + (a * d - b * c)],
        {"mul": 1, "fma": 3, "neg": 1},
    ),
    "difference of sums": (
        lambda a, b, c, d: [(a + b * c) - (d - a * c)],
        {"sub": 1, "fma": 2},
    ),
    "product in two sums": (lambda a, b, c, d: [a * b + c, a * b - d], {"fma": 2, "neg": 1}),
    "product that is an output": (lambda a, b, c, d: [a * b, a * b + c], {"mul": 1, "add": 1}),
    "product of a sum": (lambda a, b, c, d: [(a * b + c) * d], {"fma": 1, "mul": 1}),
    "sum used twice": (lambda a, b, c, d: [(a + b) + c, (a + b) + d], {"add": 3}),
    "all signs minus": (lambda a, b, c, d: [-(a * b) - c], {"fma": 1, "neg": 1}),
    "sum of a negated sum": (lambda a, b, c, d: [d - (a - b * c)], {"sub": 1, "fma": 1}),
    "constants": (lambda a, b, c, d: [2.0 * a + 3.0 * b + 1.0], {"fma": 2}),
    "output that is an input": (lambda a, b, c, d: [a, -b, 3.0], {"neg": 1}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_fused_programs_compute_the_same_in_so_many_operations(case: str) -> None:
    function, expected = CASES[case]
    program = fuse(traced(function, 4))
    x = [0.7, -1.3, 2.1, 0.4]
    assert evaluate(program, x) == pytest.approx(function(*x), rel=1e-15)
    assert operations(program) == expected


def test_the_term_that_is_ready_last_comes_last() -> None:
    program = fuse(traced(lambda a, b, c: [sin(a) * b + c * b + a], 3))
    graph = program.graph
    (last,) = (x.position for x in program.outputs["y"])
    node = graph.nodes[last]
    assert node.kind is FMA
    assert SIN in [graph.nodes[x].kind for x in node.operands[:2]]


@pytest.mark.parametrize("quantity", [dyn_core.rnea, dyn_core.crba, dyn_core.aba])
def test_robots_cost_fewer_operations(robot: Robot, quantity: Quantity) -> None:
    before = trace(robot.model, [quantity.request()])
    counts = [operations(program) for program in (before, fuse(before))]
    assert sum(counts[1].values()) < 0.85 * sum(counts[0].values())
    assert counts[0]["sin"] == counts[1]["sin"]
