"""Where a robot will be under efforts that stay as they are, and how right that was."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dyn_core.algorithms import Request
from dyn_core.execution import compile
from dyn_core.model.model import FloatArray, Model
from dyn_core.simulation.explicit import runge_kutta_4, semi_implicit_euler

INTEGRATORS = {x.__name__: x for x in (semi_implicit_euler, runge_kutta_4)}
"""Those that a prediction can use: they take no more than an acceleration."""


class Predictor:
    """Forward dynamics in equal steps; its arrays are overwritten by every prediction."""

    QUANTITIES = ("forward_dynamics",)
    """Its kernel, beside those of the integrators."""

    def __init__(
        self,
        model: Model,
        steps: int,
        seconds: float,
        integrator: str,
        friction: Request | None = None,
        forward_dynamics: Callable[..., FloatArray] | None = None,
    ) -> None:
        """Predict ``steps`` steps of ``seconds`` each by one of :data:`INTEGRATORS`.

        ``friction`` (of :data:`friction_efforts`) acts beside the efforts. Where it rises steeply
        with the speed, steps must be short: they chatter if longer than twice inertia by slope.
        ``forward_dynamics`` (of q, v, tau) replaces that of the model, for a robot with a payload.
        """
        self.model = model
        data = model.create_data()
        self._acceleration = forward_dynamics or compile(model, self.QUANTITIES).bind(data)
        self._difference = compile(model, ["difference"]).bind(data)
        self._friction = compile(model, [friction]).bind(data) if friction else None
        self._seconds = seconds
        self._step = INTEGRATORS[integrator]
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

    def net(self, effort: FloatArray, v: FloatArray) -> FloatArray:
        """What friction leaves of efforts [nv]."""
        return effort if self._friction is None else effort + self._friction(v)

    def predict(self, q: FloatArray, v: FloatArray, effort: FloatArray) -> None:
        """Predict from a configuration [nq] and velocity [nv] under efforts [nv]."""

        def acceleration(q: FloatArray, v: FloatArray) -> FloatArray:
            now: FloatArray = self._acceleration(q, v, self.net(effort, v))
            return now.copy()

        away = np.zeros_like(v)
        for step in range(len(self.velocity)):
            before = q
            q, v = self._step(self.model, acceleration, q, v, self._seconds)
            away = away + self._difference(before, q)
            self.displacement[step], self.velocity[step] = away, v
            self.acceleration[step] = acceleration(q, v)


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
        self,
        time: float,
        position: FloatArray,
        velocity: FloatArray,
        predictor: Predictor | None,
    ) -> bool:
        """Take a measured state and the prediction from it, if any; whether a comparison is new.

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
        if self._pending is None and predictor is not None:
            end = np.stack([position + predictor.displacement[-1], predictor.velocity[-1]])
            self._pending = (time, time + predictor.horizon, end)
        self._last = (time, now)
        return told
