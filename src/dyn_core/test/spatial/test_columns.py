# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Columns of a matrix that go together: the same numbers as one by one, from fewer operations."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from robots import load, relative_error

import dyn_core
from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.graph import Graph
from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.passes.multiply_add import fuse
from dyn_core.compiler.targets.llvm.functions import KERNEL, print_llvm
from dyn_core.dynamics.declare.arrays import Configuration
from dyn_core.dynamics.ldl_factorization import (
    factorize,
    factorize_from_the_leaves,
    inverse_from_the_leaves,
    solve,
)
from dyn_core.model import Model
from dyn_core.spatial.scalars.column_lanes import by_columns

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
