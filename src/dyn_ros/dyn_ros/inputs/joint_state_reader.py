# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Reads sensor_msgs/JointState into arrays in the model's order."""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dyn_ros.arrays import Vector
from dyn_ros.clock import CLOCK
from dyn_ros.inputs.joint_state_check import (
    CAME,
    EFFORT,
    JUMP_ROW,
    NEEDS_EFFORT,
    NEEDS_VELOCITY,
    POSITION,
    REPEATS,
    REPORTED,
    ROWS,
    UNTIMELY_RESULT,
    VELOCITY,
    WATCHES,
    JointColumns,
)
from dyn_ros.messages.joint_order import MOST_PUBLISHERS, JointOrder
from dyn_ros.messages.stamp import NANOSECONDS, refuse_age, refuse_order
from dyn_ros.safety.plausible_limits import Plausible

if TYPE_CHECKING:
    from sensor_msgs.msg import JointState

MAX_OVERTAKEN = NANOSECONDS // 10  # ns; a stamp older than that is of a clock that was set back
PARTLY_USABLE = ("not finite", "implausible", "velocity absent", "effort absent")
"""Reasons to refuse a message whose other positions can be trusted."""


class JointStates:
    """The newest state of each joint [n], in the model's order; rad, m, rad/s, m/s, N m, N."""

    def __init__(self, joint_names: Sequence[str]) -> None:
        """Start with all joints unknown."""
        self.joint_names = tuple(joint_names)
        self._state = np.zeros((ROWS, len(self.joint_names)))
        self._state[REPORTED:CAME], self._state[CAME] = np.nan, -np.inf
        self.position: Vector = self._state[POSITION]
        """[n], overwritten by every accepted message, as the others are."""
        self.velocity: Vector = self._state[VELOCITY]
        """[n]; zeros unless velocities are needed."""
        self.effort: Vector = self._state[EFFORT]
        """[n]; zeros unless efforts are needed."""
        self.reported = self._state[REPORTED:CAME]
        """Velocities and efforts [2, n] where motors are watched; NaN where unknown."""
        self.came = self._state[CAME]  # s
        self.stamps = np.zeros(len(self.joint_names), dtype=np.int64)  # ns; 0: none
        self.nanoseconds = 0  # the newest stamp of all joints
        self._is_complete: tuple[bool, bool] | None = None  # whether `reported` has no NaN

    @property
    def known_velocity(self) -> Vector:
        """[n] where motors are watched; NaN of joints where it is unknown."""
        return self.reported[0]

    @property
    def measured_velocity(self) -> Vector | None:
        """[n] where motors are watched; None if it is unknown of any joint."""
        complete = self._is_complete or self._find_complete()
        return self.reported[0] if complete[0] else None

    @property
    def measured_effort(self) -> Vector | None:
        """[n] where motors are watched; None if it is unknown of any joint."""
        complete = self._is_complete or self._find_complete()
        return self.reported[1] if complete[1] else None

    def _find_complete(self) -> tuple[bool, bool]:
        known: Any = np.isfinite(self.reported).all(axis=1)
        self._is_complete = bool(known[0]), bool(known[1])
        return self._is_complete

    def late(self, since: float) -> list[str]:
        """Return the joints that have not come since a time, s."""
        if self.came.min(initial=np.inf) >= since:
            return []
        return [self.joint_names[i] for i in np.flatnonzero(self.came < since)]

    def ages(self, now: float, clock: int, most: float) -> Vector:
        """Return how old the state of each joint is, s [n].

        That is the time since it came, and its age by stamp and `clock` (ns) when it came. The
        latter counts at most `most`, s, because clocks of two computers may differ.
        """
        came = now - self.came
        by_stamp = (clock - self.stamps) / NANOSECONDS - came
        return came + np.where(self.stamps > 0, np.clip(by_stamp, 0.0, most), 0.0)

    def catch_up(self, other: "JointStates") -> None:
        """Take each joint whose state is newer in another object for the same joints."""
        newer = other.came > self.came
        self._state[:, newer], self.stamps[newer] = other._state[:, newer], other.stamps[newer]
        self.nanoseconds, self._is_complete = max(self.nanoseconds, other.nanoseconds), None


class JointStateReader(JointStates):
    """Takes joint states whose numbers may be measurements, and refuses all others.

    Several publishers may each bring some of the joints. Joints that the model does not have are
    ignored. A refused message changes nothing but what `seen` returns, and measured efforts.
    """

    def __init__(
        self, joint_names: Sequence[str], *, needs_velocity: bool, passive: Collection[str] = ()
    ) -> None:
        """Expect these joints. Efforts of `passive` joints are not read, and count as zero.

        Velocities and efforts are required where `needs_velocity` and `needs_effort` are set, and
        read where they are present if `watches_motors` is set; otherwise they are ignored.
        """
        super().__init__(joint_names)
        self._order = JointOrder(joint_names)
        self._passive = frozenset(passive)
        self.needs_velocity = needs_velocity
        self.needs_effort = False
        self.watches_motors = False
        self.repeats = False  # whether a stamp may come again
        self.clock: Callable[[], int] | None = None  # ns, that stamps are compared with
        self.since_1970 = CLOCK.since_1970  # ns, by the clock of the middleware
        self.received = 0  # ns by it, when the middleware received the message; 0: unknown
        self.most_age = 0  # ns that a stamp may be away from the clock, and a position from now
        self.stamp = 0  # ns, of the last message, also if it was refused
        self.is_partial = False  # whether the last message lacked joints
        self._clock_before = 0  # ns, when the last message was read
        self._plausible: Plausible | None = None
        self._columns: list[JointColumns] = []
        self._seen: JointStates | None = None

    @property
    def seen(self) -> JointStates:
        """The newest state of each joint, also from messages that were refused for other joints.

        It is for damping. Joints may be from different messages: do not compute dynamics with it.
        """
        seen = self._seen
        if seen is None or not (seen.came > self.came).any():
            return self
        seen.catch_up(self)
        return seen

    def expect(self, plausible: Plausible | None) -> None:
        """Refuse what is beyond these bounds from now on; None: only what is not finite."""
        self._plausible, self._seen, self._columns = plausible, None, []

    def forget(self) -> None:
        """Wait for all joints anew."""
        self._seen = None
        self.came.fill(-np.inf)
        self.reported.fill(np.nan)
        self._is_complete = None

    def read(self, message: "JointState", now: float = 0.0) -> bool:
        """Take a message that came at `now`, s; return whether it names a joint of the model.

        Raises InputRefusedError, and keeps the state before, if the message cannot be used.
        """
        time = message.header.stamp
        self.stamp = stamp = time.sec * NANOSECONDS + time.nanosec
        columns = self._find(message.name)
        self.is_partial = len(columns.joints) < len(self.joint_names)
        if not len(columns.joints):
            return False
        clock = 0 if self.clock is None else self.clock()
        options = self.needs_velocity * NEEDS_VELOCITY | self.needs_effort * NEEDS_EFFORT
        options |= self.watches_motors * WATCHES
        if self.repeats or 0 < clock == self._clock_before:  # simulated time stands still
            options |= REPEATS
        self._clock_before = clock
        fields = message.position, message.velocity, message.effort
        fault = columns.take(now, stamp, clock, self.most_age, options, fields)
        if fault:
            self._refuse(fault, columns, message, stamp, clock, now)
        self.nanoseconds = max(stamp, self.nanoseconds)
        self._is_complete = None
        return True

    def _find(self, names: list[str]) -> JointColumns:
        """Return where the joints stand in a list of names. Raises InputRefusedError."""
        for columns in self._columns:
            if names == columns.names:
                return columns
        found = self._order.find(names)
        expected = self._plausible, self._passive
        columns = JointColumns(found, self.joint_names, *expected, self._state, self.stamps)
        self._columns = [columns, *self._columns[: MOST_PUBLISHERS - 1]]
        return columns

    def _refuse(
        self,
        fault: int,
        columns: JointColumns,
        message: "JointState",
        stamp: int,
        clock: int,
        now: float,
    ) -> None:
        """Raise InputRefusedError for a message that was found fault with."""
        before = int(self.stamps[columns.joints].max())
        if fault == UNTIMELY_RESULT:
            if clock:  # simulated time is 0 until /clock comes
                waited = self.since_1970() - self.received if self.received else 0
                refuse_age("the joint state", stamp, clock, self.most_age, waited, before)
            if stamp < before - min(self.most_age, MAX_OVERTAKEN):
                self.stamps[columns.joints] = self.nanoseconds = stamp
                self.came[columns.joints] = -np.inf  # the robot may be anywhere at another time
                self._seen = None
            refuse_order("the joint state", before, stamp, repeated=False)
        refusal = columns.refusal(fault, message, self.position, stamp - before)
        if self.watches_motors:
            self.reported[1, columns.joints] = columns.reported()[1]
            self._is_complete = None
            if refusal.reason in PARTLY_USABLE:
                self._see(columns, stamp, now)
        raise refusal

    def _see(self, columns: JointColumns, stamp: int, now: float) -> None:
        """Keep what a refused message reports of joints whose positions can be used."""
        seen = self._seen = self._seen or JointStates(self.joint_names)
        seen.catch_up(self)
        before = int(seen.stamps[columns.joints].max())
        if stamp < before or (stamp == before and stamp and not self.repeats):
            return
        usable = columns.good[POSITION] & columns.good[JUMP_ROW]
        joints = columns.joints[usable]
        seen.position[joints] = columns.positions[usable]
        seen.reported[:, joints] = columns.reported()[:, usable]
        seen.came[joints], seen.stamps[joints] = now, stamp
        seen.nanoseconds = max(stamp, seen.nanoseconds)
