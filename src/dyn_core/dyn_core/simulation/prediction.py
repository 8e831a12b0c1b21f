# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Prediction of a robot's motion under constant efforts, and the error of the prediction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from typing import Any

import numpy as np

from dyn_core.algorithms.crba import crba
from dyn_core.algorithms.net_forward_dynamics import net_forward_dynamics
from dyn_core.configuration import neutral
from dyn_core.execution import Data, compile
from dyn_core.model.model import FloatArray, Model
from dyn_core.quantities import Quantity, Request
from dyn_core.simulation import impulses
from dyn_core.simulation.coordinates import Coordinates
from dyn_core.simulation.explicit import runge_kutta_4
from dyn_core.simulation.searching import machine_code, searched
from dyn_core.simulation.step_length import warn_of_long_steps
from dyn_core.simulation.steps import State

Step = Callable[..., Any]
"""From q, v and tau to what :meth:`Predictor.quantities` asks for."""
GENTLE = 1.0
"""Largest share of a joint's speed that damping may take at once, for a step of Runge and Kutta's;
beyond 2.78 of them grow what should die out (Hairer and Wanner 1996, section IV.2)."""
SHORT, MOST = 1e-3, 20
"""s that a step with friction takes at most, and into how many of them a longer one is cut."""


class Predictor:
    """Forward dynamics in equal steps; its arrays are overwritten by every prediction.

    Steps are Runge and Kutta's of fourth order where joints have no dry friction. Where they have,
    each is cut into short ones by the scheme of :class:`dyn_core.simulation.TimeStepper`: friction
    acts on the velocity at the end, so that none is too stiff, and holds what it can hold. So are
    those with strong damping.
    """

    @staticmethod
    def quantities(
        efforts: Sequence[Quantity | Request] = (), friction: Request | None = None
    ) -> tuple[Request, ...]:
        """What its kernel computes: the acceleration and the mass matrix.

        ``efforts`` of the state act beside the given ones, and so does ``friction``, such as
        :data:`friction_efforts`.
        """
        acting = (*efforts, friction) if friction else tuple(efforts)
        net = net_forward_dynamics.request(efforts=acting)
        return net, crba.request()

    @staticmethod
    def others(friction: Request | None = None) -> tuple[Request | str, ...]:
        """What it evaluates beside that kernel, each by itself."""
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

        ``step`` replaces the kernel of the model, for a robot with a payload, say. Steps that are
        too long for the springs among ``efforts`` are warned of.
        """
        data = Data(model)
        self._model = model
        self._step = step or compile(model, self.quantities(efforts, friction)).bind(data)
        self._difference, self._integrate, *losses = (
            compile(model, [one]).bind(data) for one in self.others(friction)
        )
        self._coordinates = Coordinates(model, stops=False)
        self._losses = losses[0] if losses and self._coordinates.rub else None
        self._seconds = seconds
        self._parts = min(ceil(seconds / SHORT), MOST)
        self._no_rows = np.zeros((0, model.nv)), np.zeros(0)
        self.configuration: FloatArray = np.tile(neutral(model), (steps, 1))
        """(steps, nq), at each step's end."""
        self.displacement: FloatArray = np.zeros((steps, model.nv))
        """From the start to each step's end, added up step by step, rad or m."""
        self.velocity: FloatArray = np.zeros((steps, model.nv))
        """At each step's end, rad/s or m/s."""
        self.acceleration: FloatArray = np.zeros((steps, model.nv))
        """At each step's end, rad/s^2 or m/s^2; with friction the mean over the next short step."""
        self.unsolved = 0
        """Short steps of the last prediction in which friction is not exact."""
        rubs = bool(self._losses)
        acting = [x.quantity if isinstance(x, Request) else x for x in efforts]
        longest = seconds / self._parts if rubs else seconds
        warn_of_long_steps(model, neutral(model), longest, acting, runge_kutta=not rubs)
        if rubs:
            self._prepare(model.nv)

    def _prepare(self, nv: int) -> None:
        """Step unit masses by all that steps take, so that no prediction waits for a compiler."""
        table, (J, nothing) = self._coordinates.table, self._no_rows
        self._after(np.eye(nv), np.zeros(nv), SHORT)
        searched(np.eye(nv), np.zeros(nv), table, SHORT, J, nothing, nothing, nothing, 0.0)

    @property
    def horizon(self) -> float:
        """How far a prediction reaches, s."""
        return self._seconds * len(self.velocity)

    def predict(self, q: FloatArray, v: FloatArray, effort: FloatArray) -> None:
        """Predict from a configuration [nq] and velocity [nv] under efforts [nv]."""
        before, away, self.unsolved = q, np.zeros_like(v), 0
        advance = self._smooth if self._is_gentle(q, v, effort) else self._with_friction
        _, reached = advance(q, v, effort)
        for k in range(len(self.velocity)):
            q, self.velocity[k] = reached
            away = away + self._difference(before, q)
            before = self.configuration[k]
            before[:], self.displacement[k] = q, away
            self.acceleration[k], reached = advance(before, self.velocity[k], effort)

    def _is_gentle(self, q: FloatArray, v: FloatArray, effort: FloatArray) -> bool:
        """Whether there is no friction but damping that takes speed over more than a step."""
        if not self._losses:
            return True
        damping = self._coordinates.table[impulses.DAMPING]
        if self._coordinates.dry:
            return False
        _, inertia = self._step(q, v, effort)
        if not np.isfinite(inertia).all():
            return True
        rates = np.linalg.eigvals(np.linalg.solve(inertia, np.diag(damping)))
        return bool(self._seconds * np.abs(rates).max(initial=0.0) < GENTLE)

    def _smooth(self, q: FloatArray, v: FloatArray, effort: FloatArray) -> tuple[FloatArray, State]:
        """The acceleration of a state, and the state a step later, by Runge and Kutta's method."""

        def acceleration(q: FloatArray, v: FloatArray) -> FloatArray:
            return np.array(self._step(q, v, effort)[0])

        return acceleration(q, v), runge_kutta_4(self._model, acceleration, q, v, self._seconds)

    def _with_friction(
        self, q: FloatArray, v: FloatArray, effort: FloatArray
    ) -> tuple[FloatArray, State]:
        """The same with friction."""
        assert self._losses is not None
        h, table = self._seconds / self._parts, self._coordinates.table
        first = None
        for _ in range(self._parts):
            acceleration, inertia = self._step(q, v, effort)
            M = np.array(inertia)
            impulse = M @ v + h * (M @ acceleration - self._losses(v))
            self._coordinates.at_speed(v)
            M.flat[:: len(M) + 1] += h * table[impulses.DAMPING]
            after = self._after(M, impulse, h)
            first = (after - v) / h if first is None else first
            q, v = np.array(self._integrate(q, h * after)), after
        assert first is not None
        return first, (q, v)

    def _after(self, M: FloatArray, impulse: FloatArray, h: float) -> FloatArray:
        """The velocity at the end of a short step; NaN if it is not finite."""
        table, (J, nothing), v = self._coordinates.table, self._no_rows, np.empty(len(M))
        rows = (J, nothing, nothing, nothing, 0.0)
        left = machine_code(impulses.velocity_after)(M.copy(), impulse, table, h, *rows, v)
        if left == 0.0:
            return v
        found = None if left == np.inf else searched(M, impulse, table, h, *rows)
        if found is None:
            return np.full(len(M), np.nan)
        self.unsolved += not found[1].converged
        return found[0]


class PredictionCheck:
    """Compares the end of one prediction after the other with what is measured at its time."""

    def __init__(self, model: Model) -> None:
        """Compare states of a robot."""
        data = Data(model)
        self._difference = compile(model, ["difference"]).bind(data)
        self._integrate = compile(model, ["integrate"]).bind(data)
        self.position: FloatArray = np.zeros(model.nv)
        """The way from the predicted to the measured configuration, of the last comparison."""
        self.velocity: FloatArray = np.zeros(model.nv)
        """Measured minus predicted, rad/s or m/s."""
        self.start = 0.0
        """When the prediction was made that was compared last, s."""
        self._pending: tuple[float, float, FloatArray, FloatArray] | None = None  # start, due, end
        self._last: tuple[float, FloatArray, FloatArray] | None = None

    def reset(self) -> None:
        """Forget the prediction under way."""
        self._pending = self._last = None

    def update(
        self, time: float, q: FloatArray, v: FloatArray, predictor: Predictor | None
    ) -> bool:
        """Take a measured state and the prediction from it, if any; whether a comparison is new.

        The measured motion is taken as uniform between two samples. A prediction whose end falls in
        a gap longer than its horizon is dropped.
        """
        told = False
        if self._pending is not None and self._last is not None and time >= self._pending[1]:
            start, due, *predicted = self._pending
            before, q_before, v_before = self._last
            if time - before <= due - start:
                share = (due - before) / (time - before)
                at_due = self._integrate(q_before, share * self._difference(q_before, q))
                self.position[:] = self._difference(predicted[0], at_due)
                self.velocity[:] = v_before + share * (v - v_before) - predicted[1]
                self.start, told = start, True
            self._pending = None
        if self._pending is None and predictor is not None:
            end = predictor.configuration[-1].copy(), predictor.velocity[-1].copy()
            self._pending = (time, time + predictor.horizon, *end)
        self._last = (time, q.copy(), v.copy())
        return told
