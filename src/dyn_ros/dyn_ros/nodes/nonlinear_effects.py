"""Publishes the efforts of a robot's equation of motion that no acceleration explains."""

from typing import Any, ClassVar

from dyn_msgs.msg import JointEfforts

from dyn_ros.nodes.state_node import Output, StateNode
from dyn_ros.robot import Kernel


class NonlinearEffects(StateNode):
    """joint_states in; ~/nonlinear_effects (Coriolis and gravity) and ~/coriolis out."""

    QUANTITIES: ClassVar[Kernel] = ("nonlinear_effects", "gravity")
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
    )

    def __init__(self, **options: Any) -> None:
        """Declare parameters. Raises ValueError on a bad one."""
        super().__init__("nonlinear_effects", **options)
