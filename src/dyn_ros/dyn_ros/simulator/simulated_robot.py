# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The mechanics of a simulated robot: dyn_core's time stepping, in the robot's surroundings."""

import numpy as np

import dyn_core
from dyn_core.joints import FreeFlyer
from dyn_core.model import Model
from dyn_core.simulation import Ground, StepError, TimeStepper
from dyn_ros.arrays import Vector
from dyn_ros.kernels.robot import joints_without_inertia
from dyn_ros.kernels.surroundings import Surroundings, in_surroundings
from dyn_ros.messages.joint_order import quoted

MAX_START_ANGLE_RAD = np.pi
"""rad or m that a joint may move within a step. Beyond half a turn it cannot be seen in measured
positions which way it turned; links that spin blow up from there within some steps."""


class SimulatedRobot:
    """A robot that dyn_core steps in time, with what it carries and what pushes it."""

    QUANTITIES = TimeStepper.QUANTITIES  # of its kernel, before those of the ground

    def __init__(
        self, model: dyn_core.Model, step: float, start: Vector, ground: Ground | None = None
    ) -> None:
        """Put the robot at rest at `start` [nv] (rad, m; from neutral); `step` is dt in s.

        Raises ValueError, naming the joint, if the robot's mass matrix is singular.
        """
        self.model = model
        self.ground = ground
        of_ground = ground.quantities if ground else ()
        terms = in_surroundings((*self.QUANTITIES, *of_ground))
        self._kernel = terms.compile(model)  # the stepper's own, which is compiled once
        self.stepper = TimeStepper(model, step, ground, terms.inputs)
        self.surroundings = Surroundings(model)
        self._start = start.copy()
        self.position, self.velocity = self.stepper.position, self.stepper.velocity
        self.q = self.stepper.q
        state = self.position, self.velocity, self.q
        self._state = tuple((now, now.copy()) for now in state)  # each with that before a step
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
        self.stepper.reset(self._start)

    def step(self, effort: Vector) -> None:
        """Advance by one time step under joint efforts [nv] (N m, N).

        Raises StepError, naming the joint, if the next state is not finite or MAX_START_ANGLE_RAD
        is passed; the state stays as it was then.
        """
        for now, before in self._state:
            before[:] = now
        self.stepper.step(effort, *self.surroundings.arguments(self._kernel))
        speeds = [abs(speed) for speed in self.velocity.tolist()]
        if max(speeds) * self.stepper.dt > MAX_START_ANGLE_RAD:
            for now, before in self._state:
                now[:] = before
            raise StepError(self._describe_blow_up(speeds))

    def _describe_blow_up(self, speeds: list[float]) -> str:
        """Say which joint is too fast for the steps, rad/s or m/s, and what helps."""
        highest = max(speeds)
        return (
            f"joint '{self.model.dof_names[speeds.index(highest)]}' moves at {highest:.2g} rad/s "
            f"or m/s, too fast for steps of {self.stepper.dt:g} s: hold the robot by commands, or "
            'give <dynamics damping="..."/> in the description to joints that spin freely'
        )


def base_size(model: Model) -> int:
    """Return how many of the coordinates are those of a floating base: the first 6, or none."""
    return 6 if isinstance(model.joints[1], FreeFlyer) else 0
