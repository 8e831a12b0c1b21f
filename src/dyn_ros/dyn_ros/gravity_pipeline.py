"""From a joint state to the efforts that hold the robot, in messages filled in place."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from dyn_msgs.msg import JointEfforts

from dyn_ros.adapters.effort import CommandMessage, EffortMessage
from dyn_ros.adapters.effort_limit import EffortLimiter
from dyn_ros.adapters.joint_state import JointStateReader
from dyn_ros.adapters.refusal import InputRefusedError
from dyn_ros.robot import Robot

if TYPE_CHECKING:
    from builtin_interfaces.msg import Time


class GravityPipeline:
    """Everything that a robot description determines about gravity compensation.

    A new description is a new pipeline: swapping it in is one assignment.
    """

    def __init__(
        self, description: str, *, include_coriolis: bool, command_joints: Sequence[str]
    ) -> None:
        """Prepare for a URDF. Raises ValueError, worded, if it does not fit."""
        quantity = "nonlinear_effects" if include_coriolis else "gravity"
        self.robot = Robot(description, [quantity])
        names = self.robot.joint_names
        terms = JointEfforts.TERM_GRAVITY
        if include_coriolis:
            terms |= JointEfforts.TERM_CORIOLIS
        self._include_coriolis = include_coriolis
        self.reader = JointStateReader(names, needs_velocity=include_coriolis)
        self.torque = EffortMessage(names, terms)
        self.command = CommandMessage(names, command_joints)
        self.limiter = EffortLimiter(names, self.robot.model.effort_limit)
        self._effort = np.zeros(self.robot.size)
        self._compute()  # so that the first joint state finds everything warm

    def update(self, stamp: "Time") -> None:
        """Compute the state in `reader` into both messages.

        Raises InputRefusedError if the result is not finite (positions beyond any reason).
        """
        self._compute()
        self.torque.fill(self._effort, stamp)
        self.command.fill(self.limiter.clamp(self._effort))

    def describe_excess(self) -> str:
        """Say which joints needed more effort than they have, empty if none."""
        return self.limiter.describe(self._effort) if self.limiter.exceeded else ""

    def _compute(self) -> None:
        position, velocity = self.reader.position, self.reader.velocity
        if self._include_coriolis:
            effort = self.robot.nonlinear_effects(position, velocity)
        else:
            effort = self.robot.gravity(position)
        if not np.isfinite(effort).all():
            raise InputRefusedError(
                "result not finite",
                "the efforts of this joint state are not finite: check positions and velocities",
            )
        np.copyto(self._effort, effort)
