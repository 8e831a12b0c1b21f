# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Where a floating base is, for TF."""

from dataclasses import dataclass
from typing import Any, ClassVar

from geometry_msgs.msg import TransformStamped
from tf2_msgs.msg import TFMessage

import dyn_core
from dyn_ros.inputs.free_joint_input import FreeJointInput
from dyn_ros.inputs.robot_state import StateHost
from dyn_ros.kernels.robot import root_link
from dyn_ros.messages.prediction import write_transform
from dyn_ros.messages.stamp import time_message
from dyn_ros.node.description import Structure
from dyn_ros.node.part import Part
from dyn_ros.node.settings import Group, parameter

DEPTH = 100  # as tf2_ros has it


@dataclass(frozen=True)
class BaseSettings(Group):
    """Whether the base is published."""

    broadcast_base: bool = parameter(
        False,
        "publish a floating base on /tf, as odom reports it; for odometry without a transform, "
        "and in one node only",
    )


class BaseTransform(Part):
    """The transform from the frame of the odometry to the root link, for each that comes."""

    ABOUT: ClassVar[dict[str, str]] = {"/tf": "where the floating base is in the odometry's frame"}
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (BaseSettings,)
    node: StateHost

    def __init__(self, node: StateHost) -> None:
        """Belong to a node that calls `update`."""
        super().__init__(node)
        self._publisher: Any = None
        self._message = TFMessage(transforms=[TransformStamped()])
        self._last = -1  # ns, stamp of the last pose that was published

    def install(self, model: dyn_core.Model) -> None:
        """Name the root link."""
        self._message.transforms[0].child_frame_id = root_link(model)

    def open(self) -> None:
        """Create the publisher if it is asked for."""
        self._publisher = None
        if self.values[BaseSettings].broadcast_base and self.values[Structure].floating_base:
            self._publisher = self.opened.publisher(TFMessage, "/tf", DEPTH)

    def start(self) -> None:
        """Publish the next pose, whatever its stamp."""
        self._last = -1

    def update(self) -> None:
        """Publish a pose that is new."""
        inputs = self.node.part(FreeJointInput)
        base = inputs.base
        if self._publisher is None or base is None or base.stamp == self._last:
            return
        self._last = base.stamp
        transform = self._message.transforms[0]
        transform.header.frame_id = inputs.world_frame
        transform.header.stamp = time_message(base.stamp)
        write_transform(transform.transform, base.placement(self.node.state.reference))
        self._publisher.publish(self._message)
