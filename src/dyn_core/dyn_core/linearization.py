# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Linear models of a robot about a state: ``dx/dt = A x + B u``, modes and natural frequencies.

The state ``x = (dq, dv)`` (2 nv) is the small deviation of configuration and velocity from a
motion, ``dq`` along velocity coordinates; ``u`` (nv) is that of the efforts. This module needs
scipy, of the extra ``control``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from dyn_core.dynamics.aba_derivatives import aba_derivatives
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.reference_checks import refuse_loops
from dyn_core.model.value_checks import numbers
from dyn_core.modes import Modes, modes
from dyn_core.spatial.scalars.dual_numbers import derivative_along

__all__ = ["Linearization", "Modes", "carried_along", "linearized", "modes"]


@dataclass(frozen=True)
class Linearization:
    """``dx/dt = A x + B u``, or ``x(t + dt) = A x + B u`` once discrete."""

    A: FloatArray
    """(2 nv, 2 nv)"""
    B: FloatArray
    """(2 nv, nv)"""

    def discrete(self, dt: float) -> Linearization:
        """The same in steps of dt (s) with efforts that are constant within one: exact."""
        n, m = self.B.shape
        both = np.zeros((n + m, n + m))
        both[:n, :n], both[:n, n:] = self.A, self.B
        exponential = linalg.expm(dt * both)
        return Linearization(exponential[:n, :n], exponential[:n, n:])


def linearized(
    model: Model,
    q: FloatArray,
    v: FloatArray,
    tau: FloatArray,
    f_ext: FloatArray | None = None,
) -> Linearization:
    """The linear model about the motion through the state q, v under the efforts tau.

    Forces from outside ``f_ext`` (njoints, 6) stay as they are in the frames of their joints.

    Raises:
        ModelError: the mass matrix is singular; the message names the joints.
        TypeError, ValueError: an argument has the wrong type or size.
    """
    refuse_loops(model, "use constrained_dynamics_derivatives")
    extras = {} if f_ext is None else {"f_ext": f_ext}
    by_q, by_v, by_tau = aba_derivatives(model, q, v, tau, **extras)
    n = model.nv
    A, B = np.zeros((2 * n, 2 * n)), np.zeros((2 * n, n))
    A[:n, :n], A[:n, n:] = carried_along(model, q, v), np.eye(n)
    A[n:, :n], A[n:, n:], B[n:] = by_q, by_v, by_tau
    return Linearization(A, B)


def carried_along(model: Model, q: FloatArray, v: FloatArray) -> FloatArray:
    """The matrix (nv, nv) from a deviation ``dq`` to its rate, if only the axes of v move.

    It is ``-ad(v)``: of a body that turns, the deviation seen from it turns the other way. Flat
    coordinates have none.
    """
    at, along = (numbers(*x).tolist() for x in (("q", q, (model.nq,)), ("v", v, (model.nv,))))

    def back(dv: list[float]) -> list[float]:
        by_q, _ = model.space.d_integrate(at, dv)
        return [x for row in by_q for x in row]

    rates = derivative_along(back, [0.0] * model.nv, along)
    return np.array(rates, dtype=np.float64).reshape(model.nv, model.nv)
