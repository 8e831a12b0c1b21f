# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A node of joint states as its parts see it."""

from typing import Any, ClassVar

from dyn_core.compiler.runtime import Asked
from dyn_ros.arrays import Vector
from dyn_ros.inputs.joint_state_reader import JointStateReader
from dyn_ros.inputs.robot_state import RobotState
from dyn_ros.node.part import Host


class StateHost(Host):
    """A node that turns joint states into quantities."""

    NAME: ClassVar[str]  # of the node, as in the registry
    state: RobotState
    silent: bool = False  # nothing is computed now, for nobody listens
    idle: bool = False  # moreover good joint states have no consequence but that they are counted
    results: dict[Asked, Any]  # of its kernel by quantity, filled anew for each state

    @property
    def q(self) -> Vector:
        """The configuration [nq] of the state."""
        raise NotImplementedError

    @property
    def needs_velocity(self) -> bool:
        """Whether joint states have to bring velocities, with the parameters as they are."""
        return True

    @property
    def needs_effort(self) -> bool:
        """Whether joint states have to bring efforts, with the parameters as they are."""
        return False

    def take_state(self, joints: JointStateReader) -> None:
        """Compute and publish a joint state. Raises InputRefusedError if that is not possible."""
        raise NotImplementedError

    def take_unsettled(self, joints: JointStateReader) -> None:
        """Let parts hold the robot by a joint state, and publish nothing. May raise likewise."""
