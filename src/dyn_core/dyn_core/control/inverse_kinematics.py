# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Differential inverse kinematics: the velocity that does best what all tasks ask for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from dyn_core.control.pose_error import checked
from dyn_core.control.prioritized_least_squares import Bounded, solved_in_order
from dyn_core.control.quadratic_program import InfeasibleError
from dyn_core.control.tasks import CollisionBarrier, JointLimits, Task, Terms
from dyn_core.control.tasks.task_program import TaskProgram, minimum, program_request
from dyn_core.control.tasks.task_stack import Stack
from dyn_core.dynamics.integrate import integrate
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.reference_checks import refuse_another
from dyn_core.model.value_checks import number

Solver = Callable[[Sequence[Bounded]], FloatArray]
"""Of a velocity within further bounds."""


class InverseKinematics:
    """Finds velocities of a robot, fixed or on a floating base, by a quadratic program.

    For example::

        hand, posture = FrameTask("hand"), PostureTask(cost=1e-3)
        ik = InverseKinematics(model, [hand, posture])
        for _ in range(1000):
            v = ik.velocity(q, v, dt)
            q = integrate(model, q, v * dt)

    One kernel, :data:`velocity_program`, computes tasks of one priority without constraints. Others
    are evaluated one by one, which takes several times longer, as are all if one task is of another
    class than those of :mod:`dyn_core.control.tasks`, or a :class:`MomentumTask`.

    Args:
        model: the robot.
        tasks: what it shall do; of one priority, at best together.
        limits: of its joints, by default positions and velocities of the description.
        constraints: tasks that are done exactly, such as feet that stay where they are.
        barriers: what shall not collide.
        damping: of squared velocities beside costs of 1: it bounds those near a singularity.

    Raises:
        ValueError: ``damping`` is not above 0; limits or barriers are of another robot.
    """

    def __init__(
        self,
        model: Model,
        tasks: Sequence[Task],
        limits: JointLimits | None = None,
        constraints: Sequence[Task] = (),
        barriers: Sequence[CollisionBarrier] = (),
        damping: float = 1e-6,
    ) -> None:
        if not 0.0 < number("inverse kinematics: damping", damping) < np.inf:
            raise ValueError(f"inverse kinematics: damping must be above 0, not {damping}")
        for part in (limits, *(barrier.checker for barrier in barriers)):
            refuse_another(model, part)
        self.model = model
        self.limits = JointLimits(model) if limits is None else limits
        self.barriers, self.damping = barriers, damping
        self.tasks, self.constraints = tuple(tasks), tuple(constraints)
        request = None if constraints or not model.nv else program_request(tasks)
        self._program = None if request is None else TaskProgram(model, tasks, request)
        self._stack = Stack(model, tasks, constraints) if request is None else None

    def velocity(self, q: FloatArray, before: FloatArray, dt: float) -> FloatArray:
        """The velocity (nv) for a step.

        Args:
            q: configuration (nq).
            before: velocity (nv) of the step before, from which limits of acceleration count.
            dt: length of the step, s.

        Raises:
            InfeasibleError: constraints, barriers and limits contradict each other; stop the robot.
            MissingExtraError: daqp is not installed.
            ValueError: an argument is not finite, or of the wrong size; a task has no target.
        """
        if not 0.0 < number("inverse kinematics: dt", dt) < np.inf:
            raise ValueError(f"inverse kinematics: dt must be above 0, not {dt}")
        q = checked("q", q, (self.model.nq,))
        before = checked("the velocity before", before, (self.model.nv,))
        program = None
        if self._program is not None:
            program = self._program.filled(q, before, dt, self.damping, self.limits)
        solve = self._in_order(q, before, dt) if program is None else partial(minimum, *program)
        apart = [barrier.rows(q) for barrier in self.barriers]
        try:
            return solve([(rows, least, np.full(len(least), np.inf)) for rows, least in apart])
        except InfeasibleError as error:
            raise InfeasibleError(
                f"no velocity satisfies constraints, barriers and limits ({error}); stop, then "
                "relax the limits of acceleration or leave out a constraint"
            ) from error

    def _in_order(self, q: FloatArray, before: FloatArray, dt: float) -> Solver:
        """What solves the program of any tasks, which are evaluated one by one."""

        def wanted(task: Task, terms: Terms) -> FloatArray:
            return task.wanted_velocity(terms, dt)

        if self._stack is None:  # a task or limit has an array that the program does not take
            self._stack = Stack(self.model, self.tasks)
        self._stack.state.update(q, before)
        levels, damping = self._stack.weighed(wanted)
        return partial(
            solved_in_order,
            levels,
            np.full(self.model.nv, self.damping + damping),
            np.zeros(self.model.nv),
            self._stack.held(wanted),
            self.limits.velocities(q, before, dt),
        )

    def step(self, q: FloatArray, before: FloatArray, dt: float) -> tuple[FloatArray, FloatArray]:
        """Configuration (nq) after a step, and the velocity (nv) of it; see :meth:`velocity`."""
        v = self.velocity(q, before, dt)
        return np.array(integrate(self.model, q, v * dt)), v
