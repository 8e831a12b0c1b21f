# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Where a tool is held by a spring, how fast that moves, and what it pushes with."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot
from typing import ClassVar

import numpy as np
from geometry_msgs.msg import PoseStamped, TwistStamped, WrenchStamped

import dyn_core
from dyn_core.control import pose_error
from dyn_core.model import last_body
from dyn_ros.arrays import Matrix, Vector
from dyn_ros.inputs.command_settings import CommandSettings
from dyn_ros.inputs.load_limits import Loads
from dyn_ros.inputs.target_input import refuse_jump
from dyn_ros.inputs.topic_input import TopicInput
from dyn_ros.messages.geometry import read_pose, read_twist, read_wrench
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.node.part import Host
from dyn_ros.node.settings import Group, Kind, Values, parameter
from dyn_ros.safety.plausible_limits import given
from dyn_ros.tracking.tool_motion import moved, objection_to_speed

POSE, TWIST, WRENCH = "~/target_pose", "~/target_twist", "~/target_wrench"
JOINT_SHARE = 0.5  # of the velocities that joints may have, which the way to a target takes
MAX_STEP_S = 0.1  # s of time between two states in which the target moves on


@dataclass(frozen=True)
class ToolTargetSettings(Group):
    """Which tool has a target, and for how long."""

    tool: str = parameter(
        "", "link or frame that follows ~/target_pose; empty: the end of the longest chain"
    )
    tool_speed: list[float] = parameter(
        [0.25, 1.0],
        "largest speed of the tool, m/s and rad/s; less if a joint needed more than half its limit",
        kind=Kind.DOUBLE_ARRAY,
        live=True,
    )
    reference_timeout: float = parameter(
        0.1,
        "s for which ~/target_twist and ~/target_wrench apply; the last ~/target_pose is kept",
        limits=(0.001, 60.0),
        live=True,
    )


def tool_of(model: dyn_core.Model, values: Values) -> str:
    """Return the tool of a model."""
    return values[ToolTargetSettings].tool or last_body(model)


class ToolTarget(TopicInput):
    """Messages of a target in, in the axes of header.frame_id.

    A frame that moves is taken where it is when the message comes. What the tool follows goes to
    the last pose at `tool_speed` at most, and so slowly that joints could follow: a spring that is
    stretched at once makes light wrists fast. The last pose is kept until the next one, or until
    commands are interrupted: then the tool is to stay where it is.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        POSE: "where the tool is held, in any frame of the robot; it is kept until the next one",
        TWIST: "velocity of this pose, in the axes of any frame, while reference_timeout lasts",
        WRENCH: "force and torque that the tool exerts beside those of spring and damper, at its "
        "origin in the axes of any frame, while reference_timeout lasts",
    }
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (ToolTargetSettings,)

    def __init__(self, node: Host) -> None:
        """Belong to a node that asks for `at` in each state."""
        super().__init__(node)
        self._vectors: dict[str, Vector] = {x: np.zeros(6) for x in (TWIST, WRENCH)}
        self.tool = ""
        self.pose: Matrix | None = None  # in the axes of the root link; None: targets are refused
        self._target: Matrix = np.eye(4)  # the last one, to which it goes
        self._rate: Vector = np.zeros(6)  # at which it does
        self._moved_at = 0.0  # s

    def install(self, model: dyn_core.Model) -> None:
        """Have the tool of another robot."""
        self.tool, self._loads, self.pose = tool_of(model, self.values), Loads(model), None
        self._fastest = JOINT_SHARE * given(np.asarray(model.velocity_limit))

    def open(self) -> None:
        """Subscribe."""
        self.listen(PoseStamped, POSE, self._take_pose)
        self.listen(TwistStamped, TWIST, self._take_twist)
        self.listen(WrenchStamped, WRENCH, self._take_wrench)

    def start(self) -> None:
        """Know of no target."""
        super().start()
        self.pose = None

    @staticmethod
    def impossible(values: Values) -> str:
        """Refuse speeds that are none."""
        return objection_to_speed(values[ToolTargetSettings].tool_speed)

    def at(self, jacobian: Matrix, mass: Matrix, weight: Vector, *, follows: bool) -> Matrix:
        """Return the pose: where the tool is unless it `follows` what is commanded.

        `jacobian` [6, nv] is the tool's, along the axes of the root link, `mass` [nv, nv] says
        which joints of many a pull moves, `weight` [6] how hard it is pulled along and about the
        axes: fewer than six joints go where it is pulled hardest.
        """
        seconds, self._moved_at = self.clock.now() - self._moved_at, self.clock.now()
        if follows and self.pose is not None:
            self.pose = self._nearer(self.pose, min(seconds, MAX_STEP_S), jacobian, mass, weight)
            return self.pose
        for vector in (self._rate, *self._vectors.values()):
            vector[:] = 0.0
        self._target = self._where(self.tool)
        self.pose = self._target if follows else None
        return self._target

    def begin_here(self) -> None:
        """Go to the target from where the tool is, at `tool_speed`: the spring is another one."""
        if self.pose is not None:
            self.pose = self._where(self.tool)

    def vectors(self) -> list[Vector]:
        """Return twist and wrench along the axes of the root link; too old ones are zero.

        The twist is that of the pose where no message gives one.
        """
        timeout = self.values[ToolTargetSettings].reference_timeout
        for topic, vector in self._vectors.items():
            if vector.any() and self.age(topic) > timeout:
                vector[:] = 0.0
                self.node.ramp()
        twist, wrench = self._vectors.values()
        return [twist if twist.any() else self._rate, wrench]

    @property
    def _speeds(self) -> list[float]:
        return self.values[ToolTargetSettings].tool_speed

    def _nearer(
        self, pose: Matrix, seconds: float, jacobian: Matrix, mass: Matrix, weight: Vector
    ) -> Matrix:
        """Return the pose after so many s on its way to the target."""
        way = pose_error(pose, self._target)
        ways = np.linalg.norm(way[:3]), np.linalg.norm(way[3:])
        needed = float(max(x / speed for x, speed in zip(ways, self._speeds, strict=True)))  # s
        if needed > seconds:
            root = np.linalg.cholesky(mass)
            pulled = np.linalg.solve(root, (weight[:, np.newaxis] * jacobian).T).T
            least = np.linalg.lstsq(pulled, weight * way, rcond=None)[0]  # kinetic energy
            moves = np.abs(np.linalg.solve(root.T, least))  # of joints
            scale = min(self.values[CommandSettings].velocity_scale or np.inf, 1.0)
            needed = max(needed, float((moves / (scale * self._fastest)).max()))
        if needed <= seconds:
            self._rate[:] = 0.0
            return self._target
        self._rate[:] = way / needed
        return moved(pose, seconds * self._rate)

    def _take_pose(self, message: PoseStamped) -> None:
        frame, placement = read_pose(message)
        self._refuse_without_commands()
        target = self._where(frame) @ placement
        refuse_jump(self.tool, self._target, target)
        self._target = target

    def _take_twist(self, message: TwistStamped) -> None:
        frame, twist = read_twist(message)
        speeds, limits = (hypot(*twist[:3]), hypot(*twist[3:])), self._speeds
        if not all(x <= most for x, most in zip(speeds, limits, strict=True)):
            raise InputRefusedError(
                "target too fast",
                f"the twist of '{self.tool}' has {speeds[0]:.3g} m/s and {speeds[1]:.3g} rad/s, "
                f"more than tool_speed allows, {limits[0]:g} and {limits[1]:g}",
            )
        self._turn(TWIST, frame, twist)

    def _take_wrench(self, message: WrenchStamped) -> None:
        frame, wrench = read_wrench(message)
        self._loads.refuse_wrench(self.tool, wrench)
        self._turn(WRENCH, frame, wrench)

    def _turn(self, topic: str, frame: str, vector: Sequence[float]) -> None:
        """Keep a vector, turned into the axes of the root link."""
        self._refuse_without_commands()
        self._vectors[topic][:] = np.ravel(
            np.reshape(vector, (2, 3)) @ self._where(frame)[:3, :3].T
        )

    def _refuse_without_commands(self) -> None:
        if self.pose is None:
            raise InputRefusedError(
                "no commands", "no commands are sent: send targets once diagnostics say active"
            )

    def _where(self, frame: str) -> Matrix:
        """Return where a frame is; joint states have come."""
        self.node.surroundings.refuse_unknown_frame("the target", frame)
        placement = self.node.surroundings.placement(frame)
        assert placement is not None
        return placement
