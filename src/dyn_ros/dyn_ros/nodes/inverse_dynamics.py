"""Services for inverse and forward dynamics, gravity and mass matrix, with named joints."""

import sys
from collections.abc import Callable
from typing import Any

from dyn_msgs.srv import (
    ComputeForwardDynamics,
    ComputeGravity,
    ComputeInverseDynamics,
    ComputeMassMatrix,
)

from dyn_ros.adapters.refusal import InputRefusedError
from dyn_ros.dynamics_services import DynamicsServices
from dyn_ros.nodes.dynamics_node import DynamicsNode
from dyn_ros.nodes.report import Report
from dyn_ros.runtime import run

SERVICES = {
    "compute_inverse_dynamics": ComputeInverseDynamics,
    "compute_forward_dynamics": ComputeForwardDynamics,
    "compute_gravity": ComputeGravity,
    "compute_mass_matrix": ComputeMassMatrix,
}


class InverseDynamics(DynamicsNode):
    """Answers ~/compute_… for the robot of robot_description."""

    def __init__(self, **options: Any) -> None:
        """Declare parameters. Raises ValueError on a bad one."""
        super().__init__("inverse_dynamics", **options)
        self._services_of_robot: DynamicsServices
        self._answered = self._refused = 0
        for service, kind in SERVICES.items():  # in every state, to answer what has to be done
            self.create_service(kind, f"~/{service}", self._answer_with(service))

    def prepare(self, description: str, values: dict[str, Any]) -> DynamicsServices:
        """Compile all four quantities for the description."""
        return DynamicsServices(description)

    def install(self, prepared: DynamicsServices) -> None:
        """Answer for another robot from the next request on."""
        self._services_of_robot = prepared
        self.robot_name = prepared.robot.model.name

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


def main(args: list[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM."""
    return run([InverseDynamics], args)


if __name__ == "__main__":
    sys.exit(main())
