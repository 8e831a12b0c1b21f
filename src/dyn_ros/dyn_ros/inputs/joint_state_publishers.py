# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Who publishes joint states, and whether several publishers tell of the same joints."""

from collections import Counter, deque
from collections.abc import Collection, Mapping, Sequence
from math import inf
from typing import Any

from dyn_ros.inputs.robot_state import StateHost
from dyn_ros.messages.joint_order import quoted
from dyn_ros.node.interfaces import name_of
from dyn_ros.node.report import Report

ADVICE = "Let one tell of each joint"
MIN_JUMPS = 5  # with good samples between them
CONFLICT_WINDOW_S = 2.0  # s in which so many are a conflict, and for which it lasts after the last


class JointStatePublishers:
    """Knows which publishers tell of a joint, whether or not they agree about it.

    Where the middleware does not say whose a message is (jazzy), it knows only who could have sent
    it.
    """

    def __init__(self, node: StateHost) -> None:
        """Know of nobody yet who publishes joint states for a node."""
        self._node = node
        self._before: set[Any] = set()  # who had sent before the last report

    @property
    def topic(self) -> str:
        """The name of the topic."""
        return self._node.resolve_topic_name("joint_states")

    def report(
        self, report: Report, senders: Mapping[Any, Collection[str]], joints: Sequence[str]
    ) -> None:
        """Tell of joints that several publishers tell of.

        `senders` has the joints in messages of each publisher since the last report. Who has come
        or gone since then may be one that was started again, and is not counted.
        """
        again, self._before = senders.keys() & self._before, set(senders)
        names = self._names() if again == {None} and set(joints) <= set(senders[None]) else []
        if len(names) > 1:
            report.note(
                f"{len(names)} publishers can send joint states on {self.topic}: "
                f"{quoted(names)}. {ADVICE}"
            )
        count = Counter(name for x in again for name in senders[x])
        shared = [name for name in joints if count[name] > 1]
        if shared:
            several = [x for x in again if not set(shared).isdisjoint(senders[x])]
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


class Conflict:
    """Counts jumps that good samples follow. All times are given, s of a steady clock."""

    def __init__(self) -> None:
        """Know of no jump."""
        self.what = ""  # about the last jump
        self.quiet = True  # as long as there was none
        self._jumps: deque[float] = deque(maxlen=MIN_JUMPS)
        self._jumped = False  # since the last good sample
        self._until = -inf

    def jump(self, now: float, what: str) -> None:
        """Take note of a sample that was refused; several in a row are one jump."""
        if not self._jumped:
            self._jumps.append(now)
        self._jumped, self.what, self.quiet = True, what, False

    def accept(self, now: float) -> bool:
        """Take note of a good sample; return whether it must not be trusted all the same."""
        self._jumped = False
        if len(self._jumps) == MIN_JUMPS and now - self._jumps[0] <= CONFLICT_WINDOW_S:
            self._until = now + CONFLICT_WINDOW_S
        return self.lasts(now)

    def lasts(self, now: float) -> bool:
        """Return whether there is a conflict."""
        return now < self._until
