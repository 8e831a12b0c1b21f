# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Modes and natural frequencies of a robot about an equilibrium."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dyn_core.dynamics.crba import crba
from dyn_core.dynamics.derivative import derivative
from dyn_core.dynamics.passive_efforts import passive_efforts
from dyn_core.dynamics.rnea_derivatives import generalized_gravity_derivatives
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.reference_checks import refuse_loops
from dyn_core.model.value_checks import numbers

SYMMETRIC = 1e-6
"""Part of a stiffness matrix that may be asymmetric at an equilibrium."""


@dataclass(frozen=True)
class Modes:
    """Small motions about an equilibrium in which all coordinates move in step, slowest first."""

    squares: FloatArray
    """(nv) squared angular frequencies, rad^2/s^2; negative for unstable motions."""
    shapes: FloatArray
    """(nv, nv) a mode in each column, with ``shapes' M shapes = 1``."""
    names: tuple[str, ...] = ()
    """(nv) the joint of each coordinate."""

    @staticmethod
    def of(model: Model, M: FloatArray, K: FloatArray) -> Modes:
        """The modes of a mass matrix and a stiffness (nv, nv), whose symmetric part counts.

        Raises:
            numpy.linalg.LinAlgError: M is not positive definite.
            ModelError: a matrix has another size.
        """
        M, K = (numbers(name, x, (model.nv, model.nv)) for name, x in (("M", M), ("K", K)))
        inverse = np.linalg.inv(np.linalg.cholesky(M))
        squares, shapes = np.linalg.eigh(inverse @ (0.5 * (K + K.T)) @ inverse.T)
        return Modes(squares, inverse.T @ shapes, model.dof_names)

    def joint_of(self, mode: int) -> str:
        """The joint that moves most in a mode, by its share of the kinetic energy."""
        shares = self.shapes[:, mode] * np.linalg.inv(self.shapes)[mode]
        return self.names[int(shares.argmax())]

    @property
    def frequencies(self) -> FloatArray:
        """(nv) natural frequencies, Hz.

        Raises:
            ValueError: the equilibrium is not stable; the message has the number of unstable modes.
        """
        tiny = 1e-9 * np.abs(self.squares).max(initial=0.0)
        running = int((self.squares < -tiny).sum())
        if running:
            raise ValueError(
                f"{running} of {len(self.squares)} modes have no frequency: the equilibrium is "
                "not stable; see the negative entries of squares"
            )
        frequencies: FloatArray = np.sqrt(np.maximum(self.squares, 0.0)) / (2.0 * np.pi)
        return frequencies

    @property
    def longest_step(self) -> float:
        """Step (s) above which a simulation of the fastest mode grows without bound, 2 / omega_n.

        That of the semi-implicit Euler method, undamped; inf where nothing swings. A fifth of it is
        what accuracy asks for; implicit integrators stay stable beyond (Hairer, Lubich and Wanner
        2006, section I.5).
        """
        fastest = float(self.squares.max(initial=0.0))
        return 2.0 / float(np.sqrt(fastest)) if fastest > 0.0 else float("inf")


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
    refuse_loops(model)
    passive = derivative.request(passive_efforts, by="q")(model, q, np.zeros(model.nv))
    M, K = crba(model, q), generalized_gravity_derivatives(model, q) - passive
    if stiffness is not None:
        rows = (model.nv,) if np.ndim(stiffness) == 1 else (model.nv, model.nv)
        more = numbers("stiffness", stiffness, rows)
        K = K + (np.diag(more) if more.ndim == 1 else more)
    if np.abs(K - K.T).max(initial=0.0) > SYMMETRIC * np.abs(K).max(initial=0.0):
        raise ValueError(
            f"the stiffness of '{model.name}' there is not symmetric, so no energy belongs to it: "
            "modes exist about an equilibrium of gravity and springs"
        )
    return Modes.of(model, M, K)
