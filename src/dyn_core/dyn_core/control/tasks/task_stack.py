# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Tasks of one robot, below each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import groupby

import numpy as np

from dyn_core.control.prioritized_least_squares import Rows
from dyn_core.control.quadratic_program import OVERFLOW_MESSAGE, InfeasibleError
from dyn_core.control.tasks.task import EvaluatedState, Task, Terms
from dyn_core.dynamics.declare import Request
from dyn_core.model.model import FloatArray, Model

Wanted = Callable[[Task, Terms], FloatArray]
"""The required values of a task's rows."""


class Stack:
    """Tasks that a controller weighs, and others that it holds exactly, of the same state.

    Args:
        model: the robot.
        weighed: tasks in the order of their priorities and costs.
        held: tasks that are done exactly.
        also: what else is computed of a state.
    """

    def __init__(
        self,
        model: Model,
        weighed: Sequence[Task],
        held: Sequence[Task] = (),
        also: Sequence[Request] = (),
    ) -> None:
        ordered = sorted(weighed, key=lambda task: task.priority)
        self.levels = [tuple(x) for _, x in groupby(ordered, key=lambda task: task.priority)]
        self._held = tuple(held)
        requests = {task: task.requests() for task in (*weighed, *held)}
        self.state = EvaluatedState(model, [*(r for x in requests.values() for r in x), *also])
        self._values = {task: self.state.arrays(x) for task, x in requests.items()}

    def terms(self, task: Task) -> Terms:
        """A task at the state of the last update."""
        return task.terms(self.state, self._values[task])

    def weighed(self, wanted: Wanted) -> tuple[list[Rows], float]:
        """Of each priority the rows of all tasks times their costs, and how errors damp rates.

        Raises:
            InfeasibleError: an error is too large to compute with.
        """
        levels, damping = [], 0.0
        for tasks in self.levels:
            rows = []
            for task in tasks:
                terms = self.terms(task)
                rows.append(task.weighted(terms, wanted(task, terms)))
                damping += task.damping(terms)
            levels.append(below_each_other(rows))
        if not math.isfinite(damping):
            raise InfeasibleError(OVERFLOW_MESSAGE)
        return levels, damping

    def held(self, wanted: Wanted) -> Rows | None:
        """The equations of tasks that are done exactly; of none, None."""
        if not self._held:
            return None
        found = [(task, self.terms(task)) for task in self._held]
        return below_each_other([(terms.jacobian, wanted(task, terms)) for task, terms in found])


def below_each_other(rows: Sequence[Rows]) -> Rows:
    """All of them as one."""
    if len(rows) == 1:
        return rows[0]
    matrices, numbers = zip(*rows, strict=True)
    return np.concatenate(matrices), np.concatenate(numbers)


def wanted_rows(task: Task, terms: Terms) -> FloatArray:
    """What ``J a`` of a task shall be (rows)."""
    result: FloatArray = task.wanted_acceleration(terms) - terms.drift
    return result
