# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""An implicit integrator, for joints with stiff springs or strong damping."""

from __future__ import annotations

import numpy as np

from dyn_core.dynamics.integrate import d_integrate
from dyn_core.model.model import FloatArray, Model
from dyn_core.simulation.driven_dynamics import Dynamics
from dyn_core.simulation.explicit_integrators import Compiled
from dyn_core.simulation.step_types import State, StepError

ITERATIONS = 30
"""The most Newton steps."""
NEWTON_TOLERANCE = 1e-12
"""Size of the last Newton step, relative to the velocity."""


def implicit_euler(
    model: Model, dynamics: Dynamics, q: FloatArray, v: FloatArray, dt: float
) -> State:
    """``v1 = v + dt a(q1, v1)`` with ``q1 = q (+) dt v1``, by Newton's method.

    Stiff motions decay for any step length (Hairer and Wanner 1996, section IV.3); slow motions
    lose energy in proportion to dt. Floating bases keep their momentum
    (:mod:`dyn_core.dynamics.floating_bases`): v is carried to q1, and a is without the Coriolis
    force of the base. What drifts to q1 and v1 is the unknown.

    Raises:
        StepError: Newton's method did not converge.
    """
    sought, robot = v, Compiled(model, dynamics)
    for _ in range(ITERATIONS):
        reached, after = robot.drift(q, sought, dt)
        _, jexp = d_integrate(model, q, dt * sought)
        by_q, by_v = dynamics.derivatives(reached, after)
        acceleration = dynamics(reached, after) + robot.base_coriolis(reached, after)
        residual = after - robot.carried_velocity(q, v, reached) - dt * acceleration
        slope = np.eye(model.nv) - dt * (dt * by_q @ jexp + by_v)
        if not (np.isfinite(residual).all() and np.isfinite(slope).all()):
            break
        change = np.linalg.solve(slope, residual)
        sought = sought - change
        size = max(1.0, np.abs(sought).max(initial=0.0))
        if np.abs(change).max(initial=0.0) <= NEWTON_TOLERANCE * size:
            return robot.drift(q, sought, dt)
    raise StepError(
        f"'{model.name}': the implicit step of {dt} s was not solved in {ITERATIONS} iterations; "
        "choose a shorter one"
    )
