# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Who publishes joint states, and whether several publishers tell of the same joints."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from dyn_ros.inputs.sample_statistics import gid_of
from dyn_ros.inputs.state_host import StateHost
from dyn_ros.messages.joint_order import quoted
from dyn_ros.node.interfaces import name_of
from dyn_ros.node.report import Report

ADVICE = "Let one tell of each joint"


class JointStatePublishers:
    """Knows which publishers tell of a joint, whether or not they agree about it.

    Looks at the rate of diagnostics at the numbers that publishers count their messages with. Where
    the middleware does not say whose a message is (jazzy), it knows only who could have sent it.
    """

    def __init__(self, node: StateHost) -> None:
        """Know of nobody yet who publishes joint states for a node."""
        self._node = node
        self._joints: dict[bytes, set[str]] = {}  # of those whose messages lacked some
        self._incomplete = False  # whether a message did since the last report
        self._numbers: dict[Any, int] = {}  # of each publisher's last message then
        self._before: set[Any] = set()  # who has sent in the interval before that

    @property
    def topic(self) -> str:
        """The name of the topic."""
        return self._node.resolve_topic_name("joint_states")

    def heard_part(self, info: Mapping[str, Any], names: Sequence[str]) -> None:
        """Take note that a message with its info lacked joints of the robot."""
        self._incomplete = True
        if publisher := gid_of(info):
            self._joints.setdefault(publisher, set()).update(names)

    def report(self, report: Report, numbers: Mapping[Any, int], joints: Sequence[str]) -> None:
        """Tell of joints that several publishers tell of.

        `numbers` has the number of the last message of each publisher. Who has come or gone since
        the last report may be one that was started again, and is not counted.
        """
        sending = {x for x, number in numbers.items() if self._numbers.get(x) != number}
        self._numbers, again = dict(numbers), sending & self._before
        self._before = sending
        incomplete, self._incomplete = self._incomplete, False
        if again == {None}:
            names = [] if incomplete else self._names()
            if len(names) > 1:
                report.note(
                    f"{len(names)} publishers can send joint states on {self.topic}: "
                    f"{quoted(names)}. {ADVICE}"
                )
            return
        count = Counter(name for x in again for name in self._joints.get(x, joints))
        shared = [name for name in joints if count[name] > 1]
        if shared:
            several = [x for x in again if not set(shared).isdisjoint(self._joints.get(x, shared))]
            report.warn(
                f"joint {quoted(shared)} come from {len(several)} publishers on {self.topic}: "
                f"{quoted(self._names(several))}. {ADVICE}"
            )

    def conflict_text(self, what: str) -> str:
        """Say that positions jump to and fro; `what` is about the last jump."""
        return (
            f"positions on {self.topic} jump to and fro (it has "
            f"{self._node.count_publishers(self.topic)} publishers), the last: {what} {ADVICE}"
        )

    def _names(self, gids: Collection[bytes] | None = None) -> list[str]:
        """Return the nodes of all publishers, or of those with these identities."""
        return sorted(
            name_of(x)
            for x in self._node.get_publishers_info_by_topic(self.topic)
            if gids is None or any(bytes(x.endpoint_gid)[: len(gid)] == gid for gid in gids)
        )
