# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Publishes centre of mass, momentum and energy of a robot, and markers to see them by."""

from typing import Any, ClassVar

import numpy as np
from dyn_msgs import msg
from visualization_msgs.msg import MarkerArray

import dyn_core
from dyn_ros.inputs.free_joint_input import FreeJointInput
from dyn_ros.inputs.joint_states import JointStateInput
from dyn_ros.inputs.robot_state import StateHost
from dyn_ros.kernels.robot import Quantities
from dyn_ros.messages.joint_message import StampedMessage
from dyn_ros.messages.stamp import NANOSECONDS
from dyn_ros.node.part import Part
from dyn_ros.nodes.state_node import StateKernel, StateNode, TopicOutput
from dyn_ros.outputs.markers import RobotMarkers, link_names

MARKER_RATE_HZ = 10.0  # at most


class MarkerOutput(Part):
    """Markers and the times at which they are due; the node publishes them."""

    ABOUT: ClassVar[dict[str, str]] = {
        "~/markers": "centre of mass, ellipsoids of inertia and efforts, for RViz",
    }
    node: StateHost
    _shown = 0  # ns, stamp of the last ones

    def start(self) -> None:
        """Show markers at once."""
        self._shown = 0

    def rewind(self) -> None:
        """Show markers at once."""
        self.start()

    def create(self, kind: Any, joint_names: Any) -> RobotMarkers:
        """Return the message."""
        assert self.node.model is not None
        return RobotMarkers(self.node.model)

    @property
    def frame(self) -> str:
        """The frame of markers in the world: the root link, or the frame of the odometry."""
        inputs = self.node.part(FreeJointInput)
        return self._root if inputs.base is None else inputs.world_frame

    def install(self, model: dyn_core.Model) -> None:
        """Draw in the frame of a root link that stands still, and efforts that are measured."""
        self._root = link_names(model)[0]
        self.node.part(JointStateInput).reader.watches_motors = True

    def fields(self, node: Any) -> dict[str, Any] | None:
        """Return what moves, where the rate allows new markers."""
        now = self.node.state.nanoseconds
        if now < self._shown + round(NANOSECONDS / MARKER_RATE_HZ):
            return None
        self._shown = now
        center, reader = self.node.results["center_of_mass"], self.node.part(JointStateInput).reader
        effort = np.nan_to_num(reader.reported[1])
        return {"center": center, "effort": effort, "frame": self.frame}


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
    PARTS: ClassVar[tuple[type[Part], ...]] = (*StateNode.PARTS, MarkerOutput)
    QUANTITIES: ClassVar[Quantities] = tuple(dict.fromkeys(name for name, _ in FIELDS.values()))

    def outputs(self) -> tuple[TopicOutput, ...]:
        """Return numbers and markers of the robot at hand."""
        markers = self.part(MarkerOutput)
        return (
            TopicOutput(
                "~/centroidal", msg.Centroidal, lambda node: node.numbers(), StampedMessage
            ),
            TopicOutput("~/markers", MarkerArray, markers.fields, markers.create),
        )

    def install(self, prepared: StateKernel) -> None:
        """Report another robot."""
        super().install(prepared)
        self._computed = {x: self.results[name][part] for x, (name, part) in FIELDS.items()}
        self._masses = self.surroundings.inertial_parameters[1:, 0]  # with all payloads

    def numbers(self) -> dict[str, Any]:
        """Return the fields of the message: results, their frame, the mass with all payloads."""
        frame = self.part(MarkerOutput).frame
        mass = sum(self._masses.tolist())
        return {"mass": mass, "header.frame_id": frame, **self._computed}
