# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The condition number that ~/mass_matrix has, against LAPACK."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from dyn_ros.condition_number import ConditionNumber


def symmetric(eigenvalues: np.ndarray, seed: int) -> np.ndarray:
    """A matrix with these eigenvalues, in axes of its own."""
    size = len(eigenvalues)
    axes = np.linalg.qr(np.random.default_rng(seed).normal(size=(size, size)))[0]
    matrix = (axes * eigenvalues) @ axes.T
    return 0.5 * (matrix + matrix.T)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 38])
def test_condition_numbers_are_those_of_lapack(size: int) -> None:
    """Whatever the eigenvalues are: far apart, equal, negative."""
    generator = np.random.default_rng(size)
    matrix = np.zeros((size, size))
    condition = ConditionNumber(matrix)
    for k in range(30):
        wide = 10.0 ** generator.uniform(-2.0, 2.0, size)
        whole = generator.choice([-2.0, -1.0, 1.0, 2.0], size)
        matrix[:] = symmetric(wide if k % 2 else whole, k)
        assert condition() == pytest.approx(np.linalg.cond(matrix), rel=1e-9)


def test_of_what_is_diagonal_nothing_is_lost() -> None:
    matrix = np.diag([3.0, 1e-3, 7.0, 2.0])
    assert ConditionNumber(matrix)() == 7.0 / 1e-3


def test_a_singular_matrix_has_an_infinite_one() -> None:
    assert ConditionNumber(np.zeros((3, 3)))() == inf
    assert ConditionNumber(np.diag([1.0, 0.0]))() == inf


def test_what_is_not_finite_ends() -> None:
    matrix = np.full((5, 5), np.nan)
    assert not ConditionNumber(matrix)() < inf
