# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What a task is: a residual that goes to zero, its Jacobian, and how much it counts."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dyn_core.compiler.runtime import Data, compile
from dyn_core.control.pose_error import checked
from dyn_core.dynamics.declare import Request
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.value_checks import number, numbers

Costs = float | Sequence[float] | FloatArray
"""Of a task's rows: one number, or one for each row."""
BASE_NV = 6
"""Degrees of freedom of a floating base."""


class EvaluatedState:
    """Quantities of ``q``, ``v`` and an acceleration of zero, by one call of one kernel."""

    def __init__(self, model: Model, requests: Iterable[Request]) -> None:
        self.model = model
        self.q: FloatArray = np.full(model.nq, np.nan)
        self.v: FloatArray = np.full(model.nv, np.nan)
        self._still = np.zeros(model.nv)
        asked = tuple(dict.fromkeys(requests))
        data = Data(model)
        self._arrays = {request: data.arrays(request)[0] for request in asked}
        self._inputs = 0
        if asked:
            kernel = compile(model, asked)
            self._inputs = ("q", "v", "a").index(kernel.inputs[-1]) + 1
            self._compute = kernel.bind(data)

    def update(self, q: FloatArray, v: FloatArray) -> None:
        """Compute all of them.

        Raises:
            ValueError: q or v is not finite, or of the wrong size.
        """
        self.q, self.v = checked("q", q, self.q.shape), checked("v", v, self.v.shape)
        if self._inputs:
            self._compute(*(self.q, self.v, self._still)[: self._inputs])

    def arrays(self, requests: Sequence[Request]) -> list[FloatArray]:
        """Those of some requests, which every update fills anew."""
        return [self._arrays[request] for request in requests]


def base_of(model: Model) -> int:
    """Number of degrees of freedom of the floating base, which come first and have no drive."""
    return BASE_NV if model.njoints > 1 and model.joints[1].nv == BASE_NV else 0


@dataclass(slots=True)
class Terms:
    """A task at a state: ``J v`` is how its rows move, ``J a + drift`` how they accelerate."""

    error: FloatArray
    """(rows) the error to the target; its rate is the target's rate less ``J v``."""
    jacobian: FloatArray
    """(rows, nv)"""
    drift: FloatArray
    """(rows) dJ/dt v: the acceleration without any of the joints."""
    velocity: FloatArray
    """(rows) J v."""


class Task(ABC):
    """Something that a robot shall do, in kinematics and in dynamics alike.

    The error e of a task decays as ``de/dt = -gain e`` where velocities are decided, and as
    ``e'' + 2 damping_ratio gain e' + gain^2 e = 0`` where accelerations are.

    Args:
        cost: of a row, 1/m, 1/rad, ..., as in pink and mink: the sum of ``(cost row)^2`` of all
            tasks of one priority is least. 0 leaves a row free.
        gain: 1/s; ``math.inf`` asks that one step leaves nothing, for velocities only.
        damping_ratio: 1 for no overshoot, for accelerations only.
        priority: tasks of priority 0 come first; those of 1 do what does not disturb them, ...
        lm_damping: m, ...: Levenberg-Marquardt damping by the error. About the curvature of the
            paths of joints, such as the length of a link, it keeps an arm calm that is stretched
            towards a target out of reach: no joint approaches its place much faster than the gain.
    """

    def __init__(
        self,
        cost: Costs = 1.0,
        gain: float = 10.0,
        damping_ratio: float = 1.0,
        priority: int = 0,
        lm_damping: float = 0.0,
    ) -> None:
        given = {"gain": gain, "damping_ratio": damping_ratio, "lm_damping": lm_damping}
        for name, value in given.items():
            if not number(f"{self}: {name}", value) >= 0.0:
                raise ValueError(f"{self}: {name} must be 0 or more, not {value}")
        self.cost = cost
        self.gain = gain
        self.damping_ratio = damping_ratio
        if isinstance(priority, bool) or not isinstance(priority, (int, np.integer)):
            raise ValueError(f"{self}: priority must be a whole number, not {priority!r}")
        self._priority = priority
        self.lm_damping = lm_damping
        self._velocity: FloatArray | None = None
        self._acceleration: FloatArray | None = None
        self._state: EvaluatedState | None = None

    @property
    def cost(self) -> Costs:
        """Of a row."""
        return self._cost

    @cost.setter
    def cost(self, cost: Costs) -> None:
        costs = numbers(f"{self}: cost", cost, ("rows",) if np.ndim(cost) else ())
        if not np.isfinite(costs).all() or (costs < 0.0).any():
            raise ValueError(f"{self}: cost must be finite and not negative, not {cost}")
        self._cost = cost
        self._costs: FloatArray | None = None

    @property
    def priority(self) -> int:
        """Which tasks come before; controllers sort their tasks once, so that it stays."""
        return self._priority

    @abstractmethod
    def requests(self) -> tuple[Request, ...]:
        """The quantities that :meth:`terms` takes, of ``q``, ``v`` and an acceleration of zero."""

    @abstractmethod
    def terms(self, state: EvaluatedState, values: Sequence[FloatArray]) -> Terms:
        """The task at a state, from the results of :meth:`requests`."""

    @abstractmethod
    def set_target_from_configuration(self, model: Model, q: FloatArray) -> None:
        """Ask the robot to stay where it is at a configuration (nq)."""

    def evaluate(self, model: Model, q: FloatArray, v: FloatArray) -> Terms:
        """The task at a state, computed by machine code of the robot.

        Raises:
            KeyError: the robot has no such frame.
            ValueError: q or v is not finite, or of the wrong size; the task has no target.
        """
        if self._state is None or self._state.model is not model:
            self._state = EvaluatedState(model, self.requests())
            self._arrays = self._state.arrays(self.requests())
        self._state.update(q, v)
        values = [array.copy() for array in self._arrays]
        return self.terms(self._state, values)

    def wanted_velocity(self, terms: Terms, dt: float) -> FloatArray:
        """The desired ``J v`` (rows): velocity of the target, plus the decay of the error."""
        decay: FloatArray = min(self.gain, 1.0 / dt) * terms.error
        return decay if self._velocity is None else self.target_velocity(len(decay)) + decay

    def wanted_acceleration(self, terms: Terms) -> FloatArray:
        """The desired ``J a + drift`` (rows)."""
        if math.isinf(self.gain):
            raise ValueError(f"{self}: an acceleration needs a finite gain, such as 10")
        rows = len(terms.error)
        slip = self.target_velocity(rows) - terms.velocity
        spring = 2.0 * self.damping_ratio * self.gain * slip + self.gain**2 * terms.error
        return given(self._acceleration, rows) + spring

    def weighted(self, terms: Terms, wanted: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Rows ``A x`` that shall be ``b``, times their costs: (rows, nv) and (rows)."""
        costs = self.costs(len(wanted))
        return costs[:, None] * terms.jacobian, costs * wanted

    def damping(self, terms: Terms) -> float:
        """Of the squared rates of all joints, beside the squared rows: it grows with the error."""
        if not self.lm_damping:
            return 0.0
        costs = self.costs(len(terms.error))
        weighed = costs * terms.error
        return self.lm_damping * float(costs.max()) * math.sqrt(weighed.dot(weighed))

    def costs(self, rows: int) -> FloatArray:
        """Of each row (rows)."""
        if self._costs is None or len(self._costs) != rows:
            costs = np.asarray(self.cost, dtype=np.float64)
            if costs.shape not in ((), (rows,)):
                raise ValueError(f"{self}: cost must be one number or {rows}")
            self._costs = np.full(rows, costs)
        return self._costs

    def target_velocity(self, rows: int) -> FloatArray:
        """The rate of the target (rows)."""
        return given(self._velocity, rows)

    def set_motion(
        self, velocity: FloatArray | None = None, acceleration: FloatArray | None = None
    ) -> None:
        """The rate of the target (rows), which is added to the decay of the error."""
        for name, array in (("velocity", velocity), ("acceleration", acceleration)):
            if array is not None and not np.isfinite(array).all():
                raise ValueError(f"{self}: the {name} of the target must be finite")
        self._velocity, self._acceleration = velocity, acceleration

    def __repr__(self) -> str:
        return type(self).__name__


class TargetTask(Task):
    """A task that goes to a target, which may move."""

    target: FloatArray | None = None

    @abstractmethod
    def checked_target(self, target: FloatArray) -> FloatArray:
        """The target as an array.

        Raises:
            ValueError: the task cannot go there.
        """

    def set_target(
        self,
        target: FloatArray,
        velocity: FloatArray | None = None,
        acceleration: FloatArray | None = None,
    ) -> None:
        """Go to a target, which moves or stands; :meth:`checked_target` has the shapes.

        Raises:
            ValueError: the task cannot go there, or a number is not finite.
        """
        self.target = self.checked_target(target)
        self.set_motion(velocity, acceleration)

    def goal(self) -> FloatArray:
        """The target.

        Raises:
            ValueError: there is none yet.
        """
        if self.target is None:
            raise ValueError(f"{self} has no target: call set_target")
        return self.target


def given(reference: FloatArray | None, rows: int) -> FloatArray:
    """Velocity or acceleration of a target (rows); zero if none is set."""
    if reference is None:
        return np.zeros(rows)
    if np.shape(reference) != (rows,):
        raise ValueError(f"the motion of a target needs {rows} numbers, one per row")
    return np.asarray(reference, dtype=np.float64)
