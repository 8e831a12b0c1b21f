# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Who else can command the same motors, and whether they do."""

from collections import Counter
from contextlib import suppress
from time import monotonic
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray

from dyn_ros.adapters.joint_order import quoted
from dyn_ros.adapters.refusal import InputRefusedError
from dyn_ros.base.interfaces import name_of
from dyn_ros.base.newest import Serialized
from dyn_ros.base.part import Host
from dyn_ros.commanding.beginning import NotBegunError
from dyn_ros.commanding.stream import Phase

AT_WORK = 1.5  # s for which who commands is believed; nodes of this package say so once a second
UNKNOWN = "_NODE_NAME_UNKNOWN_"  # what rmw calls a node that it has not heard of yet


class Rivals:
    """Other nodes that publish the commands of a node, perhaps of the same name.

    Nodes of this package say in their diagnostics whether their commands are on. Of one that has
    the node's own name, and of others' nodes, nobody knows.
    """

    def __init__(self, node: Host) -> None:
        """Know nobody yet."""
        self._node = node
        self._topic = ""
        self._names: list[str] = []
        self._at_work: dict[str, tuple[float, bool]] = {}  # since when, s, and whether one said so

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
            self._at_work[name] = monotonic(), False
        names, self._names = self._names, sorted(known)
        if self._names and self._names != names:
            self._node.get_logger().warning(str(self))

    def hear(self, data: bytes) -> None:
        """Take note of diagnostics, serialized, that say whether commands are on."""
        others = set(self._names) - {self._node.get_fully_qualified_name()}
        if not any(name.encode() in data for name in others):
            return
        with suppress(InputRefusedError):
            for status in Serialized(DiagnosticArray, data).message.status:
                name = status.name.partition(":")[0]
                if name in others:
                    told = {x.key: x.value for x in status.values}.get("commands")
                    on = told == Phase.FOLLOWING.value
                    self._at_work[name] = monotonic() if on else 0.0, on

    def refuse_to_join(self) -> None:
        """Raise NotBegunError if others command the motors, or have not said yet."""
        since = monotonic() - AT_WORK
        recent = {name: said for name, (then, said) in self._at_work.items() if then > since}
        if at_work := [name for name, said in recent.items() if said]:
            raise NotBegunError(
                f"{quoted(at_work)} commands the same motors: let its shutdown_command be none, "
                "so that they keep its last command, and deactivate it"
            )
        if recent:
            raise NotBegunError(f"does {quoted(list(recent))} command the motors?", usual=True)

    def __str__(self) -> str:
        """Say who they are and what to do."""
        return (
            f"{quoted(self._names)} can send commands on {self._topic} too, and a controller would "
            "follow both: let only one be active. One that ends beside it needs shutdown_command "
            "none, or it lets the arm down"
        )
