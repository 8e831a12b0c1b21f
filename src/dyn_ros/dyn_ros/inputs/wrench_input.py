# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""External wrenches on a robot, measured by force-torque sensors or known otherwise."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from geometry_msgs.msg import WrenchStamped

import dyn_core
from dyn_ros.inputs.joint_state_settings import JointStateSettings
from dyn_ros.inputs.load_limits import Loads
from dyn_ros.inputs.topic_input import TopicInput
from dyn_ros.messages.geometry import read_wrench
from dyn_ros.node.part import Host, KernelPart
from dyn_ros.node.report import Report
from dyn_ros.node.settings import Group, Kind, Values, parameter


@dataclass(frozen=True)
class WrenchSettings(Group):
    """Known wrenches on the robot."""

    wrench_topics: list[str] = parameter(
        [],
        "topics of geometry_msgs/WrenchStamped: known force (N) and torque (N m) on the robot, "
        "at the origin and in the axes of header.frame_id, a link or frame of the robot. "
        "gravity_compensation, computed_torque and impedance compensate it, external_torque "
        "estimates the residual; one older than joint_state_timeout counts no more",
        kind=Kind.STRING_ARRAY,
    )


class WrenchInput(TopicInput, KernelPart):
    """geometry_msgs/WrenchStamped in, on several topics; they enter what a node computes.

    The newest of a topic is in force until the next one, or until it is stale. A topic on which
    nothing has come yet pushes at nothing.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        "~/wrench": "external force and torque on the robot, at a frame",
    }
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (WrenchSettings,)

    def __init__(self, node: Host) -> None:
        """Belong to a node whose kernels take its surroundings."""
        super().__init__(node)
        self._loads: Loads
        self._wrenches: dict[str, tuple[str, tuple[float, ...]]] = {}  # by topic

    @staticmethod
    def impossible(values: Values) -> str:
        """Refuse a topic that is there twice: its wrench would count twice."""
        topics = values[WrenchSettings].wrench_topics
        return "" if len(set(topics)) == len(topics) else "wrench_topics: name every topic once"

    @property
    def enabled(self) -> bool:
        """Whether there are topics to listen to."""
        return bool(self.values[WrenchSettings].wrench_topics)

    def install(self, model: dyn_core.Model) -> None:
        """Push at another robot, wherever it has the same frames."""
        self._loads = Loads(model)
        names = {frame.name for frame in model.frames}
        self._wrenches = {t: w for t, w in self._wrenches.items() if w[0] in names}
        self._push()

    def open(self) -> None:
        """Subscribe."""
        for topic in self.values[WrenchSettings].wrench_topics:
            self.listen(WrenchStamped, topic, partial(self._take, topic))

    def start(self) -> None:
        """Know of no wrench."""
        super().start()
        self._wrenches.clear()
        self._push()

    @property
    def may_be_absent(self) -> bool:
        """Use the topics that are subscribed."""
        return self.enabled

    def refuse_absence(self) -> None:
        """Drop wrenches that are too old."""
        timeout = self.values[JointStateSettings].joint_state_timeout
        old = [topic for topic in self._wrenches if self.age(topic) > timeout]
        if not old:
            return
        what = f"no wrench on {self.node.resolve_topic_name(old[0])} for {timeout:g} s"
        self.node.get_logger().warning(
            f"{what}: computing without it; is the sensor's driver running?"
        )
        for topic in old:
            del self._wrenches[topic]
        self._push()
        self.node.ramp()

    def report(self, report: Report) -> None:
        """Say on which topics nothing comes."""
        super().report(report)
        absent = [
            topic
            for topic in self.values[WrenchSettings].wrench_topics
            if topic not in self._wrenches
        ]
        if absent and self.node.active:
            report.warn(f"no wrench on {self.node.resolve_topic_name(absent[0])}")

    def _take(self, topic: str, message: WrenchStamped) -> None:
        frame, wrench = read_wrench(message)
        self.node.surroundings.refuse_unknown_frame("the wrench", frame)
        others = [push for place, push in self._wrenches.items() if place != topic]
        self._loads.refuse_wrench(frame, wrench, others)
        new = topic not in self._wrenches
        self._wrenches[topic] = frame, wrench
        self._push()
        if new:
            self.node.ramp()

    def _push(self) -> None:
        self.node.surroundings.push(self._wrenches.values())
