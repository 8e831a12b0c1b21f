# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Commands the efforts that make a robot follow a trajectory."""

from functools import partial
from typing import ClassVar

from sensor_msgs.msg import JointState

from dyn_ros.arrays import Vector
from dyn_ros.inputs.trajectory_input import TrajectoryInput
from dyn_ros.messages.joint_message import JointMessage
from dyn_ros.node.part import Part
from dyn_ros.nodes.state_node import StateNode, TopicOutput
from dyn_ros.outputs.command_subscribers import CommandSubscribers
from dyn_ros.outputs.computed_torque_law import Tracking
from dyn_ros.outputs.effort_agreement import EffortAgreement
from dyn_ros.outputs.effort_commands import EffortCommands
from dyn_ros.outputs.felt_payload import FeltPayload
from dyn_ros.services.trajectory_action import TrajectoryAction


class ComputedTorqueNode(StateNode):
    """joint_states, ~/joint_trajectory and ~/follow_joint_trajectory in; ~/commands, ~/desired out.

    efforts = M(q) (a_d + 2 damping_ratio natural_frequency (v_d - v) + natural_frequency^2 (q_d -
    q)) + C(q, v) v + g(q) + f(v_d), where f is the friction that the description gives, if
    include_friction is true; without C(q, v) v if include_coriolis is false.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        "~/desired": "desired positions and velocities, and efforts",
    }
    NAME: ClassVar[str] = "computed_torque"
    FOR_LISTENERS: ClassVar[bool] = False
    PARTS: ClassVar[tuple[type[Part], ...]] = (
        *StateNode.PARTS,
        TrajectoryInput,
        Tracking,
        CommandSubscribers,
        TrajectoryAction,
        EffortAgreement,
        FeltPayload,
        EffortCommands,
    )
    OUTPUTS: ClassVar[tuple[TopicOutput, ...]] = (
        TopicOutput(
            "~/desired",
            JointState,
            lambda node: {
                "position": node.part(Tracking).desired[0],
                "velocity": node.part(Tracking).desired[1],
                "effort": node.part(Tracking).effort,
            },
            partial(JointMessage, names_field="name"),
        ),
    )

    @property
    def model_velocity(self) -> Vector:
        """The velocity of the law: zero where it is without C(q, v) v."""
        return self.part(Tracking).model_velocity()

    def publish(self, stamp: int) -> None:
        """Command first, for a controller waits for it."""
        self.part(Tracking).command()
        super().publish(stamp)
        self.part(TrajectoryAction).update()
