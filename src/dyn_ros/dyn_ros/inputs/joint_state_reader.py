# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Reads sensor_msgs/JointState into arrays in the model's order, if its numbers are plausible."""

from array import array
from collections.abc import Callable, Collection, Sequence
from math import inf, nan
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dyn_ros.arrays import FALSE, Matrix, Vector
from dyn_ros.clock import CLOCK
from dyn_ros.inputs.joint_state_errors import position_jumped, positions_frozen, wrong_length
from dyn_ros.messages.checked_vector import MAX_FLOAT, unusable_number
from dyn_ros.messages.joint_order import MOST_PUBLISHERS, Found, find_joints
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import NANOSECONDS, refuse_age, refuse_order
from dyn_ros.safety.overspeed import Standstill
from dyn_ros.safety.plausible_limits import MARGIN, Jumps, Plausible

if TYPE_CHECKING:
    from sensor_msgs.msg import JointState

FIELDS = ("position", "velocity", "effort")
POSITION, VELOCITY, EFFORT = range(3)
REPORTED, CAME, ROWS = 3, 5, 6
"""Rows of a state: FIELDS, then velocity and effort as reported, then when each joint came (s)."""
JUMP = 3  # row beside those of FIELDS: positions that did not jump
MAX_AWAY_S = 0.1  # s, in which an arm may have moved while its positions jumped
MAX_STILL_S = 0.03  # s, in which a driver that publishes faster than it reads repeats positions
MISSED, MISSED_S = 3, 0.01  # times its period, and s at least: a joint's state is missing
MAX_OVERTAKEN = NANOSECONDS // 10  # ns; a stamp older than that is of a clock that was set back
PARTLY_USABLE = (
    "not finite", "implausible", "position jump", "velocity absent", "effort absent",
    "length mismatch",
)  # fmt: skip
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
        self.period: Vector = np.zeros(len(self.joint_names))  # s, longest of the last few
        self.stamps = np.zeros(len(self.joint_names), dtype=np.int64)  # ns; 0: none
        self.nanoseconds = 0  # the newest stamp of all joints

    @property
    def known_velocity(self) -> Vector:
        """[n] where motors are watched; NaN of joints where it is unknown."""
        return self.reported[0]

    @property
    def known_effort(self) -> Vector:
        """[n] where motors are watched; NaN of joints where it is unknown."""
        return self.reported[1]

    def late(self, since: float) -> list[str]:
        """Return the joints that have not come since a time, s."""
        if self.came.min(initial=np.inf) >= since:
            return []
        return [self.joint_names[i] for i in np.flatnonzero(self.came < since)]

    def misses(self, now: float, most: float) -> bool:
        """Return whether a joint's state is missing, by its period; `most`, s, is late in any case.

        Others may move while feedback by its old position drives the arm.
        """
        latest = np.clip(MISSED * self.period, MISSED_S, max(most, MISSED_S))
        return bool((now - self.came > latest).any())

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
        self.nanoseconds = max(self.nanoseconds, other.nanoseconds)


class JointColumns:
    """Where the joints of a model stand in one publisher's list of names, and its last numbers."""

    def __init__(self, found: Found, reader: "JointStateReader") -> None:
        """Check numbers as the reader says now."""
        self.names, self.joints, self._reader = found.names, found.joints, reader
        self._joint_names = [reader.joint_names[i] for i in found.joints]
        count = len(found.joints)
        self._lower: Matrix = np.full((3, count), -MAX_FLOAT)
        self._upper: Matrix = np.full((3, count), MAX_FLOAT)
        """[3, count]: the usable range of each number of FIELDS."""
        self.speed: Vector = np.full(count, inf)  # rad/s or m/s of plausible steps of positions
        self._turning: list[int] = []
        self._jumped = Jumps(self.speed, self._turning)
        self.expect(reader.plausible)
        self.jumps = False  # whether the last message was refused because a position jumped
        self.still: Vector = np.zeros(count)  # s, in which the positions before were the same
        self.standstill = Standstill()
        self._commanded: tuple[str, ...] = ()
        self._counts: NDArray[np.bool_] = np.zeros(count, dtype=bool)  # those that are commanded
        self._unread = [k for k, name in enumerate(self._joint_names) if name in reader.passive]
        self.values = np.zeros((3, count))
        """[3, count] numbers of FIELDS in the last message."""
        self.good = np.zeros((4, count), dtype=bool)
        """[4, count]: which of them are usable, and which positions did not jump."""
        self._absent = array("d", [nan]) * len(self.names)
        self._places = np.add.outer(len(self.names) * np.arange(3), found.indices)
        self.at: slice | NDArray[np.intp] = found.joints
        if count and found.joints[-1] - found.joints[0] == count - 1:  # a view is quicker
            self.at = slice(int(found.joints[0]), int(found.joints[-1]) + 1)

    def expect(self, plausible: Plausible | None) -> None:
        """Check numbers by these bounds, if there are any."""
        if (x := plausible) is not None:
            self._lower = np.stack([x.lower, -x.velocity, -x.effort])[:, self.joints]
            self._upper = np.stack([x.upper, x.velocity, x.effort])[:, self.joints]
            self.speed = x.speed[self.joints]
            self._turning = np.flatnonzero(x.turning[self.joints]).tolist()
            self._jumped.expect(self.speed, self._turning)

    def check(self, message: "JointState", before: Matrix, seconds: float, *, stays: bool) -> bool:
        """Take the numbers of a message, and find which are good; return whether all are.

        They are so many seconds after the state `before` [ROWS, count]; 0: steps of positions are
        not compared. `stays` is that of `Jumps.refuse`.
        """
        values, good, size = self.values, self.good, len(self.names)
        fields = message.position, message.velocity, message.effort
        present = [numbers if len(numbers) == size else self._absent for numbers in fields]
        np.frombuffer(b"".join(present)).take(self._places, out=values, mode="clip")
        if self._unread:
            values[EFFORT, self._unread] = 0.0
        np.logical_and(self._lower <= values, values <= self._upper, out=good[:JUMP])
        good[JUMP], self._reader.returned = True, False
        if seconds:
            here, there = values[POSITION], before[POSITION]
            step = self._jumped.step(here, there) if self._turning else here - there
            np.less_equal(abs(step), self.speed * seconds + MARGIN, out=good[JUMP])
            if self._jumped.count or FALSE in good[JUMP].tobytes():
                since = np.minimum(seconds + self.still, MAX_AWAY_S)  # joints may be read in turn
                way = np.stack([before[REPORTED], self.reported()[0]]) * since
                moved = here, step, way, self._reader.origin[self.at]
                self._reader.returned = self._jumped.refuse(good[JUMP], *moved, stays=stays)
        else:
            self._jumped.forget()
        return FALSE not in good.tobytes()

    def refusal(
        self, needed: Collection[int], message: "JointState", before: Vector, elapsed: float
    ) -> InputRefusedError:
        """Return the error about the first of the `needed` rows of `good` that is at fault.

        `before` are the positions [count] `elapsed` s earlier.
        """
        row = next(row for row in needed if not self.good[row].all())
        i = int(np.argmin(self.good[row]))
        joint, size = self._joint_names[i], len(self.names)
        if row == JUMP:
            step = self._jumped.step(self.values[POSITION], before)
            return position_jumped(joint, step[i], elapsed)
        field = FIELDS[row]
        if (count := len(getattr(message, field))) != size:
            return wrong_length(field, count, size)
        low, high = self._lower[row, i], self._upper[row, i]
        return unusable_number(f"{field} of joint '{joint}'", self.values[row, i], low, high)

    def stands_still(self, time: float, commanded: tuple[str, ...]) -> bool:
        """Return whether `commanded` joints stopped dead; the last message was of a time, s."""
        if commanded is not self._commanded:
            self._commanded, self._counts = commanded, np.isin(self._joint_names, commanded)
        position, velocity = self.values[POSITION], self.values[VELOCITY]
        return self.standstill.is_sudden(position, velocity, time, self._counts)

    def standing(self) -> InputRefusedError:
        """Return the error about positions that stand still."""
        return positions_frozen(self._joint_names)

    def reported(self) -> Matrix:
        """Return velocities and efforts [2, count] of the last message, as the state has them."""
        if FALSE not in self.good.tobytes():
            return self.values[VELOCITY:]
        # beyond a limit the limit counts: overspeed must be noticed
        velocity, effort = self.values[VELOCITY:]
        clipped = np.clip(velocity, self._lower[VELOCITY], self._upper[VELOCITY])
        known = np.where(np.isfinite(velocity), clipped, nan)
        return np.stack([known, np.where(self.good[EFFORT], effort, nan)])


class JointStateReader(JointStates):
    """Takes joint states whose numbers may be measurements, and refuses all others.

    Several publishers may each bring some of the joints. Joints that the model does not have are
    ignored. A refused message changes nothing but what `seen` and `newest_velocity` return, and
    measured efforts.
    """

    def __init__(self, joint_names: Sequence[str], *, needs_velocity: bool = False) -> None:
        """Expect these joints. Efforts of `passive` ones are not read, and count as zero.

        Velocities and efforts are required where `needs_velocity` and `needs_effort` are set, and
        read where they are present if `watches_motors` is set; otherwise they are ignored.
        """
        super().__init__(joint_names)
        self.passive: Collection[str] = ()
        self.needs_velocity = needs_velocity
        self.needs_effort = self.watches_motors = False
        self.commanded: tuple[str, ...] = ()  # joints that have been commanded by these states
        self.moves = True  # whether commands may move them: False if none came since the last state
        self.repeats = False  # whether a stamp may come again
        self.clock: Callable[[], int] | None = None  # ns, that stamps are compared with
        self.since_1970 = CLOCK.since_1970  # ns, by the clock of the middleware
        self.received = 0  # ns by it, when the middleware received the message; 0: unknown
        self.most_age = 0  # ns that a stamp may be away from the clock, and a position from now
        self.stamp = 0  # ns, of the last message, also if it was refused
        self.is_partial = False  # whether the last message lacked joints
        self.jumps = False  # whether positions jump again and again: two publishers may disagree
        self.origin: Vector = self.position  # before a gap, until states have settled
        self.returned = False  # whether the last positions jumped back towards these
        self._clock_before = 0  # ns, when the last message was read
        self.plausible: Plausible | None = None
        self._columns: list[JointColumns] = []
        self._seen: JointStates | None = None
        self._refused_velocity: Vector | None = None  # [n]; None: the last message was taken

    @property
    def age(self) -> float:
        """How long the last message took to come, s; 0: its stamp is not compared with a clock."""
        return max(0, self._clock_before - self.stamp) / NANOSECONDS

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

    @property
    def newest_velocity(self) -> Vector:
        """[n] as `known_velocity`, but also of a message that was refused."""
        return self.known_velocity if self._refused_velocity is None else self._refused_velocity

    def expect(self, plausible: Plausible | None) -> None:
        """Refuse what is beyond these bounds from now on; None: only what is not finite."""
        self.plausible = plausible
        for columns in self._columns:
            columns.expect(plausible)

    def forget(self) -> None:
        """Wait for all joints anew."""
        self._seen, self._columns, self.commanded, self.origin = None, [], (), self.position
        self._refused_velocity = None
        self.came.fill(-np.inf)
        self.reported.fill(np.nan)

    def read(self, message: "JointState", now: float = 0.0) -> bool:
        """Take a message that came at `now`, s; return whether it has news of the model's joints.

        Raises InputRefusedError, and keeps the state before, if the message cannot be used.
        """
        time = message.header.stamp
        self.stamp = stamp = time.sec * NANOSECONDS + time.nanosec
        columns = self._find(message.name)
        self.is_partial = len(columns.joints) < len(self.joint_names)
        if not len(columns.joints):
            return False
        clock = 0 if self.clock is None else self.clock()
        repeats = self.repeats or 0 < clock == self._clock_before  # simulated time stands still
        self._clock_before = clock
        at, state = columns.at, self._state
        before = max(self.stamps[at].tolist())
        is_old = stamp < before or (stamp == before and stamp and not repeats)
        if is_old or (clock and abs(clock - stamp) > self.most_age):
            self._refuse_time(columns, before, clock)
        elapsed = self._elapsed(columns, now)
        good = columns.check(message, state[:, at], elapsed, stays=bool(self.commanded))
        if not good:
            rows = (POSITION, True), (JUMP, True), (VELOCITY, self.needs_velocity)
            needed = [row for row, need in (*rows, (EFFORT, self.needs_effort)) if need]
            if not columns.good[needed].all():
                age = (stamp - before) / NANOSECONDS if stamp else now - float(self.came[at].max())
                refusal = columns.refusal(needed, message, self.position[at], age)
                jumped = np.isfinite(columns.values[POSITION]) & ~columns.good[JUMP]
                columns.jumps |= bool(jumped.any())
                self._keep_usable(columns, refusal.reason, now)
                raise refusal
        columns.jumps, self._refused_velocity = False, None
        time = stamp / NANOSECONDS or now
        if self.commanded and columns.stands_still(time, self.commanded) and self.moves:
            if time - columns.standstill.since > MAX_STILL_S:
                raise columns.standing()
            return False
        moved = columns.values[POSITION] != state[POSITION, at]
        columns.still = np.where(moved, 0.0, columns.still + elapsed)
        state[POSITION, at] = columns.values[POSITION]
        if self.needs_velocity:
            state[VELOCITY, at] = columns.values[VELOCITY]
        if self.needs_effort:
            state[EFFORT, at] = columns.values[EFFORT]
        if self.watches_motors:
            state[REPORTED:CAME, at] = columns.values[VELOCITY:] if good else columns.reported()
        self.period[at] = np.maximum(np.minimum(now - state[CAME, at], 1.0), self.period[at] / 2)
        state[CAME, at], self.stamps[at] = now, stamp
        self.nanoseconds = max(stamp, self.nanoseconds)
        return True

    def _elapsed(self, columns: JointColumns, now: float) -> float:
        """Return the time in which positions may have moved, s; 0: any time.

        It is since the oldest of them, for the last message may have had some of the joints. While
        motors are commanded, positions that jumped are not believed by and by: if their unit has
        changed, gravity of positions in degrees would drive the arm.
        """
        most, spare = self.most_age / NANOSECONDS, 0.0
        came, before = float(self.came[columns.joints].min()), self.stamps[columns.joints].min()
        elapsed = max(self.stamp - int(before), 1) / NANOSECONDS
        if not self.stamp:
            spare = min(most, MAX_AWAY_S) if self.commanded else inf
            elapsed = now - came
        if self.commanded and columns.jumps:
            elapsed = min(elapsed, MAX_AWAY_S, most)
        return elapsed + spare if elapsed <= most and most + spare < inf and came > -inf else 0.0

    def _find(self, names: list[str]) -> JointColumns:
        """Return where the joints stand in a list of names. Raises InputRefusedError."""
        for columns in self._columns:
            if names == columns.names:
                return columns
        columns = JointColumns(find_joints(self.joint_names, names), self)
        self._columns = [columns, *self._columns[: MOST_PUBLISHERS - 1]]
        return columns

    def _refuse_time(self, columns: JointColumns, before: int, clock: int) -> None:
        """Raise InputRefusedError for a stamp that is too old, too new, or not after the last."""
        stamp = self.stamp
        if clock:  # simulated time is 0 until /clock comes
            waited = self.since_1970() - self.received if self.received else 0
            refuse_age("the joint state", stamp, clock, self.most_age, waited, before)
        if stamp < before - min(self.most_age, MAX_OVERTAKEN):
            self.stamps[columns.joints] = self.nanoseconds = stamp
            self.came[columns.joints] = -np.inf  # the robot may be anywhere at another time
            self._seen = None
        refuse_order("the joint state", before, stamp, repeated=False)

    def _keep_usable(self, columns: JointColumns, reason: str, now: float) -> None:
        """Keep what a refused message reports of joints whose positions can be used."""
        if not self.watches_motors:
            return
        usable = columns.good[POSITION] & columns.good[JUMP]
        wrong = ~usable & np.isfinite(columns.values[POSITION])
        if 2 * np.count_nonzero(wrong) > np.count_nonzero(columns.speed < inf):
            return  # no sensor that fails, but another robot, or other units, perhaps
        velocity, self.reported[1, columns.joints] = columns.reported()
        self._refused_velocity = self.known_velocity.copy()
        self._refused_velocity[columns.joints] = velocity
        if reason not in PARTLY_USABLE:
            return
        seen = self._seen = self._seen or JointStates(self.joint_names)
        seen.catch_up(self)
        before, stamp = int(seen.stamps[columns.joints].max()), self.stamp
        if stamp < before or (stamp == before and stamp and not self.repeats):
            return
        joints = columns.joints[usable]
        seen.position[joints] = columns.values[POSITION, usable]
        seen.reported[:, joints] = columns.reported()[:, usable]
        seen.came[joints], seen.stamps[joints] = now, stamp
        seen.nanoseconds = max(stamp, seen.nanoseconds)
