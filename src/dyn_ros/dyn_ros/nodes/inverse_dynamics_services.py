"""The services of a node that computes on request."""

import traceback
from array import array
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from dyn_msgs.msg import LimitViolation
from dyn_msgs.srv import ComputeTrajectoryEfforts, ReloadModel

from dyn_ros.adapters.refusal import InputRefusedError
from dyn_ros.base.part import Part
from dyn_ros.base.report import Report
from dyn_ros.dynamics_services import SERVICES

if TYPE_CHECKING:
    from dyn_ros.nodes.inverse_dynamics import InverseDynamics

Answer = Callable[[Any, Any], None]


class Services(Part):
    """~/compute_… by the table of SERVICES, ~/compute_trajectory_efforts and ~/reload_model.

    They are there in every state, to answer what has to be done. Whatever is asked, the process
    goes on: a request that cannot be used is answered by success false and why.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        "requests answered": "since activation",
        "requests refused": "since activation; the caller was told why, counts by reason follow",
        "kernels still interpreted": "of kinds of requests whose machine code is being compiled",
    }
    node: "InverseDynamics"

    def __init__(self, node: "InverseDynamics") -> None:
        """Offer the services of a node."""
        super().__init__(node)
        self._answered = 0
        self._refused: Counter[str] = Counter()  # by reason
        for name, service in SERVICES.items():
            self._offer(service.kind, name, self._compute(name))
        self._offer(ComputeTrajectoryEfforts, "compute_trajectory_efforts", self._trajectory)
        self._offer(ReloadModel, "reload_model", self._reload)

    def start(self) -> None:
        """Count from zero."""
        self._answered = 0
        self._refused.clear()

    def report(self, report: Report) -> None:
        """Tell how many requests there were."""
        report.values["requests answered"] = self._answered
        report.values["requests refused"] = self._refused.total()
        report.values["kernels still interpreted"] = self.node.dynamics.interpreted
        for reason, count in self._refused.items():
            report.values[f"requests refused: {reason}"] = count

    def _offer(self, kind: Any, name: str, answer: Answer) -> None:
        def respond(request: Any, response: Any) -> Any:
            response.message = "ok"
            try:
                answer(request, response)
            except InputRefusedError as refusal:
                return self._refuse(kind, refusal.reason, str(refusal))
            except Exception as error:  # ours: the caller is told, and no other caller suffers
                self.node.get_logger().error(f"{name} failed:\n{traceback.format_exc()}")
                return self._refuse(kind, "internal error", f"{type(error).__name__}: {error}")
            self._answered += 1
            response.success = True
            return response

        self.node.create_service(kind, f"~/{name}", respond)

    def _refuse(self, kind: Any, reason: str, message: str) -> Any:
        """Return an empty response that says why."""
        self._refused[reason] += 1
        return kind.Response(success=False, message=message)

    def _compute(self, name: str) -> Answer:
        def answer(request: Any, response: Any) -> None:
            self._need_activity()
            node = self.node
            most = self.values["max_numbers"]
            node.dynamics.answer(name, request, response, node.surroundings, most)
            response.joint_names = request.joint_names

        return answer

    def _trajectory(self, request: Any, response: Any) -> None:
        self._need_activity()
        node, trajectory = self.node, request.trajectory
        most = self.values["max_numbers"]
        violations, others = node.trajectory_efforts.fill(
            trajectory, node.surroundings, most, request.multi_dof_trajectory
        )
        response.trajectory = trajectory
        response.multi_dof_names = node.trajectory_efforts.multi_dof_names
        response.multi_dof_effort = array("d", others.tobytes())
        response.violations = [
            LimitViolation(
                joint_name=found.joint_name,
                kind=KINDS[found.kind],
                limit=found.limit,
                value=found.value,
                worst=found.worst,
                points=found.points,
            )
            for found in violations
        ]
        if violations:
            response.message = f"{len(violations)} limits are broken, as violations says"

    def _reload(self, request: Any, response: Any) -> None:
        try:
            self.node.reload(request.robot_description)
        except ValueError as error:
            raise InputRefusedError("robot_description", str(error)) from error
        response.robot = self.node.robot_name
        response.joint_names = list(self.node.dynamics.joint_names)

    def _need_activity(self) -> None:
        if not self.node.active:
            name = self.node.get_fully_qualified_name()
            steps = "activate" if self.node.configured else "configure` and then `activate"
            raise InputRefusedError(
                "not active", f"{name} is not active: `ros2 lifecycle set {name} {steps}`"
            )


KINDS = {
    "position": LimitViolation.POSITION,
    "velocity": LimitViolation.VELOCITY,
    "effort": LimitViolation.EFFORT,
}
