# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Whole-body control: efforts and contact forces of a robot, by a quadratic program.

Of the accelerations a and the contact forces f that satisfy

    M a + h = S' tau + J' f        the equation of motion; a floating base has no effort
    J a + dJ/dt v = wanted         what touches stays where it is
    f in its cone                  friction, centre of pressure, see :class:`ContactTask`
    |tau| <= limits                what the drives can do, and how fast efforts change
    a within limits                that keep joints off their ends, and their speeds

those are found that do best what the tasks ask for (Wensing et al. 2017, section V; Del Prete et
al. 2016). The efforts follow from the first line, so that they are no variables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np

from dyn_core.control.pose_error import checked
from dyn_core.control.prioritized_least_squares import Bounded, solved_in_order
from dyn_core.control.quadratic_program import OVERFLOW_MESSAGE, InfeasibleError
from dyn_core.control.tasks import ContactTask, JointLimits, LowAccelerationTask, Task
from dyn_core.control.tasks.contact_task import ContactTerms
from dyn_core.control.tasks.task import base_of
from dyn_core.control.tasks.task_stack import Stack, below_each_other, wanted_rows
from dyn_core.dynamics.crba import crba
from dyn_core.dynamics.rnea import nonlinear_effects
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.reference_checks import refuse_another
from dyn_core.model.value_checks import each_number, number

FORCE_WEIGHT = 1e-3
"""Of squared forces by the weight of the robot, beside costs of 1: it shares loads among feet."""
ACCELERATION_WEIGHT = 1e-6
"""Weight of squared accelerations beside costs of 1: it decides motions that no task determines."""
GRAVITY = 9.81
"""m/s^2, for which the weight of a robot is the unit of its forces."""


@dataclass(frozen=True)
class WholeBodyMotion:
    """The solution of the quadratic program."""

    acceleration: FloatArray
    """(nv)."""
    wrenches: tuple[FloatArray, ...]
    """Of the ground on each contact in turn, (3,) or (6,), in the axes of the world, N, N m."""
    efforts: FloatArray
    """(nv) of the joints; zero on a floating base."""

    @property
    def forces(self) -> FloatArray:
        """(contacts, 3) of the ground on each contact, in the axes of the world, N."""
        return np.array([wrench[:3] for wrench in self.wrenches]).reshape(-1, 3)

    def friction_used(self, friction: float) -> FloatArray:
        """(contacts) on level ground the tangential force by what friction allows."""
        tangential = np.linalg.norm(self.forces[:, :2], axis=1)
        used: FloatArray = tangential / np.maximum(friction * self.forces[:, 2], 1e-12)
        return used


class WholeBodyControl:
    """Finds the efforts for the tasks of a robot.

    Args:
        model: a robot whose first joint is a free flyer, or one that is fixed.
        tasks: what it shall do; of one priority, at best together.
        contacts: where it may touch; each call has those that it does touch.
        limits: of its joints' positions, velocities and accelerations, by default none. Where they
            contradict the contacts or the drives, they give way.
        slowing: 1/s, by which joints come to rest that no task moves, or can move.
        effort_rate: N m/s, N/s of all joints or of each (nv), by default without limit.

    Raises:
        ValueError: two contacts are of one frame, a rate is none, or the limits are of another
            robot.
    """

    def __init__(
        self,
        model: Model,
        tasks: Sequence[Task],
        contacts: Sequence[ContactTask] = (),
        limits: JointLimits | None = None,
        slowing: float = 20.0,
        effort_rate: float | FloatArray = math.inf,
    ) -> None:
        names = [contact.frame for contact in contacts]
        if len(set(names)) != len(names):
            raise ValueError(f"contacts must be of frames, each once, not of {names}")
        refuse_another(model, limits)
        self.model, self.limits = model, limits
        self.tasks, self.contacts = tuple(tasks), tuple(contacts)
        self.effort_rate: FloatArray = each_number("effort_rate", effort_rate, model.nv)
        if not (self.effort_rate > 0.0).all():
            raise ValueError("effort_rate must be above 0")
        if not 0.0 <= number("slowing", slowing) < math.inf:
            raise ValueError(f"slowing must be a finite rate of 0 or more, not {slowing}")
        self.slowing = slowing
        self._base = base_of(model)
        self._stack = Stack(model, tasks, contacts, (crba.request(), nonlinear_effects.request()))
        self._unit = max(GRAVITY * sum(Y.mass for Y in model.inertias), 1.0)

    def motion(
        self,
        q: FloatArray,
        v: FloatArray,
        touching: Collection[str] | None = None,
        before: FloatArray | None = None,
        dt: float = math.inf,
    ) -> WholeBodyMotion:
        """The motion that fulfils the tasks best.

        Args:
            q: configuration (nq).
            v: velocity (nv).
            touching: frames of the contacts that touch, by default all.
            before: efforts (nv) of the step before, from which ``effort_rate`` counts.
            dt: since then, s.

        Raises:
            InfeasibleError: the constraints contradict each other, or numbers overflow.
            KeyError: the robot has no such frame, or ``touching`` names no contact.
            MissingExtraError: daqp is not installed.
            ValueError: an argument is not finite, or of the wrong size; a task has no target.
        """
        if not number("dt", dt) > 0.0:
            raise ValueError(f"whole-body control: dt must be above 0, not {dt}")
        state = self._stack.state
        state.update(q, v)
        M, h = state.arrays((crba.request(), nonlinear_effects.request()))
        feet = self._touching(touching)
        touches = [cast(ContactTerms, self._stack.terms(foot)) for foot in feet]
        J = np.concatenate([np.zeros((0, self.model.nv)), *(x.jacobian for x in touches)])
        motion = np.hstack([M, -J.T * self._unit])  # forces are in units of the robot's weight
        size = motion.shape[1]
        levels, errors = self._stack.weighed(wanted_rows)
        damping = np.full(size, ACCELERATION_WEIGHT + errors)
        damping[self.model.nv :] = FORCE_WEIGHT
        rest = np.zeros(size)
        rest[: self.model.nv] = -self.slowing * v
        base = self._base
        stay = [
            (_beside(x.jacobian, size), wanted_rows(foot, x))
            for foot, x in zip(feet, touches, strict=True)
        ]
        equations = below_each_other([(motion[:base], -h[:base]), *stay])
        parts = [self._efforts(motion, h, before, dt), *self._cones(feet, touches)]
        solve = partial(
            solved_in_order,
            [(_beside(A, size), b) for A, b in levels],
            damping,
            rest,
            equations,
            bounded=parts,
            why="whole-body control",
        )
        try:
            solution = self._within_limits(solve, size)
        except InfeasibleError as error:
            raise InfeasibleError(
                f"the whole-body program has no solution ({error}); raise effort limits or "
                "friction, or put down another foot"
            ) from error
        efforts = motion @ solution + h
        if not np.isfinite(efforts).all():
            raise InfeasibleError(f"the efforts of the whole body overflow: {OVERFLOW_MESSAGE}")
        efforts[: self._base] = 0.0
        a, f = solution[: self.model.nv], solution[self.model.nv :] * self._unit
        ends = np.cumsum([len(x.error) for x in touches])[:-1]
        return WholeBodyMotion(a, tuple(np.split(f, ends)) if touches else (), efforts)

    def _touching(self, names: Collection[str] | None) -> list[ContactTask]:
        if names is None:
            return list(self.contacts)
        known = {contact.frame: contact for contact in self.contacts}
        if unknown := [name for name in names if name not in known]:
            raise KeyError(f"no contact of '{unknown[0]}'; there are {', '.join(known) or 'none'}")
        return [contact for name, contact in known.items() if name in names]

    def _efforts(
        self, motion: FloatArray, h: FloatArray, before: FloatArray | None, dt: float
    ) -> Bounded:
        base = self._base
        limit = np.array(self.model.effort_limit)[base:]
        lower, upper = -limit, limit
        if before is not None:
            last = checked("the efforts before", before, (self.model.nv,))[base:]
            step = self.effort_rate[base:] * dt
            lower = np.clip(last - step, -limit, limit)
            upper = np.clip(last + step, -limit, limit)
        return motion[base:], lower - h[base:], upper - h[base:]

    def _cones(self, feet: list[ContactTask], touches: Sequence[ContactTerms]) -> list[Bounded]:
        """Forces of each contact, which come after the accelerations."""
        size = sum(len(x.error) for x in touches)
        found: list[Bounded] = []
        done = self.model.nv
        for foot, x in zip(feet, touches, strict=True):
            rows = len(x.error)
            matrix = np.zeros((len(x.cone), self.model.nv + size))
            matrix[:, done : done + rows] = x.cone
            upper = np.full(len(x.cone), np.inf)
            upper[-1] = foot.most / self._unit
            found.append((matrix, np.zeros(len(x.cone)), upper))
            done += rows
        return found

    def _within_limits(self, solve: Callable[..., FloatArray], size: int) -> FloatArray:
        """With the limits of joints, or where these contradict the others, without."""
        if self.limits is not None:
            state, nv = self._stack.state, self.model.nv
            lower, upper = np.full(size, -np.inf), np.full(size, np.inf)
            lower[:nv], upper[:nv] = self.limits.accelerations(state.q, state.v)
            try:
                return solve(box=(lower, upper))
            except InfeasibleError:
                pass
        return solve()


def whole_body_motion(
    model: Model,
    q: FloatArray,
    v: FloatArray,
    wanted: FloatArray,
    stance: Sequence[str],
    friction: float = 0.6,
    weights: FloatArray | None = None,
) -> WholeBodyMotion:
    """The motion closest to a desired acceleration within contact, friction and effort limits.

    Args:
        model: a robot whose first joint is a free flyer, or one that is fixed.
        q: configuration (nq).
        v: velocity (nv).
        wanted: acceleration (nv).
        stance: names of the frames of the feet on the ground, each once; none for a flight.
        friction: coefficient mu of the feet on the ground; the forces stay within the pyramid
            inscribed in its cone, whose edges are along x and y.
        weights: (nv) of the squared errors of acceleration, by default 1.

    Raises:
        KeyError: there is no such frame.
        InfeasibleError: the constraints contradict each other.
        MissingExtraError: daqp is not installed.
        ValueError: an argument is not finite, negative where it must not be, or of the wrong size.
    """
    importance = np.ones(model.nv) if weights is None else np.asarray(weights, dtype=np.float64)
    for what, array in (("wanted", wanted), ("weights", importance)):
        checked(what, array, (model.nv,))
    if isinstance(stance, str):
        raise ValueError(f"stance must be names of frames, each once, not {stance!r}")
    if (importance < 0.0).any():
        raise ValueError("weights must not be negative")
    task = LowAccelerationTask(np.sqrt(importance))
    task.set_motion(acceleration=wanted)
    feet = [ContactTask(foot, friction=friction, gain=0.0) for foot in stance]
    return WholeBodyControl(model, [task], feet, slowing=0.0).motion(q, v)


def _beside(matrix: FloatArray, columns: int) -> FloatArray:
    """A matrix of accelerations, with columns of forces that do not count."""
    result = np.zeros((len(matrix), columns))
    result[:, : matrix.shape[1]] = matrix
    return result
