"""Publishes the efforts that hold a robot against gravity, for every joint state that comes."""

from contextlib import ExitStack
from typing import Any, ClassVar

import numpy as np
from builtin_interfaces.msg import Time
from dyn_msgs.msg import JointEfforts
from numpy.typing import NDArray

from dyn_ros.base.part import Part
from dyn_ros.base.report import Report
from dyn_ros.base.settings import Setting
from dyn_ros.nodes.state_node import Output, StateNode
from dyn_ros.parts.effort_commands import EffortCommands
from dyn_ros.parts.wrench_input import WrenchInput
from dyn_ros.robot import Quantities


class GravityCompensation(StateNode):
    """joint_states in; ~/gravity_torque and, for a forward_command_controller, ~/commands out."""

    SETTINGS: ClassVar[tuple[Setting, ...]] = (
        Setting(
            "include_coriolis",
            False,
            "add Coriolis and centrifugal efforts to gravity; needs velocities in joint_states",
            live=True,
        ),
        Setting(
            "hardware_compensates_gravity",
            False,
            "the robot adds gravity efforts itself: ~/gravity_torque is published, ~/commands is "
            "not, so that gravity is not compensated twice",
        ),
    )
    PARTS: ClassVar[tuple[type[Part], ...]] = (*StateNode.PARTS, EffortCommands)
    QUANTITIES: ClassVar[Quantities] = ("gravity", "nonlinear_effects", "static_torque")
    OUTPUTS: ClassVar[tuple[Output, ...]] = (
        Output(
            "~/gravity_torque",
            JointEfforts,
            lambda node: {"effort": node.effort, "terms": node.terms},
        ),
    )

    def __init__(self, **options: Any) -> None:
        """Declare parameters. Raises ValueError on a bad one."""
        super().__init__("gravity_compensation", **options)

    @staticmethod
    def impossible(values: dict[str, Any]) -> str:
        """Refuse to hold a robot that holds itself."""
        if values["hardware_compensates_gravity"] and values["shutdown_command"] == "hold_gravity":
            return (
                "shutdown_command hold_gravity with hardware_compensates_gravity would compensate "
                "gravity twice: choose another one of the two"
            )
        return ""

    @property
    def needs_velocity(self) -> bool:
        """Only Coriolis efforts need it."""
        return bool(self.values["include_coriolis"])

    @property
    def effort(self) -> NDArray[np.float64]:
        """What the parameters ask for, and against wrenches from outside, [nv] N m or N."""
        effort = self.results["static_torque"]
        if self.needs_velocity:
            effort = effort + self.results["nonlinear_effects"] - self.results["gravity"]
        return effort

    @property
    def terms(self) -> int:
        """What `effort` contains."""
        coriolis = JointEfforts.TERM_CORIOLIS if self.needs_velocity else 0
        wrenches = JointEfforts.TERM_WRENCHES if self.part(WrenchInput).enabled else 0
        return JointEfforts.TERM_GRAVITY | coriolis | wrenches

    def open(self, opened: ExitStack) -> None:
        """Create the publishers."""
        super().open(opened)
        self.part(EffortCommands).enabled = not self.values["hardware_compensates_gravity"]

    def publish(self, stamp: Time) -> None:
        """Command first, for a controller waits for it."""
        self.part(EffortCommands).publish(self.effort, gravity=self.results["gravity"])
        super().publish(stamp)

    def report(self, report: Report) -> None:
        """Say what the output contains."""
        report.values["terms"] = "gravity and Coriolis" if self.needs_velocity else "gravity"
