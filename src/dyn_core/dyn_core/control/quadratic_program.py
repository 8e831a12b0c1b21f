# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Quadratic programs of controllers: one way to state friction, and to call the solver.

They are dense and small and solved by daqp, a dual active-set method: of daqp, quadprog, piqp,
proxsuite and osqp the fastest and most exact from 6 to 40 variables. Every program is
solved anew: daqp's warm start saved a tenth of the time at best.
"""

from __future__ import annotations

import math

import numpy as np

from dyn_core.extras import optional
from dyn_core.model.model import FloatArray

SOLVED_STATUS = (1, 2)
"""What daqp says of a solution; 2: one that leaves soft bounds."""
OVERFLOW_MESSAGE = "numbers are too large, such as a target that is far away"
FAILURE_MESSAGES = {
    -1: "they contradict each other",
    -2: "the solver cycled",
    -4: "too many iterations of the solver",
    -5: OVERFLOW_MESSAGE,
}
"""What else it says."""


class InfeasibleError(ArithmeticError):
    """No solution satisfies all constraints."""


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
) -> FloatArray:
    """The x of least ``x' hessian x / 2 + gradient' x`` within bounds.

    Args:
        hessian: (n, n), positive definite.
        gradient: (n,).
        matrix: (m, n).
        lower: (m,) of ``matrix x``; where it is (n + m,), the first n are of x itself.
        upper: likewise.
        why: what needs the solver, for the message where it is missing.

    Raises:
        InfeasibleError: there is no solution; the message says why.
        MissingExtraError: daqp is not installed; the message says how to get it.
    """
    solver = optional("daqp", why, extra="ik")
    rows, sense = np.ascontiguousarray(matrix), np.zeros(len(upper), dtype=np.intc)
    x, _, flag, _ = solver.solve(hessian, gradient, rows, upper, lower, sense)
    if flag not in SOLVED_STATUS:
        raise InfeasibleError(FAILURE_MESSAGES.get(flag, f"daqp ended with {flag}"))
    if not math.isfinite(x.dot(x)):  # of NaN daqp says that it is solved
        raise InfeasibleError(OVERFLOW_MESSAGE)
    solution: FloatArray = x
    return solution
