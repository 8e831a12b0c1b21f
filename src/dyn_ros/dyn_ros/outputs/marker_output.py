# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Markers of a robot's dynamics for RViz, at a limited rate."""

from dataclasses import dataclass
from typing import Any, ClassVar

import dyn_core
from dyn_ros.inputs.free_joint_input import FreeJointInput
from dyn_ros.inputs.state_host import StateHost
from dyn_ros.messages.stamp import NANOSECONDS
from dyn_ros.node.part import Part
from dyn_ros.node.settings import Group, parameter
from dyn_ros.outputs.markers import RobotMarkers, link_names

MARKER_RATE_HZ = 10.0  # at most


@dataclass(frozen=True)
class MarkerSettings(Group):
    """What markers show."""

    effort_arrow_scale: float = parameter(
        0.0,
        "length of the arrows of efforts, m/(N m) or m/N; 0: no arrows, and joint_states need no "
        "efforts",
        limits=(0.0, 100.0),
    )


class MarkerOutput(Part):
    """Markers and the times at which they are due; the node publishes them."""

    ABOUT: ClassVar[dict[str, str]] = {
        "~/markers": "centre of mass, ellipsoids of inertia and efforts, for RViz",
    }
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (MarkerSettings,)
    node: StateHost

    @property
    def needs_effort(self) -> bool:
        """Only arrows need it."""
        return bool(self.values[MarkerSettings].effort_arrow_scale)

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
        return RobotMarkers(self.node.model, self.values[MarkerSettings].effort_arrow_scale)

    @property
    def frame(self) -> str:
        """The frame of markers in the world: the root link, or the frame of the odometry."""
        inputs = self.node.part(FreeJointInput)
        return self._root if inputs.base is None else inputs.world_frame

    def install(self, model: dyn_core.Model) -> None:
        """Draw in the frame of a robot's root link, if that stands still."""
        self._root = link_names(model)[0]

    def fields(self) -> dict[str, Any] | None:
        """Return what moves, where the rate allows new markers."""
        now = self.node.state.nanoseconds
        if now < self._shown + round(NANOSECONDS / MARKER_RATE_HZ):
            return None
        self._shown = now
        center, effort = self.node.results["center_of_mass"], self.node.state.effort
        return {"center": center, "effort": effort, "frame": self.frame}
