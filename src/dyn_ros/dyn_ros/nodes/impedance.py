# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Commands the efforts with which a tool is held at a target like by a spring."""

from typing import ClassVar

import dyn_core
from dyn_ros.inputs.tool_target import ToolTarget, ToolTargetSettings, tool_of
from dyn_ros.kernels.robot import KernelRequest
from dyn_ros.node.part import Part
from dyn_ros.node.settings import Values
from dyn_ros.nodes.state_node import StateKernel, StateNode
from dyn_ros.outputs.command_subscribers import CommandSubscribers
from dyn_ros.outputs.effort_agreement import EffortAgreement
from dyn_ros.outputs.effort_commands import EffortCommands
from dyn_ros.outputs.felt_payload import FeltPayload
from dyn_ros.outputs.impedance_law import Impedance


class ImpedanceNode(StateNode):
    """joint_states, ~/target_pose, ~/target_twist and ~/target_wrench in; ~/commands out.

    efforts = J' (K e + D (V_d - V) + wrench) + posture + C(q, v) v + g(q), where the posture moves
    the joints without moving the tool: `dyn_core.impedance_efforts`.
    """

    NAME: ClassVar[str] = "impedance"
    FOR_LISTENERS: ClassVar[bool] = False
    PARTS: ClassVar[tuple[type[Part], ...]] = (
        *StateNode.PARTS,
        ToolTarget,
        CommandSubscribers,
        Impedance,
        EffortAgreement,
        FeltPayload,
        EffortCommands,
    )

    @classmethod
    def kernels(cls, values: Values) -> tuple[KernelRequest, ...]:
        """Return the kernel of the law, if the tool is named."""
        return super().kernels(values) if values[ToolTargetSettings].tool else ()

    def prepare(self, model: dyn_core.Model, values: Values) -> StateKernel:
        """Compile the law for the tool that is named, or the last link."""
        return super().prepare(model, values.replaced({"tool": tool_of(model, values)}))

    def publish(self, stamp: int) -> None:
        """Command."""
        self.part(Impedance).command()
        super().publish(stamp)
