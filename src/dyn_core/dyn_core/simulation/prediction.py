"""Where a robot will be under efforts that stay as they are, and how right that was."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dyn_core.algorithms import Request
from dyn_core.algorithms.explicit_step import explicit_step
from dyn_core.algorithms.net_forward_dynamics import net_forward_dynamics
from dyn_core.configuration import neutral
from dyn_core.execution import compile
from dyn_core.model.model import FloatArray, Model

Step = Callable[..., Any]
"""From q, v, tau and the step's length [1] to what :meth:`Predictor.quantities` asks for."""


class Predictor:
    """Forward dynamics in equal steps; its arrays are overwritten by every prediction.

    One kernel gives the acceleration of a state and the state a step later.
    """

    INTEGRATORS = ("semi_implicit_euler", "runge_kutta_4")

    @staticmethod
    def quantities(integrator: str, efforts: Sequence[Request] = ()) -> tuple[Request, Request]:
        """What its kernel computes with one of INTEGRATORS.

        ``efforts`` of the state act beside the given ones, such as :data:`friction_efforts`. Where
        they rise steeply with the speed, steps must be short: they chatter if longer than twice
        inertia by slope.
        """
        among = {"efforts": tuple(efforts)}
        step = explicit_step.request(integrator=integrator, **among)
        return net_forward_dynamics.request(**among), step

    def __init__(
        self,
        model: Model,
        steps: int,
        seconds: float,
        integrator: str,
        efforts: Sequence[Request] = (),
        step: Step | None = None,
    ) -> None:
        """Predict ``steps`` steps of ``seconds`` each; see :meth:`quantities`.

        ``step`` replaces the kernel of the model, for a robot with a payload, say.
        """
        data = model.create_data()
        kernel = self.quantities(integrator, efforts)
        self._step = step or compile(model, kernel).bind(data)
        self._difference = compile(model, ["difference"]).bind(data)
        self._seconds = np.array([seconds])
        self.configuration: FloatArray = np.tile(neutral(model), (steps, 1))
        """(steps, nq), at each step's end."""
        self.displacement: FloatArray = np.zeros((steps, model.nv))
        """From the start to each step's end, added up step by step, rad or m."""
        self.velocity: FloatArray = np.zeros((steps, model.nv))
        """At each step's end, rad/s or m/s."""
        self.acceleration: FloatArray = np.zeros((steps, model.nv))
        """At each step's end, rad/s^2 or m/s^2."""

    @property
    def horizon(self) -> float:
        """How far a prediction reaches, s."""
        return float(self._seconds[0]) * len(self.velocity)

    def predict(self, q: FloatArray, v: FloatArray, effort: FloatArray) -> None:
        """Predict from a configuration [nq] and velocity [nv] under efforts [nv]."""
        before, away = q, np.zeros_like(v)
        _, reached = self._step(q, v, effort, self._seconds)
        for k in range(len(self.velocity)):
            q, self.velocity[k] = reached
            away = away + self._difference(before, q)
            before = self.configuration[k]
            before[:], self.displacement[k] = q, away
            state = before, self.velocity[k]
            self.acceleration[k], reached = self._step(*state, effort, self._seconds)


class PredictionCheck:
    """Compares the end of one prediction after the other with what is measured at its time."""

    def __init__(self, model: Model) -> None:
        """Compare states of a robot."""
        data = model.create_data()
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
