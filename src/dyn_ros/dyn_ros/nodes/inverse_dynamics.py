"""Services for all that can be computed of a robot, and feed-forward efforts for trajectories."""

from collections.abc import Sequence
from typing import Any, ClassVar

import dyn_core
from dyn_core.execution.backend import Backend
from dyn_ros.base.description_interface import DESCRIPTION, STRUCTURE, reading
from dyn_ros.base.dynamics_node import DynamicsNode
from dyn_ros.base.part import Part
from dyn_ros.base.settings import Setting
from dyn_ros.dynamics_services import USUAL_KERNELS, DynamicsServices
from dyn_ros.model_process import MODEL_PROCESS, cache_is_off
from dyn_ros.nodes.inverse_dynamics_feed_forward import FeedForward
from dyn_ros.nodes.inverse_dynamics_services import Services
from dyn_ros.parts.gravity_input import GravityInput
from dyn_ros.parts.payloads import Payloads
from dyn_ros.robot import Kernel
from dyn_ros.trajectory_efforts import TrajectoryEfforts


class InverseDynamics(DynamicsNode):
    """Answers ~/compute_…, and ~/joint_trajectory by ~/feed_forward."""

    SERVES: ClassVar[bool] = True
    FREE_JOINTS: ClassVar[bool] = True
    DESCRIPTION_SETTINGS: ClassVar[tuple[Setting, ...]] = (*DESCRIPTION, *STRUCTURE)
    PARTS: ClassVar[tuple[type[Part], ...]] = (GravityInput, Payloads, Services, FeedForward)
    SETTINGS: ClassVar[tuple[Setting, ...]] = (
        Setting(
            "max_numbers",
            100_000,
            "numbers in a response, and efforts of a trajectory; more are refused, for while they "
            "are computed nobody else is answered",
            limits=(1, 10_000_000),
            live=True,
        ),
    )

    def __init__(self, **options: Any) -> None:
        """Declare parameters. Raises ValueError on a bad one."""
        self.dynamics: DynamicsServices  # for the robot in use, as is the next
        self.trajectory_efforts: TrajectoryEfforts
        super().__init__("inverse_dynamics", **options)

    @classmethod
    def kernels(cls, values: dict[str, Any]) -> tuple[Kernel, ...]:
        """Return one kernel for each usual kind of request."""
        return USUAL_KERNELS

    def prepare(self, model: dyn_core.Model, values: dict[str, Any]) -> Any:
        """Allocate for all usual requests. Raises ValueError for a joint that none can carry."""
        return DynamicsServices(model, self._backend, self._prepare_elsewhere), TrajectoryEfforts(
            model
        )

    def install(self, prepared: Any) -> None:
        """Answer for another robot from the next request on."""
        self.dynamics, self.trajectory_efforts = prepared

    def _backend(self, kernel: Kernel) -> Backend:
        """Return what computes a kernel that nobody has asked for before.

        An interpreter while it is compiled; where other nodes of the process are at work, another
        process compiles first, so that they do not wait.
        """
        self._prepare_elsewhere([kernel])
        return "machine" if len(self.at_work) > 1 or cache_is_off() else "auto"

    def _prepare_elsewhere(self, kernels: Sequence[Kernel]) -> None:
        """Let another process compile first where other nodes are at work."""
        if len(self.at_work) > 1 and not cache_is_off():
            how = reading(self.values, self.MASSLESS_LINKS)
            MODEL_PROCESS.load(self.description, kernels, *how)
