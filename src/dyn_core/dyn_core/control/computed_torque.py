# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Tracking in coordinates in which the robot is a double integrator."""

from __future__ import annotations

import math

import numpy as np

from dyn_core.compiler.signature import require
from dyn_core.configuration import neutral
from dyn_core.control.trajectory import State
from dyn_core.dynamics.integrate import integrate
from dyn_core.dynamics.rnea import rnea
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.reference_checks import refuse_loops

FULL_TURN = 2.0 * math.pi
ARRAYS = ("position", "velocity", "desired position", "desired velocity", "desired acceleration")
"""The arrays that :class:`ComputedTorque` takes, in order; none is broadcast."""


class ComputedTorque:
    """Feedback linearization: ``tau = M(q) u + C(q, v) v + g(q)`` makes ``a = u``.

    With ``u = a_d + 2 zeta w (v_d - v) + w^2 (q_d - q)`` every joint's error e decays by
    ``e'' + 2 zeta w e' + w^2 e = 0`` whatever the robot's inertia (Siciliano et al. 2009, section
    8.5.2). :meth:`update` gives u; inverse dynamics at q, :meth:`model_velocity` and u gives tau.
    :meth:`efforts` does both.

    Without the term ``C v`` the law is ``tau = M(q) u + g(q)``: enough while a robot is slow, for
    that term grows with the square of its speed, and it keeps noise of measured velocities out of
    the model.
    """

    def __init__(self, model: Model, coriolis: bool = True) -> None:
        """Control a robot whose joints all have one degree of freedom, with or without ``C v``.

        Raises:
            ValueError: a joint has more, as a floating base does, which no drive moves.
        """
        for i in model.own_coordinates:
            if model.joints[i].nv != 1:
                raise ValueError(
                    f"computed torque: joint '{model.names[i]}' of '{model.name}' has "
                    f"{model.joints[i].nv} degrees of freedom, and this law moves joints that have "
                    "one; read the robot without a floating base, or use WholeBodyControl"
                )
        refuse_loops(model)
        self.model = model
        self.coriolis = coriolis
        """Whether ``C(q, v) v`` is a part of the law."""
        self._turning = turning_joints(model)
        self._neutral, self._still = neutral(model), np.zeros(model.nv)
        self.error: FloatArray = np.zeros(model.nv)
        """``q_d - q`` of the last update, rad or m."""

    def update(
        self,
        position: FloatArray,
        velocity: FloatArray,
        desired: tuple[FloatArray, FloatArray, FloatArray],
        frequency: float,
        damping_ratio: float,
    ) -> FloatArray:
        """The acceleration ``u`` to command, [nv].

        Args:
            position: of the joints, one number each; errors of joints without end are wrapped.
            velocity: of the joints.
            desired: position, velocity and acceleration.
            frequency: w, natural frequency of the error, rad/s.
            damping_ratio: zeta, 1: critically damped.

        Raises:
            TypeError, ValueError: a gain is negative, or not finite; an array has the wrong type or
                size.
        """
        for name, gain in (("frequency", frequency), ("damping_ratio", damping_ratio)):
            if not 0.0 <= gain < math.inf:
                raise ValueError(f"{name} is {gain}: errors grow, give a number above 0")
        desired_position, desired_velocity, desired_acceleration = desired
        for name, x in zip(ARRAYS, (position, velocity, *desired), strict=True):
            require(name, name, x, self.error.shape)
        np.subtract(desired_position, position, out=self.error)
        wrap_differences(self.error, self._turning)
        rate = 2.0 * damping_ratio * frequency * (desired_velocity - velocity)
        u: FloatArray = desired_acceleration + rate + frequency**2 * self.error
        return u

    def model_velocity(self, velocity: FloatArray) -> FloatArray:
        """The velocity [nv] for inverse dynamics: zero where the law is without ``C v``."""
        return velocity if self.coriolis else self._still

    def efforts(
        self,
        position: FloatArray,
        velocity: FloatArray,
        desired: tuple[FloatArray, FloatArray, FloatArray],
        frequency: float,
        damping_ratio: float,
    ) -> FloatArray:
        """The efforts tau [nv] to command, N m or N; arguments as of :meth:`update`."""
        u = self.update(position, velocity, desired, frequency, damping_ratio)
        q = integrate(self.model, self._neutral, position)
        tau: FloatArray = rnea(self.model, q, self.model_velocity(velocity), u)
        return tau


def tracking_response(
    position: FloatArray,
    velocity: FloatArray,
    desired: State,
    times: FloatArray,
    frequency: float,
    damping_ratio: float,
    changing: tuple[FloatArray, FloatArray] | None = None,
) -> State:
    """The response of a robot under :class:`ComputedTorque` to a constant desired position.

    The closed form of ``q'' = a_d + 2 zeta w (v_d - q') + w^2 (q_d - q)``, every joint by itself
    (Siciliano et al. 2009, section 8.5.2): what a step of the desired position asks of motors is
    known before it is made.

    Args:
        position: where it is at time 0, [nv].
        velocity: then, [nv].
        desired: position, velocity and acceleration [nv] at time 0.
        times: [n] from 0 on, s.
        frequency: w, rad/s.
        damping_ratio: zeta.
        changing: rates [nv] at which the desired velocity and acceleration change; None: they stay.

    Returns:
        position, velocity and acceleration [n, nv]; the acceleration is the commanded one.

    Raises:
        TypeError, ValueError: an array has the wrong type or size.
    """
    for name, x in zip(ARRAYS, (position, velocity, *desired), strict=True):
        require(name, name, x, ("nv",) if x is position else position.shape)
    t, stiffness, decay = np.asarray(times), frequency**2, damping_ratio * frequency
    root = np.sqrt(complex(decay**2 - stiffness))
    first, second = np.exp((root - decay) * t), np.exp((-root - decay) * t)
    impulse = ((first - second) / (2.0 * root) if root else t * first).real
    mean = ((first + second) / 2.0).real
    free, speed = mean + decay * impulse, mean - decay * impulse  # of e(0) = 1; of e'(0) = 1
    forced = (1.0 - free) / stiffness if stiffness else t**2 / 2.0  # the integral of impulse
    given = desired[2] + 2.0 * decay * desired[1]
    distance = position - desired[0]
    e = np.outer(free, distance) + np.outer(impulse, velocity) + np.outer(forced, given)
    v = np.outer(speed, velocity) + np.outer(impulse, given - stiffness * distance)
    if changing is not None:
        rate = changing[1] + 2.0 * decay * changing[0]
        area = (t - impulse - 2.0 * decay * forced) / stiffness if stiffness else t**3 / 6.0
        e, v, given = (x + np.outer(y, rate) for x, y in ((e, area), (v, forced), (given, t)))
    return desired[0] + e, v, given - 2.0 * decay * v - stiffness * e


def turning_joints(model: Model) -> list[int]:
    """Indices of revolute joints without limits among the degrees of freedom."""
    own = (i for i in model.own_coordinates if model.joints[i].nq != model.joints[i].nv)
    return [model.idx_v[i] for i in own]


def wrap_differences(difference: FloatArray, turning: list[int]) -> None:
    """Wrap differences of angles [nv] of turning joints to at most half a turn, in place."""
    if turning:
        angles = difference[turning]
        difference[turning] = angles - FULL_TURN * np.round(angles / FULL_TURN)
