# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Gaussian elimination of compiled solvers."""

import numpy as np
import pytest

from dyn_core.compiler.runtime.numba_cached import compiled
from dyn_core.contacts.contact_laws import OPTIONS
from dyn_core.contacts.gaussian_elimination import eliminated


def test_a_zero_on_the_diagonal_is_exchanged() -> None:
    A = np.array([[2.0, 1.0, 3.0], [1.0, 0.0, 1e-9], [4.0, 1.0, 0.0]])
    b = np.array([1.0, 2.0, 3.0])
    x = b.copy()
    assert compiled(eliminated, **OPTIONS)(A.copy(), x)
    np.testing.assert_allclose(A @ x, b, rtol=1e-12)


def test_zeros_between_branches_remain() -> None:
    """Two branches of two coordinates each on a root: no entry between them is ever changed."""
    random = np.random.default_rng(0)
    A = np.eye(5)
    for branch in ([0, 1, 2], [0, 3, 4]):
        A[np.ix_(branch, branch)] += 0.1 * random.normal(size=(3, 3))
    b, used = random.normal(size=5), A.copy()
    x = b.copy()
    assert compiled(eliminated, **OPTIONS)(used, x)
    np.testing.assert_allclose(A @ x, b, rtol=1e-12)
    assert not used[1:3, 3:].any()
    assert not used[3:, 1:3].any()


@pytest.mark.parametrize("size", [1, 4])
def test_a_singular_matrix_is_reported(size: int) -> None:
    assert not compiled(eliminated, **OPTIONS)(np.zeros((size, size)), np.ones(size))
