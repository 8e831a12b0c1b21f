# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Integration of motion under dry friction, with events at stick and slip.

A phase is an interval in which no joint changes its mode: a sliding joint keeps its direction and
thereby its friction, a sticking joint has acceleration zero. Within a phase the motion is an
ordinary differential equation, which a fourth-order method solves
(:mod:`dyn_core.simulation.exponential_runge_kutta`). A phase ends where a sliding joint comes to
rest, or where the holding effort of a sticking joint would exceed its friction. There the step is
cut. The next modes follow from Coulomb's law, a convex problem for the accelerations of the joints
at rest (Pfeiffer and Glocker 1996, "Multibody dynamics with unilateral contacts", chapter 8).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dyn_core.model.model import FloatArray, Model
from dyn_core.modes import Modes
from dyn_core.simulation import impulses
from dyn_core.simulation.coordinate_table import Coordinates
from dyn_core.simulation.explicit_integrators import Compiled
from dyn_core.simulation.exponential_runge_kutta import damped_modes, exponential_runge_kutta_4, phi
from dyn_core.simulation.impulses import factorized, free_velocity, machine_code
from dyn_core.simulation.step_types import State

Terms = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
"""Function of q and v that returns the mass matrix and the sum of efforts without dry friction."""
Accelerated = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
"""Function that returns accelerations (nv), of a mass matrix, efforts and bounds of dry friction.
The bounds (nv) are those of joints at rest and 0 for all others."""
MAX_CUTS, MAX_RUNS = 20, 30
"""Most cuts of a step, and most integrations of a step to locate one cut."""
REST_SPEED, HOLDING_EXCESS = 1e-9, 1e-6
"""Speed below which a joint is at rest, rad/s or m/s; and excess of the holding effort at which a
joint begins to slip, as a share of its friction."""
REST_SHARE = 1e-9
"""Share of a step below which a remainder counts as zero."""


@dataclass(frozen=True)
class _Reached:
    """A state reached within a phase, and its margins to the end of the phase."""

    q: FloatArray
    v: FloatArray
    acceleration: FloatArray
    margins: FloatArray
    """(nv) speed of sliding joints along their direction, and unused share of the friction of
    sticking ones; negative where a joint has left its mode."""


class StickSlip:
    """Integrates the motion of one robot; each step takes the terms of its equation of motion."""

    def __init__(self, model: Model, coordinates: Coordinates, accelerated: Accelerated) -> None:
        """Take the robot's friction table, and the solver of the law of joints at rest."""
        self._model, self._coordinates, self._accelerated = model, coordinates, accelerated
        nothing = np.zeros(model.nv)
        machine_code(sliding)(np.eye(model.nv), *4 * [nothing])
        machine_code(phi)(nothing)

    def advance(
        self, terms: Terms, q: FloatArray, v: FloatArray, seconds: float
    ) -> tuple[FloatArray, State, float]:
        """The acceleration at the start, the state reached, and the remaining time in s.

        Time remains only where joints stick and slip more than MAX_CUTS times.
        """
        first, left, table = None, seconds, self._coordinates.table
        for _ in range(MAX_CUTS):
            M, net = terms(q, v)
            dry, still = self._dry(v), v == 0.0
            law = M, net - dry * np.sign(v), np.where(still, dry, 0.0)
            acceleration = self._accelerated(*law)
            # the direction in which each joint starts: -1, 0 or 1
            sides = np.sign(np.where(still, acceleration, v))
            first = acceleration if first is None else first
            start = _Reached(q, v, *self._sliding(M, net, v, sides))
            sticks = (sides == 0.0) & (table[impulses.DRY] > 0.0)
            damping = np.where(sticks, 0.0, table[impulses.DAMPING])
            free = freed(M, sticks)
            modes = damped_modes(self._model, free, damping)
            share, reached = self._phase(terms, (modes, free), start, sides, left)
            stopped = (table[impulses.DRY] > 0.0) & ((sides == 0.0) | (reached.margins < 0.0))
            q, v = reached.q, np.where(stopped, 0.0, reached.v)
            left *= 1.0 - share
            if left <= REST_SHARE * seconds:
                left = 0.0
                break
        assert first is not None
        return first, (q, v), left

    def _dry(self, v: FloatArray) -> FloatArray:
        """(nv) dry friction at a velocity."""
        self._coordinates.at_speed(v)
        dry: FloatArray = self._coordinates.table[impulses.DRY]
        return dry

    def _sliding(
        self, M: FloatArray, net: FloatArray, v: FloatArray, sides: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """The accelerations and margins of :func:`sliding`."""
        found: tuple[FloatArray, FloatArray]
        found = machine_code(sliding)(M, net, v, sides, self._dry(v))
        return found

    def _phase(
        self,
        terms: Terms,
        damped: tuple[Modes, FloatArray],
        start: _Reached,
        sides: FloatArray,
        seconds: float,
    ) -> tuple[float, _Reached]:
        """The share of a step until the first joint changes its mode, and the state there."""

        def accelerated(q: FloatArray, v: FloatArray) -> FloatArray:
            return self._sliding(*terms(q, v), v, sides)[0]

        def run(share: float) -> _Reached:
            given = start.q, start.v, start.acceleration
            q, v = exponential_runge_kutta_4(robot, *damped, *given, share * seconds)
            return _Reached(q, v, *self._sliding(*terms(q, v), v, sides))

        robot = Compiled(self._model, accelerated)
        end = run(1.0)
        if not (end.margins < 0.0).any():
            return 1.0, end
        return _first_cut(
            run, start.margins, end, np.where(sides == 0.0, HOLDING_EXCESS, REST_SPEED)
        )


def _first_cut(
    run: Callable[[float], _Reached], begun: FloatArray, end: _Reached, small: FloatArray
) -> tuple[float, _Reached]:
    """The share of a step at which the first margin becomes negative, and the state there.

    The root finder is the Illinois variant of false position (Dowell and Jarratt 1971), applied to
    all margins.
    """
    low, high, below, above, moved = 0.0, 1.0, begun, end.margins, 0
    for _ in range(MAX_RUNS):
        if (end.margins >= -small).all():
            break
        gone = end.margins < 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            ways = np.where(below > small, below / (below - above), 0.5)[gone]
        share = low + (high - low) * float(ways.min())
        middle = run(share)
        if (middle.margins < 0.0).any():
            below = 0.5 * below if moved > 0 else below
            high, end, above, moved = share, middle, middle.margins, 1
        else:
            above = 0.5 * above if moved < 0 else above
            low, below, moved = share, middle.margins, -1
    return high, end


def sliding(
    M: FloatArray, net: FloatArray, v: FloatArray, sides: FloatArray, dry: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Compiled: accelerations within a phase, and the margins of :class:`_Reached`.

    NaN where M is not positive definite. There are loops alone, which numba compiles sooner than
    operations on whole arrays.
    """
    n = len(net)
    held, pushed, free, margins = np.empty(n, np.bool_), np.empty(n), np.empty(n), np.empty(n)
    for i in range(n):
        held[i], margins[i] = sides[i] == 0.0 and dry[i] > 0.0, np.inf
        pushed[i] = net[i] - dry[i] * sides[i]
        free[i] = 0.0 if held[i] else pushed[i]
    L = freed(M, held)
    if not factorized(L):
        for i in range(n):
            free[i], margins[i] = np.nan, np.nan
        return free, margins
    acceleration = free_velocity(L, free)
    for i in range(n):
        if held[i]:
            holding = -pushed[i]
            for j in range(n):
                holding += M[i, j] * acceleration[j]
            margins[i] = 1.0 - abs(holding) / dry[i]
        elif dry[i] > 0.0:
            margins[i] = sides[i] * v[i]
    return acceleration, margins


def freed(M: FloatArray, held: NDArray[np.bool_]) -> FloatArray:
    """Compiled: the mass matrix with rows and columns of held joints replaced by the identity's."""
    free = M.copy()
    for i in range(len(held)):
        if held[i]:
            for j in range(len(held)):
                free[i, j], free[j, i] = 0.0, 0.0
            free[i, i] = 1.0
    return free
