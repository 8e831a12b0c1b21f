# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joint states that several nodes of a process read in the same way: read and checked once."""

from typing import Any, ClassVar, Protocol

from dyn_ros.adapters.joint_state import JointStateReader
from dyn_ros.base.newest import Serialized
from dyn_ros.base.settings import Setting
from dyn_ros.base.state_host import StateHost
from dyn_ros.samples import SampleStatistics


class Reading(Protocol):
    """The part that reads joint states for a node."""

    SETTINGS: ClassVar[tuple[Setting, ...]]
    node: StateHost
    reader: JointStateReader
    statistics: SampleStatistics
    last: float  # s, when the last message came

    @property
    def values(self) -> dict[str, Any]:
        """The values of the node's parameters."""

    def catch_up(self, other: Any, count: int, last: float) -> None:
        """Take note of messages that another node has read, the `last` of them at this time."""


class SharedReading:
    """A node's share in reading: it leads those who follow it, or follows another, or neither.

    Who follows takes the numbers of messages that its leader has read the short way, and only
    those: there both find nothing unusual, for their parameters, bounds and last messages are the
    same. Before a leader does anything else it dismisses who follows; they stand then where they
    would have come by themselves, and read the message that is unusual in full, each for itself.
    """

    def __init__(self, part: Reading) -> None:
        """Neither lead nor follow yet."""
        self._part = part
        self.follows = False  # whether the next message is another's, perhaps
        self._leader: SharedReading | None = None
        self._followers: list[SharedReading] = []
        self._rows: list[tuple[slice, slice]] = []  # own ones, and those of the leader
        self._refused: object = None  # the way of reading of one who cannot be followed
        self._taken = self._seen = 0  # messages read for others; those of the leader that came here
        self._count = 0  # messages that the statistics do not know yet
        self._lost = 0  # messages that the leader has lost, as far as the statistics know
        self._owes = False  # whether the numbers of a message are here that has still to be used
        self.before = 0.0  # s, when the message before the last one came

    def read(self, readers: "list[SharedReading]", before: float) -> None:
        """Take note that the node has read a message the short way, as some `readers` before.

        The last message before it came at the time `before`.
        """
        self.before = before
        self._taken += 1
        if readers:
            self._follow(readers[0])
        readers.append(self)

    def take(self, serialized: Serialized) -> bool:
        """Return whether the leader has read a message; take its numbers unless nobody cares."""
        leader = self._leader
        if leader is None:
            owes, self.follows = self._owes, False
            return owes
        if not serialized.readers or leader not in serialized.readers:
            self.leave()
            return False
        self._seen = leader._taken
        self._count += 1
        if not self._part.node.idle:
            self._part.reader.take_rows(leader._part.reader, self._rows)
        return True

    def settle(self, *, without_last: bool = False) -> None:
        """Bring statistics, freshness and numbers up to date, those of the last message or not."""
        leader = self._leader
        if leader is None or not self._count:
            return
        count, self._count = self._count - without_last, 0
        behind = without_last or self._seen != leader._taken
        other = leader._part
        self._part.reader.follow(other.reader, self._rows)
        self._part.catch_up(other, count, leader.before if behind else other.last)
        lost = other.statistics.lost
        self._part.statistics.record_followed(other.statistics, count, lost - self._lost)
        self._lost = lost

    def leave(self, *, without_last: bool = False) -> None:
        """Read for oneself from now on."""
        leader = self._leader
        if leader is not None:
            self._owes = self._seen != leader._taken
            self._count += self._owes
            self.settle(without_last=without_last)
            leader._followers.remove(self)
            self._leader, self.follows = None, self._owes

    def end(self) -> None:
        """Dismiss who follows, and take nothing of what is under way."""
        self.dismiss()
        self.follows = False

    def dismiss(self) -> None:
        """Let everybody who follows read for himself; follow nobody."""
        self.leave()
        self._refused = None
        for follower in tuple(self._followers):
            follower.leave()

    def _follow(self, leader: "SharedReading") -> None:
        """Follow who has read the same message, if it reads all that is read here."""
        other = leader._part
        way = other.reader.way
        if way is self._refused or leader._leader is not None:
            return
        alike = _check_alike(self._part, other)
        rows = self._part.reader.rows_of(other.reader) if alike else None
        if rows is None:
            self._refused = way
            return
        for follower in tuple(self._followers):
            follower.leave()
        self._rows, self._leader, self.follows = rows, leader, True
        self._seen, self._count, self._lost = leader._taken, 0, other.statistics.lost
        leader._followers.append(self)


def _check_alike(part: Reading, other: Reading) -> bool:
    """Whether nodes check joint states in the same way, by the same clock."""
    if any(x.node.get_clock().ros_time_is_active for x in (part, other)):
        return False
    return all(part.values[x.name] == other.values[x.name] for x in part.SETTINGS)
