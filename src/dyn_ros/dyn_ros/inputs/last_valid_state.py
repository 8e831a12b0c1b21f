# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The last valid state, and how joints moved since: an arm is held and damped by them."""

from collections.abc import Sequence

import numpy as np

import dyn_core
from dyn_ros.arrays import Matrix, Vector
from dyn_ros.inputs.command_settings import CommandSettings
from dyn_ros.inputs.joint_state_reader import JointStateReader
from dyn_ros.inputs.joint_state_settings import JointStateSettings
from dyn_ros.inputs.robot_state import RobotState, StateHost
from dyn_ros.kernels.robot import KernelRequest
from dyn_ros.kernels.surroundings import Surroundings, in_surroundings
from dyn_ros.messages.stamp import NANOSECONDS
from dyn_ros.safety.overspeed import VelocityGuard, recent

DAMPING: KernelRequest = in_surroundings(("gravity", "mass_matrix"))
COASTING_TIME_S = 1.0  # s, in which joints whose states have stopped are taken to slow down to 37 %


def coasted(age: Vector, timeout: float, time: float) -> tuple[Vector, Vector]:
    """Return the way and the velocity of a joint after `age`, s, that began at velocity 1.

    It slows down with the time constant COASTING_TIME_S until the time-out, then with `time`: that
    of damping if an effort of -M v / time brakes it. Gravity of where a moving arm was would drive
    it.
    """
    free = np.minimum(age, timeout)
    slowed, left = np.exp(-free / COASTING_TIME_S), np.exp(-(age - free) / time)
    return COASTING_TIME_S * (1.0 - slowed) + slowed * time * (1.0 - left), slowed * left


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

    def go_on(
        self, state: RobotState, position: Vector | None, surroundings: Surroundings
    ) -> Matrix:
        """Go on to positions [n] of joints of one degree of freedom, if gravity is finite there.

        None: stay. A free joint stays where `state` has it. Return the mass matrix [nv, nv] of the
        last valid state; zeros where it is not finite.
        """
        q = self.q
        if position is not None:
            place = state.position.copy()
            place[state.scalar] = position
            q = self._integrate(state.reference, place)
        gravity, mass = self.at(q, surroundings)
        if position is not None:
            if np.isfinite(gravity).all():
                self.gravity[:], self.q[:] = gravity, q
            else:
                _, mass = self.at(self.q, surroundings)
        return np.where(np.isfinite(mass), mass, 0.0)

    def gravity_there(self, position: Vector, surroundings: Surroundings) -> Vector:
        """Return gravity efforts [nv] with all joints, of one degree of freedom, at [nv]."""
        return self.at(self._integrate(self._neutral, position), surroundings)[0]

    def at(self, q: Vector, surroundings: Surroundings) -> tuple[Vector, Matrix]:
        """Return gravity [nv] and mass matrix in a configuration."""
        found: tuple[Vector, Matrix] = self._compute(q, *surroundings.arguments(self._kernel))
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
        self._reader, self._joint_names = reader, tuple(joint_names)
        places = [reader.joint_names.index(name) for name in joint_names]
        self._places = np.array(places, dtype=np.intp)
        self._went: Vector = np.zeros(len(places))  # velocities when states last told them

    def velocity(self, now: float) -> Vector | None:
        """Return velocities as far as positions show them, NaN of joints whose states have stopped.

        None: the states of all joints have stopped. `coasting` extrapolates the newest.
        """
        seen = self._reader.seen
        late = seen.late(now - self._node.values[JointStateSettings].joint_state_timeout)
        some = 0 < len(late) < len(seen.joint_names)
        position = seen.position[self._places]
        if some:
            position = np.where(np.isin(self._joint_names, late), np.nan, position)
        told, stamp = seen.known_velocity[self._places], seen.nanoseconds / NANOSECONDS
        shown = self.guard.shown(
            told, position, stamp, now, self._node.values[CommandSettings].time_constant
        )
        if shown is not None:
            self._went = np.where(np.isfinite(shown), shown, self._went)
        return shown if some or not late else None

    def to_damp(self, now: float) -> tuple[Vector | None, Vector]:
        """Return `velocity` as far as it is recent, and its age, s."""
        values, shown = self._node.values, self.velocity(now)
        time, timeout = (
            values[CommandSettings].time_constant,
            values[JointStateSettings].joint_state_timeout,
        )
        any_stamp = self._reader.clock is None
        age = self._ages(now, min(timeout, time) if any_stamp else timeout)
        return (None if shown is None else shown * recent(age, time)), age

    def coasting(self, positions: Vector, now: float, *, braked: bool) -> tuple[Vector, Vector]:
        """Return where joints are by now that were last seen at `positions`, and velocities [n].

        Positions are those of all joints that are read. Joints go on as they went when `velocity`
        was last asked for, as `coasted` says; `braked` since the time-out. Velocities are those to
        brake: zero before the time-out.
        """
        values = self._node.values
        timeout = values[JointStateSettings].joint_state_timeout
        time = values[CommandSettings].time_constant
        age = self._ages(now, 0.0 if self._reader.clock is None else timeout)
        way, speed = coasted(age, timeout, time if braked else COASTING_TIME_S)
        moved: Vector = positions.copy()
        moved[self._places] += self._went * way
        return moved, self._went * np.where(age < timeout, 0.0, speed)

    def _ages(self, now: float, most: float) -> Vector:
        clock = self._node.ros_time()
        return self._reader.seen.ages(now, clock, most)[self._places]
