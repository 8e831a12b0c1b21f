# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Traced programs: what is recorded, simplified and refused, and how long they are."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from random_trees import random_model
from robots import load, relative_error
from test_operations import traced
from test_random_trees import states

import dyn_core
from dyn_core import Model
from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.graph import LANE, Graph, Node
from dyn_core.compiler.ir.operation_count import count
from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.ir.verify import VARIABLE, MalformedProgramError, verify
from dyn_core.compiler.passes.multiply_add import fuse
from dyn_core.compiler.pipeline import program
from dyn_core.compiler.signature import requests_of
from dyn_core.compiler.tracing import trace
from dyn_core.dynamics.declare.alternatives import choosing
from dyn_core.joints import Freedom, Joint, Revolute
from dyn_core.model.joints.axis_joint import unit_axis
from dyn_core.spatial import SE3, Force, Matrix3, Motion, Vector3
from dyn_core.spatial.lie import VectorSpace
from dyn_core.spatial.scalars import Scalar
from dyn_core.spatial.scalars.functions import cos, select, sin
from dyn_core.spatial.scalars.operations import ADD, LESS, NEG, SELECT, SIN, Operation


@pytest.fixture
def symbols() -> tuple[Expr, Expr]:
    graph = Graph()
    return Expr.input(graph, "q", 0), Expr.input(graph, "q", 1)


def same(a: Expr, b: Expr) -> bool:
    """Whether two expressions are one node."""
    return a.graph is b.graph and a.position == b.position


def test_zeros_and_ones_vanish_and_the_same_operation_exists_once(symbols) -> None:
    x, y = symbols
    assert 0.0 * x == 0.0
    for unchanged in (x + 0.0, 0.0 + x, x - 0.0, 1.0 * x, x / 1.0, (-x) * -1.0):
        assert same(unchanged, x)
    assert x - x == 0.0
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
        assert occurrences(together, SIN) == occurrences(alone, SIN) == 12


def occurrences(traced: Trace, operation: Operation) -> int:
    """How often an operation occurs in a trace."""
    return sum(traced.graph.nodes[position].kind == operation for position in traced.live())


def test_gravity_holds_no_velocity_and_a_fixed_base_no_dead_work() -> None:
    """Zeros of the velocity vanish: gravity costs a fraction of inverse dynamics."""
    model = load("ur5").model
    gravity = len(trace(model, requests_of(["gravity"])).live())
    assert gravity < 0.3 * len(trace(model, requests_of(["rnea"])).live())


def program_of(make: Callable[[Graph], int]) -> Trace:
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
        verify(program_of(BROKEN[words]), "mypass")


def test_programs_are_verified_in_all_tests() -> None:
    assert os.environ[VARIABLE]
    verify(program_of(lambda graph: graph.add(ADD, 0, 1)), "mypass")


BY_MASS_MATRIX = 1
"""The other definition of forward dynamics, by number."""


def test_operations_are_counted_by_kind() -> None:
    def function(a, b, c):
        _ = sin(b) * c  # no output needs it
        return [a * b + c, a - b, -(a * c), b / c, sin(a), select(a < b, a, c), 2.0, a]

    assert count(fuse(traced(lambda x: function(*x), 3))) == {
        "multiplications": 1, "additions": 1, "fused": 1, "divisions": 1, "functions": 3,
        "moves": 0, "total": 7,
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_both_definitions_of_forward_dynamics_agree(seed: int) -> None:
    model = random_model(seed, joints=10, mimic=False)
    for s in states(model, 3, seed):
        arrays = [s[name].tolist() for name in dyn_core.aba.inputs]
        expected = np.array(dyn_core.aba.define(model, *arrays))
        with choosing({dyn_core.aba: BY_MASS_MATRIX, dyn_core.rnea: 1}):
            actual = np.array(dyn_core.aba.define(model, *arrays))
        assert (actual != expected).any()
        M = np.array(dyn_core.crba.define(model, s["q"].tolist()))
        assert np.abs(M @ (actual - expected)).max() < 1e-10 * np.abs(s["tau"]).max()


@pytest.mark.parametrize("seed", range(4))
def test_accelerations_of_origins_make_the_efforts_of_the_book(seed: int) -> None:
    model = random_model(seed, joints=10)
    for s in states(model, 3, seed):
        arrays = [s[name].tolist() for name in dyn_core.rnea.inputs]
        forces = [
            Force.of(row) for row in np.random.default_rng(seed).normal(size=(model.njoints, 6))
        ]
        expected = np.array(dyn_core.rnea.define(model, *arrays, forces))
        with choosing({dyn_core.rnea: 1}) as choice:
            actual = np.array(dyn_core.rnea.define(model, *arrays, forces))
        assert list(choice.seen) == [dyn_core.rnea]
        assert (actual != expected).any()
        assert np.abs(actual - expected).max() < 1e-12 * np.abs(expected).max()


class Hinge(Joint):
    """A user's own, of no kind of ours, that says what it lets move."""

    space = VectorSpace(1)
    freedom = Freedom.TURN

    def __init__(self, axis: Sequence[float]) -> None:
        self.axis = unit_axis(axis)

    @property
    def parameters(self) -> dict[str, object]:
        return {"axis": list(self.axis)}

    def transform(self, q: Sequence[Scalar]) -> SE3:
        return SE3(Matrix3.axis_angle(self.axis, cos(q[0]), sin(q[0])), Vector3.zero())

    def subspace(self, q: Sequence[Scalar]) -> tuple[Motion, ...]:
        return (Motion(Vector3.zero(), self.axis),)


class Silent(Hinge):
    """A joint of unknown motion."""


def test_a_joint_of_the_users_own_joins_in_if_it_declares_its_motion_class() -> None:
    model = load("ur5").model
    turned = [(entry, entry.joint.axis) for entry in model.tree[1:]]

    def with_hinges(kind: type[Joint]) -> Model:
        tree = [replace(entry, joint=kind(list(axis))) for entry, axis in turned]
        return replace(model, tree=(model.tree[0], *tree))

    ours, says, silent = (with_hinges(kind) for kind in (Revolute, Hinge, Silent))
    assert Hinge((0.0, 1.0, 0.0)).motion_class is Freedom.TURN
    assert Silent((0.0, 1.0, 0.0)).motion_class is Freedom.ANY
    request = [dyn_core.rnea.request()]
    costs = [count(program(robot, request))["total"] for robot in (ours, says, silent)]
    assert costs[0] == costs[1] < costs[2]
    q, v, a = np.random.default_rng(0).normal(size=(3, 6))
    expected = dyn_core.rnea(ours, q, v, a)
    for robot in (says, silent):
        assert relative_error(dyn_core.rnea(robot, q, v, a), expected) < 1e-13
