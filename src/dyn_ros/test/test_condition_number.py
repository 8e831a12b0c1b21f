# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Condition numbers beside those of LAPACK, and of matrices whose eigenvalues are known."""

from __future__ import annotations

import numpy as np
import pytest

import dyn_ros.condition_number as module
from dyn_ros.condition_number import ConditionNumber


def turned(eigenvalues: np.ndarray, seed: int = 0) -> np.ndarray:
    """A symmetric matrix that has these, in axes at random."""
    size = len(eigenvalues)
    axes, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(size, size)))
    matrix = axes @ np.diag(eigenvalues) @ axes.T
    return 0.5 * (matrix + matrix.T)


@pytest.mark.parametrize("size", [1, 2, 3, 6, 7, 12, 38])
def test_it_is_that_of_the_eigenvalues(size: int) -> None:
    """Well and badly conditioned, of both signs, with several that are equal, of any scale."""
    condition = ConditionNumber(size)
    for seed in range(20):
        random = np.random.default_rng(seed)
        values = 10.0 ** random.uniform(-3.0, 3.0, size)
        for eigenvalues in (values, values * random.choice([-1.0, 1.0], size), np.round(values)):
            sizes = np.abs(eigenvalues) + (eigenvalues == 0.0)
            matrix = turned(np.sign(eigenvalues) * sizes + (eigenvalues == 0.0), seed)
            for scale in (1.0, 1e-290, 1e290):
                found = condition.of(scale * matrix)
                assert found == pytest.approx(sizes.max() / sizes.min(), rel=1e-8)
                assert found == pytest.approx(np.linalg.cond(matrix), rel=1e-8)


def test_a_nearly_singular_matrix_is_as_badly_conditioned_as_lapack_says() -> None:
    """Hilbert's: what is exact of its smallest eigenvalue is what rounding leaves of it."""
    for size, tolerance in ((5, 1e-10), (8, 1e-5)):
        hilbert = 1.0 / (np.add.outer(np.arange(size), np.arange(size)) + 1.0)
        found = ConditionNumber(size).of(hilbert)
        assert found == pytest.approx(np.linalg.cond(hilbert), rel=tolerance)


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        (np.eye(4), 1.0),
        (np.diag([1.0, 8.0, 2.0]), 8.0),
        (np.diag([1.0, 0.0, 2.0]), np.inf),
        (np.zeros((3, 3)), np.inf),
        (np.array([[0.0, 1.0], [1.0, 0.0]]), 1.0),
        (np.array([[2.0, 1e-12], [1e-12, 2.0]]), 1.0),
        (np.diag([1.0, 1e-200]) + np.diag([1e-210], 1) + np.diag([1e-210], -1), 1e200),
        (np.diag(np.full(5, 2.0)) + np.diag(np.ones(4), 1) + np.diag(np.ones(4), -1), 13.928203),
    ],
)
def test_matrices_whose_condition_is_known(matrix: np.ndarray, expected: float) -> None:
    assert ConditionNumber(len(matrix)).of(matrix) == pytest.approx(expected)


def test_machine_code_computes_what_python_does() -> None:
    for seed, size in enumerate((2, 5, 9)):
        matrix = turned(np.random.default_rng(seed).uniform(0.1, 5.0, size), seed)
        numbers = np.zeros((size + 2, size))
        numbers[:size] = matrix
        flat = numbers.ravel()
        assert module._tridiagonalize(size, flat) == module._diagonalize(size, flat) == 1
        machine = ConditionNumber(size)
        machine.of(matrix)
        np.testing.assert_array_equal(machine._numbers, numbers)


def test_eigenvalues_that_are_not_found_are_an_error() -> None:
    """No matrix of finite numbers is known whose are not; one of others stands in for it."""
    with pytest.raises(np.linalg.LinAlgError, match="not found"):
        ConditionNumber(3).of(np.full((3, 3), np.nan))
