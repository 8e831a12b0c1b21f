"""Publishes the efforts that hold a robot against gravity, for every joint state that comes."""

from typing import Any, ClassVar

from builtin_interfaces.msg import Time
from dyn_msgs.msg import JointEfforts

from dyn_ros.base.part import Part
from dyn_ros.nodes.state_node import Output, StateNode
from dyn_ros.parts.command_receivers import CommandReceivers
from dyn_ros.parts.effort_commands import EffortCommands
from dyn_ros.parts.gravity_efforts import GravityEfforts


def efforts(node: StateNode) -> dict[str, Any]:
    """Return the fields of ~/gravity_torque."""
    part = node.part(GravityEfforts)
    return {"effort": part.effort, "terms": part.terms}


class GravityCompensation(StateNode):
    """joint_states in; ~/gravity_torque and, for a forward_command_controller, ~/commands out."""

    NAME: ClassVar[str] = "gravity_compensation"
    PARTS: ClassVar[tuple[type[Part], ...]] = (
        *StateNode.PARTS,
        GravityEfforts,
        CommandReceivers,
        EffortCommands,
    )
    OUTPUTS: ClassVar[tuple[Output, ...]] = (Output("~/gravity_torque", JointEfforts, efforts),)

    @property
    def needs_velocity(self) -> bool:
        """Only Coriolis efforts need it."""
        return self.part(GravityEfforts).needs_velocity

    def publish(self, stamp: Time) -> None:
        """Command first, for a controller waits for it."""
        self.part(GravityEfforts).command()
        super().publish(stamp)
