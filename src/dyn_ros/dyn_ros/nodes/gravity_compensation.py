# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Publishes the efforts that hold a robot against gravity, for every joint state that comes."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from dyn_msgs.msg import JointEfforts

from dyn_ros.inputs.wrench_input import WrenchSettings
from dyn_ros.kernels.robot import Quantities
from dyn_ros.node.part import Part
from dyn_ros.node.report import Report
from dyn_ros.node.settings import Group, parameter
from dyn_ros.nodes.state_node import StateKernel, StateNode, TopicOutput
from dyn_ros.outputs.command_subscribers import CommandSubscribers
from dyn_ros.outputs.effort_agreement import EffortAgreement
from dyn_ros.outputs.effort_commands import EffortCommands
from dyn_ros.outputs.felt_payload import FeltPayload

TERMS = JointEfforts.TERM_GRAVITY
CORIOLIS, WRENCHES = JointEfforts.TERM_CORIOLIS, JointEfforts.TERM_WRENCHES


@dataclass(frozen=True)
class GravityTerms(Group):
    """What holds the robot beside gravity."""

    include_coriolis: bool = parameter(
        False,
        "add Coriolis and centrifugal efforts to gravity; needs velocities in joint_states",
        live=True,
    )


class GravityCompensation(StateNode):
    """joint_states in; ~/gravity_torque and, for a forward_command_controller, ~/commands out."""

    ABOUT: ClassVar[dict[str, str]] = {
        "terms": "which terms of the equation of motion the efforts contain",
    }
    NAME: ClassVar[str] = "gravity_compensation"
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (GravityTerms,)
    QUANTITIES: ClassVar[Quantities] = ("gravity", "nonlinear_effects", "static_torque")
    FOR_LISTENERS: ClassVar[bool] = False
    PARTS: ClassVar[tuple[type[Part], ...]] = (
        *StateNode.PARTS,
        CommandSubscribers,
        EffortAgreement,
        FeltPayload,
        EffortCommands,
    )

    def __init__(self, **options: Any) -> None:
        """Declare parameters. Raises ValueError on a bad one."""
        self._effort = np.zeros(0)  # output with the terms that parameters enable, [nv]
        super().__init__(**options)
        self._commands = self.part(EffortCommands)
        self._commands.against_gravity = True  # nothing is commanded where the hardware does it

    @property
    def needs_velocity(self) -> bool:
        """Only Coriolis efforts need it."""
        return bool(self.values[GravityTerms].include_coriolis)

    def install(self, prepared: StateKernel) -> None:
        """Hold another robot."""
        super().install(prepared)
        self._effort = prepared.results["static_torque"]

    def report(self, report: Report) -> None:
        """Report the terms of the output."""
        report.values["terms"] = "gravity and Coriolis" if self.needs_velocity else "gravity"

    def publish(self, stamp: int) -> None:
        """Command first, for a controller waits for it."""
        results = self.results
        effort, gravity = results["static_torque"], results["gravity"]
        if self.values[GravityTerms].include_coriolis:
            effort = effort + results["nonlinear_effects"] - gravity
        self._effort = effort
        self._commands.publish(effort, gravity)
        super().publish(stamp)

    def efforts(self) -> dict[str, Any]:
        """Return the fields of ~/gravity_torque."""
        coriolis = CORIOLIS if self.values[GravityTerms].include_coriolis else 0
        wrenches = WRENCHES if self.values[WrenchSettings].wrench_topics else 0
        return {"effort": self._effort, "terms": TERMS | coriolis | wrenches}

    OUTPUTS: ClassVar[tuple[TopicOutput, ...]] = (
        TopicOutput("~/gravity_torque", JointEfforts, efforts),
    )
