"""Services for inverse and forward dynamics, gravity and mass matrix, with named joints."""

from collections.abc import Callable
from typing import Any, ClassVar

from dyn_msgs.srv import (
    ComputeForwardDynamics,
    ComputeGravity,
    ComputeInverseDynamics,
    ComputeMassMatrix,
)

import dyn_core
from dyn_ros.adapters.refusal import InputRefusedError
from dyn_ros.base.dynamics_node import DynamicsNode
from dyn_ros.base.report import Report
from dyn_ros.dynamics_services import QUANTITIES, DynamicsServices
from dyn_ros.robot import Kernel

SERVICES = {
    "compute_inverse_dynamics": ComputeInverseDynamics,
    "compute_forward_dynamics": ComputeForwardDynamics,
    "compute_gravity": ComputeGravity,
    "compute_mass_matrix": ComputeMassMatrix,
}


class InverseDynamics(DynamicsNode):
    """Answers ~/compute_… for the robot of robot_description."""

    SERVES: ClassVar[bool] = True

    def __init__(self, **options: Any) -> None:
        """Declare parameters. Raises ValueError on a bad one."""
        super().__init__("inverse_dynamics", **options)
        self._services_of_robot: DynamicsServices
        self._answered = self._refused = 0
        for service, kind in SERVICES.items():  # in every state, to answer what has to be done
            self.create_service(kind, f"~/{service}", self._answer_with(service))

    @classmethod
    def kernels(cls, values: dict[str, Any]) -> tuple[Kernel, ...]:
        """Return one kernel for each kind of request."""
        return tuple(Kernel((quantity,)) for quantity in QUANTITIES)

    def prepare(self, model: dyn_core.Model, values: dict[str, Any]) -> DynamicsServices:
        """Allocate for all four quantities."""
        return DynamicsServices(model)

    def install(self, prepared: DynamicsServices) -> None:
        """Answer for another robot from the next request on."""
        self._services_of_robot = prepared

    def start(self) -> None:
        """Count from zero."""
        self._answered = self._refused = 0

    def report(self, report: Report) -> None:
        """Tell how many requests there were."""
        report.values["requests answered"] = self._answered
        report.values["requests refused"] = self._refused

    def _answer_with(self, name: str) -> Callable[[Any, Any], Any]:
        def answer(request: Any, response: Any) -> Any:
            try:
                if not self.active:
                    raise InputRefusedError("not active", self._how_to_activate())
                getattr(self._services_of_robot, name)(request, response)
            except InputRefusedError as refusal:
                self._refused += 1
                response.success, response.message = False, str(refusal)
                return response
            self._answered += 1
            response.joint_names = request.joint_names
            response.success, response.message = True, "ok"
            return response

        return answer

    def _how_to_activate(self) -> str:
        name = self.get_fully_qualified_name()
        steps = "activate" if self.configured else "configure` and then `activate"
        return f"{name} is not active: `ros2 lifecycle set {name} {steps}`"
