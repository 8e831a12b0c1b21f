"""What the services compute: from a request to the numbers of its response."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_ros.adapters.refusal import InputRefusedError
from dyn_ros.adapters.request import RequestReader
from dyn_ros.robot import Robot

QUANTITIES = ("inverse_dynamics", "forward_dynamics", "gravity", "mass_matrix")


class DynamicsServices:
    """One method per service; each fills the vectors of the response.

    Raises InputRefusedError, worded for the caller, if a request cannot be computed with.
    """

    def __init__(self, model: dyn_core.Model) -> None:
        """Prepare for a robot."""
        self.robot = Robot(model, QUANTITIES)
        names = self.robot.joint_names
        self._position = RequestReader(names, ("position",))
        self._motion = RequestReader(names, ("position", "velocity", "acceleration"))
        self._state = RequestReader(names, ("position", "velocity", "effort"))

    def compute_inverse_dynamics(self, request: Any, response: Any) -> None:
        """Fill the efforts that give the wanted accelerations."""
        effort = self.robot.inverse_dynamics(*self._motion.read(request))
        response.effort = self._motion.vector_in_request_order(_finite(effort))

    def compute_forward_dynamics(self, request: Any, response: Any) -> None:
        """Fill the accelerations that the efforts give."""
        position, velocity, effort = self._state.read(request)
        q = self.robot.configuration(position)
        acceleration = self.robot.forward_dynamics(q, velocity, effort)
        response.acceleration = self._state.vector_in_request_order(_finite(acceleration))

    def compute_gravity(self, request: Any, response: Any) -> None:
        """Fill the efforts that hold the robot at rest."""
        effort = self.robot.gravity(*self._position.read(request))
        response.effort = self._position.vector_in_request_order(_finite(effort))

    def compute_mass_matrix(self, request: Any, response: Any) -> None:
        """Fill the mass matrix, row by row."""
        matrix = self.robot.mass_matrix(*self._position.read(request))
        response.data = self._position.matrix_in_request_order(_finite(matrix))


def _finite(values: NDArray[np.float64]) -> NDArray[np.float64]:
    if not np.isfinite(values).all():
        raise InputRefusedError(
            "result not finite",
            "the result is not finite: the numbers of the request are beyond any robot's",
        )
    return values
