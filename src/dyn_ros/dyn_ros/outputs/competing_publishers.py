# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Other nodes that can command the same motors, and whether they do."""

from collections import Counter
from collections.abc import Callable
from math import inf
from typing import Any

from dyn_msgs.msg import CommandActivity
from rclpy.qos import DurabilityPolicy, QoSProfile

from dyn_ros.messages.joint_order import quoted
from dyn_ros.messages.stamp import duration_message, seconds_of
from dyn_ros.node.interfaces import DEPTH, Interfaces, name_of
from dyn_ros.node.part import Host
from dyn_ros.safety.beginning import NotBegunError

PERIOD_S = 1.0  # between two announcements, if nothing changes
BELIEVED_S = 1.5  # for which an announcement is believed, and a new publisher's is waited for
TIE_S = 0.5  # between two beginnings from which on it is known which was first; else names decide
UNKNOWN_NODE_NAME = "_NODE_NAME_UNKNOWN_"  # what rmw calls a node that it has not heard of yet
LATCHED = QoSProfile(depth=DEPTH, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class OthersCommandError(NotBegunError):
    """Another node commands the same motors, and continues."""


class CompetingPublishers:
    """Other nodes that publish the commands of a node, perhaps of the same name.

    Nodes of this package announce beside their commands for how long they have sent them. Of two
    that command the same motors the one that began first continues: the other ends, and sends
    nothing more. Other programs, and a node of the same name, announce nothing.
    """

    def __init__(self, node: Host) -> None:
        """Know of none yet."""
        self._node, self._topic = node, ""
        self._seen: dict[str, float] = {}  # s, when each was seen first
        self._heard: dict[str, tuple[float, float | None]] = {}  # s: announced when, active since
        self._announced: tuple[float, float | None]  # the same of this node

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._seen)

    def open(self, opened: Interfaces, topic: str, changed: Callable[[], None]) -> None:
        """Listen to the publishers of a topic; call `changed` when one commands."""
        self._topic, self._changed = topic, changed
        beside = f"{topic}/publishers"
        self._publisher = opened.publisher(CommandActivity, beside, LATCHED)
        opened.subscription(CommandActivity, beside, self._hear, LATCHED)
        self._announced = -inf, None
        self.announce(self._node.clock.now(), None)

    def announce(self, now: float, since: float | None) -> None:
        """Publish since when, s, this node has commanded, at each change and once a second."""
        then, before = self._announced
        if since == before and now - then < PERIOD_S:
            return
        self._announced = now, since
        self._publisher.publish(
            CommandActivity(
                node=self._node.get_fully_qualified_name(),
                active=since is not None,
                active_time=duration_message(0.0 if since is None else now - since),
            )
        )

    def look(self, now: float) -> None:
        """Look who publishes the commands, and log it once."""
        publishers: list[Any] = self._node.get_publishers_info_by_topic(self._topic)
        known = Counter(name_of(x) for x in publishers if x.node_name != UNKNOWN_NODE_NAME)
        known -= Counter([self._node.get_fully_qualified_name()])
        before, self._seen = self._seen, {x: self._seen.get(x, now) for x in sorted(known)}
        if self._seen and self._seen.keys() != before.keys():
            self._node.get_logger().warning(str(self))

    def _hear(self, message: CommandActivity) -> None:
        if message.node == self._node.get_fully_qualified_name():
            return
        now = self._node.clock.now()
        since = now - seconds_of(message.active_time) if message.active else None
        self._heard[message.node] = now, since
        if message.active and message.node not in self._seen:
            self.look(now)
        self._changed()

    def active(self, now: float) -> dict[str, float]:
        """Return since when, s, others command the motors, by name.

        An announcement counts only if DDS knows the node as a publisher of the commands: a damaged
        or foreign message does not let the arm down.
        """
        return {
            name: since
            for name, (then, since) in self._heard.items()
            if since is not None and now - then < BELIEVED_S and name in self._seen
        }

    def refuse_beside_others(self, since: float | None, now: float) -> None:
        """Raise NotBegunError if others command the motors, or have not announced whether.

        Where commands have begun, at `since`, s: only beside others that began before.
        """
        own = self._node.get_fully_qualified_name()
        first = [
            name
            for name, began in self.active(now).items()
            if since is None or began + (TIE_S if own < name else -TIE_S) < since
        ]
        if first:
            raise OthersCommandError(
                f"{quoted(first)} commands the same motors: let its shutdown.command be none, "
                "so that they keep its last command, and deactivate it"
            )
        new = [x for x, seen in self._seen.items() if x not in self._heard]
        new = [x for x in new if now - self._seen[x] < BELIEVED_S]
        if new and since is None:
            raise NotBegunError(
                f"waiting for {quoted(new)} to report whether it commands the same joints",
                usual=True,
            )

    def __str__(self) -> str:
        """Return who they are and what to do."""
        return (
            f"{quoted(self._seen)} can send commands on {self._topic} too: let only one node be "
            "active, because a controller obeys both. Set shutdown.command to none in the other "
            "before you deactivate it: its shutdown command would let the arm down"
        )
