"""Publishes the efforts of a robot's equation of motion that no acceleration explains."""

from typing import Any, ClassVar

from dyn_msgs.msg import JointEfforts

from dyn_ros.base.settings import Setting
from dyn_ros.nodes.friction import FRICTION_SMOOTHING, friction, has_friction
from dyn_ros.nodes.state_node import Output, StateNode
from dyn_ros.parts.wrench_input import WrenchInput
from dyn_ros.robot import Quantities


class NonlinearEffects(StateNode):
    """joint_states in; ~/nonlinear_effects (Coriolis and gravity) and its parts out.

    What is on ~/friction and ~/against_wrenches the motors have to give against these; nothing
    comes where the description gives no friction, or wrench_topics is empty.
    """

    SETTINGS: ClassVar[tuple[Setting, ...]] = (FRICTION_SMOOTHING,)
    OUTPUTS: ClassVar[tuple[Output, ...]] = (
        Output(
            "~/nonlinear_effects",
            JointEfforts,
            lambda node: {
                "effort": node.results["nonlinear_effects"],
                "terms": JointEfforts.TERM_GRAVITY | JointEfforts.TERM_CORIOLIS,
            },
        ),
        Output(
            "~/coriolis",
            JointEfforts,
            lambda node: {
                "effort": node.results["nonlinear_effects"] - node.results["gravity"],
                "terms": JointEfforts.TERM_CORIOLIS,
            },
        ),
        Output("~/friction", JointEfforts, lambda node: node.friction()),
        Output("~/against_wrenches", JointEfforts, lambda node: node.against_wrenches()),
    )

    def __init__(self, **options: Any) -> None:
        """Declare parameters. Raises ValueError on a bad one."""
        super().__init__("nonlinear_effects", **options)

    @classmethod
    def quantities(cls, values: dict[str, Any]) -> Quantities:
        """Return the terms."""
        return ("nonlinear_effects", "gravity", "static_torque", friction(values))

    def friction(self) -> dict[str, Any] | None:
        """Return what friction takes, if the robot has any."""
        if not has_friction(self._kernel.model):
            return None
        effort = -self.results[friction(self.values)]
        return {"effort": effort, "terms": JointEfforts.TERM_FRICTION}

    def against_wrenches(self) -> dict[str, Any] | None:
        """Return what the wrenches from outside take, if there are topics for them."""
        if not self.part(WrenchInput).enabled:
            return None
        effort = self.results["static_torque"] - self.results["gravity"]
        return {"effort": effort, "terms": JointEfforts.TERM_WRENCHES}
