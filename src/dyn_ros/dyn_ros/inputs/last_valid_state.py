# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The last valid state, and how joints moved since: an arm is held and damped by them."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from math import inf

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_ros.arrays import Matrix, Vector
from dyn_ros.inputs.command_settings import CommandSettings
from dyn_ros.inputs.joint_state_reader import JointStateReader
from dyn_ros.inputs.joint_state_settings import JointStateSettings
from dyn_ros.inputs.robot_state import RobotState, StateHost
from dyn_ros.kernels.robot import KernelRequest
from dyn_ros.kernels.surroundings import Surroundings, in_surroundings
from dyn_ros.messages.stamp import NANOSECONDS
from dyn_ros.safety.braking import recent
from dyn_ros.safety.overspeed import VelocityGuard

DAMPING: KernelRequest = in_surroundings(("gravity", "mass_matrix", "nonlinear_effects"))
COASTING_TIME_S = 1.0  # s, in which joints whose states have stopped are taken to slow down to 37 %
PREDICTION_STEP_S = 0.005
MAX_PREDICTED_S = 1.0  # s, of one prediction: longer is an interruption of the process
RESTING_VELOCITY, RESTING_TIME_S = 0.02, 0.1  # rad/s or m/s, reached within s: at rest
MAX_SPEED_UP, MIN_PREDICTED = 1.5, 0.2  # bound of predicted velocities: times the last, and rad/s


class LastValidState:
    """`gravity` efforts [nv], N m or N, and configuration `q` [nq] of the last valid state."""

    def __init__(self) -> None:
        """Know no robot; `install` is next."""
        self._names: Sequence[str] = ()
        self.gravity: Vector = np.zeros(0)
        self.q: Vector = self.gravity

    def install(self, model: dyn_core.Model) -> None:
        """Stay with what is known of the joints that a new model has, at rest in neutral else."""
        self._kernel = DAMPING.compile(model)
        data = model.create_data()
        self._compute = self._kernel.bind(data)
        self._integrate = dyn_core.compile(model, ["integrate"]).bind(data)
        self._neutral = dyn_core.neutral(model)
        known, q = dict(zip(self._names, self.gravity, strict=True)), self.q
        if self._names != model.dof_names or len(q) != model.nq:
            q = self._neutral
        self.gravity = np.array([known.get(name, 0.0) for name in model.dof_names])
        self.q, self._names = q.copy(), model.dof_names

    def advance(
        self, state: RobotState, position: Vector | None, surroundings: Surroundings
    ) -> Matrix:
        """Advance to positions [n] of joints of one degree of freedom, if gravity is finite there.

        None: stay. A free joint stays where `state` has it. Return the mass matrix [nv, nv] of the
        last valid state; zeros where it is not finite.
        """
        q = self.q if position is None else self._there(state, position)
        gravity, mass, _ = self.at(q, surroundings)
        if np.isfinite(gravity).all():
            self.gravity[:], self.q[:] = gravity, q
        else:
            _, mass, _ = self.at(self.q, surroundings)
        return np.where(np.isfinite(mass), mass, 0.0)

    def accelerated(
        self,
        state: RobotState,
        position: Vector,
        motion: tuple[NDArray[np.intp], Vector, Vector],
        surroundings: Surroundings,
    ) -> Vector:
        """Return accelerations of degrees of freedom by their velocities and efforts; others rest.

        `motion` has their indices, velocities and efforts, [n] each.
        """
        rows, speed, effort = motion
        velocity: Vector = np.zeros(len(self.gravity))
        velocity[rows] = speed
        _, mass, bias = self.at(self._there(state, position), surroundings, velocity)
        result: Vector = np.zeros(len(rows))
        with suppress(np.linalg.LinAlgError):  # of positions beyond any reason
            result[:] = np.linalg.solve(mass[np.ix_(rows, rows)], effort - bias[rows])
        return result

    def _there(self, state: RobotState, position: Vector) -> Vector:
        """Return the configuration [nq] with joints of one degree of freedom at positions [n]."""
        place = state.position.copy()
        place[state.scalar] = position
        q: Vector = self._integrate(state.reference, place)
        return q

    def there(self, position: Vector, surroundings: Surroundings) -> tuple[Vector, Matrix]:
        """Return gravity efforts and mass matrix with all joints, of one freedom, at [nv]."""
        gravity, mass, _ = self.at(self._integrate(self._neutral, position), surroundings)
        return gravity, mass

    def at(
        self, q: Vector, surroundings: Surroundings, velocity: Vector | None = None
    ) -> tuple[Vector, Matrix, Vector]:
        """Return gravity [nv], mass matrix and Coriolis efforts with gravity at q and velocity."""
        velocity = np.zeros(len(self.gravity)) if velocity is None else velocity
        found: tuple[Vector, Matrix, Vector]
        found = self._compute(q, velocity, *surroundings.arguments(self._kernel))
        return found


class SeenMotion:
    """Joints [n] in the order of the commands, also by states that were refused for other joints.

    Times are those of a steady clock, s.
    """

    def __init__(
        self,
        node: StateHost,
        reader: JointStateReader,
        joint_names: Sequence[str],
        guard: VelocityGuard,
    ) -> None:
        """Find the joints of commands among those that are read."""
        self._node, self.guard = node, guard
        self._reader = reader
        places = [reader.joint_names.index(name) for name in joint_names]
        self._places = np.array(places, dtype=np.intp)
        self._went: Vector = np.zeros(len(places))  # the last known velocities
        self.late: NDArray[np.bool_] = np.zeros(len(places), dtype=bool)
        """Joints [n] whose states had stopped when `velocity` was last called."""
        self._came: Vector = np.full(len(places), -inf)  # s: of the states in the prediction
        self._until = -inf  # s: its end
        self._moved: Vector = self._went  # predicted positions, and velocities [n]
        self._speed: Vector = self._went
        self._rests = False  # whether the predicted arm has come to rest: it stays there

    def velocity(self, now: float) -> Vector | None:
        """Return velocities as far as positions show them, NaN of joints whose states have stopped.

        None: those of all joints have stopped, or positions show none yet.
        """
        seen, timeout = self._reader.seen, self._node.values[JointStateSettings].joint_state_timeout
        late = self.late = now - seen.came[self._places] > timeout
        measured, stopped = seen.known_velocity[self._places], bool(late.all())
        position = seen.position[self._places]
        if late.any() and not stopped:
            position = np.where(late, np.nan, position)
        stamp = seen.nanoseconds / NANOSECONDS
        self.guard.jumps = self._reader.jumps
        checked = self.guard.checked_velocity(
            measured, position, stamp, now, self._node.values[CommandSettings].time_constant
        )
        if checked is not None:
            known = np.where(np.isfinite(checked), checked, measured)
            self._went = np.where(np.isfinite(known), known, self._went)
        return None if stopped else checked

    def to_damp(self, now: float) -> tuple[Vector | None, Vector]:
        """Return `velocity` as far as it is recent, and its age, s."""
        values, checked = self._node.values, self.velocity(now)
        time, timeout = (
            values[CommandSettings].time_constant,
            values[JointStateSettings].joint_state_timeout,
        )
        any_stamp = self._reader.clock is None
        age = self._ages(now, min(timeout, time) if any_stamp else timeout)
        return (None if checked is None else checked * recent(age, time)), age

    def coasting(self, positions: Vector, now: float) -> Vector:
        """Return where joints are by now that were last seen at `positions`, of all that are read.

        They go on as they went when `velocity` was last asked for.
        """
        moved: Vector = positions.copy()
        age = self._ages(now, self._most_age)
        way = COASTING_TIME_S * (1.0 - np.exp(-age / COASTING_TIME_S))
        moved[self._places] += self._went * way
        return moved

    def predicted(
        self,
        positions: Vector,
        now: float,
        accelerate: Callable[[Vector, Vector], Vector],
    ) -> tuple[Vector, Vector]:
        """Return where joints are by now, of all that are read, and velocities [n], by the model.

        They were last seen at `positions`. `accelerate` returns accelerations [n] at positions and
        velocities under the efforts that were sent since the last call. The efforts that overcome
        friction, which no model has, would make joints fast: velocities are bounded, and those of a
        resting arm stay what they are. Joints whose
        states still come are where these have them.
        """
        came, ages = self._reader.seen.came[self._places], self._ages(now, self._most_age)
        news = came > self._came
        if news.all():
            self._until = now - float(ages.max(initial=0.0))
            self._moved, self._speed = positions.copy(), self._went.copy()
        self._rests &= not news.any()
        self._until = max(self._until, now - MAX_PREDICTED_S)
        went = np.abs(self._went)
        most = np.maximum(MAX_SPEED_UP * went, min(MIN_PREDICTED, went.max(initial=0.0)))
        while not self._rests and (seconds := min(now - self._until, PREDICTION_STEP_S)) > 0.0:
            acceleration = accelerate(self._moved, self._speed)
            change = np.abs(acceleration).max(initial=0.0) * RESTING_TIME_S
            speed = self._speed + seconds * acceleration
            self._speed = np.clip(np.where(np.isfinite(speed), speed, 0.0), -most, most)
            self._rests = max(np.abs(self._speed).max(initial=0.0), change) < RESTING_VELOCITY
            self._speed = self._speed * (not self._rests)
            self._moved[self._places] += seconds * self._speed
            self._until += seconds
        if self.late.any():
            news &= ~self.late
            self._moved[self._places[news]] = positions[self._places[news]]
            self._speed[news] = self._went[news]
        self._came = came.copy()
        return self._moved.copy(), self._speed

    @property
    def _most_age(self) -> float:
        timeout = self._node.values[JointStateSettings].joint_state_timeout
        return 0.0 if self._reader.clock is None else timeout

    def _ages(self, now: float, most: float) -> Vector:
        clock = self._node.ros_time()
        return self._reader.seen.ages(now, clock, most)[self._places]
