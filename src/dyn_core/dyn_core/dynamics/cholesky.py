# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Sparse factorization of the mass matrix, and what it multiplies and solves.

``M = U D U'`` with U unit upper triangular and D diagonal: in this order zeros between branches of
the tree stay zeros (Featherstone 2008, section 6.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from dyn_core.dynamics.crba import crba
from dyn_core.dynamics.declare.arrays import Configuration, Effort, Output, Velocity
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.ldl_factorization import (
    Factor,
    factorize_from_the_leaves,
    inverse_from_the_leaves,
    reversed_both,
    solve,
    solve_lower,
    solve_lower_transposed,
)
from dyn_core.dynamics.singular_mass_matrix import refuse_singular
from dyn_core.model.model import Model
from dyn_core.spatial.lie.space import identity
from dyn_core.spatial.scalars import Rows, Scalar, dot

Which = Literal["M", "U", "U'"]
UNIT = "kg m^2, kg"
SOURCE = "Featherstone 2008, section 6.3"


@quantity(
    Output("U", "unit upper triangular factor of M = U D U'", "1, m, 1/m", ("nv", "nv")),
    Output("D", "diagonal factor of M = U D U'", UNIT, ("nv",)),
    Output("Dinv", "inverse of D", "1/(kg m^2), 1/kg", ("nv",)),
    pinocchio="cholesky.decompose",
    source=SOURCE,
    joint_space=True,
    requires=refuse_singular,
)
def cholesky(model: Model, q: Configuration) -> tuple[Rows, list[Scalar], list[Scalar]]:
    """The sparse Cholesky factorization of the mass matrix, without square roots."""
    factor = mass_matrix_factor(model, q)
    pivots = factor.inverse_pivots[::-1]
    return _upper(factor), [1.0 / x for x in pivots], pivots


def by_columns_of_unity(model: Model, q: Configuration) -> Rows:
    """``M(q)^-1`` by solving for the columns of the unit matrix."""
    return inverse_from_the_leaves(mass_matrix_factor(model, q))


@quantity(
    "Minv",
    "inverse of the joint-space mass matrix",
    unit="1/(kg m^2), 1/(kg m), 1/kg",
    shape=("nv", "nv"),
    pinocchio="computeMinverse, cholesky.computeMinv",
    source=SOURCE,
    joint_space=True,
    requires=refuse_singular,
    alternatives=(by_columns_of_unity,),
)
def minverse(model: Model, q: Configuration) -> Rows:
    """``M(q)^-1``, both triangles.

    Where columns go together it is shorter to solve for them than to multiply halves.
    """
    return inverse_form(model, q, identity(model.nv))


@quantity(
    "product",
    "product of the mass matrix or a factor of it with a vector",
    unit="N m, N",
    shape=("nv",),
    source=SOURCE,
    joint_space=True,
    requires=refuse_singular,
)
def cholesky_product(
    model: Model, q: Configuration, x: Velocity, *, factor: Which = "M"
) -> list[Scalar]:
    """``M x``, or ``U x`` or ``U' x`` with the factor of ``M = U D U'``."""
    if factor == "M":
        matrix = crba.define(model, q)
    else:
        matrix = _upper(mass_matrix_factor(model, q))
        if factor == "U'":
            matrix = [list(row) for row in zip(*matrix, strict=True)]
    return [dot(row, x) for row in matrix]


@quantity(
    "solution",
    "solution of a system with the mass matrix or a factor of it",
    unit="rad/s^2, m/s^2",
    shape=("nv",),
    pinocchio="cholesky.solve",
    source=SOURCE,
    joint_space=True,
    requires=refuse_singular,
)
def cholesky_solve(
    model: Model, q: Configuration, b: Effort, *, factor: Which = "M"
) -> list[Scalar]:
    """``M^-1 b``, or ``U^-1 b`` or ``U'^-1 b`` with the factor of ``M = U D U'``."""
    found, x = mass_matrix_factor(model, q), list(b)[::-1]
    if factor == "M":
        return solve(found, x)[::-1]
    half = solve_lower if factor == "U" else solve_lower_transposed
    return half(found.L, x)[::-1]


def mass_matrix_factor(model: Model, q: Sequence[Scalar]) -> Factor:
    """The factorization of M, its coordinates in the reverse order."""
    return factorize_from_the_leaves(crba.define(model, q))


def inverse_form(model: Model, q: Sequence[Scalar], J: Rows) -> Rows:
    """``J M^-1 J'`` for a matrix of nv columns, exactly symmetric."""
    factor = mass_matrix_factor(model, q)
    halves = [_half(factor, row) for row in J]
    scaled = [
        [x * pivot for x, pivot in zip(half, factor.inverse_pivots, strict=True)] for half in halves
    ]
    lower = [[dot(x, y) for y in scaled[: k + 1]] for k, x in enumerate(halves)]
    return [[lower[max(i, j)][min(i, j)] for j in range(len(J))] for i in range(len(J))]


def _half(factor: Factor, b: Sequence[Scalar]) -> list[Scalar]:
    """``U^-1 b``, in the reverse order."""
    return solve_lower(factor.L, list(b)[::-1])


def _upper(factor: Factor) -> Rows:
    """U: the factor in the order of the coordinates, with its ones."""
    n = len(factor.L)
    rows = [[1.0 if i == j else factor.L[i][j] for j in range(n)] for i in range(n)]
    return reversed_both(rows)
