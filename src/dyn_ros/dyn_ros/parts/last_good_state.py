# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The last state that was good, and where joints went since: an arm is held and damped by it."""

from collections.abc import Sequence

import numpy as np

import dyn_core
from dyn_ros.arrays import Matrix, Vector
from dyn_ros.robot import KernelRequest
from dyn_ros.robot_state import RobotState
from dyn_ros.surroundings import Surroundings, in_surroundings

DAMPING: KernelRequest = in_surroundings(("gravity", "mass_matrix"))


class LastGoodState:
    """Gravity efforts [nv] and configuration [nq] of the last good state."""

    def __init__(self) -> None:
        """Know no robot; `install` is next."""
        self._names: Sequence[str] = ()
        self._kept = b"", b""  # gravity and configuration: nothing is copied as quickly

    def install(self, model: dyn_core.Model) -> None:
        """Stay with what is known of the joints that a new model has, at rest in neutral else."""
        self._kernel = DAMPING.compile(model)
        data = model.create_data()
        self._compute = self._kernel.bind(data)
        self._integrate = dyn_core.compile(model, ["integrate"]).bind(data)
        self._neutral = dyn_core.neutral(model)
        known, q = dict(zip(self._names, self.gravity, strict=True)), np.frombuffer(self._kept[1])
        if self._names != model.dof_names or len(q) != model.nq:
            q = self._neutral
        self.keep(np.array([known.get(name, 0.0) for name in model.dof_names]), q)
        self._names = model.dof_names

    def keep(self, gravity: Vector, q: Vector) -> None:
        """Keep a state."""
        self._kept = gravity.tobytes(), q.tobytes()

    @property
    def gravity(self) -> Vector:
        """Of the last good state, [nv] N m or N."""
        return np.frombuffer(self._kept[0])

    def go_on(self, state: RobotState, position: Vector, surroundings: Surroundings) -> None:
        """Go on to positions [n] of joints of one degree of freedom, if gravity is finite there.

        A free joint stays where `state` has it.
        """
        place = state.position.copy()
        place[state.scalar] = position
        q = self._integrate(state.reference, place)
        gravity, _ = self.at(q, surroundings)
        if np.isfinite(gravity).all():
            self.keep(gravity, q)

    def mass(self, surroundings: Surroundings) -> Matrix:
        """Return the mass matrix of that state, [nv, nv]; zeros where it is not finite."""
        _, mass = self.at(np.frombuffer(self._kept[1]), surroundings)
        return np.where(np.isfinite(mass), mass, 0.0)

    def gravity_there(self, position: Vector, surroundings: Surroundings) -> Vector:
        """Return gravity efforts [nv] with all joints, of one degree of freedom, at [nv]."""
        return self.at(self._integrate(self._neutral, position), surroundings)[0]

    def at(self, q: Vector, surroundings: Surroundings) -> tuple[Vector, Matrix]:
        """Return gravity [nv] and mass matrix in a configuration."""
        found: tuple[Vector, Matrix] = self._compute(q, *surroundings.arguments(self._kernel))
        return found
