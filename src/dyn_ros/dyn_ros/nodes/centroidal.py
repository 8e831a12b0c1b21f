# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Publishes centre of mass, momentum and energy of a robot, and markers to see them by."""

from typing import Any, ClassVar

from dyn_msgs import msg
from visualization_msgs.msg import MarkerArray

from dyn_ros.inputs.joint_state_reader import JointStateReader
from dyn_ros.kernels.robot import Quantities
from dyn_ros.messages.joint_message import StampedMessage
from dyn_ros.node.part import Part
from dyn_ros.nodes.state_node import StateKernel, StateNode, TopicOutput
from dyn_ros.outputs.base_transform import BaseTransform
from dyn_ros.outputs.marker_output import MarkerOutput

FIELDS = {  # of the message: the quantity, and which of its numbers
    "center_of_mass": ("center_of_mass", ...),
    "velocity": ("center_of_mass_velocity", ...),
    "linear_momentum": ("centroidal_momentum", slice(3)),
    "angular_momentum": ("centroidal_momentum", slice(3, 6)),
    "kinetic_energy": ("kinetic_energy", ...),
    "potential_energy": ("potential_energy", ...),
}


class Centroidal(StateNode):
    """joint_states in; ~/centroidal and, for RViz, ~/markers out."""

    NAME: ClassVar[str] = "centroidal"
    PARTS: ClassVar[tuple[type[Part], ...]] = (*StateNode.PARTS, MarkerOutput, BaseTransform)
    QUANTITIES: ClassVar[Quantities] = tuple(dict.fromkeys(name for name, _ in FIELDS.values()))

    def outputs(self) -> tuple[TopicOutput, ...]:
        """Return numbers and markers of the robot at hand."""
        markers = self.part(MarkerOutput)
        return (
            TopicOutput(
                "~/centroidal", msg.Centroidal, lambda node: node.numbers(), StampedMessage
            ),
            TopicOutput("~/markers", MarkerArray, lambda node: markers.fields(), markers.create),
        )

    @property
    def needs_effort(self) -> bool:
        """Only arrows need it."""
        return self.part(MarkerOutput).needs_effort

    def take_state(self, joints: JointStateReader) -> None:
        """Say where the base is too, for who looks at the rest."""
        super().take_state(joints)
        self.part(BaseTransform).update()

    def install(self, prepared: StateKernel) -> None:
        """Tell of another robot."""
        super().install(prepared)
        self._computed = {x: self.results[name][part] for x, (name, part) in FIELDS.items()}
        self._masses = self.surroundings.inertial_parameters[1:, 0]  # with all payloads

    def numbers(self) -> dict[str, Any]:
        """Return the fields of the message: results, their frame, the mass with all payloads."""
        frame = self.part(MarkerOutput).frame
        mass = sum(self._masses.tolist())
        return {"mass": mass, "header.frame_id": frame, **self._computed}
