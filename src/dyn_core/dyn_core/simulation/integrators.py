# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Explicit and implicit integrators on the configuration space."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dyn_core.configuration import neutral
from dyn_core.dynamics import explicit_step
from dyn_core.dynamics.floating_bases import (
    base_coriolis_acceleration,
    carried_velocity,
    drift,
    floating_bases,
)
from dyn_core.dynamics.integrate import d_integrate, integrate
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.reference_checks import refuse_another
from dyn_core.simulation.driven_dynamics import Dynamics
from dyn_core.simulation.step_types import Acceleration, State, StepError

NEWTON_STEPS = 30
"""The most Newton steps."""
NEWTON_TOLERANCE = 1e-12
"""Size of the last Newton step, relative to the velocity."""


@lru_cache(maxsize=8)  # asked in each step
def _floats(model: Model) -> bool:
    return bool(floating_bases(model))


@dataclass(frozen=True)
class Compiled:
    """Integration of an acceleration over a step."""

    model: Model
    acceleration: Acceleration

    def __post_init__(self) -> None:
        refuse_another(self.model, self.acceleration)

    def integrate(self, q: FloatArray, dv: FloatArray) -> FloatArray:
        """``q (+) dv``."""
        reached: FloatArray = integrate(self.model, q, dv)
        return reached

    def carried(self, dv: FloatArray, v: FloatArray) -> FloatArray:
        """``jexp(dv)^-1 v``."""
        if self.model.nv == len(self.model.own_coordinates):  # turns about one axis commute
            return v
        _, jexp = d_integrate(self.model, neutral(self.model), dv)
        return np.linalg.solve(jexp, v)

    def base_coriolis(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """See :data:`base_coriolis_acceleration`."""
        if not _floats(self.model):
            return np.zeros(len(v))
        found: FloatArray = base_coriolis_acceleration(self.model, q, v)
        return found

    def drift(self, q: FloatArray, v: FloatArray, dt: float) -> State:
        """The state after ``dt`` without forces."""
        if not _floats(self.model):
            return self.integrate(q, dt * v), v
        reached, after = drift(self.model, q, v, dt * v, np.array([dt]))
        return reached, after

    def carried_velocity(self, q0: FloatArray, v: FloatArray, q1: FloatArray) -> FloatArray:
        """The velocity at ``q1`` with the momenta of floating bases at ``q0`` and ``v``."""
        if not _floats(self.model):
            return v
        found: FloatArray = carried_velocity(self.model, q0, v, q1)
        return found


def explicit_euler(
    model: Model, acceleration: Acceleration, q: FloatArray, v: FloatArray, dt: float
) -> State:
    """``q (+) dt v`` and ``v + dt a(q, v)``; floating bases keep their momentum."""
    return explicit_step.explicit_euler(Compiled(model, acceleration), q, v, dt)


def semi_implicit_euler(
    model: Model, acceleration: Acceleration, q: FloatArray, v: FloatArray, dt: float
) -> State:
    """First ``v + dt a(q, v)``, then q with the new velocity (symplectic Euler).

    Floating bases keep their momentum.
    """
    return explicit_step.semi_implicit_euler(Compiled(model, acceleration), q, v, dt)


def runge_kutta_4(
    model: Model, acceleration: Acceleration, q: FloatArray, v: FloatArray, dt: float
) -> State:
    """The classical method of fourth order, on the manifold (Munthe-Kaas 1998)."""
    return explicit_step.runge_kutta_4(Compiled(model, acceleration), q, v, dt)


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
        ValueError: the dynamics are of another robot.
    """
    sought, robot = v, Compiled(model, dynamics)
    for _ in range(NEWTON_STEPS):
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
        f"'{model.name}': the implicit step of {dt} s was not solved in {NEWTON_STEPS} iterations; "
        "choose a shorter one"
    )
