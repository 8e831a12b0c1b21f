# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Constrained forward dynamics that raises an error where a constraint cannot be satisfied."""

from __future__ import annotations

import numpy as np

from dyn_core.compiler.runtime import compile
from dyn_core.contacts.loop_closure import worst
from dyn_core.dynamics.constrained_dynamics import constrained_forward_dynamics, constraint_residual
from dyn_core.dynamics.constraints import Contact
from dyn_core.errors import ModelError
from dyn_core.model.coupling import Coupling
from dyn_core.model.loop import Loop
from dyn_core.model.model import FloatArray, Model

TOLERANCE = 1e-6
"""Largest residual acceleration (m/s^2, rad/s^2) of a constraint."""


def constrained(
    model: Model,
    q: FloatArray,
    v: FloatArray,
    tau: FloatArray,
    constraints: tuple[Contact | Loop | Coupling, ...] = (),
    tolerance: float = TOLERANCE,
) -> tuple[FloatArray, FloatArray]:
    """Acceleration (nv) and forces of :data:`constrained_forward_dynamics`, or an error.

    Args:
        model: the robot; its loops and couplings are constraints too.
        q: its configuration (nq).
        v: its velocity (nv).
        tau: efforts (nv).
        constraints: further constraints.
        tolerance: largest residual of a constraint, m/s^2 and rad/s^2.

    Raises:
        ModelError: a constraint is violated, because it contradicts another one or because no
            joint can produce its acceleration; the message names the worst. Or the mass matrix is
            singular.
        ValueError: the state is not finite.
    """
    asked = [
        constrained_forward_dynamics.request(constraints),
        constraint_residual.request(constraints),
    ]
    (acceleration, forces), residual = compile(model, asked)(q, v, tau)
    if not np.isfinite(acceleration).all():
        raise ValueError("q, v and tau must be finite")
    missing = float(np.max(np.abs(residual), initial=0.0))
    if missing > tolerance:
        raise ModelError(
            f"'{model.name}': {worst(model, constraints, residual)} is not held, its acceleration "
            f"is off by {missing:.3g}: it contradicts other constraints, or no force can cause its "
            "acceleration; remove a constraint, or change v, kp or kd until they agree"
        )
    return acceleration, forces
