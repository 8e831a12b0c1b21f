# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Tasks of the joints themselves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dyn_core.control.pose_error import checked
from dyn_core.control.tasks.task import Costs, EvaluatedState, TargetTask, Task, Terms, given
from dyn_core.dynamics.declare import Request
from dyn_core.dynamics.integrate import difference
from dyn_core.model.model import FloatArray, Model


class PostureTask(TargetTask):
    """The robot moves to a configuration; a joint with cost 0 is free.

    The first six rows of a robot on a floating base are those of the base, in its own axes.
    """

    def checked_target(self, target: FloatArray) -> FloatArray:
        """A configuration (nq), whose velocity and acceleration have shape (nv)."""
        return checked(f"the target of {self}", target, np.shape(target))

    def set_target_from_configuration(self, model: Model, q: FloatArray) -> None:
        """Stay at a configuration (nq)."""
        self.set_target(np.array(q))

    def requests(self) -> tuple[Request, ...]:
        """Nothing is computed of the robot."""
        return ()

    def terms(self, state: EvaluatedState, values: Sequence[FloatArray]) -> Terms:
        """The error is the difference of configurations."""
        target = checked(f"the target of {self}", self.goal(), (state.model.nq,))
        return _of_joints(state, np.array(difference(state.model, state.q, target)))


class _RateTask(Task):
    """A task of joint velocities, at any position."""

    def __init__(self, cost: Costs, gain: float = 10.0, priority: int = 0) -> None:
        super().__init__(cost, gain, priority=priority)

    def set_target_from_configuration(self, model: Model, q: FloatArray) -> None:
        """Every configuration will do."""

    def requests(self) -> tuple[Request, ...]:
        """Nothing is computed of the robot."""
        return ()

    def terms(self, state: EvaluatedState, values: Sequence[FloatArray]) -> Terms:
        """There is no place to go to."""
        return _of_joints(state, np.zeros(state.model.nv))


class DampingTask(_RateTask):
    """Joint velocities are zero; as accelerations, velocities decay by the gain."""

    def wanted_acceleration(self, terms: Terms) -> FloatArray:
        """``-gain v``."""
        return -self.gain * terms.velocity


class LowAccelerationTask(_RateTask):
    """Joints keep their velocities: accelerations are zero.

    ``set_motion(acceleration=...)`` asks for others.
    """

    def wanted_velocity(self, terms: Terms, dt: float) -> FloatArray:
        """That of the step before."""
        return terms.velocity

    def wanted_acceleration(self, terms: Terms) -> FloatArray:
        """Zero, if no other is set."""
        return given(self._acceleration, len(terms.error))


def _of_joints(state: EvaluatedState, error: FloatArray) -> Terms:
    nv = state.model.nv
    return Terms(error, np.eye(nv), np.zeros(nv), state.v)
