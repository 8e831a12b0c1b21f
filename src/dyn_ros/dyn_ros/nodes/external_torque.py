# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Estimates what acts on a robot from outside: joint efforts, wrenches at frames, contact."""

from functools import partial
from typing import Any, ClassVar

from dyn_msgs.msg import ExternalEfforts
from geometry_msgs.msg import WrenchStamped

from dyn_ros.messages.geometry import frame_topic
from dyn_ros.messages.joint_message import StampedMessage
from dyn_ros.node.part import Part
from dyn_ros.nodes.state_node import StateNode, TopicOutput
from dyn_ros.outputs.external_estimate import WRENCH, EstimateSettings, ExternalEstimate


class ExternalTorque(StateNode):
    """joint_states with the motors' efforts in; ~/external_efforts and ~/wrench/FRAME out.

    What comes on wrench_topics is known, and so no part of the estimate.
    """

    NAME: ClassVar[str] = "external_torque"
    PARTS: ClassVar[tuple[type[Part], ...]] = (*StateNode.PARTS, ExternalEstimate)

    def outputs(self) -> tuple[TopicOutput, ...]:
        """Return the efforts, and a wrench for each frame."""
        estimate = self.part(ExternalEstimate)

        def efforts(node: Any) -> dict[str, Any]:
            return {
                "effort": estimate.effort,
                "joint_contact": estimate.joint_contact,
                "contact": estimate.contact,
            }

        def wrench(frame: str, node: Any) -> dict[str, Any]:
            wrench = estimate.wrench(frame)
            fields = {"wrench.force": wrench[:3], "wrench.torque": wrench[3:]}
            return {"header.frame_id": frame, **fields}

        wrenches = (
            TopicOutput(frame_topic(WRENCH, x), WrenchStamped, partial(wrench, x), StampedMessage)
            for x in self.values[EstimateSettings].wrench_frames
        )
        return (TopicOutput("~/external_efforts", ExternalEfforts, efforts), *wrenches)

    @property
    def needs_effort(self) -> bool:
        """Measured motor efforts; the momentum observer finds the external ones."""
        return True

    def publish(self, stamp: int) -> None:
        """Observe, then publish."""
        self.part(ExternalEstimate).update()
        super().publish(stamp)
