# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Takes tools of a robot to where they shall be, by differential inverse kinematics."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple
from weakref import WeakKeyDictionary

import dyn_core
from dyn_core.control import CollisionBarrier
from dyn_core.errors import ModelError
from dyn_core.identification import self_collision
from dyn_core.model import last_body
from dyn_ros.arrays import Vector
from dyn_ros.inputs.free_joint_input import FreeJointInput
from dyn_ros.inputs.joint_states import JointStateInput
from dyn_ros.inputs.target_input import TargetInput, TargetSettings
from dyn_ros.kernels.robot import KernelRequest, Quantities
from dyn_ros.node.part import Part
from dyn_ros.node.settings import Group, Kind, Values, parameter
from dyn_ros.nodes.state_node import StateKernel, StateNode
from dyn_ros.outputs.command_subscribers import CommandSubscribers
from dyn_ros.outputs.motion_commands import MotionCommands, MotionScale, MotionSettings
from dyn_ros.tracking.tool_motion import (
    ToolMotion,
    objection_to_speed,
    places_of,
    task_kernel,
)


@dataclass(frozen=True)
class ToolSettings(Group):
    """How tools go to targets."""

    tool_speed: list[float] = parameter(
        [0.25, 1.0],
        "largest speed of the tool, m/s and rad/s",
        kind=Kind.DOUBLE_ARRAY,
        live=True,
    )
    orientation_cost: float = parameter(
        0.5,
        "m/rad: so many metres of position error count as one radian of orientation error; 0: "
        "orientations are free",
        limits=(0.0, 1e6),
    )
    posture: str = parameter(
        "",
        "'joint=position, joint=position' in rad or m, which redundant joints approach; other "
        "joints keep their first position",
    )
    collision_distance: float = parameter(
        0.0,
        "smallest distance of links, m, by their collision shapes; needs coal: pip install coal; "
        "0: collisions are not avoided",
        limits=(0.0, 10.0),
    )
    srdf_file: str = parameter(
        "",
        "path of an SRDF file whose disabled pairs of links may touch",
    )


class PreparedIk(NamedTuple):
    """What depends on the model."""

    kernel: StateKernel
    motion: ToolMotion


class Ik(StateNode):
    """joint_states and ~/targets in; ~/joint_trajectory, or ~/commands with velocities, out.

    While the newest target is in force its tool goes there, straight and within all limits, and
    stays. Out of reach it stays as near as it gets.
    """

    NAME: ClassVar[str] = "ik"
    FOR_LISTENERS: ClassVar[bool] = False
    QUANTITIES: ClassVar[Quantities] = ("frame_placements",)
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (ToolSettings,)
    PARTS: ClassVar[tuple[type[Part], ...]] = (
        JointStateInput,
        FreeJointInput,
        TargetInput,
        CommandSubscribers,
        MotionCommands,
    )

    def __init__(self, **options: Any) -> None:
        """Declare parameters. Raises ValueError on a bad one."""
        self._texts: WeakKeyDictionary[dyn_core.Model, str] = WeakKeyDictionary()
        self.motion: ToolMotion  # which its parts ask too
        self.located = False  # whether results are of a joint state of this activation
        super().__init__(**options)
        self._targets, self._commands = self.part(TargetInput), self.part(MotionCommands)

    @staticmethod
    def impossible(values: Values) -> str:
        """Refuse speeds with which no tool arrives."""
        return objection_to_speed(values[ToolSettings].tool_speed)

    @property
    def needs_velocity(self) -> bool:
        """Positions are enough; velocities matter if the robot moves already."""
        return False

    @classmethod
    def kernels(cls, values: Values) -> tuple[KernelRequest, ...]:
        """Return the quantities of the state and of the named tools."""
        tools = values[TargetSettings].tools
        return (
            *super().kernels(values),
            *((places_of(tools), task_kernel(tools)) if tools else ()),
        )

    def load_model(self, description: str, values: Values) -> dyn_core.Model:
        """Keep the text too: shapes are read from it."""
        model = super().load_model(description, values)
        self._texts[model] = description
        return model

    def prepare(self, model: dyn_core.Model, values: Values) -> Any:
        """Compile state and tasks, and read the shapes that stay apart if that is asked for."""
        motion = ToolMotion(
            model,
            values[TargetSettings].tools or [last_body(model)],
            velocity_scale=values[MotionScale].motion_scale,
            acceleration=values[MotionSettings].acceleration,
            orientation_cost=values[ToolSettings].orientation_cost,
            posture=values[ToolSettings].posture,
            barrier=self._barrier(model, values),
        )
        return PreparedIk(super().prepare(model, values), motion)

    def install(self, prepared: Any) -> None:
        """Move another robot."""
        super().install(prepared.kernel)
        self.motion, self.located = prepared.motion, False
        self._targets.tools = self.motion.tools

    def start(self) -> None:
        """Know of no state."""
        super().start()
        self.located = False

    def publish(self, stamp: int) -> None:
        """Command the next step to the targets in force."""
        self.located = True
        commands, state = self._commands, self.state
        self._targets.watch()
        targets = self._targets.targets
        if not targets:
            commands.rest()
            return
        seconds = commands.due(state)
        known = commands.ready(state) if seconds else None
        if known is not None:
            self.motion.speed = self.values[ToolSettings].tool_speed
            commands.move(self.motion.velocity(*known, seconds, targets), seconds)

    def begin_motion(self, position: Vector) -> None:
        """Let tools without a target stay, and the rest go to the posture."""
        self.motion.stay(position)

    def _barrier(self, model: dyn_core.Model, values: Values) -> CollisionBarrier | None:
        """Return what keeps the shapes of the description apart, if that is asked for.

        Raises ValueError if nothing can.
        """
        least = values[ToolSettings].collision_distance
        if not least:
            return None
        found = self_collision(
            model, self._texts[model], srdf=values[ToolSettings].srdf_file or None
        )
        if found.checker is None:
            raise ValueError(
                f"collision_distance is not 0, but {found.note}: give the description collision "
                "shapes, or set it to 0"
            )
        self.get_logger().info(found.note)
        try:
            return CollisionBarrier(found.checker, least, within=least + 0.3)
        except ModelError as error:
            raise ValueError(str(error)) from error
