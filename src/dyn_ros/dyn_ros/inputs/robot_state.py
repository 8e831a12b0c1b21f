# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The state of a robot, put together from what inputs bring, and the node that has it."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_core.compiler.runtime import Asked
from dyn_core.model import coordinate_names
from dyn_ros.arrays import Vector
from dyn_ros.inputs.joint_state_reader import JointStateReader
from dyn_ros.messages.free_joint import free_joints
from dyn_ros.node.part import Host


class RobotState:
    """Position, velocity and effort [nv] of all joints; joints are named by `names`.

    The configuration is `reference` [nq] integrated by `position`: joints of one degree of freedom
    are in `position`; of a free joint `reference` has the pose, `position` the way since then.
    """

    def __init__(self, model: dyn_core.Model) -> None:
        """Stand in the neutral configuration, at rest."""
        self.names = coordinate_names(model)
        self.free = free_joints(model)
        self.scalar: NDArray[np.intp] = scalar_coordinates(model)
        self.reference: Vector = dyn_core.neutral(model).copy()
        self.position, self.velocity, self.effort = np.zeros((3, model.nv))
        self.nanoseconds = 0
        self.reader: JointStateReader | None = None  # whose arrays these are, if no joint is free

    def take(self, reader: JointStateReader) -> None:
        """Take the joints of one degree of freedom; if all are such, the reader's own arrays."""
        if self.free:
            self.position[self.scalar] = reader.position
            self.velocity[self.scalar] = reader.velocity
            self.effort[self.scalar] = reader.effort
        else:
            self.position, self.velocity = reader.position, reader.velocity
            self.effort, self.reader = reader.effort, reader
        self.nanoseconds = reader.nanoseconds


class StateHost(Host):
    """A node that turns joint states into quantities."""

    NAME: ClassVar[str]  # of the node, as in the registry
    state: RobotState
    silent: bool = False  # nothing is computed, because no output has a subscriber
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


def scalar_coordinates(model: dyn_core.Model) -> NDArray[np.intp]:
    """Return the degrees of freedom, [..] of nv, of joints that have one."""
    own = (i for i in model.own_coordinates if model.joints[i].nv == 1)
    return np.array([model.idx_v[i] for i in own], dtype=np.intp)


def scalar_names(model: dyn_core.Model) -> list[str]:
    """Return the joints of one degree of freedom, in the model's order."""
    return [model.dof_names[i] for i in scalar_coordinates(model)]
