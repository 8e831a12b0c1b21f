# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What the nodes of a namespace publish, the newest of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from dyn_msgs.msg import ExternalEfforts, JointEfforts
from nav_msgs.msg import Odometry
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from dyn_ros.arrays import Vector
from dyn_ros.clock import CLOCK, Clock

MAX_MESSAGE_AGE_S = 1.0  # s after which a message says nothing of now
LOOK_CALLBACKS = 10  # more than there are topics
IDLE = ("off", "waiting")  # what a node reports as `commands` while it sends none
# The newest sample alone, so that only what `look` takes is converted.
NEWEST_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
TOPICS: dict[str, tuple[type, QoSProfile]] = {
    "joint_states": (JointState, NEWEST_QOS),
    "odom": (Odometry, NEWEST_QOS),
    "robot_description": (String, LATCHED),
    "gravity_compensation/gravity_torque": (JointEfforts, NEWEST_QOS),
    "external_torque/external_efforts": (ExternalEfforts, NEWEST_QOS),
    "computed_torque/desired": (JointState, NEWEST_QOS),
}


@dataclass(frozen=True)
class NodeReport:
    """One node's status."""

    node: str
    level: int
    message: str
    values: Mapping[str, str] = field(default_factory=dict)
    time: float = 0.0  # s, monotonic

    @property
    def active(self) -> bool:
        """Whether the node is in this state of its lifecycle."""
        return self.values.get("state") == "active"


class Listener:
    """Keeps the newest message of each topic, and the newest report of each node."""

    def __init__(self, node: Node, clock: Clock = CLOCK) -> None:
        """Subscribe through a node; the topics are those of its namespace."""
        self._node, self._clock = node, clock
        self._came: dict[str, tuple[Any, float]] = {}
        self.reports: dict[str, NodeReport] = {}
        for name, (kind, profile) in TOPICS.items():
            node.create_subscription(kind, name, self._keep(name), profile)
        node.create_subscription(DiagnosticArray, "/diagnostics", self._take_report, 50)

    def newest(self, topic: str, old: float = MAX_MESSAGE_AGE_S) -> Any:
        """Return the newest message of a topic, None if there is none of the last `old` s."""
        return self._came[topic][0] if self.age(topic) < old else None

    def age(self, topic: str) -> float:
        """Return how long ago the newest message of a topic came, s; inf without one."""
        came = self._came.get(topic)
        return inf if came is None else self._clock.now() - came[1]

    @property
    def description(self) -> str:
        """The newest robot description, empty before the first one."""
        message = self.newest("robot_description", old=inf)
        return "" if message is None else str(message.data)

    def _keep(self, name: str) -> Any:
        def take(message: Any) -> None:
            self._came[name] = message, self._clock.now()

        return take

    def _take_report(self, message: DiagnosticArray) -> None:
        prefix = self._node.get_namespace().rstrip("/") + "/"
        for status in message.status:
            name = status.name.partition(":")[0]
            if not name.startswith(prefix):
                continue
            level = status.level if isinstance(status.level, int) else status.level[0]
            values = {entry.key: entry.value for entry in status.values}
            node = name.removeprefix(prefix)
            self.reports[node] = NodeReport(node, level, status.message, values, self._clock.now())


def look(executor: Executor, period: float) -> None:
    """Wait `period` s, then take what has come: of topics at 1 kHz the newest message alone."""
    CLOCK.sleep(period)
    for _ in range(LOOK_CALLBACKS):
        executor.spin_once(timeout_sec=0.0)


def by_name(names: Sequence[str], known: Sequence[str], values: Sequence[float]) -> Vector:
    """Return values in the order of `names`; NaN where there is none."""
    found = dict(zip(known, values, strict=False))
    return np.array([found.get(name, np.nan) for name in names], dtype=np.float64)
