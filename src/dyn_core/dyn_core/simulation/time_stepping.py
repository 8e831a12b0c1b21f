# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Time stepping of robots with dry friction, joint stops and ground contact.

The scheme is Moreau's and Jean's (:mod:`dyn_core.simulation.impulses`). Forces act as impulses over
a step, and their laws hold for the velocity at its end, so that impacts need no event detection: a
contact whose gap would close within the step lets the point move by that gap and no further. An
impact at a joint stop or on the ground is inelastic.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dyn_core.compiler.runtime import Data, compile
from dyn_core.configuration import neutral
from dyn_core.contacts.problem_checks import numbers
from dyn_core.contacts.proximal_point import ROUGH
from dyn_core.dynamics.floating_bases import floating_bases
from dyn_core.errors import ModelError
from dyn_core.model.model import FloatArray, Model
from dyn_core.simulation import impulses
from dyn_core.simulation.coordinate_table import Coordinates
from dyn_core.simulation.drift import Drift
from dyn_core.simulation.ground import FRICTION, Ground, touching
from dyn_core.simulation.impulses import (
    DAMPING,
    LOWER,
    POSITION,
    UPPER,
    VELOCITY,
    machine_code,
    velocity_after,
)
from dyn_core.simulation.step_types import StepError, check_dt

COMPLIANCE = 1e-7
"""Compliance of the ground, as a share of the largest mobility of a point. Loaded feet creep along
the ground by less than 1e-7 m/s."""
MOST_ROUGH = 10.0 * ROUGH
"""Largest violation of a solved step, as a share of the fastest velocity of a row without impulses.
"""
DISPLACEMENT = 5
"""Index of the displacement of a step among the arguments of a compiled step after the efforts."""


class TimeStepper:
    """A robot in motion: ``M (v' - v) = dt (tau - h - D v') + impulses``, ``q' = q (+) dt v'``.

    h is the bias effort (Coriolis and gravity), D the damping of the joints. The impulses are those
    of dry friction, of joint stops and of the ground. The robot has no loops and no couplings.
    Floating bases keep their momentum (:mod:`dyn_core.dynamics.floating_bases`): h is without
    their Coriolis forces, and they drift from q with ``v'``.
    """

    QUANTITIES = ("mass_matrix", "inverse_dynamics", "base_coriolis_acceleration")
    """Outputs of the step's kernel, before those of the ground."""

    def __init__(
        self,
        model: Model,
        dt: float,
        ground: Ground | None = None,
        inputs: Sequence[str] = (),
    ) -> None:
        """Put the robot at rest at its neutral configuration.

        Args:
            model: the robot.
            dt: length of a step, s.
            ground: the surface that stops points of the robot; by default there is none.
            inputs: further inputs of a step, as in :func:`dyn_core.compile`: gravity, f_ext, ...

        Raises:
            ModelError: the robot has loops or couplings.
            ValueError: dt is not positive and finite.
        """
        check_dt(dt)
        self.model, self.dt, self.ground = model, float(dt), ground
        if model.loops or model.couplings:
            raise ModelError(
                f"'{model.name}' has loops or couplings: use ContactStepper, which holds them"
            )
        data = Data(model)
        of_ground = ground.within(data) if ground else ()
        asked = (*self.QUANTITIES, *(ground.quantities if ground else ()))
        self._kernel = compile(model, asked, tuple(inputs))
        self._terms = self._kernel.bind(data)
        self._integrate = compile(model, ["integrate"]).bind(data)
        bases = floating_bases(model)
        self._drift = Drift(model, self.dt, inputs) if bases else None
        flat = [i for base in bases for i in base if model.joints[i].space.flat]
        self._flat = [
            (model.q_of(i, range(model.nq)), model.v_of(i, range(model.nv))) for i in flat
        ]
        self._neutral = neutral(model)
        self._coordinates = Coordinates(model)
        self._table = self._coordinates.table
        self.position: FloatArray = self._table[POSITION]
        """(nv) displacement from the neutral configuration, summed over the steps, rad or m."""
        self.velocity: FloatArray = self._table[VELOCITY]
        """(nv) rad/s or m/s."""
        self.q: FloatArray = np.zeros(model.nq)
        """(nq) configuration."""
        self.unsolved = 0
        """Number of steps whose impulses violate a condition by more than MOST_ROUGH."""
        self.softened = 0
        """Number of steps whose impulses violate a condition by less, to bound their work: see
        :mod:`dyn_core.contacts.proximal_point`."""
        self.iterations = 0
        """Gauss-Seidel sweeps and factorizations of the last step."""
        self._rest = np.zeros(model.nv)  # zero acceleration, at which inverse dynamics yields h
        M, bias, of_base = (data[one] for one in self.QUANTITIES)
        self._state = M, bias, of_base, self._table, self.dt, np.zeros(model.nv), *of_ground
        """Arguments of a compiled step after the efforts."""
        self._advance = machine_code(advance_on_ground if ground else advance)
        self.reset(self._rest)
        self._prepare()
        self.reset(self._rest)

    def reset(self, position: FloatArray) -> None:
        """Put the robot at rest at a displacement (nv) from the neutral configuration."""
        given = numbers("position", position, (self.model.nv,))
        if not np.isfinite(given).all():
            raise ValueError(f"position must be finite, not {given.tolist()}")
        self.position[:] = given
        self.velocity[:] = 0.0
        self._table[impulses.RUB :] = 0.0
        self.unsolved = self.softened = self.iterations = 0
        if self.ground:
            self.ground.reset()
        np.copyto(self.q, self._integrate(self._neutral, self.position))

    def step(self, effort: FloatArray, *inputs: FloatArray) -> None:
        """Advance by dt under efforts (nv).

        Args:
            effort: of the joints, N m or N.
            inputs: values of the constructor's ``inputs``, in the kernel's order.

        Raises:
            StepError: the next state is not finite; the message names a joint. The state does not
                change.
            ValueError: ``effort`` is not (nv,) real numbers.
        """
        self._terms(self.q, self.velocity, self._rest, *inputs)
        if self._coordinates.fading:
            self._coordinates.at_speed(self.velocity)
        try:
            error, self.iterations = self._advance(effort, *self._state)
        except TypeError:  # of compiled code, which takes arrays of float64 alone
            effort = numbers("effort", effort, (self.model.nv,))
            error, self.iterations = self._advance(effort, *self._state)
        if error == np.inf:
            effort = numbers("effort", effort, (self.model.nv,))
            M, bias, *_ = self._terms(self.q, self.velocity, self._rest, *inputs)
            raise StepError(self._describe_blow_up(M, bias, effort))
        self.softened += 0.0 < error <= MOST_ROUGH
        self.unsolved += error > MOST_ROUGH
        moved = self._state[DISPLACEMENT]
        if self._drift is None:
            self.q[...] = self._integrate(self.q, moved)
        else:
            self.q[...], self.velocity[...] = self._drift(self.q, self.velocity, moved, inputs)
            for at, own in self._flat:  # bases move by the mean of two velocities
                low, high = self._table[LOWER:DAMPING, own]
                self.q[at] = np.clip(self.q[at], low, high)
                self.position[own] = self.q[at]

    def _prepare(self) -> None:
        """Step a robot of unit masses once, so that the step is compiled for these arguments."""
        given = [np.zeros(x.shape) for x in self._kernel.signature.inputs.values()]
        self._terms(self.q, *given[1:])
        bias, of_base, table, dt, displacement, *of_ground = self._state[1:]
        one = [*of_ground[:2], *(x[:1] for x in of_ground[2:])]  # the arguments for a single point
        unit, rest = np.eye(len(bias)), np.zeros_like(bias)
        self._advance(self._rest, unit, rest, of_base, table, dt, displacement, *one)
        if hasattr(self._advance, "disable_compile"):  # not if numba compiles nothing
            self._advance.disable_compile()  # raises TypeError for other types from now on

    def _describe_blow_up(self, M: FloatArray, bias: FloatArray, effort: FloatArray) -> str:
        with np.errstate(all="ignore"):
            net = effort - bias
            acceleration = np.linalg.pinv(np.nan_to_num(M)) @ net
            finite = np.isfinite(acceleration if np.isfinite(net).all() else net)
        names, driven = self.model.dof_names, int(np.argmax(np.abs(np.nan_to_num(effort))))
        return (
            f"the velocity of joint '{names[int(np.argmin(finite))]}' is not finite: check masses, "
            "inertias and effort limits in the description, and the controller, whose largest "
            f"effort is {effort[driven]:.2g} at joint '{names[driven]}': damping gains above "
            f"{1.0 / self.dt:g} times the inertia that a joint moves swing up"
        )


def advance(
    effort: FloatArray,
    M: FloatArray,
    bias: FloatArray,
    of_base: FloatArray,
    table: FloatArray,
    dt: float,
    displacement: FloatArray,
) -> tuple[float, int]:
    """Compiled: a step; returns what :func:`velocity_after` does. Moves if the error is finite."""
    impulse, nothing = momentum(M, bias, of_base, effort, table, dt), np.empty(0)
    v = np.empty(len(bias))
    J = np.empty((0, len(bias)))
    error, used = velocity_after(M, impulse, table, dt, J, nothing, nothing, nothing, 0.0, v)
    if error < np.inf:
        moved(table, v, dt, displacement)
    return error, used


def advance_on_ground(
    effort: FloatArray,
    M: FloatArray,
    bias: FloatArray,
    of_base: FloatArray,
    table: FloatArray,
    dt: float,
    displacement: FloatArray,
    placements: FloatArray,
    stack: FloatArray,
    joints: FloatArray,
    rows: FloatArray,
    balls: FloatArray,
    kept: FloatArray,
) -> tuple[float, int]:
    """Compiled: a step of a robot on ground, as :func:`advance`."""
    impulse = momentum(M, bias, of_base, effort, table, dt)
    near, J, offset, mu, last = contacts(placements, stack, joints, rows, balls, kept, table, dt)
    v = np.empty(len(bias))
    error, used = velocity_after(M, impulse, table, dt, J, offset, mu, last, COMPLIANCE, v)
    if error < np.inf:
        moved(table, v, dt, displacement)
        remembered(kept, near, last)
    return error, used


def remembered(kept: FloatArray, near: FloatArray, last: FloatArray) -> None:
    """Compiled: keep the impulses of the points in contact, and set all others to zero."""
    kept[:] = 0.0
    for k in range(len(near)):
        for i in range(3):
            kept[near[k], i] = last[3 * k + i]


def momentum(
    M: FloatArray,
    bias: FloatArray,
    of_base: FloatArray,
    effort: FloatArray,
    table: FloatArray,
    dt: float,
) -> FloatArray:
    """Compiled: ``M (v + dt c) + dt (tau - h)``; adds ``dt D`` to the diagonal of M.

    ``of_base`` is c, the acceleration by the Coriolis forces of floating bases.

    NaN if tau has another size.
    """
    nv = len(bias)
    if len(effort) != nv:
        return np.full(nv, np.nan)
    impulse = np.empty(nv)
    for i in range(nv):
        total = dt * (effort[i] - bias[i])
        for j in range(nv):
            total += M[i, j] * (table[VELOCITY, j] + dt * of_base[j])
        impulse[i] = total
    for i in range(nv):
        M[i, i] += dt * table[DAMPING, i]
    return impulse


def contacts(
    placements: FloatArray,
    stack: FloatArray,
    joints: FloatArray,
    rows: FloatArray,
    balls: FloatArray,
    kept: FloatArray,
    table: FloatArray,
    dt: float,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Compiled: points near the ground, their Jacobian, offsets, friction and last impulses."""
    near, J, offset = touching(placements, stack, joints, rows, balls, table[VELOCITY], dt)
    mu, last = np.empty(len(near)), np.empty(3 * len(near))
    for k in range(len(near)):
        mu[k] = balls[near[k], FRICTION]
        for i in range(3):
            last[3 * k + i] = kept[near[k], i]
    return near, J, offset, mu, last


def moved(table: FloatArray, v: FloatArray, dt: float, displacement: FloatArray) -> None:
    """Compiled: move the joints by ``dt v``; clips the rounding error at their limits."""
    for i in range(len(v)):
        start = table[POSITION, i]
        end = min(max(start + dt * v[i], table[LOWER, i]), table[UPPER, i])
        displacement[i], table[POSITION, i], table[VELOCITY, i] = end - start, end, v[i]
