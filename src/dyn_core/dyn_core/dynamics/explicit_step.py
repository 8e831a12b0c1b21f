# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""One step of an explicit integrator, as a quantity: what rollouts of many motions compute.

The integrators themselves are written once here, for whatever numbers a robot is computed with:
:mod:`dyn_core.simulation` runs them on arrays of floats and any acceleration, the quantity on
symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from dyn_core.dynamics.declare.arrays import (
    BodyForces,
    Configuration,
    Duration,
    Effort,
    Output,
    Velocity,
)
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.floating_bases import base_coriolis_acceleration, carried_velocity, drift
from dyn_core.dynamics.net_forward_dynamics import driven
from dyn_core.dynamics.singular_mass_matrix import refuse_singular
from dyn_core.dynamics.state_efforts import NONE, Numbers, StateEfforts, symbols
from dyn_core.model.model import Model
from dyn_core.spatial import Force
from dyn_core.spatial.lie.space import multiply
from dyn_core.spatial.scalars import Scalar

State = tuple[Numbers, Numbers]
"""Configuration (nq) and velocity (nv)."""
Integrator = Literal["explicit_euler", "semi_implicit_euler", "runge_kutta_4"]


class EquationsOfMotion(Protocol):
    """How some robot moves."""

    def integrate(self, q: Numbers, dv: Numbers) -> Numbers:
        """``q (+) dv``."""

    def carried(self, dv: Numbers, v: Numbers) -> Numbers:
        """``jexp(dv)^-1 v``: how the displacement ``dv`` changes where the velocity is ``v``."""

    def acceleration(self, q: Numbers, v: Numbers) -> Numbers:
        """The acceleration (nv)."""


class FloatingBases(EquationsOfMotion, Protocol):
    """How some robot moves, and the momenta of its floating bases.

    See :mod:`dyn_core.dynamics.floating_bases`; without floating base all three are trivial.
    """

    def base_coriolis(self, q: Numbers, v: Numbers) -> Numbers:
        """The accelerations of floating bases that their Coriolis forces would drive."""

    def drift(self, q: Numbers, v: Numbers, dt: Any) -> State:
        """The state after ``dt`` without forces."""

    def carried_velocity(self, q0: Numbers, v: Numbers, q1: Numbers) -> Numbers:
        """The velocity at ``q1`` with the momenta of floating bases at ``q0`` and ``v``."""


def explicit_euler(robot: FloatingBases, q: Numbers, v: Numbers, dt: Any) -> State:
    """``q (+) dt v`` and ``v + dt a(q, v)``; floating bases keep their momentum."""
    after = _accelerated(robot, q, v, dt)
    reached, _ = robot.drift(q, v, dt)
    return reached, robot.carried_velocity(q, after, reached)


def semi_implicit_euler(robot: FloatingBases, q: Numbers, v: Numbers, dt: Any) -> State:
    """First ``v + dt a(q, v)``, then q with the new velocity (symplectic Euler).

    Floating bases keep their momentum.
    """
    return robot.drift(q, _accelerated(robot, q, v, dt), dt)


def _accelerated(robot: FloatingBases, q: Numbers, v: Numbers, dt: Any) -> Numbers:
    """The velocity after ``dt`` at the same configuration, where bases feel no Coriolis force."""
    after: Numbers = v + (robot.acceleration(q, v) + robot.base_coriolis(q, v)) * dt
    return after


def runge_kutta_4(
    robot: EquationsOfMotion, q: Numbers, v: Numbers, dt: Any, start: Numbers | None = None
) -> State:
    """The classical method of fourth order, on the manifold (Munthe-Kaas 1998).

    Configurations are ``q (+) x`` with x in the tangent space at q, where
    ``dx/dt = jexp(x)^-1 v``; there the method is that of flat space. ``start`` is the acceleration
    at the start, if it is known.
    """

    def rates(x: Numbers, velocity: Numbers) -> State:
        return robot.carried(x, velocity), robot.acceleration(robot.integrate(q, x), velocity)

    half, sixth = 0.5 * dt, dt * (1.0 / 6.0)
    x1, v1 = v, robot.acceleration(q, v) if start is None else start
    x2, v2 = rates(x1 * half, v + v1 * half)
    x3, v3 = rates(x2 * half, v + v2 * half)
    x4, v4 = rates(x3 * dt, v + v3 * dt)
    x = (x1 + 2.0 * (x2 + x3) + x4) * sixth
    return robot.integrate(q, x), v + (v1 + 2.0 * (v2 + v3) + v4) * sixth


INTEGRATORS: dict[str, Callable[[FloatingBases, Numbers, Numbers, Any], State]] = {
    x.__name__: x for x in (explicit_euler, semi_implicit_euler, runge_kutta_4)
}


@quantity(
    Output("q_stepped", "configuration after a step", "rad, m, 1", ("nq",)),
    Output("v_stepped", "velocity after a step", "rad/s, m/s", ("nv",)),
    source="Hairer, Norsett and Wanner 1993, chapter II; Munthe-Kaas 1998",
    joint_space=True,
    requires=refuse_singular,
)
def explicit_step(
    model: Model,
    q: Configuration,
    v: Velocity,
    tau: Effort,
    dt: Duration,
    f_ext: BodyForces | None = None,
    *,
    integrator: Integrator = "semi_implicit_euler",
    efforts: StateEfforts = NONE,
) -> tuple[list[Scalar], list[Scalar]]:
    """The state after ``dt`` under ``tau``, which is held, and ``efforts`` of the state.

    Orientations stay on the manifold. Euler's methods keep the momenta of floating bases
    (:mod:`dyn_core.dynamics.floating_bases`). The quantities of ``efforts``, such as
    :data:`spring_efforts`, are computed in every stage.
    """
    robot = _Robot(model, tau, f_ext, efforts)
    reached, after = INTEGRATORS[integrator](robot, symbols(q), symbols(v), dt[0])
    return reached.tolist(), after.tolist()


@dataclass(frozen=True)
class _Robot:
    """How a robot moves under some efforts, by definitions."""

    model: Model
    tau: Sequence[Scalar]
    f_ext: Sequence[Force] | None
    efforts: StateEfforts

    def integrate(self, q: Numbers, dv: Numbers) -> Numbers:
        return symbols(self.model.space.integrate(q.tolist(), dv.tolist()))

    def carried(self, dv: Numbers, v: Numbers) -> Numbers:
        rates = multiply(self.model.space.jlog(dv.tolist()), [[x] for x in v.tolist()])
        return symbols([rate for (rate,) in rates])

    def acceleration(self, q: Numbers, v: Numbers) -> Numbers:
        state = q.tolist(), v.tolist()
        return symbols(driven(self.model, *state, self.tau, self.f_ext, self.efforts))

    def base_coriolis(self, q: Numbers, v: Numbers) -> Numbers:
        return symbols(base_coriolis_acceleration.run(self.model, q.tolist(), v.tolist()))

    def drift(self, q: Numbers, v: Numbers, dt: Any) -> State:
        moved, after = drift.run(self.model, q.tolist(), v.tolist(), (v * dt).tolist(), [dt])
        return symbols(moved), symbols(after)

    def carried_velocity(self, q0: Numbers, v: Numbers, q1: Numbers) -> Numbers:
        return symbols(carried_velocity.run(self.model, q0.tolist(), v.tolist(), q1.tolist()))
