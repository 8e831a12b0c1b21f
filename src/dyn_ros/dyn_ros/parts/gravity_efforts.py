"""What holds a robot against gravity, and what else the parameters ask for."""

from typing import TYPE_CHECKING, Any, ClassVar

from dyn_msgs.msg import JointEfforts

from dyn_ros.base.part import Part
from dyn_ros.base.report import Report
from dyn_ros.base.settings import Setting
from dyn_ros.parts.effort_commands import EffortCommands
from dyn_ros.parts.wrench_input import WrenchInput
from dyn_ros.robot import Quantities
from dyn_ros.state_kernel import Vector

if TYPE_CHECKING:
    from dyn_ros.nodes.state_node import StateNode


class GravityEfforts(Part):
    """The sum of the terms that are asked for, from the node's results, and its command."""

    ABOUT: ClassVar[dict[str, str]] = {
        "terms": "which terms of the equation of motion the efforts contain",
    }
    SETTINGS: ClassVar[tuple[Setting, ...]] = (
        Setting(
            "include_coriolis",
            False,
            "add Coriolis and centrifugal efforts to gravity; needs velocities in joint_states",
            live=True,
        ),
    )
    node: "StateNode"

    @classmethod
    def quantities(cls, values: dict[str, Any]) -> Quantities:
        """Return the terms."""
        return ("gravity", "nonlinear_effects", "static_torque")

    def open(self) -> None:
        """Command nothing where the hardware does it."""
        self.node.part(EffortCommands).against_gravity = True

    @property
    def needs_velocity(self) -> bool:
        """Only Coriolis efforts need it."""
        return bool(self.values["include_coriolis"])

    @property
    def effort(self) -> Vector:
        """What the parameters ask for, and against wrenches from outside, [nv] N m or N."""
        results = self.node.results
        effort = results["static_torque"]
        if self.needs_velocity:
            effort = effort + results["nonlinear_effects"] - results["gravity"]
        return effort

    @property
    def terms(self) -> int:
        """What `effort` contains."""
        coriolis = JointEfforts.TERM_CORIOLIS if self.needs_velocity else 0
        wrenches = JointEfforts.TERM_WRENCHES if self.node.part(WrenchInput).enabled else 0
        return JointEfforts.TERM_GRAVITY | coriolis | wrenches

    def command(self) -> None:
        """Command `effort`."""
        gravity = self.node.results["gravity"]
        self.node.part(EffortCommands).publish(self.effort, gravity=gravity)

    def report(self, report: Report) -> None:
        """Say what the output contains."""
        report.values["terms"] = "gravity and Coriolis" if self.needs_velocity else "gravity"
