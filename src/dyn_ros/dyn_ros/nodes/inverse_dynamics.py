# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Services for all that can be computed of a robot."""

import traceback
from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from dyn_msgs.msg import LimitViolation
from dyn_msgs.srv import ComputeTrajectoryEfforts, ReloadModel

import dyn_core
from dyn_core.compiler.runtime import Backend
from dyn_ros.inputs.gravity_input import GravityInput
from dyn_ros.inputs.payloads import Payloads
from dyn_ros.kernels.robot import KernelRequest
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.node.description import USUAL_SETTINGS, Structure, reading
from dyn_ros.node.dynamics_node import DynamicsNode
from dyn_ros.node.interfaces import REQUESTS
from dyn_ros.node.part import Part
from dyn_ros.node.report import Report, key
from dyn_ros.node.settings import Group, Values
from dyn_ros.process.model_process import MODEL_PROCESS, cache_is_off
from dyn_ros.services.dynamics_services import SERVICES, USUAL_KERNELS, DynamicsServices
from dyn_ros.services.trajectory_efforts import TrajectoryEfforts

Answer = Callable[[Any, Any], None]
KINDS = {
    "position": LimitViolation.POSITION,
    "velocity": LimitViolation.VELOCITY,
    "effort": LimitViolation.EFFORT,
}


class Services(Part):
    """~/compute_… by the table of SERVICES, ~/compute_trajectory_efforts and ~/reload_model.

    They are there in every state, to answer what has to be done. Whatever is asked, the process
    goes on: a request that cannot be used is answered by success false and why.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        "requests_answered": "since activation",
        "requests_refused": "since activation; counts by reason follow",
        "kernels_interpreted": "kinds of requests whose machine code is being compiled",
    }
    node: "InverseDynamicsNode"

    def __init__(self, node: "InverseDynamicsNode") -> None:
        """Offer the services of a node."""
        super().__init__(node)
        self._answered = 0
        self._refused: Counter[str] = Counter()  # by reason
        for name, service in SERVICES.items():
            self._offer(service.kind, name, partial(self._compute, name))
        self._offer(ComputeTrajectoryEfforts, "compute_trajectory_efforts", self._trajectory)
        self._offer(ReloadModel, "reload_model", self._reload)

    def start(self) -> None:
        """Count from zero."""
        self._answered = 0
        self._refused.clear()

    def report(self, report: Report) -> None:
        """Report the number of requests."""
        report.values["requests_answered"] = self._answered
        report.values["requests_refused"] = self._refused.total()
        report.values["kernels_interpreted"] = self.node.dynamics.interpreted
        for reason, count in self._refused.items():
            report.values[key("requests_refused", reason)] = count

    def _offer(self, kind: Any, name: str, answer: Answer) -> None:
        def respond(request: Any, response: Any) -> Any:
            response.message = "ok"
            try:
                answer(request, response)
            except InputRefusedError as refusal:
                return self._refuse(kind, refusal.reason, str(refusal))
            except Exception as error:  # the caller gets it as its answer
                self.node.get_logger().error(f"{name} failed:\n{traceback.format_exc()}")
                return self._refuse(kind, "internal error", f"{type(error).__name__}: {error}")
            self._answered += 1
            response.success = True
            return response

        self.node.create_service(kind, f"~/{name}", respond, qos_profile=REQUESTS)

    def _refuse(self, kind: Any, reason: str, message: str) -> Any:
        """Return an empty response that says why."""
        self._refused[reason] += 1
        return kind.Response(success=False, message=message)

    def _compute(self, name: str, request: Any, response: Any) -> None:
        self._need_activity()
        self.node.dynamics.answer(name, request, response, self.node.surroundings)
        response.joint_names = request.joint_names

    def _trajectory(self, request: Any, response: Any) -> None:
        self._need_activity()
        node, trajectory = self.node, request.trajectory
        violations, others = node.trajectory_efforts.fill(
            trajectory, node.surroundings, request.multi_dof_trajectory
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
            response.message = f"{len(violations)} limits are exceeded: see violations"

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
                "not active",
                f"{name} is not active: with autostart wait until its log reports it, else "
                f"`ros2 lifecycle set {name} {steps}`",
            )


class InverseDynamicsNode(DynamicsNode):
    """Answers ~/compute_…."""

    SERVES: ClassVar[bool] = True
    FREE_JOINTS: ClassVar[bool] = True
    DESCRIPTION_SETTINGS: ClassVar[tuple[type[Group], ...]] = (*USUAL_SETTINGS, Structure)
    PARTS: ClassVar[tuple[type[Part], ...]] = (GravityInput, Payloads, Services)

    def __init__(self, **options: Any) -> None:
        """Declare parameters. Raises ValueError on a bad one."""
        self.dynamics: DynamicsServices  # for the robot in use, as is the next
        self.trajectory_efforts: TrajectoryEfforts
        super().__init__("inverse_dynamics", **options)

    @classmethod
    def kernels(cls, values: Values) -> tuple[KernelRequest, ...]:
        """Return one kernel for each usual kind of request."""
        return USUAL_KERNELS

    def prepare(self, model: dyn_core.Model, values: Values) -> Any:
        """Allocate for all usual requests. Raises ValueError for a joint that none can carry."""
        return DynamicsServices(model, self._backend, self._prepare_elsewhere), TrajectoryEfforts(
            model
        )

    def install(self, prepared: Any) -> None:
        """Answer for another robot from the next request on."""
        self.dynamics, self.trajectory_efforts = prepared

    def _backend(self, kernel: KernelRequest) -> Backend:
        """Return the batch kernel of a request that comes for the first time.

        An interpreter while it is compiled; where other nodes of the process are active, another
        process compiles first, so that they do not wait.
        """
        self._prepare_elsewhere([kernel])
        return "machine" if len(self.active_nodes) > 1 or cache_is_off() else "auto"

    def _prepare_elsewhere(self, kernels: Sequence[KernelRequest]) -> None:
        """Let another process compile first where other nodes are active."""
        if len(self.active_nodes) > 1 and not cache_is_off():
            how = reading(self.values, self.MASSLESS_LINKS)
            MODEL_PROCESS.load(self.description, kernels, *how)
