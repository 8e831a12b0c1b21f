"""The rate of the mass matrix, by another way than that of the algorithms."""

from __future__ import annotations

import numpy as np

from dyn_core.algorithms.integrate import integrate
from dyn_core.audit.robot import Robot
from dyn_core.audit.sampling import sampled
from dyn_core.model.model import FloatArray

WEIGHTS = (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0)
"""Of the central differences over 2, 4, 6 and 8 steps: exact for polynomials of degree 8."""
STEP = 4e-3
"""Rad or m along the fastest joint: truncation and rounding are alike there, below 1e-12."""


def mass_matrix_rates(robot: Robot) -> FloatArray:
    """dM/dt (samples, nv, nv) along the velocities of the samples."""
    model, q, v = robot.known, robot.q, robot.v
    h = STEP / np.maximum(np.abs(v).max(axis=1), 1e-3)
    move, mass = sampled(model, [integrate]), sampled(model, ["crba"])
    total = np.zeros((len(q), model.nv, model.nv))
    for k, weight in enumerate(WEIGHTS, 1):
        ahead, behind = (mass(move(q, s * k * h[:, None] * v)) for s in (1.0, -1.0))
        total += weight * (ahead - behind)
    result: FloatArray = total / h[:, None, None]
    return result
