# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Configurations at which loops are closed and couplings hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from dyn_core.algorithms.constraint_kinematics import constraint_error, constraint_jacobian
from dyn_core.algorithms.contact import Contact, asked
from dyn_core.algorithms.integrate import integrate
from dyn_core.errors import ModelError
from dyn_core.execution import compile
from dyn_core.model.coupling import Coupling
from dyn_core.model.loop import Loop
from dyn_core.model.model import FloatArray, Model

TOLERANCE = 1e-12
"""Largest position error (m, rad) that is left."""
STEPS = 100
"""Most steps of Newton's method."""
HALVINGS = 30
"""How often a step that makes the error grow is halved."""
SINGULAR = 1e-9
"""Share of the largest singular value of a Jacobian below which a direction is not moved along."""


def closed(
    model: Model,
    q: FloatArray,
    constraints: tuple[Contact | Loop | Coupling, ...] = (),
    tolerance: float = TOLERANCE,
) -> FloatArray:
    """The configuration (nq) near ``q`` at which loops, couplings and ``constraints`` hold.

    Newton's method with the smallest steps, shortened where the error would grow (Nocedal and
    Wright 2006, section 11.2). A contact that is held wherever it is says nothing of where.

    Args:
        model: the robot.
        q: where to begin (nq).
        constraints: what else has to hold.
        tolerance: largest position error that may be left, m and rad.

    Raises:
        ModelError: no such configuration was found; the message says what stays open.
    """
    error, jacobian = constraint_error(constraints), constraint_jacobian(constraints)
    compute = compile(model, [error, jacobian])
    found = np.array(q, dtype=np.float64)
    open_by, J = compute(found)
    for _ in range(STEPS):
        if _size(open_by) <= tolerance:
            return found
        step, *_ = np.linalg.lstsq(J, -open_by, rcond=SINGULAR)
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
    """The loop, coupling or contact to which the largest of some numbers, one per row, belongs."""
    items = constraint_error(constraints).resolved(model)["constraints"].items
    ends = np.cumsum([one.kind for one in items])
    row = int(np.argmax(np.abs(rows)))
    return asked(model, constraints)[int(np.searchsorted(ends, row, side="right"))]


def _size(error: FloatArray) -> float:
    return float(np.max(np.abs(error), initial=0.0))
