# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Where tools shall be: poses in, of which every one is checked before anything moves."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from geometry_msgs.msg import PoseStamped

import dyn_core
from dyn_ros.arrays import Matrix
from dyn_ros.inputs.robot_state import StateHost
from dyn_ros.inputs.topic_input import TopicInput
from dyn_ros.messages.geometry import frame_topic, read_pose
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import NANOSECONDS, nanoseconds
from dyn_ros.node.report import Report
from dyn_ros.node.settings import Group, Values, parameter

TOPIC = "~/targets"
REACHED_DISTANCE = 1e-3  # m or rad: a target that is as near may end without a word
MAX_TARGET_JUMP_M = 1.0
"""From one target to the next, or from the tool to the first; one further away is refused."""


@dataclass(frozen=True)
class TargetSettings(Group):
    """Which tools have targets, and for how long."""

    tool: str = parameter(
        "",
        "link or frame that follows ~/targets; several, separated by commas, follow ~/targets/NAME "
        "each, in which characters that topics cannot have become _; empty: the end of the longest "
        "chain",
    )
    reference_timeout: float = parameter(
        0.5,
        "s without a target, or since its stamp, after which the tool brakes; 0: never, for "
        "targets that are sent once",
        limits=(0.0, 3600.0),
        live=True,
    )

    @property
    def tools(self) -> list[str]:
        """The frames that are named."""
        return [name.strip() for name in self.tool.split(",")] if self.tool else []


class TargetInput(TopicInput):
    """geometry_msgs/PoseStamped in: where a tool shall be, in the frame of header.frame_id.

    A frame that moves is taken where it is when the target comes. The newest target is in force
    until the next one, or until it is stale.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        TOPIC: "target of the tool, in any frame of the robot",
        f"{TOPIC}/*": "target of this tool, in any frame of the robot",
        "tools": "frames that follow targets, separated by commas",
        "target_distance_m": "largest distance of a commanded tool from its target",
        "target_angle_rad": "largest angle of a commanded tool to its target",
    }
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (TargetSettings,)
    node: StateHost

    def __init__(self, node: StateHost) -> None:
        """Belong to a node whose kernel computes frame_placements."""
        super().__init__(node)
        self.targets: dict[str, Matrix] = {}  # by tool, in the axes of the root link
        self.tools: tuple[str, ...] = ()
        self._topics: dict[str, str] = {}  # by tool
        self._frames: dict[str, int] = {}

    @staticmethod
    def impossible(values: Values) -> str:
        """Refuse tools that share a topic."""
        topics = {frame_topic(TOPIC, tool) for tool in values[TargetSettings].tools}
        if len(topics) < len(values[TargetSettings].tools):
            return "tool: name every tool once, and none whose topics are the same"
        return ""

    def install(self, model: dyn_core.Model) -> None:
        """Read targets for another robot: those in force were for the one before."""
        self._frames = {frame.name: i for i, frame in enumerate(model.frames)}
        several = len(self.tools) > 1
        self._topics = {x: frame_topic(TOPIC, x) if several else TOPIC for x in self.tools}
        self.forget()

    def open(self) -> None:
        """Subscribe: one tool has ~/targets, several have one topic each."""
        for number, tool in enumerate(self.tools):
            self.listen(PoseStamped, self._topics[tool], partial(self._take, number))

    def start(self) -> None:
        """Know of no target."""
        super().start()
        self.forget()

    def stop(self) -> None:
        """Go nowhere any more."""
        self.forget()

    def rewind(self) -> None:
        """Forget targets of another time."""
        self.forget()

    def forget(self) -> None:
        """Go nowhere until the next target comes."""
        self.targets.clear()

    def watch(self) -> None:
        """Drop targets that are too old."""
        timeout = self.values[TargetSettings].reference_timeout
        if not timeout:
            return
        for tool in [x for x in self.targets if self.age(self._topics[x]) > timeout]:
            del self.targets[tool]
            if max(self.node.motion.target_distances) > REACHED_DISTANCE:
                topic = self._topics[tool]
                where = self.node.resolve_topic_name(topic)
                text = (
                    f"no target on {where} for {timeout:g} s, and the last one was not reached: "
                    "publish targets repeatedly, or set reference_timeout to 0"
                )
                self.refuse(topic, InputRefusedError("target stale", text))

    def report(self, report: Report) -> None:
        """Say which tools there are, and how far they have to go."""
        super().report(report)
        way, turn = self.node.motion.target_distances
        report.values["tools"] = ", ".join(self.tools)
        report.values["target_distance_m"] = f"{way:.6f}"
        report.values["target_angle_rad"] = f"{turn:.6f}"

    def _take(self, number: int, message: PoseStamped) -> None:
        tool = self.tools[number]  # another robot's may have another name
        frame, placement = read_pose(message)
        self.node.surroundings.refuse_unknown_frame("the target", frame)
        self._refuse_old(message)
        if not self.node.located:
            raise InputRefusedError(
                "no joint state",
                "no joint state has come yet: wait for one before the first target",
            )
        places = self.node.results["frame_placements"]
        target = places[self._frames[frame]] @ placement
        refuse_jump(tool, self.targets.get(tool, places[self._frames[tool]]), target)
        self.targets[tool] = target

    def _refuse_old(self, message: PoseStamped) -> None:
        stamp = nanoseconds(message.header.stamp)
        age = (self.node.ros_time() - stamp) / NANOSECONDS
        timeout = self.values[TargetSettings].reference_timeout
        if stamp and timeout and abs(age) > timeout:
            when = "old" if age > 0.0 else "in the future"
            raise InputRefusedError(
                "target stale",
                f"the target is {abs(age):.3f} s {when} by its stamp: set header.stamp to 0, or "
                "compare the clocks",
            )


def refuse_jump(tool: str, before: Matrix, target: Matrix) -> None:
    """Raise InputRefusedError if a target (4, 4) is far from the one before, or from the tool."""
    with np.errstate(over="ignore", invalid="ignore"):
        length = np.linalg.norm(target[:3, 3] - before[:3, 3])
    if not length <= MAX_TARGET_JUMP_M:
        raise InputRefusedError(
            "target jump",
            f"the target of '{tool}' is {length:.3g} m from the last target or the tool, "
            f"more than {MAX_TARGET_JUMP_M:g} m: send targets in between",
        )
