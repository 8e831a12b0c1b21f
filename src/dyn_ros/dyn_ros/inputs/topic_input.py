# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The base of inputs that come on topics beside joint_states."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from rclpy.qos import QoSProfile, ReliabilityPolicy

from dyn_ros.inputs.bad_input import reaction_to
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.node.part import Host, Part
from dyn_ros.node.report import Report, key

SENSOR_QOS = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)


class TopicInput(Part):
    """Receives messages; unusable ones are counted, logged and answered by policy.

    They change nothing: what was known before stays so until it is too old.
    """

    def __init__(self, node: Host) -> None:
        """Belong to a node."""
        super().__init__(node)
        self._refused: Counter[tuple[str, str]] = Counter()  # by topic and reason
        self._last_refusal = ""  # since the last report
        self._came: dict[str, float] = {}  # when the last valid message of a topic came, s

    def listen(self, kind: Any, topic: str, take: Callable[[Any], None]) -> None:
        """Subscribe; `take` raises InputRefusedError for what cannot be used."""

        def receive(message: Any, info: dict[str, Any]) -> None:
            self.receive(topic, take, message)

        self.opened.callback(
            self.node.topics.subscribe(self.node, kind, topic, receive, SENSOR_QOS)
        )

    def receive(self, topic: str, take: Callable[[Any], None], message: Any) -> None:
        """Take a message of a topic, or refuse it."""
        if not self.node.active:
            return
        try:
            take(message)
        except InputRefusedError as refusal:
            self.refuse(topic, refusal)
        else:
            self._came[topic] = self.clock.now()

    def refuse(self, topic: str, refusal: InputRefusedError) -> None:
        """Count and log a refused message, and react to it."""
        self._refused[topic, refusal.reason] += 1
        self._last_refusal = f"{self.node.resolve_topic_name(topic)}: {refusal}"
        self.node.warn_seldom(topic, f"message refused on {self._last_refusal}")
        reaction = reaction_to(refusal.reason, self.values)
        self.node.answer_bad_input(reaction, self._last_refusal)

    def age(self, topic: str) -> float:
        """Return how long ago the last valid message of a topic came, s; inf without one."""
        return self.clock.now() - self._came.get(topic, -float("inf"))

    def start(self) -> None:
        """Know of no message, with all counts at zero."""
        self._refused.clear()
        self._last_refusal = ""
        self._came.clear()

    def report(self, report: Report) -> None:
        """Report refused messages and the age of the last valid one."""
        for (topic, reason), count in self._refused.items():
            report.values[key(topic, "refused", reason)] = count
        for topic in self._came:
            report.values[key(topic, "age_s")] = f"{self.age(topic):.3f}"
        if self._last_refusal:
            report.warn(f"message refused on {self._last_refusal}")
            self._last_refusal = ""
