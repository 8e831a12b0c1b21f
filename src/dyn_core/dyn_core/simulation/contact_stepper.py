# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Time stepping of a robot with loops and couplings, on surfaces given by the caller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dyn_core.compiler.runtime import compile
from dyn_core.configuration import neutral
from dyn_core.contacts.friction_cones import Solution, solve_contacts
from dyn_core.contacts.problem_checks import check_friction, check_restitution
from dyn_core.dynamics.constraint_kinematics import (
    constraint_acceleration,
    constraint_error,
    constraint_jacobian,
)
from dyn_core.dynamics.constraints import Contact
from dyn_core.dynamics.declare.options import LOCAL
from dyn_core.dynamics.frame_motion import frame_placements
from dyn_core.dynamics.integrate import difference
from dyn_core.dynamics.passive_efforts import besides_friction
from dyn_core.errors import ModelError
from dyn_core.model.loop import POINT
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.value_checks import numbers
from dyn_core.simulation import impulses
from dyn_core.simulation.coordinate_table import Coordinates
from dyn_core.simulation.impulses import machine_code
from dyn_core.simulation.integrators import Compiled
from dyn_core.simulation.step_types import StepError, check_dt
from dyn_core.simulation.time_stepping import mean_corrected, momentum

COMPLIANCE = 1e-8
"""Compliance of contacts, as a share of the largest mobility of a point. It is smaller than the
ground's: without gaps nothing corrects the drift of points, and a point of a loop is far less
mobile than other points."""

LEAST_MOTION, WEAK_MOTION = 1e-3, 1e-2
"""Share of the largest singular value of J in three rows of a loop below which a direction is none,
and below which less and less of an error is corrected. Across a planar loop J is only what rounding
of its axes makes, and at a dead point it has no second direction: impulses would have no end."""
CORRECTIONS = 3
"""Most computations of the impulses, at better and better mean velocities."""
ITERATIONS = 500
"""Most iterations of :func:`dyn_core.contacts.solve_contacts` in a step."""


@dataclass(frozen=True)
class Step:
    """The state at the end of a step, and the impulses of the step."""

    q: FloatArray
    """(nq) configuration."""
    v: FloatArray
    """(nv) velocity."""
    impulses: Solution
    """Impulses of the model's loops, its couplings, then of the contacts; N s."""


class ContactStepper:
    """Time steps of a robot with loops, couplings and unilateral contacts.

    The scheme is that of :class:`TimeStepper`: damping, dry friction, stops and all other passive
    efforts of the joints act too. A contact's normal is the z axis of its reference: that of its
    frame for LOCAL, which has to point away from the surface, or the vertical for
    LOCAL_WORLD_ALIGNED.
    """

    def __init__(
        self, model: Model, contacts: Sequence[Contact], friction: Sequence[float]
    ) -> None:
        """Compile the kernels of a step.

        Args:
            model: the robot; its loops and couplings hold.
            contacts: all points that may touch a surface.
            friction: the coefficient of each.

        Raises:
            KeyError: the model has no such frame.
            ModelError: a contact of six rows, or another number of coefficients.
            ValueError: a coefficient that is not from 0 to MOST_FRICTION of `dyn_core.contacts`.
        """
        mu = check_friction(friction)
        if any(contact.kind != POINT for contact in contacts):
            raise ModelError("a contact with friction is a point: give it kind 3")
        if len(friction) != len(contacts):
            raise ModelError(
                f"give a coefficient of friction for each of {len(contacts)} contacts, "
                f"not {len(friction)}"
            )
        self.model = model
        self.friction = tuple(mu.tolist())
        asked = constraint_jacobian.request(tuple(contacts))
        of_loops = constraint_error.request(), constraint_acceleration.request()
        of_robot, passive = ("mass_matrix", "nonlinear_effects"), besides_friction(model)
        self._terms = compile(model, [*of_robot, asked, *of_loops, *passive])
        self._robot = Compiled(model, self._terms)
        frames = tuple(contact.frame for contact in contacts)
        self._places = compile(model, [frame_placements.request(frames=frames)]) if frames else None
        self._is_local = np.array([contact.reference is LOCAL for contact in contacts], dtype=bool)
        self._coordinates, self._neutral = Coordinates(model), neutral(model)
        self._rest = np.zeros(model.nv)
        held = constraint_error.request().resolved(model)["constraints"].items
        self._kp = np.array([one.kp for one in held for _ in range(one.kind)])
        ends = np.cumsum([one.kind for one in held]).tolist()
        self._loop_rows = [
            slice(first, first + 3)
            for one, end in zip(held, ends, strict=True)
            for first in range(end - one.kind, end - 2, 3)
        ]

    def step(
        self,
        q: FloatArray,
        v: FloatArray,
        tau: FloatArray,
        dt: float,
        gaps: Sequence[float] | None = None,
        restitution: float = 0.0,
    ) -> Step:
        """The state after ``dt``.

        Args:
            q: configuration (nq).
            v: velocity (nv).
            tau: efforts (nv).
            dt: length of the step, s.
            gaps: distance of each contact from its surface, m; by default all touch. Without one,
                or inside of the surface, a contact is closed.
            restitution: Newton's coefficient, of contacts that are closed.

        Raises:
            StepError: the mass matrix is singular, or the state after the step is not finite.
            ValueError: a wrong number of efforts or gaps, numbers that are not finite, a dt that
                is not positive, or a restitution that is not from 0 to 1.
        """
        check_dt(dt)
        check_restitution(restitution)
        tau = numbers("tau", tau, (self.model.nv,))
        q, v = numbers("q", q, (self.model.nq,)), numbers("v", v, (self.model.nv,))
        count = len(self.friction)
        distance = np.zeros(count) if gaps is None else numbers("gaps", gaps, ("contacts",))
        if distance.shape != (count,):
            raise ValueError(f"give {count} gaps, one for each contact, not {distance.tolist()}")
        if not all(np.isfinite(x).all() for x in (q, v, tau, distance)):
            raise ValueError("q, v, tau and gaps must be finite")
        self._coordinates.at_speed(v)
        table = self._coordinates.table.copy()
        middle, carried = self._robot.drift(q, v, 0.5 * dt)
        # a gap closes in the middle of the next step, or at the end of this one if it then bounces
        until = dt if restitution == 0.0 else 0.5 * dt
        closing = np.maximum(distance + self._risen(q, middle), 0.0) / until
        table[impulses.POSITION] = difference(self.model, self._neutral, middle)
        table[impulses.VELOCITY], mean = carried, carried.copy()
        for correction in range(CORRECTIONS):
            M, bias, J, error, turning, *passive = (
                np.array(x) for x in self._terms(middle, mean, self._rest)
            )
            bias = bias - sum(passive)
            held = len(error)
            offset = np.zeros(len(J))
            # loops hold at the end of the step, when J has turned on
            offset[:held] = np.minimum(self._kp * dt, 1.0 / dt) * error + 0.5 * dt * turning
            if not np.isfinite(J).all():
                raise self._failed(dt)
            for rows in self._loop_rows:
                within, corrected = _mobile(J[rows])
                J[rows], offset[rows] = within @ J[rows], corrected @ offset[rows]
            before = (J @ carried)[held + 2 :: 3]
            offset[held + 2 :: 3] = np.where(
                distance <= 0.0, restitution * np.minimum(before, 0.0), closing
            )
            of_base = self._robot.base_coriolis(middle, mean)
            impulse = np.empty(len(v))
            machine_code(momentum)(M, bias, of_base, tau, table, float(dt), impulse)
            found = self._solved(M, impulse, table, float(dt), np.ascontiguousarray(J), offset)
            if found is None or not np.isfinite(found[0]).all():
                raise self._failed(dt)
            after, solution = found
            close = machine_code(mean_corrected)(mean, carried, after, float(dt))
            if close and correction:  # without one, small errors of all steps add energy
                break
        reached = self._robot.drift(middle, after, 0.5 * dt)
        if not all(np.isfinite(x).all() for x in reached):
            raise self._failed(dt)
        return Step(*reached, solution)

    def _failed(self, dt: float) -> StepError:
        return StepError(
            f"'{self.model.name}': the state after a step of {dt} s is not finite, or the mass "
            "matrix is singular; choose a shorter step, or check the inertias"
        )

    def _risen(self, before: FloatArray, after: FloatArray) -> FloatArray:
        """(contacts) motion of each contact along its normal between two configurations."""
        if self._places is None:
            return np.zeros(0)
        start, end = (np.array(self._places(q)) for q in (before, after))
        normals = np.where(self._is_local[:, None], start[:, :3, 2], [0.0, 0.0, 1.0])
        risen: FloatArray = ((end - start)[:, :3, 3] * normals).sum(axis=1)
        return risen

    def _solved(
        self,
        M: FloatArray,
        impulse: FloatArray,
        table: FloatArray,
        dt: float,
        J: FloatArray,
        offset: FloatArray,
    ) -> tuple[FloatArray, Solution] | None:
        """The velocity at the step's end, and the impulses of the rows of J.

        The result is None if M is not positive definite or a number is not finite.
        """
        if not (machine_code(impulses.factorized)(M) and np.isfinite(M).all()):
            return None
        mu: FloatArray = np.array(self.friction, dtype=np.float64)
        last: FloatArray = np.zeros(len(J))
        free = machine_code(impulses.free_velocity)(M, impulse)
        stops = np.zeros(len(free))
        machine_code(impulses.stopping)(table, free, dt, stops)
        while True:
            W, G, g, lower, upper, of = machine_code(impulses.problem)(
                M, free, table, dt, stops, J, offset, mu, COMPLIANCE
            )
            if not np.isfinite(g).all():
                return None
            guess = machine_code(impulses.guess)(table, of, lower, upper, last)
            bounds = np.column_stack([lower, upper])
            found = solve_contacts(G, g, mu, guess, iterations=ITERATIONS, bounds=bounds)
            v = machine_code(impulses.applied)(
                M, free, W, G, g, found.forces, table, of, lower, upper, found.converged
            )
            last = np.ascontiguousarray(found.forces[len(of) :])
            if not machine_code(impulses.stopping)(table, v, dt, stops):
                return v, found.without(len(of))


def _mobile(J: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(3, 3) factors of three rows of J, and of their offset: 0 in directions without motion."""
    directions, sizes, _ = np.linalg.svd(J, full_matrices=False)
    moves = sizes > LEAST_MOTION * sizes[0]
    U = np.where(np.abs(directions) > LEAST_MOTION, directions, 0.0)[:, moves]
    corrected = np.minimum(sizes[moves] / max(WEAK_MOTION * sizes[0], 1e-300), 1.0) ** 2
    return U @ U.T, (U * corrected) @ U.T
