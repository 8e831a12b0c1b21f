"""Where a robot will be under efforts that stay as they are, and how right that was."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dyn_core.algorithms.crba import crba
from dyn_core.algorithms.explicit_step import explicit_step
from dyn_core.algorithms.net_forward_dynamics import net_forward_dynamics
from dyn_core.configuration import neutral
from dyn_core.execution import Data, compile
from dyn_core.model.model import FloatArray, Model
from dyn_core.quantities import Quantity, Request

Step = Callable[..., Any]
"""From q, v, tau and, of Runge and Kutta's, the step's length [1] to what is asked for by
:meth:`Predictor.quantities`."""
EULER, RUNGE_KUTTA = "semi_implicit_euler", "runge_kutta_4"
SLOWEST = 1e-9
"""rad/s or m/s; friction by speed is taken at this one where a joint is slower."""
PASSES = 10
"""In which the speed that friction acts on is found, at most."""
FOUND = 1e-6
"""rad/s or m/s by which it may still change."""
STABLE = 2.78
"""Largest product of a rate of decay and a step of Runge and Kutta's that does not grow (Hairer and
Wanner 1996, section IV.2)."""


class Predictor:
    """Forward dynamics in equal steps; its arrays are overwritten by every prediction.

    One kernel gives the acceleration of a state and the state a step later.
    """

    INTEGRATORS = (EULER, RUNGE_KUTTA)

    @staticmethod
    def quantities(
        integrator: str, efforts: Sequence[Quantity | Request] = (), friction: Request | None = None
    ) -> tuple[Request, ...]:
        """What its kernel computes with one of INTEGRATORS: the acceleration, and for the step.

        ``efforts`` of the state act beside the given ones, and so does ``friction``, such as
        :data:`friction_efforts`. In a step of Euler's it acts on the velocity at the step's end, as
        ``-D(v') v'``, so that none is too stiff; one of Runge and Kutta's takes it as the other
        efforts, and must be short beside inertia by slope: see :attr:`stiffness`.
        """
        acting = (*efforts, friction) if friction else tuple(efforts)
        net = net_forward_dynamics.request(efforts=acting)
        if integrator == EULER:
            return net, crba.request()
        return net, crba.request(), explicit_step.request(integrator=integrator, efforts=acting)

    @staticmethod
    def others(friction: Request | None = None) -> tuple[Request | str, ...]:
        """What it evaluates beside that kernel, each by itself."""
        return ("difference", "integrate", *([friction] if friction else []))

    def __init__(
        self,
        model: Model,
        steps: int,
        seconds: float,
        integrator: str,
        efforts: Sequence[Quantity | Request] = (),
        friction: Request | None = None,
        step: Step | None = None,
    ) -> None:
        """Predict ``steps`` steps of ``seconds`` each; see :meth:`quantities`.

        ``step`` replaces the kernel of the model, for a robot with a payload, say.
        """
        data = Data(model)
        kernel = self.quantities(integrator, efforts, friction)
        self._step = step or compile(model, kernel).bind(data)
        self._difference, self._integrate, *braking = (
            compile(model, [one]).bind(data) for one in self.others(friction)
        )
        self._friction = braking[0] if braking else None
        self._seconds = seconds
        self.lengths: tuple[FloatArray, ...] = () if integrator == EULER else (np.array([seconds]),)
        """What the kernel takes beside the state and efforts."""
        self.configuration: FloatArray = np.tile(neutral(model), (steps, 1))
        """(steps, nq), at each step's end."""
        self.displacement: FloatArray = np.zeros((steps, model.nv))
        """From the start to each step's end, added up step by step, rad or m."""
        self.velocity: FloatArray = np.zeros((steps, model.nv))
        """At each step's end, rad/s or m/s."""
        self.acceleration: FloatArray = np.zeros((steps, model.nv))
        """At each step's end, rad/s^2 or m/s^2."""

        self.stiffness = 0.0
        """Largest rate at which friction took speed in the last prediction by steps of Runge and
        Kutta's, times their length; beyond STABLE they mean nothing."""

    @property
    def horizon(self) -> float:
        """How far a prediction reaches, s."""
        return self._seconds * len(self.velocity)

    def predict(self, q: FloatArray, v: FloatArray, effort: FloatArray) -> None:
        """Predict from a configuration [nq] and velocity [nv] under efforts [nv]."""
        before, away, self.stiffness = q, np.zeros_like(v), 0.0
        _, reached = self._advance(q, v, effort)
        for k in range(len(self.velocity)):
            q, self.velocity[k] = reached
            away = away + self._difference(before, q)
            before = self.configuration[k]
            before[:], self.displacement[k] = q, away
            self.acceleration[k], reached = self._advance(before, self.velocity[k], effort)

    def _advance(self, q: FloatArray, v: FloatArray, effort: FloatArray) -> tuple[Any, Any]:
        """The acceleration of a state, and the state a step later."""
        acceleration, inertia, *reached = self._step(q, v, effort, *self.lengths)
        if reached:
            self.stiffness = max(self.stiffness, self._decay(inertia, v))
            return acceleration, reached[0]
        velocity = v + self._seconds * acceleration
        if self._friction and np.isfinite(velocity).all():
            velocity = self._braked(inertia, velocity, v)
        return acceleration, (self._integrate(q, self._seconds * velocity), velocity)

    def _braked(self, inertia: FloatArray, velocity: FloatArray, before: FloatArray) -> FloatArray:
        """The velocity v' where ``M (v' - v) / h = tau - D(v') v'``, with friction D(v) v.

        ``velocity`` is where the friction at ``before`` leads. Each pass solves with the D of the
        last one; as D falls with the speed, the passes approach v' from one side.
        """
        h, drag, velocity = self._seconds, self._drag(before), velocity.copy()
        impulse = inertia @ velocity + h * drag * before
        for _ in range(PASSES):
            last = velocity.copy()
            velocity[:] = np.linalg.solve(inertia + np.diag(h * drag), impulse)
            if np.abs(velocity - last).max() <= FOUND:
                break
            drag = self._drag(velocity)
        return velocity

    def _decay(self, inertia: FloatArray, v: FloatArray) -> float:
        """How often a step is as long as friction needs to take the speed v down by 1/e."""
        if not self._friction or not (np.isfinite(inertia).all() and np.isfinite(v).all()):
            return 0.0
        rates = np.linalg.eigvals(np.linalg.solve(inertia, np.diag(self._drag(v))))
        return float(self._seconds * np.abs(rates).max(initial=0.0))

    def _drag(self, v: FloatArray) -> FloatArray:
        """Friction by speed, of each coordinate."""
        assert self._friction is not None
        speed = np.where(np.abs(v) < SLOWEST, SLOWEST, v)
        result: FloatArray = -self._friction(speed) / speed
        return result


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
