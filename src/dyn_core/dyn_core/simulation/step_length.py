# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The longest stable step for the springs and dampers of a robot, and a warning of longer ones."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from dyn_core.compiler.signature import require
from dyn_core.dynamics.crba import crba
from dyn_core.dynamics.declare import Quantity
from dyn_core.dynamics.derivative import derivative
from dyn_core.dynamics.friction_efforts import friction_efforts
from dyn_core.dynamics.passive_efforts import passive_efforts
from dyn_core.dynamics.spring_efforts import spring_efforts
from dyn_core.model.model import FloatArray, Model
from dyn_core.modes import Modes

RUNGE_KUTTA_LIMIT = 2.785
"""Rate of a mode times the step beyond which Runge and Kutta's method of fourth order grows; from
2.83 without damping to this without springs (Hairer and Wanner 1996, section IV.2)."""
LEAST_RATE = 1e-300
"""Rates below this are zero."""
ACCURATE_STEPS = 5.0
"""The number of accurate steps in the time of the longest stable one."""


@dataclass(frozen=True)
class LongestStep:
    """The longest step in which the fastest mode does not grow without bound."""

    seconds: float
    """inf without springs and dampers."""
    joint: str
    """The joint that moves most in this mode."""


def longest_step(
    model: Model, q: FloatArray, efforts: Collection[Quantity], runge_kutta: bool = False
) -> LongestStep:
    """The longest stable step at q with the joints' springs and damping, if among ``efforts``.

    A mode of frequency w and damping d, both by its inertia, is stable in steps of
    ``4 / (d + sqrt(d^2 + 4 w^2))`` of semi-implicit Euler's method: 2 / w without damping, 2 / d
    without springs. ``runge_kutta`` asks for that of Runge and Kutta's.

    Raises:
        numpy.linalg.LinAlgError: the mass matrix is singular.
    """
    require("q", "q", q, (model.nq,))
    n, whole = model.nv, passive_efforts in efforts
    sprung = any(any(entry.limits.stiffness) for entry in model.tree) or bool(model.tendons)
    damping = model.damping if whole or friction_efforts in efforts else np.zeros(n)
    K = np.zeros((n, n))
    if sprung and (whole or spring_efforts in efforts):
        K = -derivative.request(passive_efforts, by="q")(model, q, np.zeros(n))
    if not (K.any() or damping.any()):
        return LongestStep(float("inf"), "")
    modes = Modes.of(model, crba(model, q), K)
    d = np.einsum("ik,i,ik->k", modes.shapes, damping, modes.shapes)
    squares = np.maximum(modes.squares, 0.0)
    if runge_kutta:  # decay rates of the mode are roots of x^2 + d x + w^2
        roots = 0.5 * np.abs(d + np.sqrt((d * d - 4.0 * squares).astype(complex)))
        lengths = RUNGE_KUTTA_LIMIT / np.maximum(roots, LEAST_RATE)
    else:
        lengths = 4.0 / np.maximum(d + np.sqrt(d * d + 4.0 * squares), LEAST_RATE)
    fastest = int(lengths.argmin())
    return LongestStep(float(lengths[fastest]), modes.joint_of(fastest))


def warn_of_long_steps(
    model: Model, q: FloatArray, dt: float, efforts: Collection[Quantity], runge_kutta: bool = False
) -> None:
    """Warn if steps of dt (s) are longer than the longest that is stable."""
    try:
        longest = longest_step(model, q, efforts, runge_kutta)
    except np.linalg.LinAlgError:  # of a state that is not finite, or a mass matrix: steps say so
        return
    if dt > longest.seconds:
        warnings.warn(
            f"'{model.name}': steps of {dt:g} s are unstable for the springs and dampers of joint "
            f"'{longest.joint}', as all above {longest.seconds:.3g} s; take "
            f"{longest.seconds / ACCURATE_STEPS:.2g} s, or an implicit integrator",
            stacklevel=3,
        )
