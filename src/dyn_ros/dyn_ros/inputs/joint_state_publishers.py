# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Publishers of joint states, and whether several of them publish the same joints."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from dyn_ros.inputs.robot_state import StateHost
from dyn_ros.messages.joint_order import quoted
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.node.interfaces import name_of
from dyn_ros.node.report import Report

ADVICE = "Let only one publisher report each joint"
MAX_JUMP_SHARE = 0.2  # of joint states; two robots that alternate have half
FEW_JUMPS_SHARE = 0.015  # from two within STATES on, velocities by positions are not believed
STATES = 100  # of so many it is a mean: noise of it is far below


class JointStatePublishers:
    """Knows which publishers have a joint, whether or not they agree about it.

    Where the middleware does not say whose a message is (jazzy), it knows only who could have sent
    it.
    """

    def __init__(self, node: StateHost) -> None:
        """Know no publisher of joint states for a node yet."""
        self._node = node
        self._before: set[Any] = set()  # who had sent before the last report
        self.conflict = Conflict()

    @property
    def topic(self) -> str:
        """The name of the topic."""
        return self._node.resolve_topic_name("joint_states")

    def report(
        self, report: Report, senders: Mapping[Any, Collection[str]], joints: Sequence[str]
    ) -> None:
        """Report a conflict, else joints that several publishers have.

        `senders` has the joints in messages of each publisher since the last report. Who has come
        or gone since then may be one that was started again, and is not counted.
        """
        if self.conflict.lasts:
            report.error(self._conflict_text())
            return
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

    def refuse_conflict(self) -> None:
        """Take note of a good sample; raise InputRefusedError if it must not be trusted."""
        if self.conflict.accept():
            raise InputRefusedError("publishers disagree", self._conflict_text())

    def _conflict_text(self) -> str:
        """Say that positions jump to and fro."""
        count = self._node.count_publishers(self.topic)
        return (
            f"positions on {self.topic} jump back and forth ({count} publishers): "
            f"{self.conflict.what} {ADVICE}"
        )

    def _names(self, gids: Collection[bytes] | None = None) -> list[str]:
        """Return the nodes of all publishers, or of those with these identities."""
        return sorted(
            name_of(x)
            for x in self._node.get_publishers_info_by_topic(self.topic)
            if gids is None or any(bytes(x.endpoint_gid)[: len(gid)] == gid for gid in gids)
        )


class Conflict:
    """Whether positions jump so often that two publishers have the same joints.

    Single jumps are errors of one driver: the states between them can be used.
    """

    def __init__(self) -> None:
        """Know of no jump."""
        self.what = ""  # about the last jump
        self.share = 0.0  # of the last states that jumped; 0: none ever did
        self._jumped = False  # since the last valid sample

    def jump(self, what: str) -> None:
        """Take note of a sample that was refused; several in a row are one jump."""
        if not self._jumped:
            self.share += (1.0 - self.share) / STATES
        self._jumped, self.what = True, what

    def accept(self) -> bool:
        """Take note of a good sample; return whether it must not be trusted all the same."""
        self._jumped = False
        self.share -= self.share / STATES
        return self.lasts

    @property
    def lasts(self) -> bool:
        """Whether there is a conflict."""
        return self.share > MAX_JUMP_SHARE
