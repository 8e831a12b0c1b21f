"""The mechanics of a simulated robot: dyn_core's time stepping, in the robot's surroundings."""

import dyn_core
from dyn_core.joints import FreeFlyer
from dyn_core.model import Model
from dyn_core.simulation import Ground, TimeStepper
from dyn_ros.adapters.joint_order import quoted
from dyn_ros.arrays import Vector
from dyn_ros.massless import joints_without_inertia
from dyn_ros.surroundings import Surroundings, in_surroundings


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

        Raises StepError, naming the joint, if the next state is not finite; the state stays as it
        was then.
        """
        self.stepper.step(effort, *self.surroundings.arguments(self._kernel))


def base_size(model: Model) -> int:
    """Return how many of the coordinates are those of a floating base: the first 6, or none."""
    return 6 if isinstance(model.joints[1], FreeFlyer) else 0
