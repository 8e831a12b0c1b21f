# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Who else can command the same motors, and whether they do."""

from collections import Counter
from contextlib import suppress
from time import monotonic
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray

from dyn_ros.messages.joint_order import quoted
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.serialized import deserialized
from dyn_ros.node.interfaces import name_of
from dyn_ros.node.part import Host
from dyn_ros.safety.beginning import NotBegunError

AT_WORK = 1.5  # s for which who commands is believed; nodes of this package say so once a second
TIE = 0.5  # s between two beginnings from which on it is known which was first; else names decide
ON_FOR = "commands on for [s]"  # in diagnostics, a number only while they are
UNKNOWN = "_NODE_NAME_UNKNOWN_"  # what rmw calls a node that it has not heard of yet


class OthersCommandError(NotBegunError):
    """Another node commands the same motors, and goes on."""


class Rivals:
    """Other nodes that publish the commands of a node, perhaps of the same name.

    Nodes of this package say in their diagnostics for how long their commands are on. Of one that
    has the node's own name, and of others' nodes, nobody knows. Of two that command the same motors
    the one that began first goes on: the other ends, and says nothing more.
    """

    def __init__(self, node: Host) -> None:
        """Know nobody yet."""
        self._node = node
        self._topic = ""
        self._names: list[str] = []
        self._on: dict[str, tuple[float, float]] = {}  # s, when one said so last, and since when
        self._met: dict[str, float] = {}  # s, when those came who have not said anything yet

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._names)

    def look(self, topic: str) -> None:
        """Look who publishes on a topic, and tell once."""
        self._topic, own = topic, self._node.get_fully_qualified_name()
        publishers: list[Any] = self._node.get_publishers_info_by_topic(topic)
        known = Counter(name_of(x) for x in publishers if x.node_name != UNKNOWN)
        known -= Counter([own])
        for name in set(known) - {*self._names, own}:
            self._met[name] = monotonic()
        names, self._names = self._names, sorted(known)
        if self._names and self._names != names:
            self._node.get_logger().warning(str(self))

    def hear(self, data: bytes) -> bool:
        """Take note of diagnostics, serialized; return whether commands of others are on."""
        others = set(self._names) - {self._node.get_fully_qualified_name()}
        if not any(name.encode() in data for name in others):
            return False
        with suppress(InputRefusedError):
            for status in deserialized(data, DiagnosticArray).status:
                name = status.name.partition(":")[0]
                if name in others:
                    self._take(name, {x.key: x.value for x in status.values}.get(ON_FOR, ""))
        return bool(self._on)

    def _take(self, name: str, on_for: str) -> None:
        self._met.pop(name, None)
        self._on.pop(name, None)
        with suppress(ValueError):
            now = monotonic()
            self._on[name] = now, now - float(on_for)  # later than it was, by the way here

    @property
    def at_work(self) -> dict[str, float]:
        """Since when, s, others command the motors, by name."""
        recent = monotonic() - AT_WORK
        return {name: since for name, (said, since) in self._on.items() if said > recent}

    def refuse_beside_others(self, since: float | None) -> None:
        """Raise NotBegunError if others command the motors, or have not said yet.

        Where commands have begun, at `since`, s: only beside others that began before.
        """
        own = self._node.get_fully_qualified_name()
        senior = [
            name
            for name, began in self.at_work.items()
            if since is None or began + (TIE if own < name else -TIE) < since
        ]
        if senior:
            raise OthersCommandError(
                f"{quoted(senior)} commands the same motors: let its shutdown.command be none, "
                "so that they keep its last command, and deactivate it"
            )
        new = [name for name, then in self._met.items() if monotonic() - then < AT_WORK]
        if new and since is None:
            raise NotBegunError(f"does {quoted(new)} command the motors?", usual=True)

    def __str__(self) -> str:
        """Say who they are and what to do."""
        return (
            f"{quoted(self._names)} can send commands on {self._topic} too, and a controller would "
            "follow both: let only one be active. One that ends beside it needs shutdown.command "
            "none, or it lets the arm down"
        )
