# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Symmetric positive definite systems without branches: of one joint, or a sparse mass matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dyn_core.spatial.lie.space import identity
from dyn_core.spatial.scalars import Scalar
from dyn_core.spatial.scalars.column_lanes import by_columns


@dataclass(frozen=True)
class Factor:
    """``D = L diag(1 / inverse_pivots) L'`` with unit lower triangular L."""

    L: list[list[Scalar]]
    inverse_pivots: list[Scalar]

    def __neg__(self) -> Factor:
        """The factor of ``-D``."""
        return Factor(self.L, [-x for x in self.inverse_pivots])


def factorize(D: Sequence[Sequence[Scalar]]) -> Factor:
    """Square-root-free Cholesky factorization of the symmetric ``D`` (lower triangle is read)."""
    n = len(D)
    L: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    scaled: list[list[Scalar]] = [[0.0] * n for _ in range(n)]  # L times the pivots
    inverse_pivots: list[Scalar] = []
    for j in range(n):
        pivot = _less(D[j][j], L[j][:j], scaled[j])
        inverse_pivots.append(1.0 / pivot)
        for i in range(j + 1, n):
            entry = _less(D[i][j], L[i][:j], scaled[j])
            scaled[i][j] = entry
            L[i][j] = entry * inverse_pivots[j]
    return Factor(L, inverse_pivots)


def solve(factor: Factor, b: Sequence[Scalar]) -> list[Scalar]:
    """``D^-1 b``."""
    half = solve_lower(factor.L, b)
    scaled = [y * inverse for y, inverse in zip(half, factor.inverse_pivots, strict=True)]
    return solve_lower_transposed(factor.L, scaled)


def solve_lower(L: Sequence[Sequence[Scalar]], b: Sequence[Scalar]) -> list[Scalar]:
    """``L^-1 b`` for a unit lower triangular L."""
    x = list(b)
    for i in range(len(x)):
        x[i] = _less(x[i], L[i][:i], x)
    return x


def solve_lower_transposed(L: Sequence[Sequence[Scalar]], b: Sequence[Scalar]) -> list[Scalar]:
    """``L'^-1 b`` for a unit lower triangular L."""
    x = list(b)
    for i in reversed(range(len(x))):
        x[i] = _less(x[i], [row[i] for row in L[i + 1 :]], x[i + 1 :])
    return x


def factorize_from_the_leaves(M: Sequence[Sequence[Scalar]]) -> Factor:
    """A mass matrix factorized with its coordinates in the reverse order.

    The last are eliminated first, so that the zeros between branches of the tree stay exact zeros
    and cost nothing (Featherstone 2008, section 6.5).
    """
    return factorize(reversed_both(M))


def solve_from_the_leaves(M: Sequence[Sequence[Scalar]], b: Sequence[Scalar]) -> list[Scalar]:
    """``M^-1 b`` for a mass matrix."""
    return solve(factorize_from_the_leaves(M), list(b)[::-1])[::-1]


def inverse_from_the_leaves(factor: Factor) -> list[list[Scalar]]:
    """The inverse of a mass matrix, given its factor; exactly symmetric.

    Its columns are solved for; of each, the part above the diagonal is taken, which costs least.
    """
    size = len(factor.inverse_pivots)
    x = by_columns(lambda b: solve(factor, b[::-1])[::-1], identity(size), factor.inverse_pivots)
    return [[x[min(i, j)][max(i, j)] for j in range(len(x))] for i in range(len(x))]


def reversed_both(matrix: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    """A matrix with its rows and columns in the reverse order."""
    return [list(row)[::-1] for row in matrix][::-1]


def _less(number: Scalar, row: Sequence[Scalar], x: Sequence[Scalar]) -> Scalar:
    """A number less the inner product of ``row`` with as many entries of ``x``."""
    for a, b in zip(row, x, strict=False):
        if _may_be(a) and _may_be(b):
            number = number - a * b
    return number


def _may_be(x: Scalar) -> bool:
    """Whether a number is not an exact zero."""
    return not (isinstance(x, float) and x == 0.0)
