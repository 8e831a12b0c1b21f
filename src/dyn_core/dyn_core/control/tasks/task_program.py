# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Tasks of one priority as a quadratic program for velocities, by one call of one kernel."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dyn_core.compiler.runtime import Data, compile
from dyn_core.control.prioritized_least_squares import Bounded
from dyn_core.control.quadratic_program import OVERFLOW_MESSAGE, InfeasibleError, minimized
from dyn_core.control.tasks.frame_tasks import FrameTask, RelativeFrameTask
from dyn_core.control.tasks.joint_limits import JointLimits
from dyn_core.control.tasks.joint_tasks import DampingTask, LowAccelerationTask, PostureTask
from dyn_core.control.tasks.momentum_tasks import ComTask
from dyn_core.control.tasks.task import TargetTask, Task
from dyn_core.dynamics.declare import Request
from dyn_core.dynamics.velocity_program import velocity_program
from dyn_core.model.model import FloatArray, Model

KINDS: dict[type[Task], tuple[str, int]] = {
    FrameTask: ("frame", 6),
    RelativeFrameTask: ("frame", 6),
    ComTask: ("center_of_mass", 3),
    PostureTask: ("posture", 0),
    DampingTask: ("velocity", 0),
    LowAccelerationTask: ("velocity", 0),
}
"""Kinds of tasks in :data:`velocity_program`, and their rows; 0: one for each of the velocity.

Of a subclass, terms may be its own.
"""
Program = tuple[FloatArray, FloatArray, FloatArray, FloatArray]
"""Hessian, gradient, lower and upper bounds: see :data:`velocity_program`."""


def program_request(tasks: Sequence[Task]) -> Request | None:
    """The program of tasks; None if they differ in priority, or one is of no known kind."""
    same = len({task.priority for task in tasks}) <= 1
    if not same or not all(type(task) in KINDS for task in tasks):
        return None
    frames = ([getattr(task, x) for x in ("frame", "root") if hasattr(task, x)] for task in tasks)
    keys = zip(tasks, frames, strict=True)
    return velocity_program.request(tasks=tuple((KINDS[type(x)][0], *names) for x, names in keys))


class TaskProgram:
    """Fills the quadratic program of tasks.

    Args:
        model: the robot.
        tasks: of one priority.
        request: their :func:`program_request`.
    """

    def __init__(self, model: Model, tasks: Sequence[Task], request: Request) -> None:
        self._tasks = [(task, KINDS[type(task)][1] or model.nv) for task in tasks]
        self._unlimited = JointLimits(model)
        self._compute = compile(model, [request]).bind(Data(model))
        self._dt, self._numbers = np.zeros(1), np.zeros(2 + 2 * len(tasks))

    def filled(
        self, q: FloatArray, v: FloatArray, dt: float, damping: float, limits: JointLimits
    ) -> Program | None:
        """For a step of ``dt``, s, after a velocity; None if the kernel refuses an array.

        Raises:
            InfeasibleError: an error is too large to compute with.
        """
        own = type(limits) is JointLimits
        plain = limits if own else self._unlimited
        numbers = [damping, plain.rate]
        arrays = [plain.ends, plain.velocity, plain.acceleration, self._numbers]
        try:
            for task, rows in self._tasks:
                numbers += task.gain, task.lm_damping
                if isinstance(task, TargetTask):
                    arrays.append(task.goal())
                same = isinstance(task, LowAccelerationTask)
                arrays += task.costs(rows), v if same else task.target_velocity(rows)
            self._dt[0], self._numbers[:] = dt, numbers
            H, g, lower, upper = self._compute(q, v, self._dt, *arrays)
        except (TypeError, ValueError):
            return None
        if not math.isfinite(H[0, 0]):
            raise InfeasibleError(OVERFLOW_MESSAGE)
        return (H, g, lower, upper) if own else (H, g, *limits.velocities(q, v, dt))


def minimum(
    H: FloatArray, g: FloatArray, lower: FloatArray, upper: FloatArray, more: Sequence[Bounded]
) -> FloatArray:
    """The velocity with the least ``v' H v / 2 + g' v`` within bounds, also of products with it."""
    matrix = np.zeros((0, len(g)))
    if more:
        matrix, low, high = (np.concatenate(x) for x in zip(*more, strict=True))
        lower, upper = np.concatenate([lower, low]), np.concatenate([upper, high])
    return minimized(H, g, matrix, lower, upper, "inverse kinematics")
