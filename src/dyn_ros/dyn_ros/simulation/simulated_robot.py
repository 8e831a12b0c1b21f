"""The mechanics of a simulated robot: dynamics, friction, stops at the limits, the ground."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_core.configuration import position_limits
from dyn_core.joints import FreeFlyer
from dyn_core.model import Model
from dyn_ros.adapters.joint_order import quoted
from dyn_ros.massless import joints_without_inertia
from dyn_ros.simulation.ground import Ground, Touch
from dyn_ros.surroundings import Surroundings, in_surroundings

STICTION_SPEED = 0.01  # rad/s or m/s; Coulomb friction is smoothed below this speed
PASSES = 2  # in which the speed that friction acts on is found
ON_LIMIT = 1e-12  # rad or m; rounding that a joint at its limit may be off by

Vector = NDArray[np.float64]


class SimulatedRobot:
    """Integrates forward dynamics by semi-implicit Euler on the robot's Lie group.

    M (v' - v) / dt = tau - h(q, v) - D(v') v',  q' = q (+) dt v', where h is Coriolis and gravity,
    also of what it carries, less what pushes it, and D(v) v is viscous plus smoothed Coulomb
    friction, d v + f tanh(v / STICTION_SPEED). D is first that of v, then that of the v' so found:
    that of v alone would be wrong by f dt a / v, which identification takes for inertia. As
    friction acts on the new velocity v', it takes energy out however stiff it is. A joint that
    reaches a limit stops there without bouncing, and its reaction acts on all others. So do the
    forces of the ground, if there is one.
    """

    QUANTITIES = ("mass_matrix", "inverse_dynamics")  # of its kernel, before those of the ground

    def __init__(
        self, model: dyn_core.Model, step: float, start: Vector, ground: Ground | None = None
    ) -> None:
        """Put the robot at rest at `start` [nv] (rad, m; from neutral); `step` is dt in s.

        Raises ValueError, naming the joint, if the robot's mass matrix is singular.
        """
        self.model = model
        self.ground = ground
        self._step = step
        self._start = start
        data = model.create_data()
        self._integrate = dyn_core.compile(model, ["integrate"]).bind(data)
        of_ground = ground.quantities if ground else ()
        self._kernel = in_surroundings((*self.QUANTITIES, *of_ground)).compile(model)
        self._terms = self._kernel.bind(data)
        self.surroundings = Surroundings(model)
        self._neutral = dyn_core.neutral(model)
        self._damping, self._friction = np.array(model.damping), np.array(model.friction)
        self._passes = PASSES if self._friction.any() else 1
        self._lower, self._upper = position_limits(model)
        self._lowest, self._highest = self._lower - ON_LIMIT, self._upper + ON_LIMIT
        self.position, self.velocity = np.zeros(model.nv), np.zeros(model.nv)
        self._rest = np.zeros(model.nv)  # the acceleration at which inverse dynamics is h
        self.q = np.zeros(model.nq)
        self.reset()
        free = joints_without_inertia(model, self.q)
        if free:
            raise ValueError(
                f"joint {quoted(free)} can move without moving any mass, so that its acceleration "
                "is not defined: complete the <inertial> of the links that it moves, or set the "
                "parameter massless_armature to the inertia of its motor"
            )

    def reset(self) -> None:
        """Return to rest where the robot started."""
        self.position[:] = self._start
        self.velocity[:] = 0.0
        if self.ground:
            self.ground.reset()
        np.copyto(self.q, self._integrate(self._neutral, self._start))

    def step(self, effort: Vector) -> None:
        """Advance by one time step under joint efforts [nv] (N m, N).

        Raises FloatingPointError, naming the joint, if the next state is not finite; the state
        stays as it was then.
        """
        mass, bias, *of_ground = self._terms(
            self.q, self.velocity, self._rest, *self.surroundings.arguments(self._kernel)
        )
        touch = self.ground.touch(*of_ground) if self.ground else None
        impulse = mass @ self.velocity + self._step * (effort - bias)
        velocity: Vector = self.velocity
        inertia = mass.diagonal().copy()
        for _ in range(self._passes):
            mass.flat[:: len(mass) + 1] = inertia + self._step * self._drag(velocity)
            velocity = self._next_velocity(mass, impulse, touch)
        if not np.isfinite(velocity).all():
            raise FloatingPointError(self._describe_blow_up(velocity))
        self.velocity[:] = velocity
        self._move()

    def _drag(self, velocity: Vector) -> Vector:
        """Return D(v) [nv]: the damping that gives all friction at this speed."""
        speed = np.maximum(np.abs(velocity) / STICTION_SPEED, 1e-6)  # tanh(x) / x is 1 there
        drag: Vector = self._damping + self._friction * np.tanh(speed) / (speed * STICTION_SPEED)
        return drag

    def _next_velocity(
        self, mass: NDArray[np.float64], impulse: Vector, touch: Touch | None
    ) -> Vector:
        """Return v' of mass v' = impulse, where joints that would leave their range end at it.

        An impulse at the stop takes the rest of their speed: an inelastic impact (Featherstone
        2008, section 11.7, with restitution 0).
        """
        velocity = self._solve(mass, impulse, touch)
        stopped = np.zeros(len(velocity), dtype=bool)
        while True:
            end = self.position + self._step * velocity
            leaving = (end < self._lowest) | (end > self._highest)
            leaving &= ~stopped
            if not np.count_nonzero(leaving):  # the usual case, and quicker than any()
                return velocity
            stopped |= leaving
            np.clip(end, self._lower, self._upper, out=end)
            velocity = (end - self.position) / self._step  # of the stopped ones
            free = ~stopped
            rest = impulse[free] - mass[np.ix_(free, stopped)] @ velocity[stopped]
            others = touch.among(free, velocity) if touch else None
            velocity[free] = self._solve(mass[np.ix_(free, free)], rest, others)

    def _solve(self, mass: NDArray[np.float64], impulse: Vector, touch: Touch | None) -> Vector:
        """Return v' of mass v' = impulse and what the ground adds; NaN if it is not finite."""
        try:
            if self.ground and touch and len(touch.points):
                return self.ground.velocity(touch, mass, impulse)
            solution: Any = np.linalg.solve(mass, impulse)
        except np.linalg.LinAlgError:  # the state is not finite
            solution = np.full(len(impulse), np.nan)
        return solution

    def _move(self) -> None:
        """Move by dt v; rounding leaves nobody outside of the limits."""
        end = np.clip(self.position + self._step * self.velocity, self._lower, self._upper)
        np.copyto(self.q, self._integrate(self.q, end - self.position))
        self.position[:] = end

    def _describe_blow_up(self, velocity: Vector) -> str:
        name = self.model.dof_names[int(np.argmin(np.isfinite(velocity)))]
        return (
            f"the velocity of joint '{name}' is not finite: check masses, inertias and effort "
            "limits in the description"
        )


def base_size(model: Model) -> int:
    """Return how many of the coordinates are those of a floating base: the first 6, or none."""
    return 6 if isinstance(model.joints[1], FreeFlyer) else 0
