# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Configurations that close the loops of a robot and satisfy its couplings."""

from __future__ import annotations

from typing import Any

import numpy as np

from dyn_core.compiler.runtime import compile
from dyn_core.dynamics.constraint_kinematics import constraint_error, constraint_jacobian
from dyn_core.dynamics.constraints import Contact, asked
from dyn_core.dynamics.integrate import integrate
from dyn_core.errors import ModelError
from dyn_core.model.coupling import Coupling
from dyn_core.model.loop import Loop
from dyn_core.model.model import FloatArray, Model

TOLERANCE = 1e-12
"""Largest position error (m, rad) of a solution."""
STEPS = 100
"""Most steps of Newton's method."""
HALVINGS = 30
"""Most halvings of a step that increases the error."""
SINGULAR_VALUE_SHARE = 1e-9
"""Singular values of a Jacobian below this share of the largest one are taken as zero."""


def closed(
    model: Model,
    q: FloatArray,
    constraints: tuple[Contact | Loop | Coupling, ...] = (),
    tolerance: float = TOLERANCE,
) -> FloatArray:
    """The configuration (nq) near ``q`` that satisfies loops, couplings and ``constraints``.

    The solver is Newton's method with minimum-norm steps and a line search by halving (Nocedal and
    Wright 2006, section 11.2). A contact that holds its current placement constrains no position.

    Args:
        model: the robot.
        q: initial guess (nq).
        constraints: further constraints.
        tolerance: largest position error of the result, m and rad.

    Raises:
        ModelError: the iteration did not converge; the message names the constraint that is left.
    """
    error, jacobian = (
        constraint_error.request(constraints),
        constraint_jacobian.request(constraints),
    )
    compute = compile(model, [error, jacobian])
    found = np.array(q, dtype=np.float64)
    open_by, J = compute(found)
    for _ in range(STEPS):
        if _size(open_by) <= tolerance:
            return found
        step, *_ = np.linalg.lstsq(J, -open_by, rcond=SINGULAR_VALUE_SHARE)
        share = 1.0
        for _ in range(HALVINGS):
            ahead = integrate(model, found, share * step)
            there = compute(ahead)
            if np.linalg.norm(there[0]) < np.linalg.norm(open_by):
                break
            share *= 0.5
        else:
            break
        found, (open_by, J) = ahead, there
    if _size(open_by) <= tolerance:
        return found
    raise ModelError(
        f"'{model.name}' does not close from here: {worst(model, constraints, open_by)} stays open "
        f"by {_size(open_by):.3g}; "
        "begin nearer to a configuration that closes it, or correct lengths and frames"
    )


def worst(model: Model, constraints: Any, rows: FloatArray) -> Any:
    """The loop, coupling or contact that owns the row with the largest magnitude."""
    items = constraint_error.request(constraints).resolved(model)["constraints"].items
    ends = np.cumsum([one.kind for one in items])
    row = int(np.argmax(np.abs(rows)))
    return asked(model, constraints)[int(np.searchsorted(ends, row, side="right"))]


def _size(error: FloatArray) -> float:
    return float(np.max(np.abs(error), initial=0.0))
