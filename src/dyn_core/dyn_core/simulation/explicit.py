"""Explicit integrators: a step costs as many accelerations as it has stages."""

from __future__ import annotations

import numpy as np

from dyn_core.algorithms.integrate import d_integrate, integrate
from dyn_core.model.model import FloatArray, Model
from dyn_core.simulation.steps import Acceleration, State


def explicit_euler(
    model: Model, acceleration: Acceleration, q: FloatArray, v: FloatArray, dt: float
) -> State:
    """``q (+) dt v`` and ``v + dt a(q, v)``."""
    return integrate(model, q, dt * v), v + dt * acceleration(q, v)


def semi_implicit_euler(
    model: Model, acceleration: Acceleration, q: FloatArray, v: FloatArray, dt: float
) -> State:
    """First ``v + dt a(q, v)``, then q with the new velocity (symplectic Euler)."""
    after = v + dt * acceleration(q, v)
    return integrate(model, q, dt * after), after


def runge_kutta_4(
    model: Model, acceleration: Acceleration, q: FloatArray, v: FloatArray, dt: float
) -> State:
    """The classical method of fourth order, on the manifold (Munthe-Kaas 1998).

    Configurations are ``q (+) x`` with x in the tangent space at q, where
    ``dx/dt = jexp(x)^-1 v``; there the method is that of flat space.
    """

    def rates(x: FloatArray, velocity: FloatArray) -> State:
        _, jexp = d_integrate(model, q, x)
        return np.linalg.solve(jexp, velocity), acceleration(integrate(model, q, x), velocity)

    half = 0.5 * dt
    x1, v1 = v, acceleration(q, v)
    x2, v2 = rates(half * x1, v + half * v1)
    x3, v3 = rates(half * x2, v + half * v2)
    x4, v4 = rates(dt * x3, v + dt * v3)
    x = dt / 6.0 * (x1 + 2.0 * (x2 + x3) + x4)
    return integrate(model, q, x), v + dt / 6.0 * (v1 + 2.0 * (v2 + v3) + v4)
