# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Steps in time of a robot whose joints rub and stop and whose feet come and go.

One scheme, Moreau's and Jean's (:mod:`dyn_core.simulation.impulses`): over a step forces act as
impulses, and their laws hold for the velocity at its end, so that an impact needs no event to be
found: where a gap would close within the step, the contact lets the point come as near as the gap
and no nearer. A stop takes the rest of a joint's speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dyn_core.configuration import neutral
from dyn_core.contacts.cones import prepare
from dyn_core.errors import ModelError
from dyn_core.execution import Data, compile
from dyn_core.model.model import FloatArray, Model
from dyn_core.simulation import impulses
from dyn_core.simulation.coordinates import Coordinates
from dyn_core.simulation.ground import Ground, touching
from dyn_core.simulation.impulses import (
    DAMPING,
    LOWER,
    POSITION,
    UPPER,
    VELOCITY,
    velocity_after,
)
from dyn_core.simulation.searching import machine_code, searched
from dyn_core.simulation.steps import StepError

COMPLIANCE = 1e-7
"""Of the ground, as a share of the largest mobility of a point: feet that bear a load along the
ground creep by less than 1e-7 m/s."""


class TimeStepper:
    """A robot in motion: ``M (v' - v) = dt (tau - h - D v') + impulses``, ``q' = q (+) dt v'``.

    h is Coriolis and gravity, D the damping of the joints; impulses are those of their dry
    friction, of their stops and of the ground. The robot has no loops and no couplings.
    """

    QUANTITIES = ("mass_matrix", "inverse_dynamics")
    """Of the kernel of a step, before those of the ground."""

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
            ground: what stops points of the robot; without one it is not there.
            inputs: what else a step takes, as :func:`dyn_core.compile` does: gravity, f_ext, ...

        Raises:
            ModelError: the robot has loops or couplings.
        """
        self.model, self.dt, self.ground = model, dt, ground
        if model.loops or model.couplings:
            raise ModelError(
                f"'{model.name}' has loops or couplings: use ContactStepper, which holds them"
            )
        data = Data(model)
        self._integrate = compile(model, ["integrate"]).bind(data)
        asked = (*self.QUANTITIES, *(ground.quantities if ground else ()))
        self._kernel = compile(model, asked, tuple(inputs))
        self._terms = self._kernel.bind(data)
        self._neutral = neutral(model)
        self._coordinates = Coordinates(model)
        self._table = self._coordinates.table
        self.position: FloatArray = self._table[POSITION]
        """(nv) from the neutral configuration, added up step by step, rad or m."""
        self.velocity: FloatArray = self._table[VELOCITY]
        """(nv) rad/s or m/s."""
        self.q: FloatArray = np.zeros(model.nq)
        """(nq) configuration."""
        self.unsolved = 0
        """Steps in which the impulses do not fulfil all conditions."""
        self._rest = np.zeros(model.nv)  # the acceleration at which inverse dynamics is h
        self._displacement = np.zeros(model.nv)
        self._advance = machine_code(advance_on_ground if ground else advance)
        self.reset(self._rest)
        self._prepare([np.zeros(x.shape) for x in self._kernel.signature.inputs.values()])
        self.reset(self._rest)

    def reset(self, position: FloatArray) -> None:
        """Put the robot at rest at a position (nv) from the neutral configuration."""
        self.position[:] = position
        self.velocity[:] = 0.0
        self._table[impulses.RUB :] = 0.0
        self.unsolved = 0
        if self.ground:
            self.ground.reset()
        np.copyto(self.q, self._integrate(self._neutral, self.position))

    def step(self, effort: FloatArray, *inputs: FloatArray) -> None:
        """Advance by dt under efforts (nv).

        Args:
            effort: of the joints, N m or N.
            inputs: those that the constructor was told, in the kernel's order.

        Raises:
            StepError: the next state is not finite; the message names a joint. The state stays as
                it was.
        """
        M, bias, *others = self._terms(self.q, self.velocity, self._rest, *inputs)
        of_ground = self.ground.told(*others) if self.ground else ()
        if self._coordinates.fading:
            self._coordinates.at_speed(self.velocity)
        state = (bias, effort, self._table, self.dt, self._displacement)
        left = self._advance(M, *state, *of_ground)
        if left:
            M, *_ = self._terms(self.q, self.velocity, self._rest, *inputs)
            if left == np.inf or not self._search(M, state, of_ground):
                raise StepError(self._describe_blow_up(M, bias, effort))
        np.copyto(self.q, self._integrate(self.q, self._displacement))

    def _prepare(self, arrays: Sequence[FloatArray]) -> None:
        """Take a step of unit masses by all methods that later ones may need, to compile them."""
        _, bias, *others = self._terms(self.q, *arrays[1:])
        of_ground = self.ground.told(*others) if self.ground else ()
        state = (np.zeros_like(bias), self._rest, self._table, self.dt, self._displacement)
        self._advance(np.eye(len(bias)), *state, *of_ground)
        self._search(np.eye(len(bias)), state, of_ground)
        if self.ground:
            prepare()

    def _search(self, M: FloatArray, state: tuple[Any, ...], of_ground: tuple[Any, ...]) -> bool:
        """The step where Gauss-Seidel iteration alone does not help; whether it is finite."""
        bias, effort, table, dt, displacement = state
        impulse = machine_code(momentum)(M, bias, effort, table, dt)
        J, (offset, mu, last) = np.zeros((0, len(bias))), np.zeros((3, 0))
        if of_ground:
            near, J, offset, mu, last = machine_code(contacts)(*of_ground, table, dt)
        found = searched(M, impulse, table, dt, J, offset, mu, last, COMPLIANCE)
        if found is None or not np.isfinite(found[0]).all():
            return False
        self.unsolved += not found[1].converged
        machine_code(moved)(table, found[0], dt, displacement)
        if of_ground:
            machine_code(remembered)(of_ground[-1], near, found[1].forces)
        return True

    def _describe_blow_up(self, M: FloatArray, bias: FloatArray, effort: FloatArray) -> str:
        with np.errstate(all="ignore"):
            net = effort - bias
            acceleration = np.linalg.pinv(np.nan_to_num(M)) @ net
            finite = np.isfinite(acceleration if np.isfinite(net).all() else net)
        name = self.model.dof_names[int(np.argmin(finite))]
        return (
            f"the velocity of joint '{name}' is not finite: check masses, inertias and effort "
            "limits in the description"
        )


def advance(
    M: FloatArray,
    bias: FloatArray,
    effort: FloatArray,
    table: FloatArray,
    dt: float,
    displacement: FloatArray,
) -> float:
    """Compiled: a step; what :func:`velocity_after` returns. Unless that is 0 nothing moves."""
    impulse, nothing = momentum(M, bias, effort, table, dt), np.empty(0)
    v = np.empty(len(bias))
    J = np.empty((0, len(bias)))
    left = velocity_after(M, impulse, table, dt, J, nothing, nothing, nothing, 0.0, v)
    if left == 0.0:
        moved(table, v, dt, displacement)
    return left


def advance_on_ground(
    M: FloatArray,
    bias: FloatArray,
    effort: FloatArray,
    table: FloatArray,
    dt: float,
    displacement: FloatArray,
    placements: FloatArray,
    stack: FloatArray,
    joints: FloatArray,
    rows: FloatArray,
    balls: FloatArray,
    friction: float,
    kept: FloatArray,
) -> float:
    """Compiled: the same on ground."""
    impulse = momentum(M, bias, effort, table, dt)
    near, J, offset, mu, last = contacts(
        placements, stack, joints, rows, balls, friction, kept, table, dt
    )
    v = np.empty(len(bias))
    left = velocity_after(M, impulse, table, dt, J, offset, mu, last, COMPLIANCE, v)
    if left == 0.0:
        moved(table, v, dt, displacement)
        remembered(kept, near, last)
    return left


def remembered(kept: FloatArray, near: FloatArray, last: FloatArray) -> None:
    """Compiled: keep the impulses of the points that are near, and none of others."""
    kept[:] = 0.0
    for k in range(len(near)):
        for i in range(3):
            kept[near[k], i] = last[3 * k + i]


def momentum(
    M: FloatArray, bias: FloatArray, effort: FloatArray, table: FloatArray, dt: float
) -> FloatArray:
    """Compiled: ``M v + dt (tau - h)``; then M has the damping of the step in its diagonal."""
    nv = len(bias)
    impulse = np.empty(nv)
    for i in range(nv):
        total = dt * (effort[i] - bias[i])
        for j in range(nv):
            total += M[i, j] * table[VELOCITY, j]
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
    friction: float,
    kept: FloatArray,
    table: FloatArray,
    dt: float,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Compiled: what may touch: which, rows, velocities added, coefficients, last impulses."""
    near, J, offset = touching(placements, stack, joints, rows, balls, table[VELOCITY], dt)
    mu, last = np.full(len(near), friction), np.empty(3 * len(near))
    for k in range(len(near)):
        for i in range(3):
            last[3 * k + i] = kept[near[k], i]
    return near, J, offset, mu, last


def moved(table: FloatArray, v: FloatArray, dt: float, displacement: FloatArray) -> None:
    """Compiled: move by ``dt v``; rounding leaves nobody outside of the limits."""
    for i in range(len(v)):
        start = table[POSITION, i]
        end = min(max(start + dt * v[i], table[LOWER, i]), table[UPPER, i])
        displacement[i], table[POSITION, i], table[VELOCITY, i] = end - start, end, v[i]
