"""Quadratic programs of controllers: one way to state friction, and to call the solver."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dyn_core.extras import optional
from dyn_core.model.model import FloatArray


class InfeasibleError(ArithmeticError):
    """Nothing satisfies all constraints."""


def friction_pyramid(friction: float) -> FloatArray:
    """Rows (5, 3) that are not negative for forces within friction, the normal one last.

    The pyramid is inscribed in Coulomb's cone, its edges along x and y.
    """
    side = friction / math.sqrt(2.0)
    return np.array(
        [[1.0, 0.0, side], [-1.0, 0.0, side], [0.0, 1.0, side], [0.0, -1.0, side], [0.0, 0.0, 1.0]]
    )


def minimized(
    hessian: FloatArray,
    gradient: FloatArray,
    matrix: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    why: str,
    accepted: tuple[str, ...] = ("solved",),
    **settings: Any,
) -> FloatArray:
    """The x of least ``x' hessian x / 2 + gradient' x`` with ``lower <= matrix x <= upper``.

    Args:
        hessian: (n, n), positive semidefinite.
        gradient: (n,).
        matrix: (m, n).
        lower: (m,).
        upper: (m,).
        why: what needs the solver, for the message where it is missing.
        accepted: what osqp may say of its solution.
        settings: of osqp.

    Raises:
        InfeasibleError: there is no solution; the message is what osqp says.
        ModelError: osqp or scipy is not installed.
    """
    osqp = optional("osqp", why, extra="control")
    sparse = optional("scipy.sparse", why, extra="control")
    problem = osqp.OSQP()
    upper_triangle = sparse.triu(sparse.csc_matrix(hessian), format="csc")
    constraints = sparse.csc_matrix(matrix)
    problem.setup(upper_triangle, gradient, constraints, lower, upper, verbose=False, **settings)
    result = problem.solve(raise_error=False)
    if result.info.status not in accepted:
        raise InfeasibleError(result.info.status)
    return np.asarray(result.x, dtype=np.float64)
