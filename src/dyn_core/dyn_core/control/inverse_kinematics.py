# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Differential inverse kinematics: the velocity that does best what all tasks ask for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dyn_core.control.prioritized_least_squares import solved_in_order
from dyn_core.control.quadratic_program import InfeasibleError
from dyn_core.control.tasks import CollisionBarrier, JointLimits, Task, Terms
from dyn_core.control.tasks.task_stack import Stack
from dyn_core.dynamics.integrate import integrate
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.value_checks import number


class InverseKinematics:
    """Finds velocities of a robot, fixed or on a floating base, by a quadratic program.

    For example::

        hand, posture = FrameTask("hand"), PostureTask(cost=1e-3)
        ik = InverseKinematics(model, [hand, posture])
        for _ in range(1000):
            v = ik.velocity(q, v, dt)
            q = integrate(model, q, v * dt)

    Args:
        model: the robot.
        tasks: what it shall do; of one priority, at best together.
        limits: of its joints, by default positions and velocities of the description.
        constraints: tasks that are done exactly, such as feet that stay where they are.
        barriers: what shall not collide.
        damping: of squared velocities beside costs of 1: it bounds those near a singularity.

    Raises:
        ValueError: ``damping`` is not above 0.
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
        self.model = model
        self.limits = JointLimits(model) if limits is None else limits
        self.barriers, self.damping = barriers, damping
        self.tasks, self.constraints = tuple(tasks), tuple(constraints)
        self._stack = Stack(model, tasks, constraints)
        self._rest = np.zeros(model.nv)

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
        self._stack.state.update(q, before, "the velocity before")
        q, before = self._stack.state.q, self._stack.state.v

        def wanted(task: Task, terms: Terms) -> FloatArray:
            return task.wanted_velocity(terms, dt)

        levels, damping = self._stack.weighed(wanted)
        apart = (barrier.rows(q) for barrier in self.barriers)
        try:
            return solved_in_order(
                levels,
                np.full(self.model.nv, self.damping + damping),
                self._rest,
                self._stack.held(wanted),
                self.limits.velocities(q, before, dt),
                [(matrix, least, np.full(len(least), np.inf)) for matrix, least in apart],
            )
        except InfeasibleError as error:
            raise InfeasibleError(
                f"no velocity satisfies constraints, barriers and limits ({error}); stop, then "
                "relax the limits of acceleration or leave out a constraint"
            ) from error

    def step(self, q: FloatArray, before: FloatArray, dt: float) -> tuple[FloatArray, FloatArray]:
        """Configuration (nq) after a step, and the velocity (nv) of it; see :meth:`velocity`."""
        v = self.velocity(q, before, dt)
        return np.array(integrate(self.model, q, v * dt)), v
