"""Where a robot will be under efforts that stay as they are, and how right that was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from dyn_core.execution import compile
from dyn_core.model.model import FloatArray, Model

Integrator = Literal["semi_implicit_euler", "rk4"]
Motion = tuple[FloatArray, FloatArray]
"""Displacement from the start, and velocity."""
Acceleration = Callable[[FloatArray, FloatArray], FloatArray]
"""As a function of these two."""


class Predictor:
    """Forward dynamics in equal steps of time; its arrays are overwritten by every prediction.

    ``semi_implicit_euler`` is of order 1 with bounded energy, ``rk4`` (Runge and Kutta's) of order
    4 where every joint has one degree of freedom, at four times the cost.
    """

    QUANTITIES = ("forward_dynamics",)
    """Its kernel, beside ``integrate``."""

    def __init__(self, model: Model, steps: int, seconds: float, integrator: Integrator) -> None:
        """Predict ``steps`` steps of ``seconds`` each."""
        data = model.create_data()
        self._acceleration = compile(model, self.QUANTITIES).bind(data)
        self._integrate = compile(model, ["integrate"]).bind(data)
        self._seconds = seconds
        self._advance = {"semi_implicit_euler": self._euler, "rk4": self._rk4}[integrator]
        self.displacement: FloatArray = np.zeros((steps, model.nv))
        """From the start to each step's end, rad or m."""
        self.velocity: FloatArray = np.zeros((steps, model.nv))
        """At each step's end, rad/s or m/s."""
        self.acceleration: FloatArray = np.zeros((steps, model.nv))
        """At each step's end, rad/s^2 or m/s^2."""

    @property
    def horizon(self) -> float:
        """How far a prediction reaches, s."""
        return self._seconds * len(self.velocity)

    def predict(self, q: FloatArray, v: FloatArray, effort: FloatArray) -> None:
        """Predict from a configuration [nq] and velocity [nv] under efforts [nv]."""

        def acceleration(away: FloatArray, v: FloatArray) -> FloatArray:
            now: FloatArray = self._acceleration(self._integrate(q, away), v, effort)
            return now.copy()

        away, velocity = np.zeros_like(v), v
        a = acceleration(away, v)
        for step in range(len(self.velocity)):
            away, velocity = self._advance(acceleration, away, velocity, a)
            a = acceleration(away, velocity)
            self.displacement[step], self.velocity[step] = away, velocity
            self.acceleration[step] = a

    def _euler(self, _: Acceleration, away: FloatArray, v: FloatArray, a: FloatArray) -> Motion:
        v = v + self._seconds * a
        return away + self._seconds * v, v

    def _rk4(
        self,
        acceleration: Acceleration,
        away: FloatArray,
        v: FloatArray,
        a: FloatArray,
    ) -> Motion:
        h = self._seconds
        v2 = v + 0.5 * h * a
        a2 = acceleration(away + 0.5 * h * v, v2)
        v3 = v + 0.5 * h * a2
        a3 = acceleration(away + 0.5 * h * v2, v3)
        v4 = v + h * a3
        a4 = acceleration(away + h * v3, v4)
        mean_v = (v + 2.0 * v2 + 2.0 * v3 + v4) / 6.0
        return away + h * mean_v, v + h / 6.0 * (a + 2.0 * a2 + 2.0 * a3 + a4)


class PredictionCheck:
    """Compares the end of one prediction after the other with what is measured at its time."""

    def __init__(self, size: int) -> None:
        """Compare states of ``size`` joints."""
        self.position: FloatArray = np.zeros(size)
        """Measured minus predicted, of the last comparison, rad or m."""
        self.velocity: FloatArray = np.zeros(size)
        """The same, rad/s or m/s."""
        self.start = 0.0
        """When the prediction was made that was compared last, s."""
        self._pending: tuple[float, float, FloatArray] | None = None  # start, due, end
        self._last: tuple[float, FloatArray] | None = None

    def reset(self) -> None:
        """Forget the prediction under way."""
        self._pending = self._last = None

    def update(
        self, time: float, position: FloatArray, velocity: FloatArray, predictor: Predictor
    ) -> bool:
        """Take a measured state and the prediction from it; whether a comparison is new.

        The measured motion is taken as linear between two samples. A prediction whose end falls in
        a gap longer than its horizon is dropped.
        """
        now = np.stack([position, velocity])
        told = False
        if self._pending is not None and self._last is not None and time >= self._pending[1]:
            start, due, predicted = self._pending
            before, state = self._last
            if time - before <= due - start:
                share = (due - before) / (time - before)
                self.position[:], self.velocity[:] = state + share * (now - state) - predicted
                self.start, told = start, True
            self._pending = None
        if self._pending is None:
            end = np.stack([position + predictor.displacement[-1], predictor.velocity[-1]])
            self._pending = (time, time + predictor.horizon, end)
        self._last = (time, now)
        return told
