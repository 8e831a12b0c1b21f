# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""An exponential Runge-Kutta integrator: viscous damping exactly, all other terms explicitly.

With A = M^-1 D at the start of a step, D the damping of the joints, the motion is ::

    dx/dt = v + (jexp(x)^-1 v - v),        dv/dt = -A v + (a(q (+) x, v) + A v)

The linear part is solved in closed form, so that no damping is too strong for a step. The terms in
brackets are integrated by a fourth-order exponential Runge-Kutta method, which without damping is
the classical one (Cox and Matthews 2002, "Exponential time differencing for stiff systems",
equations 26 to 29; Munthe-Kaas 1998 for the configurations).
"""

from __future__ import annotations

from math import factorial

import numpy as np

from dyn_core.dynamics.explicit_step import EquationsOfMotion
from dyn_core.model.model import FloatArray, Model
from dyn_core.modes import Modes
from dyn_core.simulation.impulses import machine_code
from dyn_core.simulation.step_types import State

INVERSE_FACTORIALS = tuple(1.0 / factorial(k) for k in range(4))
"""Inverses of the factorials of 0 to 3."""
PHI_4_COEFFICIENTS = tuple(1.0 / factorial(4 + k) for k in range(16, -1, -1))
"""Coefficients of the power series of phi_4, the highest power first."""


def damped_modes(model: Model, M: FloatArray, damping: FloatArray) -> Modes:
    """The modes of viscous damping (nv): eigenvectors of M^-1 D; their squares are decay rates.

    NaN where M is not positive definite.
    """
    try:
        return Modes.of(model, M, np.diag(damping))
    except np.linalg.LinAlgError:
        return Modes(np.full(len(M), np.nan), np.full(M.shape, np.nan))


def phi(z: FloatArray) -> FloatArray:
    """Compiled: (5, n) phi_0 to phi_4 at -z, z >= 0.

    phi_0 is ``exp(-z)`` and ``phi_k = 1 / k! - z phi_k+1``. The recursion runs upwards from phi_0
    or, where that would cancel, downwards from the power series of phi_4.
    """
    found = np.empty((5, len(z)))
    for i in range(len(z)):
        found[0, i] = np.exp(-z[i])
        if z[i] >= 1.0:
            for k in range(4):
                found[k + 1, i] = (INVERSE_FACTORIALS[k] - found[k, i]) / z[i]
        else:
            total = 0.0
            for term in PHI_4_COEFFICIENTS:
                total = term - z[i] * total
            found[4, i] = total
            for k in range(3, 0, -1):
                found[k, i] = INVERSE_FACTORIALS[k] - z[i] * found[k + 1, i]
    return found


def exponential_runge_kutta_4(
    robot: EquationsOfMotion,
    modes: Modes,
    M: FloatArray,
    q: FloatArray,
    v: FloatArray,
    acceleration: FloatArray,
    dt: float,
) -> State:
    """The state after ``dt``.

    Args:
        robot: its equation of motion; the accelerations include the damping.
        modes: of damping, at the start of the step; their squares are decay rates, 1/s.
        M: the mass matrix (nv, nv) there.
        q: configuration (nq).
        v: velocity (nv).
        acceleration: at the start of the step (nv).
        dt: length of the step, s.
    """
    shapes, half = modes.shapes, 0.5 * dt
    rates, of = np.maximum(modes.squares, 0.0), shapes.T @ M  # of: from velocities to modal ones
    start = of @ v
    h, f = (machine_code(phi)(rates * t) for t in (half, dt))

    def bracket(x: FloatArray, velocity: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The nonlinear terms: of the displacement's rate, and of the modal acceleration."""
        change = robot.acceleration(robot.integrate(q, x), velocity)
        bent = robot.carried(x, velocity) - velocity
        return bent, of @ change + rates * (of @ velocity)

    def stage(
        x: FloatArray, y: FloatArray, by: tuple[FloatArray, FloatArray]
    ) -> tuple[FloatArray, FloatArray]:
        """The displacement and the modal velocities half a step after x and y."""
        away = x + half * (shapes @ (h[1] * y + half * h[2] * by[1]) + by[0])
        return away, h[0] * y + half * h[1] * by[1]

    nothing = np.zeros_like(v)
    n1 = nothing, of @ acceleration + rates * start
    x2, y2 = stage(nothing, start, n1)
    n2 = bracket(x2, shapes @ y2)
    x3, y3 = stage(nothing, start, n2)
    n3 = bracket(x3, shapes @ y3)
    x4, y4 = stage(x2, y2, (2.0 * n3[0] - n1[0], 2.0 * n3[1] - n1[1]))
    n4 = bracket(x4, shapes @ y4)

    def weighted(k: int) -> FloatArray:
        """The weighted sum of the four stages, with phi functions from the k-th on."""
        middle = n2[1] + n3[1]
        total: FloatArray = f[k] * n1[1] + f[k + 1] * (2.0 * middle - 3.0 * n1[1] - n4[1])
        total += f[k + 2] * 4.0 * (n1[1] - middle + n4[1])
        return total

    bent = (n1[0] + 2.0 * (n2[0] + n3[0]) + n4[0]) / 6.0
    x = dt * (shapes @ (f[1] * start + dt * weighted(2)) + bent)
    return robot.integrate(q, x), shapes @ (f[0] * start + dt * weighted(1))
