# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A variational integrator: Hamilton's principle in discrete time (Marsden and West 2001).

Between q0 and ``q1 = q0 (+) x`` the Lagrangian ``T - U`` is taken at the midpoint
``q = q0 (+) x/2`` with the velocity ``x / dt``. With ``mu = M(q) x / dt`` and ``c`` the derivative
of T by q less gravity, plus efforts, the discrete Legendre transforms give the momenta

    p0 = -(dq/dq0)' c dt - (dx/dq0)' mu    and    p1 = (dq/dq1)' c dt + (dx/dq1)' mu

before and after the step, where q moves by q0 and q1 along the manifold. The step is symplectic,
and keeps every momentum that belongs to a symmetry exactly.
"""

from __future__ import annotations

import numpy as np

from dyn_core.compiler.runtime import compile
from dyn_core.dynamics.crba import crba
from dyn_core.dynamics.derivative import derivative
from dyn_core.dynamics.integrate import d_integrate, integrate
from dyn_core.dynamics.kinetic_energy import kinetic_energy
from dyn_core.dynamics.rnea import generalized_gravity
from dyn_core.dynamics.singular_mass_matrix import refuse_singular
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.reference_checks import refuse_another
from dyn_core.simulation.driven_dynamics import Dynamics
from dyn_core.simulation.step_types import State, StepError

ITERATIONS = 60
"""The most iterations."""
CORRECTION_TOLERANCE = 1e-14
"""Size of the last correction, relative to the displacement or to a unit velocity's."""

LAGRANGIAN = (
    derivative.request(kinetic_energy, by="q"),
    generalized_gravity.request(),
    crba.request(),
)
CARRIED = (integrate.request(), d_integrate.request())


def variational(model: Model, dynamics: Dynamics, q: FloatArray, v: FloatArray, dt: float) -> State:
    """One step of second order; without friction its energy error stays bounded.

    The displacement is found by corrections with the mass matrix (Lee et al. 2016), which converge
    if the step is short compared with the periods of the robot's vibrations.

    Raises:
        ModelError: the mass matrix is singular; the message names the joints.
        StepError: the equations were not solved.
        ValueError: the dynamics are of another robot.
    """
    refuse_another(model, dynamics)
    try:
        momentum = crba(model, q) @ v
        x = dt * v
        scale = dt * max(1.0, np.abs(v).max(initial=0.0))
        for _ in range(ITERATIONS):
            before, _, M = _interval(model, dynamics, q, x, dt)
            change = dt * np.linalg.solve(M, momentum - before)
            if not np.isfinite(change).all():
                break
            x = x + change
            if np.abs(change).max(initial=0.0) <= CORRECTION_TOLERANCE * scale:
                reached = integrate(model, q, x)
                _, after, _ = _interval(model, dynamics, q, x, dt)
                return reached, np.linalg.solve(crba(model, reached), after)
    except np.linalg.LinAlgError:
        refuse_singular(model)
        raise
    raise StepError(
        f"'{model.name}': the variational step of {dt} s was not solved in {ITERATIONS} "
        "iterations; choose a shorter one"
    )


def _interval(
    model: Model, dynamics: Dynamics, q0: FloatArray, x: FloatArray, dt: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The momenta before and after the displacement x from q0, and the mass matrix midway."""
    v = x / dt
    q, (q_by_q0, q_by_half) = compile(model, CARRIED)(q0, 0.5 * x)
    _, (q1_by_q0, q1_by_x) = compile(model, CARRIED)(q0, x)
    x_by_q1 = np.linalg.inv(q1_by_x)
    x_by_q0 = -x_by_q1 @ q1_by_q0
    by_q, gravity, M = compile(model, LAGRANGIAN)(q, v)
    force = dt * (by_q - gravity + dynamics.tau(q, v))
    mu = M @ v
    by_q0 = q_by_q0 + 0.5 * q_by_half @ x_by_q0
    by_q1 = 0.5 * q_by_half @ x_by_q1
    return -by_q0.T @ force - x_by_q0.T @ mu, by_q1.T @ force + x_by_q1.T @ mu, M
