# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The condition number of a matrix that changes in place, beside numpy's."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from dyn_core.compiler.runtime import numba_free as standalone
from dyn_ros.kernels.condition import ConditionNumber

SMALLEST = np.finfo(float).eps


@pytest.fixture(params=["machine code", "Python"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python is what there is where nothing compiles."""
    if request.param == "Python":

        def lacking(*arguments: object) -> None:
            raise ModuleNotFoundError("numba")

        monkeypatch.setattr(standalone, "_standalone", lacking)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 12])
def test_it_is_the_largest_eigenvalue_by_the_smallest(way: None, size: int) -> None:
    """Of matrices of all sorts, to what a condition number leaves of the digits."""
    random, matrix = np.random.default_rng(size), np.zeros((size, size))
    condition = ConditionNumber(matrix)
    for k in range(60):
        factor = random.normal(size=(size, size)) * 10.0 ** random.uniform(-3.0, 3.0, size)
        matrix[:] = np.diag(random.uniform(0.1, 1.0, size)) if k % 5 == 0 else factor @ factor.T
        matrix *= 10.0 ** random.uniform(-200.0, 200.0)
        condition.update()
        expected = float(np.linalg.cond(matrix))
        assert condition.value == pytest.approx(expected, rel=10.0 * size * SMALLEST * expected)


def test_that_of_a_matrix_as_large_as_a_humanoids() -> None:
    factor = np.random.default_rng(3).normal(size=(38, 60))
    matrix = factor @ factor.T
    condition = ConditionNumber(matrix)
    condition.update()
    assert condition.value == pytest.approx(np.linalg.cond(matrix), rel=1e-12)


def test_equal_eigenvalues_are_no_trouble(way: None) -> None:
    turned, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 6)))
    matrix = turned @ np.diag([4.0, 4.0, 4.0, 1.0, 1.0, 1.0]) @ turned.T
    condition = ConditionNumber(matrix)
    condition.update()
    assert condition.value == pytest.approx(4.0)


def test_a_singular_matrix_has_an_infinite_one_until_it_is_singular_no_more(way: None) -> None:
    matrix = np.zeros((3, 3))
    condition = ConditionNumber(matrix)
    for diagonal, expected in (((0, 0, 0), inf), ((1, 0, 2), inf), ((1, 4, 2), 4.0)):
        matrix[:] = np.diag(diagonal)
        condition.update()
        assert condition.value == expected
