# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Prediction of a robot's motion under constant efforts, and the error of the prediction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from typing import Any

import numpy as np

from dyn_core.compiler.runtime import Data, compile
from dyn_core.configuration import neutral
from dyn_core.dynamics.crba import crba
from dyn_core.dynamics.declare import Quantity, Request
from dyn_core.dynamics.explicit_step import runge_kutta_4
from dyn_core.dynamics.net_forward_dynamics import net_forward_dynamics
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.reference_checks import refuse_another
from dyn_core.model.value_checks import check_whole
from dyn_core.simulation import impulses
from dyn_core.simulation.coordinate_table import Coordinates
from dyn_core.simulation.impulses import machine_code
from dyn_core.simulation.integrators import Compiled
from dyn_core.simulation.step_length import warn_of_long_steps
from dyn_core.simulation.step_types import State, check_dt

Step = Callable[..., Any]
"""Function of q, v and tau that returns :meth:`Predictor.quantities`."""
MAX_SUBSTEP_S, MAX_SUBSTEPS = 1e-3, 20
"""Longest substep with friction, s, and most substeps of a step."""


class Predictor:
    """Forward dynamics with a fixed time step; each prediction overwrites the arrays of the last.

    Without friction the integrator is the Runge-Kutta method of fourth order. With friction it is
    Moreau's midpoint rule in substeps of 1 ms, or in 20 longer ones, as in
    :class:`dyn_core.simulation.TimeStepper`: joints stick without drift, and any damping is stable.
    The error of a speed is of first order, about 0.5 % where damping takes it at 10 1/s.
    """

    @staticmethod
    def quantities(
        efforts: Sequence[Quantity | Request] = (), friction: Request | None = None
    ) -> tuple[Request, ...]:
        """The quantities of the predictor's kernel: acceleration and mass matrix.

        ``efforts`` are state-dependent efforts that act beside the given ones; ``friction``, such
        as :data:`friction_efforts`, acts too.
        """
        acting = (*efforts, friction) if friction else tuple(efforts)
        net = net_forward_dynamics.request(efforts=acting)
        return net, crba.request()

    @staticmethod
    def others(friction: Request | None = None) -> tuple[Request | str, ...]:
        """Further quantities that the predictor evaluates, each by a kernel of its own."""
        return ("difference", "integrate", *([friction] if friction else []))

    def __init__(
        self,
        model: Model,
        steps: int,
        seconds: float,
        efforts: Sequence[Quantity | Request] = (),
        friction: Request | None = None,
        step: Step | None = None,
    ) -> None:
        """Predict ``steps`` steps of ``seconds`` each; see :meth:`quantities`.

        ``step`` replaces the kernel of the model, for example for a robot with a payload. Steps
        that are too long for the springs among ``efforts`` cause a warning.

        Raises:
            ValueError: ``steps`` or ``seconds`` is not positive.
        """
        check_dt(seconds, "seconds")
        check_whole("steps", steps)
        data = Data(model)
        self.model = model
        self._step = step or compile(model, self.quantities(efforts, friction)).bind(data)
        self._difference, self._integrate, *losses = (
            compile(model, [one]).bind(data) for one in self.others(friction)
        )
        self._robot = _Driven(model, self._step, self._integrate)
        self._coordinates = Coordinates(model, stops=False)
        self._losses = losses[0] if losses and self._coordinates.rub else None
        self._seconds = seconds
        rubs = bool(self._losses)
        self._substeps = min(ceil(seconds / MAX_SUBSTEP_S), MAX_SUBSTEPS) if rubs else 1
        self._dt = dt = seconds / self._substeps
        self._no_rows = np.zeros((0, model.nv)), np.zeros(0)
        self.configuration: FloatArray = np.tile(neutral(model), (steps, 1))
        """(steps, nq) configuration at the end of each step."""
        self.displacement: FloatArray = np.zeros((steps, model.nv))
        """(steps, nv) displacement from the start to each step's end, rad or m."""
        self.velocity: FloatArray = np.zeros((steps, model.nv))
        """(steps, nv) velocity at the end of each step, rad/s or m/s."""
        self.acceleration: FloatArray = np.zeros((steps, model.nv))
        """(steps, nv) acceleration at the end of each step, rad/s^2 or m/s^2; with friction the
        mean over the substep that follows."""
        self.unsolved = 0
        """Number of steps of the last prediction in which dry friction was not solved."""
        acting = [x.quantity if isinstance(x, Request) else x for x in efforts]
        warn_of_long_steps(model, neutral(model), dt, acting, runge_kutta=not rubs)
        if rubs:  # compile the implicit step
            self._after(np.eye(model.nv), np.zeros(model.nv), dt)

    @property
    def horizon(self) -> float:
        """Time span of a prediction, s."""
        return self._seconds * len(self.velocity)

    def predict(self, q: FloatArray, v: FloatArray, effort: FloatArray) -> None:
        """Predict from a configuration [nq] and velocity [nv] under efforts [nv]."""
        before, away, self.unsolved = q, np.zeros_like(v), 0
        _, reached = self._advance(q, v, effort)
        for k in range(len(self.velocity)):
            q, self.velocity[k] = reached
            away = away + self._difference(before, q)
            before = self.configuration[k]
            before[:], self.displacement[k] = q, away
            self.acceleration[k], reached = self._advance(before, self.velocity[k].copy(), effort)

    def _advance(
        self, q: FloatArray, v: FloatArray, effort: FloatArray
    ) -> tuple[FloatArray, State]:
        """The acceleration at a state, and the state a step later."""
        method = self._implicit if self._losses else self._smooth
        acceleration, state = method(q, v, effort, self._dt)
        for _ in range(self._substeps - 1):
            _, state = method(*state, effort, self._dt)
        return acceleration, state

    def _smooth(
        self, q: FloatArray, v: FloatArray, effort: FloatArray, h: float
    ) -> tuple[FloatArray, State]:
        """The acceleration, and the state after ``h``, of joints without dry friction."""
        robot = self._robot
        robot.effort = effort
        start = robot.acceleration(q, v)
        reached, after = runge_kutta_4(robot, q, v, h, start)
        return start, (reached.copy(), after)

    def _implicit(
        self, q: FloatArray, v: FloatArray, effort: FloatArray, h: float
    ) -> tuple[FloatArray, State]:
        """The mean acceleration over ``h``, and the state then, by Moreau's midpoint rule."""
        assert self._losses is not None
        middle = np.array(self._integrate(q, 0.5 * h * v))
        acceleration, inertia = self._step(middle, v, effort)
        M = np.array(inertia)
        impulse = M @ (v + h * acceleration) - h * self._losses(v)
        self._coordinates.at_speed(v)
        M.flat[:: len(M) + 1] += h * self._coordinates.table[impulses.DAMPING]
        after = self._after(M, impulse, h)
        return (after - v) / h, (np.array(self._integrate(middle, 0.5 * h * after)), after)

    def _after(self, M: FloatArray, impulse: FloatArray, h: float) -> FloatArray:
        """The velocity at the end of an implicit step; NaN if it is not finite."""
        table, (J, nothing), v = self._coordinates.table, self._no_rows, np.empty(len(M))
        rows = (J, nothing, nothing, nothing, 0.0)
        error, _ = machine_code(impulses.velocity_after)(M, impulse, table, h, *rows, v)
        self.unsolved += 0.0 < error < np.inf
        return np.full(len(M), np.nan) if error == np.inf else v


class _Driven:
    """The equation of motion of a robot under an effort; ``integrate`` fills the same array."""

    def __init__(
        self,
        model: Model,
        step: Step,
        integrate: Callable[[FloatArray, FloatArray], FloatArray],
    ) -> None:
        self.effort: FloatArray = np.zeros(model.nv)
        self.integrate, self._step = integrate, step
        self.carried = Compiled(model, self.acceleration).carried

    def acceleration(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """The acceleration (nv), in a new array."""
        return np.array(self._step(q, v, self.effort)[0])


class PredictionCheck:
    """Compares each prediction with the state measured at its end."""

    def __init__(self, model: Model) -> None:
        """Compare predicted and measured states of ``model``."""
        self.model, data = model, Data(model)
        self._difference = compile(model, ["difference"]).bind(data)
        self._integrate = compile(model, ["integrate"]).bind(data)
        self.position: FloatArray = np.zeros(model.nv)
        """Displacement from the predicted to the measured configuration in the last comparison."""
        self.velocity: FloatArray = np.zeros(model.nv)
        """Measured minus predicted, rad/s or m/s."""
        self.start = 0.0
        """Time at which the last compared prediction was made, s."""
        self._pending: tuple[float, float, FloatArray, FloatArray] | None = None  # start, due, end
        self._last: tuple[float, FloatArray, FloatArray] | None = None

    def reset(self) -> None:
        """Forget the pending prediction."""
        self._pending = self._last = None

    def update(
        self, time: float, q: FloatArray, v: FloatArray, predictor: Predictor | None
    ) -> bool:
        """Take a measured state and its prediction, if any; whether a new comparison was made.

        The measured state is interpolated linearly between two samples. A prediction whose end
        falls into a gap longer than its horizon is dropped. A predictor of another robot raises
        ValueError.
        """
        refuse_another(self.model, predictor)
        is_new = False
        if self._pending is not None and self._last is not None and time >= self._pending[1]:
            start, due, *predicted = self._pending
            before, q_before, v_before = self._last
            if time - before <= due - start:
                share = (due - before) / (time - before)
                at_due = self._integrate(q_before, share * self._difference(q_before, q))
                self.position[:] = self._difference(predicted[0], at_due)
                self.velocity[:] = v_before + share * (v - v_before) - predicted[1]
                self.start, is_new = start, True
            self._pending = None
        if self._pending is None and predictor is not None:
            end = predictor.configuration[-1].copy(), predictor.velocity[-1].copy()
            self._pending = (time, time + predictor.horizon, *end)
        self._last = (time, q.copy(), v.copy())
        return is_new
