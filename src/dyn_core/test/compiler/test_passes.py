# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Whichever passes run, and wherever long programs are cut, results are those of the definition."""

from __future__ import annotations

import ctypes
import importlib
import pickle
from collections.abc import Sequence

import numpy as np
import pytest
from covering import evaluated
from random_trees import ALL_KINDS, random_inertia, random_model, random_placement
from robots import load, relative_error
from test_operations import compiled
from test_random_trees import states

import dyn_core
from dyn_core import Model, ModelBuilder, Quantity
from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.graph import Graph
from dyn_core.compiler.ir.operation_count import count
from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.passes.equivalent_model import equivalent
from dyn_core.compiler.passes.limbs import groups_of_limbs
from dyn_core.compiler.passes.multiply_add import fuse
from dyn_core.compiler.passes.switches import PASSES, without
from dyn_core.compiler.pipeline import program
from dyn_core.compiler.targets.llvm.functions import KERNEL, print_llvm
from dyn_core.compiler.targets.llvm.printer import BARRIER
from dyn_core.dynamics.declare.arrays import Configuration
from dyn_core.dynamics.ldl_factorization import (
    factorize,
    factorize_from_the_leaves,
    inverse_from_the_leaves,
    solve,
)
from dyn_core.joints import FreeFlyer, Joint, Mimic, Revolute
from dyn_core.model import Limits
from dyn_core.spatial import SE3, Inertia, Vector3
from dyn_core.spatial.scalars.column_lanes import by_columns
from dyn_core.spatial.scalars.functions import sin
from dyn_core.spatial.scalars.operations import ADD

printer = importlib.import_module("dyn_core.compiler.targets.llvm.functions")


def results(printed: Trace, arrays: Sequence[np.ndarray]) -> np.ndarray:
    """What a program computes; it is cut into functions if it is long."""
    ir = print_llvm(printed)
    code = machine.LoadedCode(machine.to_object_code(ir), [KERNEL])
    outputs = [np.full(len(scalars), np.nan) for scalars in printed.outputs.values()]
    every = [*arrays, *outputs]
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(every))(code.address(KERNEL))
    call(*(x.ctypes.data for x in every))
    assert code
    short = len(printed.computed()) <= printer.MAX_FUNCTION_NODES or BARRIER in ir
    assert (ir.count("define ") == 1) == short
    return np.concatenate(outputs)


@pytest.fixture(scope="module")
def expected() -> np.ndarray:
    """The definitions on floats."""
    robot = load("hyq")
    state = robot.states(1)[0]
    found = [evaluated(robot.model, x, state) for x in (dyn_core.crba, dyn_core.rnea)]
    return np.concatenate([x.ravel() for x in found])


@pytest.mark.parametrize("names", [(), *((x,) for x in PASSES), tuple(PASSES)], ids=str)
def test_any_pass_may_be_left_out(names: tuple[str, ...], expected: np.ndarray) -> None:
    robot = load("hyq")
    with without(*names):
        printed = program(robot.model, [dyn_core.crba.request(), dyn_core.rnea.request()])
        found = results(printed, [robot.states(1)[0][name] for name in "qva"])
    assert relative_error(found, expected) < 1e-11


RECEIPTS = {"alternatives": (("ur5", "panda"), 1.0),
            "fuse": (("ur5", "hyq"), 0.85), "equivalent": (("ur5", "panda"), 1.0),
            "limbs": (("hyq", "simple_humanoid", "talos"), 0.65)}  # fmt: skip
"""Robots for which a pass saves operations, and what part of them is left at most."""


@pytest.mark.quick("rnea")
@pytest.mark.parametrize("quantity", [dyn_core.rnea, dyn_core.aba], ids=lambda x: x.__name__)
@pytest.mark.parametrize("name", RECEIPTS)
def test_passes_save_operations(name: str, quantity: Quantity) -> None:
    robots, ratio = RECEIPTS[name]
    for robot in robots:
        model, request = load(robot).model, [quantity.request()]
        with without(name):
            before = count(program(model, request))["total"]
        assert count(program(model, request))["total"] < ratio * before


def tree() -> Model:
    """All joint types: their functions compare and choose."""
    return random_model(2, joints=16)


TREE = (
    dyn_core.rnea, dyn_core.crba, dyn_core.aba, dyn_core.integrate, dyn_core.difference,
    dyn_core.minverse,
)  # fmt: skip
CUT = [(tree, quantity, 1e-11) for quantity in TREE]  # rounding: of what is fused
CUT += [(lambda: load("hyq").model, quantity, 1e-13) for quantity in (dyn_core.rnea, dyn_core.aba)]


@pytest.mark.quick("[4-", "[6-")
@pytest.mark.parametrize(
    ("model", "quantity", "tolerance"), CUT, ids=[f"{k}-{x[1].__name__}" for k, x in enumerate(CUT)]
)
def test_programs_are_cut_anywhere(
    model, quantity: Quantity, tolerance: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    s = states(model(), 2, 7)
    at = {**s[0], "dv": s[0]["v"], "q0": s[0]["q"], "q1": s[1]["q"]}
    arrays = [at[name] for name in quantity.inputs]
    printed = program(model(), [quantity.request()])
    whole = results(printed, arrays)
    monkeypatch.setattr(printer, "MAX_FUNCTION_NODES", 0)
    monkeypatch.setattr(printer, "IN_ORDER", range(0))
    for piece in (20, 100, 300):
        monkeypatch.setattr(printer, "PIECE_LINES", piece)
        assert relative_error(results(printed, arrays), whole) < tolerance, piece


def test_either_goal_computes_the_same() -> None:
    """Code that prefetches itself when it is called seldom, and code that does not."""
    model, s = load("hyq").model, load("hyq").states(1)[0]
    often, seldom = (
        dyn_core.compile(model, [dyn_core.aba_derivatives], optimize_for=goal)
        for goal in ("throughput", "latency")
    )
    assert pickle.loads(pickle.dumps(often)).spec.optimize_for == "throughput"
    for _ in range(2):
        arrays = [s[name] for name in seldom.inputs]
        for found, expected in zip(seldom(*arrays), often(*arrays), strict=True):
            assert np.array_equal(found, expected)
    with pytest.raises(ValueError, match="'latency' or 'throughput'"):
        dyn_core.compile(load("ur5").model, ["rnea"], optimize_for="speed")  # type: ignore[arg-type]


QUANTITIES = (
    dyn_core.rnea,
    dyn_core.nonlinear_effects,
    dyn_core.generalized_gravity,
    dyn_core.crba,
    dyn_core.aba,
)
KINDS = tuple(kind for kind in ALL_KINDS if kind not in ("composite", "free_flyer"))


def legged(seed: int, legs: int, kinds: tuple[str, ...], base: Joint | None = None) -> Model:
    """A body with legs that have the same joints at different places, some of them plainer."""
    random = np.random.default_rng(seed)
    builder = ModelBuilder("legged", gravity=(1.0, -2.0, -9.0))
    trunk = 0
    if base is not None:
        trunk = builder.add_joint(0, base, SE3.identity(), "base")
        builder.add_body(trunk, random_inertia(random), random_placement(random))
    joints = [ALL_KINDS[kind](random) for kind in kinds]
    for leg in range(legs):
        parent = trunk
        for k, joint in enumerate(joints):
            plain = random.random() < 0.3
            placement = SE3.identity() if plain else random_placement(random)
            limits = Limits.of(joint, armature=0.0 if k else random.uniform(0.01, 0.2))
            parent = builder.add_joint(parent, joint, placement, f"leg{leg}_{k}", limits)
            body = Inertia(1.0, Vector3.zero(), Inertia.zero().rotational)
            builder.add_body(parent, random_inertia(random), random_placement(random))
            if plain:
                builder.add_body(parent, body, SE3.identity())
    return builder.build()


def check(model: Model, seed: int) -> None:
    """Machine code against the definitions on floats, under forces on bodies where they count."""
    forces = np.random.default_rng(seed).normal(size=(model.njoints, 6))
    for quantity in QUANTITIES:
        kernel = dyn_core.compile(model, [quantity], ["f_ext"] * ("f_ext" in quantity.parameters))
        for s in states(model, 2, seed):
            s["f_ext"] = forces
            found = kernel(*(s[name] for name in kernel.inputs))
            expected = evaluated(model, quantity, {name: s[name] for name in kernel.inputs})
            assert relative_error(found, expected) < 1e-10, quantity


@pytest.mark.quick("[2]")
@pytest.mark.parametrize("legs", [2, 3, 4, 5, 7])
def test_any_number_of_legs(legs: int) -> None:
    check(legged(legs, legs, ("revolute", "prismatic", "revolute"), FreeFlyer()), legs)


@pytest.mark.quick("planar]")
@pytest.mark.parametrize("kind", KINDS)
def test_legs_of_every_joint_type(kind: str) -> None:
    model = legged(1, 2, (kind, "revolute"), Revolute((0.0, 1.0, 0.0)))
    assert [len(limbs) for limbs in groups_of_limbs(equivalent(model).model)] == [2]
    check(model, 1)


@pytest.mark.thorough
def test_arms_on_the_world_need_not_meet() -> None:
    check(legged(2, 4, ("revolute", "revolute_unbounded", "revolute")), 2)


def test_limbs_that_differ_in_a_joint_or_follow_another_are_left_alone() -> None:
    builder = ModelBuilder("two arms")
    for arm, axis in enumerate(((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))):
        shoulder = builder.add_joint(0, Revolute((0.0, 0.0, 1.0)), SE3.identity(), f"s{arm}")
        builder.add_joint(shoulder, Revolute(axis), SE3.identity(), f"e{arm}")
    assert groups_of_limbs(builder.build()) == []
    builder = ModelBuilder("two fingers")
    leader = builder.add_joint(0, Revolute((1.0, 0.0, 0.0)), SE3.identity(), "leader")
    for finger in "ab":
        follower = Mimic(Revolute((0.0, 0.0, 1.0)))
        builder.add_joint(leader, follower, SE3.identity(), finger, primary="leader")
    assert groups_of_limbs(builder.build()) == []


def test_a_node_that_is_several_terms_of_a_sum_is_lost_in_none() -> None:
    """One limb adds one number twice, where the other adds two."""

    @dyn_core.quantity("twice", "a sum over limbs", unit="1", source="none", joint_space=True)
    def twice(model: Model, q: Configuration) -> float:
        a, b, c = 2.0 * sin(q[0]), 3.0 * sin(q[1]), 5.0 * sin(q[1])
        return (a + b) + (a + c)

    model, q = legged(0, 2, ("revolute",)), np.array([0.3, 0.7])
    assert groups_of_limbs(model) == [((1,), (2,))]
    expected = 4.0 * np.sin(0.3) + 8.0 * np.sin(0.7)
    assert twice(model, q) == pytest.approx(expected, rel=1e-14)


def test_lanes_of_a_vector_are_stored_wherever_they_are_asked_for() -> None:
    """Both lanes of a sum, each into two entries side by side."""

    def function(x: list[Expr]) -> list[Expr]:
        graph = x[0].graph
        operands = [graph.pack([x[2 * k + j].position for j in (0, 1)]) for k in (0, 1)]
        total = graph.add(ADD, *operands)
        lanes = [Expr(graph, graph.lane(total, k)) for k in (0, 1)]
        return [lanes[0], lanes[0], 0.0, lanes[1], lanes[1]]

    y = compiled(function, 4)(np.array([1.0, 2.0, 30.0, 40.0]))
    assert y.tolist() == [31.0, 31.0, 0.0, 42.0, 42.0]


SIZE = 5
RANDOM = np.random.default_rng(0)
SPD = np.cov(RANDOM.normal(size=(SIZE, 40)))


def solved_together(matrix: np.ndarray, b: np.ndarray, lanes: int) -> tuple[np.ndarray, Trace]:
    """``A^-1 [B, 1]`` by machine code whose nodes have up to so many lanes."""
    graph = Graph(lanes=lanes)
    inputs = {"A": matrix, "B": b}
    A, B = (
        [[Expr.input(graph, name, k) for k in row] for row in np.arange(x.size).reshape(x.shape)]
        for name, x in inputs.items()
    )
    factor, from_the_leaves = factorize(A), factorize_from_the_leaves(A)
    B = [[0.0 if k == 1 else x for k, x in enumerate(row)] for row in B]
    inverse = inverse_from_the_leaves(from_the_leaves)
    outputs = [by_columns(lambda column: solve(factor, column), B), inverse]
    flat = {str(k): [x for row in rows for x in row] for k, rows in enumerate(outputs)}
    printed = fuse(Trace(graph, {name: x.size for name, x in inputs.items()}, flat))
    code = machine.LoadedCode(machine.to_object_code(print_llvm(printed)), [KERNEL])
    results = [np.full(len(xs), np.nan) for xs in flat.values()]
    arrays = [np.ascontiguousarray(x) for x in (matrix, b)] + results
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(arrays))(code.address(KERNEL))(
        *(x.ctypes.data for x in arrays)
    )
    return np.hstack([x.reshape(SIZE, -1) for x in results]), printed


@pytest.mark.quick("1-", "17-")
@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5, 7, 8, 9, 13, 17])
@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_any_number_of_columns(columns: int, lanes: int) -> None:
    b = RANDOM.normal(size=(SIZE, columns))
    actual, _ = solved_together(SPD, b, lanes)
    b[:, 1:2] = 0.0
    expected = np.hstack([np.linalg.solve(SPD, b), np.linalg.inv(SPD)])
    assert relative_error(actual, expected) < 1e-13
    assert np.all(actual[:, :columns][:, 1:2] == 0.0)
    assert np.array_equal(actual[:, columns:], actual[:, columns:].T)


def test_gradients_of_what_is_solved_for_columns() -> None:
    """Reverse mode records no lanes."""

    @dyn_core.quantity("reach", "sum of accelerations by unit efforts", unit="1", source="none")
    def reach(model: Model, q: Configuration) -> float:
        M = dyn_core.crba.define(model, q)
        Minv = inverse_from_the_leaves(factorize_from_the_leaves(M))
        return sum((Minv[i][i] for i in range(model.nv)), 0.0)

    model = load("ur5").model
    q, h = RANDOM.normal(size=6), 1e-6
    by_q = dyn_core.compile(model, [dyn_core.derivative.request(reach, by="q")])(q)
    for k, dq in enumerate(h * np.eye(6)):
        slope = (reach(model, q + dq) - reach(model, q - dq)) / (2.0 * h)
        assert by_q[k] == pytest.approx(slope, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("name", ["ur5", "hyq"])
def test_outputs_may_lie_where_inputs_do(name: str) -> None:
    """All inputs are read before any output is written, rows of vectors too."""
    robot = load(name)
    kernel = dyn_core.compile(robot.model, [dyn_core.aba_derivatives])
    s = robot.states(1)[0]
    inputs = [s[x] for x in kernel.inputs]
    expected = [x.copy() for x in kernel(*inputs)]
    memory = np.zeros(sum(x.size for x in expected))
    ends = np.cumsum([0, *(x.size for x in inputs)])
    for x, start in zip(inputs, ends, strict=False):
        memory[start : start + x.size] = x
    addresses = [memory[start:].ctypes.data for start in ends[:-1]]
    outputs = np.split(memory, np.cumsum([x.size for x in expected])[:-1])
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 6)(kernel.address)
    call(*addresses, *(x.ctypes.data for x in outputs))
    for actual, wanted in zip(outputs, expected, strict=True):
        assert np.array_equal(actual.reshape(wanted.shape), wanted)
