"""Publishes centre of mass, momentum and energy of a robot, and markers to see them by."""

from functools import partial
from typing import Any, ClassVar

from dyn_msgs import msg
from visualization_msgs.msg import MarkerArray

import dyn_core
from dyn_ros.adapters.centroidal import CentroidalMessage
from dyn_ros.adapters.joint_state import NANOSECONDS
from dyn_ros.adapters.markers import RobotMarkers, link_names
from dyn_ros.base.settings import Setting
from dyn_ros.nodes.state_node import Output, StateNode
from dyn_ros.parts.bad_input import EFFORT_ABSENT
from dyn_ros.robot import Quantities

FIELDS = {  # of the message, by what is computed for it
    "center_of_mass": "center_of_mass",
    "center_of_mass_velocity": "velocity",
    "centroidal_momentum": "momentum",
    "kinetic_energy": "kinetic_energy",
    "potential_energy": "potential_energy",
}


class Centroidal(StateNode):
    """joint_states in; ~/centroidal and, for RViz, ~/markers out."""

    SETTINGS: ClassVar[tuple[Setting, ...]] = (
        Setting("marker_rate", 10.0, "Hz of ~/markers at most", limits=(0.001, 100.0), live=True),
        Setting(
            "effort_arrow_scale",
            0.0,
            "m/(N m) or m/N, length of the arrows that show the efforts in joint_states; 0: none, "
            "and joint_states need no efforts",
            limits=(0.0, 100.0),
        ),
        EFFORT_ABSENT,
    )
    QUANTITIES: ClassVar[Quantities] = tuple(FIELDS)

    def __init__(self, **options: Any) -> None:
        """Declare parameters. Raises ValueError on a bad one."""
        self._shown = 0  # ns, stamp of the last markers
        super().__init__("centroidal", **options)

    def outputs(self) -> tuple[Output, ...]:
        """Return numbers and markers of the robot at hand."""
        model = self._kernel.model
        numbers = partial(CentroidalMessage, frame=link_names(model)[0])
        return (
            Output("~/centroidal", msg.Centroidal, lambda node: node.numbers(), numbers),
            Output("~/markers", MarkerArray, lambda node: node.markers(), self._draw),
        )

    @property
    def needs_effort(self) -> bool:
        """Only arrows need it."""
        return bool(self.values["effort_arrow_scale"])

    def start(self) -> None:
        """Show markers at once."""
        self._shown = 0

    def numbers(self) -> dict[str, Any]:
        """Return what was computed by its field, and the mass with all payloads."""
        mass = {"mass": self.surroundings.inertial_parameters[1:, 0].sum()}
        return mass | {FIELDS[str(name)]: value for name, value in self.results.items()}

    def markers(self) -> dict[str, Any] | None:
        """Return what moves, where the rate allows new markers."""
        now = self.state.nanoseconds
        if now < self._shown + round(NANOSECONDS / self.values["marker_rate"]):
            return None
        self._shown = now
        return {"center": self.results["center_of_mass"], "effort": self.state.effort}

    def _draw(self, kind: Any, joint_names: Any) -> RobotMarkers:
        model: dyn_core.Model = self._kernel.model
        return RobotMarkers(model, self.values["effort_arrow_scale"])
