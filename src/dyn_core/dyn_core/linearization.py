"""Linear models of a robot about a state: ``dx/dt = A x + B u``, modes and natural frequencies.

The state ``x = (dq, dv)`` (2 nv) is the small deviation of configuration and velocity from a
motion, ``dq`` along velocity coordinates; ``u`` (nv) is that of the efforts. This module needs
scipy, which comes with ``pip install 'dyn-suite-core[control]'``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from dyn_core.algorithms.aba_derivatives import aba_derivatives
from dyn_core.algorithms.crba import crba
from dyn_core.algorithms.derivative import derivative
from dyn_core.algorithms.passive import passive_efforts
from dyn_core.algorithms.rnea_derivatives import generalized_gravity_derivatives
from dyn_core.model.model import FloatArray, Model
from dyn_core.scalars.dual import derivative_along

SYMMETRIC = 1e-6
"""Part of a stiffness matrix that may be asymmetric at an equilibrium."""


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
    extras = {} if f_ext is None else {"f_ext": f_ext}
    by_q, by_v, by_tau = aba_derivatives(model, q, v, tau, **extras)
    n = model.nv
    A, B = np.zeros((2 * n, 2 * n)), np.zeros((2 * n, n))
    A[:n, :n], A[:n, n:] = carried_along(model, q, v), np.eye(n)
    A[n:, :n], A[n:, n:], B[n:] = by_q, by_v, by_tau
    return Linearization(A, B)


def carried_along(model: Model, q: FloatArray, v: FloatArray) -> FloatArray:
    """(nv, nv) the rate of a deviation ``dq`` that only the motion carries along.

    It is ``-ad(v)``: of a body that turns, the deviation seen from it turns the other way. Flat
    coordinates have none.
    """

    def back(dv: list[float]) -> list[float]:
        by_q, _ = model.space.d_integrate(q.tolist(), dv)
        return [x for row in by_q for x in row]

    rates = derivative_along(back, [0.0] * model.nv, v.tolist())
    return np.array(rates, dtype=np.float64).reshape(model.nv, model.nv)


@dataclass(frozen=True)
class Modes:
    """Small motions about an equilibrium in which all coordinates move in step, slowest first."""

    squares: FloatArray
    """(nv) squared angular frequencies, rad^2/s^2; negative for motions that run away."""
    shapes: FloatArray
    """(nv, nv) a mode in each column, with ``shapes' M shapes = 1``."""

    @property
    def frequencies(self) -> FloatArray:
        """(nv) natural frequencies, Hz.

        Raises:
            ValueError: the equilibrium is not stable; the message says how many modes run away.
        """
        tiny = 1e-9 * np.abs(self.squares).max(initial=0.0)
        running = int((self.squares < -tiny).sum())
        if running:
            raise ValueError(
                f"{running} of {len(self.squares)} modes have no frequency: the equilibrium is "
                "not stable, and squares has what is negative"
            )
        frequencies: FloatArray = np.sqrt(np.maximum(self.squares, 0.0)) / (2.0 * np.pi)
        return frequencies


def modes(model: Model, q: FloatArray, stiffness: FloatArray | None = None) -> Modes:
    """Undamped modes about rest at ``q``, where gravity, springs and constant efforts balance.

    Args:
        model: the robot; its springs resist a deviation.
        q: the equilibrium (nq).
        stiffness: what else does, such as the gains of a controller: of each coordinate (nv), or a
            matrix (nv, nv); N m/rad, N/m.

    Raises:
        ValueError: the stiffness is not symmetric, as where constant efforts hold up a free base:
            there is no potential energy then, and no modes. Or an array has the wrong size.
    """
    passive = derivative(passive_efforts, by="q")(model, q, np.zeros(model.nv))
    M, K = crba(model, q), generalized_gravity_derivatives(model, q) - passive
    if stiffness is not None:
        if stiffness.shape not in ((model.nv,), (model.nv, model.nv)):
            raise ValueError(
                f"stiffness must have shape ({model.nv},) or ({model.nv}, {model.nv}), not "
                f"{stiffness.shape}"
            )
        K = K + (np.diag(stiffness) if stiffness.ndim == 1 else stiffness)
    if np.abs(K - K.T).max(initial=0.0) > SYMMETRIC * np.abs(K).max(initial=0.0):
        raise ValueError(
            f"the stiffness of '{model.name}' there is not symmetric, so no energy belongs to it: "
            "modes exist about an equilibrium of gravity and springs"
        )
    squares, shapes = linalg.eigh(0.5 * (K + K.T), M)
    return Modes(squares, shapes)
