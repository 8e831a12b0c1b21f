# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Symmetric outputs, of which one half is computed and copied to the other."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from robots import load

import dyn_core
from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.graph import Graph
from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.passes.multiply_add import fuse
from dyn_core.compiler.pipeline import program
from dyn_core.compiler.targets.llvm import symmetric_stores as mirror
from dyn_core.compiler.targets.llvm.array_layouts import Blocks
from dyn_core.compiler.targets.llvm.printer import KERNEL, print_batch, print_llvm
from dyn_core.compiler.targets.llvm.symmetric_stores import mirrored
from dyn_core.dynamics.ldl_factorization import factorize_from_the_leaves, inverse_from_the_leaves
from dyn_core.spatial.scalars import Scalar

LEAST = 6
"""Rows of the smallest matrix that is copied here."""


@pytest.fixture(autouse=True)
def _small_ones_are_copied_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirror, "MANY", LEAST * (LEAST - 1) // 2)


def symbols(n: int, lanes: int = 1) -> list[list[Expr]]:
    graph = Graph(lanes=lanes)
    return [[Expr.input(graph, "x", i * n + j) for j in range(n)] for i in range(n)]


def flat(rows: list[list[Scalar]]) -> list[Scalar]:
    return [x for row in rows for x in row]


def computed(rows: list[list[Scalar]], graph: Graph, x: np.ndarray) -> tuple[np.ndarray, str]:
    """What machine code stores into a matrix, and its text."""
    text = print_llvm(fuse(Trace(graph, {"x": x.size}, {"y": flat(rows)})))
    code = machine.LoadedCode(machine.to_object_code(text), [KERNEL])
    y = np.full(len(rows) ** 2 + 1, np.nan)  # one more, which must stay
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code.address(KERNEL))
    call(x.ctypes.data, y.ctypes.data)
    assert code
    assert np.isnan(y[-1])
    return y[:-1].reshape(len(rows), -1), text


@pytest.mark.parametrize("n", range(LEAST - 1, LEAST + 5))
def test_what_is_above_the_diagonal_is_below(n: int) -> None:
    x = symbols(n)
    rows = [[-x[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)]
    numbers = np.random.default_rng(n).normal(size=(n, n))
    actual, text = computed(rows, x[0][0].graph, numbers)
    above = np.triu(numbers)
    assert np.array_equal(actual, -(above + np.triu(numbers, 1).T))
    assert ("@mirror" in text) == (n >= LEAST)


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
@pytest.mark.parametrize("n", [LEAST, 11])
def test_columns_leave_nothing_of_their_own_below(n: int, lanes: int) -> None:
    """Vectors are stored whole where they lie across the diagonal."""
    A = symbols(n, lanes)
    random = np.random.default_rng(n).normal(size=(n, 3 * n))
    spd = random @ random.T
    rows = inverse_from_the_leaves(factorize_from_the_leaves(A))
    actual, text = computed(rows, A[0][0].graph, spd)
    assert "@mirror" in text
    assert np.array_equal(actual, actual.T)
    assert actual == pytest.approx(np.linalg.inv(spd), rel=1e-9, abs=1e-12)


def test_only_what_is_symmetric_and_has_few_zeros() -> None:
    x = symbols(LEAST)
    rows = [[x[min(i, j)][max(i, j)] for j in range(LEAST)] for i in range(LEAST)]
    assert len(mirrored(flat(rows))) == LEAST
    assert not mirrored(flat(rows)[:-1])
    assert not mirrored(flat(x))
    sparse = [[y if min(i, j) < 1 else 0.0 for j, y in enumerate(r)] for i, r in enumerate(rows)]
    assert not mirrored(flat(sparse))


def test_the_inverse_of_a_mass_matrix_is_copied() -> None:
    printed = program(load("ur5").model, [dyn_core.minverse.request()])
    assert "call void @mirror6(" in print_llvm(printed)
    assert "mirror" not in print_batch(printed, Blocks(printed, 4))
