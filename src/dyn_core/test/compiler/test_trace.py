# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Symbolic scalars: what is recorded, and how it is simplified."""

from __future__ import annotations

import pytest
from robots import load

from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.graph import Graph
from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.signature import requests_of
from dyn_core.compiler.tracing import trace
from dyn_core.spatial import Matrix3, Vector3
from dyn_core.spatial.scalars.functions import cos, select, sin
from dyn_core.spatial.scalars.operations import SIN, Operation


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


def test_signs_move_outwards(symbols) -> None:
    x, y = symbols
    assert same((-x) * y, -(x * y))
    assert same((-x) * (-y), x * y)
    assert same(x + (-y), x - y)
    assert same(x - (-y), x + y)
    assert same((-x) - y, -(x + y))


def test_constant_factors_merge(symbols) -> None:
    x, _ = symbols
    assert same(2.0 * (3.0 * x), 6.0 * x)
    assert same((x * 4.0) / 2.0, 2.0 * x)
    assert same(-2.0 * (-x), 2.0 * x)


def test_branching_on_a_symbol_is_refused_with_the_way_out(symbols) -> None:
    x, y = symbols
    with pytest.raises(TypeError, match="select"):
        max(x, y)
    with pytest.raises(TypeError, match="equality"):
        x == y  # noqa: B015
    assert isinstance(select(x < y, x, y), Expr)
    assert select(True, x, y) is x


def test_rotation_about_a_coordinate_axis_stays_sparse(symbols) -> None:
    x, _ = symbols
    rotation = Matrix3.axis_angle(Vector3(0.0, 0.0, 1.0), cos(x), sin(x))
    floats = [entry for row in rotation.rows for entry in row if isinstance(entry, float)]
    assert sorted(floats) == [0.0, 0.0, 0.0, 0.0, 1.0]


def test_unused_work_is_not_live(symbols) -> None:
    x, y = symbols
    kept, _dead = x * y, sin(x) + 2.0
    assert kept.graph.live([kept.position]) == [x.position, y.position, kept.position]


def test_operands_precede_their_uses() -> None:
    result = trace(load("hyq").model, requests_of(["aba"]))
    for position in result.live():
        assert all(operand < position for operand in result.graph.nodes[position].operands)


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
