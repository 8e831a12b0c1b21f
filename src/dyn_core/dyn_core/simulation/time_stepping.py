# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Time stepping of robots with dry friction, joint stops and ground contact.

The scheme is Moreau's (1988), with his midpoint rule. Joints move by half a step with the velocity
at its beginning, then forces act as impulses over the step, then joints move by half a step with
the new velocity. The bias effort is that of the configuration in the middle and of the mean of both
velocities. Motion without impacts is of second order, but for damping. The laws of impulses
(:mod:`dyn_core.simulation.impulses`) hold for the velocity at the end, so that impacts need no
event detection: a contact whose gap would close before the middle of the next step lets the point
move by that gap and no further. An impact at a joint stop or on the ground is inelastic.

The mean velocity is not known beforehand. It is extrapolated from the last step; where that was
wrong, as at an impact, the impulses are computed once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dyn_core.compiler.runtime import Data, compile
from dyn_core.compiler.runtime.numba_cached import borrowing
from dyn_core.compiler.signature import Extra, extras_of
from dyn_core.configuration import neutral
from dyn_core.contacts.contact_laws import copied
from dyn_core.contacts.proximal_point import ACCEPTED_VIOLATION
from dyn_core.dynamics.declare.optional_inputs import OptionalInput, Wrench
from dyn_core.dynamics.floating_bases import floating_bases
from dyn_core.dynamics.integrate import integrate
from dyn_core.dynamics.passive_efforts import besides_friction
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.reference_checks import refuse_another, refuse_loops
from dyn_core.model.value_checks import numbers
from dyn_core.simulation import impulses
from dyn_core.simulation.coordinate_table import Coordinates
from dyn_core.simulation.ground import FRICTION, Ground, touching
from dyn_core.simulation.impulses import (
    DAMPING,
    LIMIT_ROUNDING,
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
UNSOLVED_VIOLATION = 10.0 * ACCEPTED_VIOLATION
"""Largest violation of a solved step, as a share of the fastest velocity of a row without impulses.
"""
MEAN_VELOCITY_TOLERANCE = 3e-6
"""Change of the velocity by an error of the mean velocity up to which no step is computed again,
rad/s or m/s."""
MAX_WAY = 0.3
"""Way of a joint in a step, rad or m, beyond which a motion may gain energy."""
END, SPEED, HALF_CHANGE, MEAN, FIRST_HALF, SECOND_HALF, IMPULSE, NEXT = range(8)
"""Rows of the table of motion: position and velocity at the end of the last step, and half the
change of this velocity; mean velocity of this step, displacement in each half, sum of impulses and
momentum, velocity at its end."""
DONE, AGAIN, BEGIN = range(3)
"""What remains of a step: nothing, its impulses once more, or all of it."""


class TimeStepper:
    """A robot in motion: ``M (v' - v) = dt (tau - h - D v') + impulses``, by the midpoint rule.

    h is the bias effort (Coriolis, gravity, and all passive efforts but friction) at the mean
    velocity, D the damping of the joints;
    M and h are those in the middle of the step. The impulses are those of dry friction, of joint
    stops and of the ground. The robot has no loops and no couplings.
    Floating bases keep their momentum (:mod:`dyn_core.dynamics.floating_bases`): h is without
    their Coriolis forces, and they drift from q with v and then ``v'``.
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
            ValueError: dt is not positive and finite, or the ground is of another robot.
        """
        check_dt(dt)
        refuse_another(model, ground)
        self.model, self.dt, self.ground = model, float(dt), ground
        refuse_loops(model, "use ContactStepper, which holds them")
        data = Data(model)
        of_ground = ground.within(data) if ground else None
        passive = besides_friction(model)
        asked = (*self.QUANTITIES, *passive, *(ground.quantities if ground else ()))
        self._kernel = compile(model, asked, tuple(inputs))
        self._terms = self._kernel.bind(data)
        bases = floating_bases(model)
        self._halves = [Drift(model, 0.5 * self.dt, inputs) for _ in range(2)] if bases else []
        self._integrate = [compile(model, ["integrate"]).bind(Data(model)) for _ in range(2)]
        last = [(model.idx_v[base[0]], base[-1]) for base in bases]
        self._bases = [slice(at, model.idx_v[i] + model.joints[i].nv) for at, i in last]
        flat = [i for base in bases for i in base if model.joints[i].space.flat]
        self._flat = [
            (model.q_of(i, range(model.nq)), model.v_of(i, range(model.nv))) for i in flat
        ]
        self._neutral = neutral(model)
        self._coordinates = Coordinates(model)
        self._table = self._coordinates.table
        self._motion: FloatArray = np.zeros((8, model.nv))
        self.position: FloatArray = self._motion[END]
        """(nv) displacement from the neutral configuration, summed over the steps, rad or m."""
        self.velocity: FloatArray = self._motion[SPEED]
        """(nv) rad/s or m/s."""
        self._mean: FloatArray = self._motion[MEAN]
        self._ways = self._motion[FIRST_HALF], self._motion[SECOND_HALF]
        self.q: FloatArray = np.zeros(model.nq)
        """(nq) configuration."""
        self.unsolved = 0
        """Number of steps whose impulses violate a condition by more than UNSOLVED_VIOLATION."""
        self.softened = 0
        """Number of steps whose impulses violate a condition by less, to bound their work: see
        :mod:`dyn_core.contacts.proximal_point`."""
        self.iterations = 0
        """Gauss-Seidel sweeps and factorizations of the last step."""
        self._rest = np.zeros(model.nv)  # zero acceleration, at which inverse dynamics yields h
        M, bias, of_base = (data[one] for one in self.QUANTITIES)
        self._passive = [data[one] for one in passive]
        self._state = M, bias, of_base, self._table, self._motion, self.dt, of_ground
        """Arguments of a compiled step after effort, remaining and carried."""
        self._advance = machine_code(advance)
        self.reset(self._rest)
        self._prepare()
        self.reset(self._rest)

    def reset(self, position: FloatArray) -> None:
        """Put the robot at rest at a displacement (nv) from the neutral configuration."""
        given = numbers("position", position, (self.model.nv,))
        if not np.isfinite(given).all():
            raise ValueError(f"position must be finite, not {given.tolist()}")
        self.position[:] = given
        self._motion[SPEED:] = 0.0
        self._table[impulses.RUB :] = 0.0
        self.unsolved = self.softened = self.iterations = 0
        if self.ground:
            self.ground.reset()
        np.copyto(self.q, integrate(self.model, self._neutral, self.position))

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
        self._coordinates.at_speed(self.velocity)
        self.iterations, remaining = 0, BEGIN
        while remaining:
            if remaining == BEGIN:
                middle, carried = self._drifted(0, self.q, inputs)
                if self._halves:  # the velocity of a base changes on the way
                    np.add(carried, self._motion[HALF_CHANGE], out=self._mean)
            self._evaluate(middle, self._mean, inputs)
            try:
                error, used, remaining = self._advance(effort, remaining, carried, *self._state)
            except TypeError:  # of compiled code, which takes arrays of float64 alone
                effort = numbers("effort", effort, (self.model.nv,))
                error, used, remaining = self._advance(effort, remaining, carried, *self._state)
            if error == np.inf:
                raise StepError(self._describe_blow_up(effort, inputs))
            self.iterations += used
        self.softened += 0.0 < error <= UNSOLVED_VIOLATION
        self.unsolved += error > UNSOLVED_VIOLATION
        self.q[...], carried = self._drifted(1, middle, inputs)
        if self._halves:
            self.velocity[...] = carried
            for base in self._bases:
                self._ways[0][base] = 0.5 * self.dt * self.velocity[base]
            for at, own in self._flat:  # bases move by the mean of two velocities
                low, high = self._table[LOWER:DAMPING, own]
                self.q[at] = np.clip(self.q[at], low, high)
                self.position[own] = self.q[at]

    def _evaluate(self, q: FloatArray, v: FloatArray, inputs: Sequence[FloatArray]) -> None:
        """Compute all that depends on a state; passive efforts are part of the bias."""
        self._terms(q, v, self._rest, *inputs)
        bias = self._state[1]
        for efforts in self._passive:
            bias -= efforts

    def _drifted(
        self, half: int, q: FloatArray, inputs: Sequence[FloatArray]
    ) -> tuple[FloatArray, FloatArray]:
        """Configuration and velocity after the first half of a step, 0, or the second, 1."""
        if self._halves:
            return self._halves[half](q, self.velocity, self._ways[half], inputs)
        return self._integrate[half](q, self._ways[half]), self.velocity

    def _prepare(self) -> None:
        """Step a robot of unit masses once, so that the step is compiled for these arguments."""
        given = [np.zeros(x.shape) for x in self._kernel.signature.inputs.values()]
        self._terms(self.q, *given[1:])
        bias, of_base, table, motion, dt, ground = self._state[1:]
        if ground is not None:  # the arguments for a single point
            ground = *ground[:2], *(x[:1] for x in ground[2:])
        unit, rest = np.eye(len(bias)), np.zeros_like(bias)
        close = getattr(self._advance, "disable_compile", lambda closed=True: None)
        close(False)  # the first stepper with or without ground compiles its own
        self._advance(rest, BEGIN, rest, unit, rest, of_base, table, motion, dt, ground)
        close()  # raises TypeError for other types from now on

    def _describe_blow_up(self, effort: FloatArray, inputs: Sequence[FloatArray]) -> str:
        effort = numbers("effort", effort, (self.model.nv,))
        self._evaluate(self.q, self.velocity, inputs)
        M, bias, *_ = self._state
        with np.errstate(all="ignore"):
            net = effort - bias
            acceleration = np.linalg.pinv(np.nan_to_num(M)) @ net
            finite = np.isfinite(acceleration if np.isfinite(net).all() else net)
        names, driven = self.model.dof_names, int(np.argmax(np.abs(np.nan_to_num(effort))))
        told = f"the velocity of joint '{names[int(np.argmin(finite))]}' is not finite: "
        fastest = int(np.argmax(np.abs(self.velocity)))
        if (way := abs(self.velocity[fastest]) * self.dt) > MAX_WAY:
            return (
                f"{told}'{names[fastest]}' moves by {way:.2g} rad or m in a step of {self.dt:g} s; "
                f"with more than {MAX_WAY:g} motions gain energy: choose a shorter step"
            )
        return (
            f"{told}check masses, inertias and effort limits in the description, and the "
            f"controller, whose largest effort is {effort[driven]:.2g} at joint '{names[driven]}': "
            f"damping gains above {1.0 / self.dt:g} times the inertia that a joint moves are "
            "unstable"
        )


class Drift:
    """The motion of a step without external forces: see :data:`dyn_core.drift`."""

    def __init__(self, model: Model, dt: float, inputs: Sequence[Extra]) -> None:
        """Compile it for steps of ``dt`` (s), with those of the inputs that change the robot."""
        extras = extras_of(inputs)
        taken = [x for x in extras if isinstance(x, OptionalInput) and not isinstance(x, Wrench)]
        self._kernel = compile(model, ["drift"], taken).bind(Data(model))
        self._dt, self._taken = np.array([dt]), [extras.index(x) for x in taken]

    def __call__(
        self, q: FloatArray, v: FloatArray, moved: FloatArray, inputs: Sequence[FloatArray]
    ) -> tuple[FloatArray, FloatArray]:
        """Configuration and velocity after a step in which the joints move by ``moved`` (nv)."""
        own = (inputs[k] for k in self._taken)
        reached: tuple[FloatArray, FloatArray] = self._kernel(q, v, moved, self._dt, *own)
        return reached


def advance(
    effort: FloatArray,
    remaining: int,
    carried: FloatArray,
    M: FloatArray,
    bias: FloatArray,
    of_base: FloatArray,
    table: FloatArray,
    motion: FloatArray,
    dt: float,
    ground: Any,
) -> tuple[float, int, int]:
    """Compiled: the impulses of a step, and its second half.

    ``carried`` is the velocity after the first half, ``ground`` what :meth:`Ground.within` gives,
    or None. Returns what :func:`velocity_after` does, and what remains. Joints have moved if that
    is nothing and the error is finite.
    """
    if remaining == BEGIN and not halved(motion, table, carried, dt):
        return 0.0, 0, BEGIN
    momentum(M, bias, of_base, effort, table, dt, motion[IMPULSE])
    v = motion[NEXT]
    if ground is None:  # one of the branches is not compiled
        J, nothing = M[:0], motion[0, :0]
        error, used = velocity_after(
            M, motion[IMPULSE], table, dt, J, nothing, nothing, nothing, 0.0, v
        )
    else:
        placements, stack, joints, rows, balls, kept = ground
        near, J, offset = touching(placements, stack, joints, rows, balls, table[VELOCITY], dt)
        mu, last = balls[near, FRICTION], kept[near].ravel()
        error, used = velocity_after(
            M, motion[IMPULSE], table, dt, J, offset, mu, last, COMPLIANCE, v
        )
        if error != np.inf:
            remembered(kept, near, last)
    return error, used, DONE if error == np.inf else moved(motion, table, dt, remaining)


@borrowing
def halved(motion: FloatArray, table: FloatArray, carried: FloatArray, dt: float) -> bool:
    """Set the position and velocity in the middle of the step.

    Returns False if the displacement in the first half was not that of the present velocity, and
    corrects it: the caller has changed the state.
    """
    same = True
    for i in range(len(carried)):
        start = motion[END, i]
        middle = min(max(start + 0.5 * dt * motion[SPEED, i], table[LOWER, i]), table[UPPER, i])
        if abs(middle - start - motion[FIRST_HALF, i]) > LIMIT_ROUNDING:
            same = False
        motion[FIRST_HALF, i] = middle - start
        table[POSITION, i], table[VELOCITY, i] = middle, carried[i]
    if not same:
        copied(motion[SPEED], motion[MEAN])
    return same


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
    found: FloatArray,
) -> None:
    """Compiled: ``found = M (v + dt c) + dt (tau - h)``; adds ``dt D`` to the diagonal of M.

    ``of_base`` is c, the acceleration by the Coriolis forces of floating bases.

    NaN if tau has another size.
    """
    nv = len(bias)
    for i in range(nv):
        total = dt * (effort[i] - bias[i]) if len(effort) == nv else np.nan
        for j in range(nv):
            total += M[i, j] * (table[VELOCITY, j] + dt * of_base[j])
        found[i] = total
    for i in range(nv):
        M[i, i] += dt * table[DAMPING, i]


@borrowing
def mean_corrected(mean: FloatArray, before: FloatArray, after: FloatArray, dt: float) -> bool:
    """Set the mean of two velocities; whether impulses computed with the old value are accurate."""
    wrong, fastest = 0.0, 0.0
    for i in range(len(mean)):
        corrected = 0.5 * (before[i] + after[i])
        wrong = max(wrong, abs(corrected - mean[i]))
        fastest, mean[i] = max(fastest, abs(corrected)), corrected
    return dt * wrong * (wrong + 2.0 * fastest) <= MEAN_VELOCITY_TOLERANCE


@borrowing
def moved(motion: FloatArray, table: FloatArray, dt: float, remaining: int) -> int:
    """Move the joints by the second half of a step, and prepare the next; returns what remains.

    If the mean velocity was wrong, it is corrected and the impulses remain to be computed
    once more. The rounding error at the limits is clipped.
    """
    v = motion[NEXT]
    if not mean_corrected(motion[MEAN], table[VELOCITY], v, dt) and remaining == BEGIN:
        return AGAIN
    for i in range(len(v)):
        low, high, half = table[LOWER, i], table[UPPER, i], 0.5 * dt * v[i]
        end = min(max(table[POSITION, i] + half, low), high)
        motion[SECOND_HALF, i] = end - table[POSITION, i]
        motion[FIRST_HALF, i] = min(max(end + half, low), high) - end
        change = 0.5 * (v[i] - table[VELOCITY, i])
        motion[END, i], motion[SPEED, i], motion[HALF_CHANGE, i] = end, v[i], change
        motion[MEAN, i] = v[i] + change
    return DONE
