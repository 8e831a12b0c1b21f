"""A simulated robot: brakes, effort commands with a time-out, friction, stops at the limits."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_ros.robot import Robot

STICTION_SPEED = 0.01  # rad/s or m/s; Coulomb friction is smoothed below this speed
MOST_SUBSTEPS = 10  # of a time step, where damping or friction are stiff


class SimulatedRobot:
    """Integrates forward dynamics by semi-implicit Euler on the robot's Lie group.

    v <- v + dt a(q, v, effort),  q <- q (+) dt v. Nothing is allocated while stepping. Friction
    that is too stiff for the time step is integrated in several smaller ones.
    """

    def __init__(
        self, source: str | dyn_core.Model, step: float, initial: Mapping[str, float]
    ) -> None:
        """Put the robot at rest at the `initial` positions (rad, m) by joint name, others 0.

        `step` is dt in s. Raises ValueError if a joint is unknown, outside its limits, or damped
        too much to be simulated.
        """
        self.robot = Robot(source, ["forward_dynamics"])
        model = self.robot.model
        size = self.robot.size
        self._damping = np.array(model.damping)
        self._friction = np.array(model.friction)
        self._limit = np.array(model.effort_limit)
        self._lower, self._upper = _position_limits(self.robot)
        self.position = _initial_positions(self.robot.joint_names, initial)
        self._refuse_outside()
        self.velocity = np.zeros(size)  # rad/s or m/s
        self.effort = np.zeros(size)  # applied by the motors, N m or N
        self.braked = True
        self._q = np.array(self.robot.configuration(self.position))
        self._total = np.zeros(size)
        self._scratch = np.zeros(size)
        self._stopped = np.zeros(size, dtype=bool)
        self._substeps = _substeps(self.robot, self._q, step)
        self._step_size = step / self._substeps

    def apply(self, effort: NDArray[np.float64]) -> None:
        """Release the brakes and let the motors give `effort`, at most their limits."""
        np.clip(effort, -self._limit, self._limit, out=self.effort)
        self.braked = False

    def drop_effort(self) -> None:
        """Let the motors give nothing; the arm falls unless it is braked."""
        self.effort[:] = 0.0

    def step(self) -> None:
        """Advance by one time step. Raises FloatingPointError if the state is not finite."""
        if not self.braked:
            for _ in range(self._substeps):
                self._substep()

    def _substep(self) -> None:
        acceleration = self.robot.forward_dynamics(self._q, self.velocity, self._joint_effort())
        np.multiply(acceleration, self._step_size, out=self._scratch)
        self.velocity += self._scratch
        if not np.isfinite(self.velocity, out=self._stopped).all():
            raise FloatingPointError(self._describe_blow_up())
        self._move()

    def _joint_effort(self) -> NDArray[np.float64]:
        """Return motor effort minus viscous and Coulomb friction."""
        np.multiply(self._damping, self.velocity, out=self._scratch)
        np.subtract(self.effort, self._scratch, out=self._total)
        np.divide(self.velocity, STICTION_SPEED, out=self._scratch)
        np.tanh(self._scratch, out=self._scratch)
        self._scratch *= self._friction
        self._total -= self._scratch
        return self._total

    def _move(self) -> None:
        """Move by dt v, stopping dead at a limit."""
        step = self._scratch
        np.multiply(self.velocity, self._step_size, out=step)
        step += self.position
        np.less(step, self._lower, out=self._stopped)
        np.copyto(self.velocity, 0.0, where=self._stopped)
        np.greater(step, self._upper, out=self._stopped)
        np.copyto(self.velocity, 0.0, where=self._stopped)
        np.clip(step, self._lower, self._upper, out=step)
        step -= self.position
        np.copyto(self._q, self.robot.integrate(self._q, step))
        self.position += step

    def _refuse_outside(self) -> None:
        for i, name in enumerate(self.robot.joint_names):
            if not self._lower[i] <= self.position[i] <= self._upper[i]:
                raise ValueError(
                    f"initial position {self.position[i]} of joint '{name}' is outside its limits "
                    f"{self._lower[i]} to {self._upper[i]}: choose one within"
                )

    def _describe_blow_up(self) -> str:
        name = self.robot.joint_names[int(np.argmin(self._stopped))]
        return (
            f"the velocity of joint '{name}' is not finite: check masses, inertias, damping and "
            "friction in the description"
        )


def _substeps(robot: Robot, q: NDArray[np.float64], step: float) -> int:
    """Return into how many parts a step has to be divided so that friction takes energy out.

    Explicit integration of M dv/dt = -D v is stable below dt = 2 / |eigenvalue of M^-1 D|; half
    of that is used, as M changes. Raises ValueError, worded, beyond MOST_SUBSTEPS.
    """
    zero, unit = np.zeros(robot.size), np.eye(robot.size)
    free_fall = np.array(robot.forward_dynamics(q, zero, zero))
    inverse_mass = np.array([robot.forward_dynamics(q, zero, e) - free_fall for e in unit])
    drag = np.array(robot.model.damping) + np.array(robot.model.friction) / STICTION_SPEED
    stiffest = abs(np.linalg.eigvals(inverse_mass * drag)).max()
    parts = max(1, int(np.ceil(step * stiffest)))
    if parts > MOST_SUBSTEPS:
        worst = robot.joint_names[int(np.argmax(inverse_mass.diagonal() * drag))]
        raise ValueError(
            f"damping or friction of joint '{worst}' is too large for the inertia it moves: a "
            f"simulation would need {parts} steps each {step} s, at most {MOST_SUBSTEPS} are done; "
            "reduce <dynamics damping= friction=> of that joint"
        )
    return parts


def _initial_positions(names: tuple[str, ...], given: Mapping[str, float]) -> NDArray[np.float64]:
    unknown = [name for name in given if name not in names]
    if unknown:
        raise ValueError(
            f"initial position of unknown joint '{unknown[0]}': the model has {', '.join(names)}"
        )
    return np.array([given.get(name, 0.0) for name in names])


def _position_limits(robot: Robot) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the limits [nv]; infinite for a joint whose configuration is not its position."""
    model = robot.model
    lower, upper = np.full(robot.size, -np.inf), np.full(robot.size, np.inf)
    for i in model.own_coordinates:
        if model.joints[i].nq == 1:
            lower[model.idx_v[i]] = model.lower_position_limit[model.idx_q[i]]
            upper[model.idx_v[i]] = model.upper_position_limit[model.idx_q[i]]
    return lower, upper
