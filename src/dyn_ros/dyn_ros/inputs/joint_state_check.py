# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Checks the numbers of one message about joints, and takes them if all are in order."""

from array import array
from collections.abc import Collection, Sequence
from math import inf, nan, pi
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dyn_ros.arrays import FALSE, Matrix, Vector
from dyn_ros.messages.checked_vector import MAX_FLOAT, unusable_number
from dyn_ros.messages.joint_order import Found
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import NANOSECONDS
from dyn_ros.safety.plausible_limits import MARGIN, MAX_JUMP_RATIO, Plausible

if TYPE_CHECKING:
    from sensor_msgs.msg import JointState

FIELDS = ("position", "velocity", "effort")
POSITION, VELOCITY, EFFORT = range(3)
REPORTED, CAME, ROWS = 3, 5, 6
"""Rows of a state: FIELDS, then velocity and effort as reported, then when each joint came (s)."""
JUMP_ROW = 3  # row beside those of FIELDS: position that went too far
NEEDS_VELOCITY, NEEDS_EFFORT, WATCHES, REPEATS = 1, 2, 4, 8  # options
UNTIMELY_RESULT = 16  # result; others are sums of 1 << row


class JointColumns:
    """Where the joints of a model stand in one publisher's list of names."""

    def __init__(
        self,
        found: Found,
        joint_names: Sequence[str],
        plausible: Plausible | None,
        passive: Collection[str],
        state: Matrix,
        stamps: NDArray[np.int64],
    ) -> None:
        """Fill `state` [ROWS, n] and `stamps` [n] from messages with these names.

        Efforts of `passive` joints are not read, and count as zero. Numbers that are not
        `plausible` are refused; None: those that are not finite.
        """
        self.names, self.joints = found.names, found.joints
        self._joint_names = [joint_names[i] for i in found.joints]
        count = len(found.joints)
        self._lower: Matrix = np.full((3, count), -MAX_FLOAT)
        self._upper: Matrix = np.full((3, count), MAX_FLOAT)
        """[3, count]: the usable range of each number of FIELDS."""
        self._speed: Vector = np.full(count, inf)  # rad/s or m/s of plausible steps of positions
        self._turn: Vector = np.zeros(count)  # rad, of joints that turn without end; else 0
        if plausible is not None:
            x = plausible
            self._lower = np.stack([x.lower, -x.velocity, -x.effort])[:, found.joints]
            self._upper = np.stack([x.upper, x.velocity, x.effort])[:, found.joints]
            self._speed = x.speed[found.joints]
            self._turn = np.where(x.turning, 2.0 * pi, 0.0)[found.joints]
        self._turning = np.flatnonzero(self._turn)
        self._has_speeds = bool((self._speed < inf).any())
        self._unread = [k for k, name in enumerate(self._joint_names) if name in passive]
        self._values = np.zeros((3, count))
        self.good = np.zeros((4, count), dtype=bool)
        """[4, count]: which numbers of FIELDS are usable, and which positions did not jump."""
        self._absent = array("d", [nan]) * len(self.names)
        self._places = np.add.outer(len(self.names) * np.arange(3), found.indices)
        self._state, self._stamps = state, stamps
        self._at: slice | NDArray[np.intp] = found.joints
        if count and found.joints[-1] - found.joints[0] == count - 1:  # a view is quicker
            self._at = slice(int(found.joints[0]), int(found.joints[-1]) + 1)

    def take(
        self,
        now: float,
        stamp: int,
        clock: int,
        most_age: int,
        options: int,
        fields: Sequence[Any],
    ) -> int:
        """Check the FIELDS of a message, and take them if none that is needed is at fault.

        Times are in ns but `now`, s, when the message came; a `clock` of 0 is not compared with,
        and a stamp of 0 is none. Return 0, UNTIMELY_RESULT, or the sum of 1 << row of faults.
        """
        state, at, values = self._state, self._at, self._values
        before = max(self._stamps[at].tolist())
        if clock and abs(clock - stamp) > most_age:
            return UNTIMELY_RESULT
        if stamp < before or (stamp == before and stamp and not options & REPEATS):
            return UNTIMELY_RESULT
        size = len(self.names)
        present = [numbers if len(numbers) == size else self._absent for numbers in fields]
        together = b"".join(present)  # one copy is quicker than three
        np.frombuffer(together).take(self._places, out=values, mode="clip")
        if self._unread:
            values[EFFORT, self._unread] = 0.0
        timed = stamp != 0 and stamp - before <= most_age
        good = self._are_good(max(stamp - before, 1) / NANOSECONDS if timed else 0.0)
        if not good:
            needed = (True, options & NEEDS_VELOCITY, options & NEEDS_EFFORT, True)
            rows = zip(needed, self.good, strict=True)
            fault = sum(1 << k for k, (need, row) in enumerate(rows) if need and not row.all())
            if fault:
                return fault
        state[POSITION, at] = values[POSITION]
        if options & NEEDS_VELOCITY:
            state[VELOCITY, at] = values[VELOCITY]
        if options & NEEDS_EFFORT:
            state[EFFORT, at] = values[EFFORT]
        if options & WATCHES:
            state[REPORTED:CAME, at] = values[VELOCITY:] if good else self.reported()
        state[CAME, at], self._stamps[at] = now, stamp
        return 0

    def _are_good(self, seconds: float) -> bool:
        """Find which numbers are `good`, and return whether all are.

        Positions are so many seconds after the ones before; 0: steps are not compared.
        """
        values, good = self._values, self.good
        np.logical_and(self._lower <= values, values <= self._upper, out=good[:JUMP_ROW])
        good[JUMP_ROW] = True
        if seconds and self._has_speeds:
            step = values[POSITION] - self._state[POSITION, self._at]
            if len(self._turning):
                turn = self._turn[self._turning]
                with np.errstate(invalid="ignore"):
                    step[self._turning] -= turn * np.rint(step[self._turning] / turn)
            np.less_equal(abs(step), self._speed * seconds + MARGIN, out=good[JUMP_ROW])
        if FALSE not in good.tobytes():
            return True
        good[JUMP_ROW] |= self._state[CAME, self._at] == -inf
        return FALSE not in good.tobytes()

    def refusal(
        self, fault: int, message: "JointState", position: Vector, elapsed: int
    ) -> InputRefusedError:
        """Return the error about a message that `take` found fault with.

        Args:
            fault: what `take` returned.
            message: the message.
            position: [n] the positions before.
            elapsed: ns since then.
        """
        for row in (POSITION, JUMP_ROW, VELOCITY, EFFORT):
            if fault & 1 << row:
                return self._jump(position, elapsed) if row == JUMP_ROW else self._bad(row, message)
        raise AssertionError(f"fault {fault} is unknown")

    def _bad(self, row: int, message: "JointState") -> InputRefusedError:
        field, size = FIELDS[row], len(self.names)
        count = len(getattr(message, field))
        if row != POSITION and not count:
            return InputRefusedError(
                f"{field} absent",
                f"{field} has 0 numbers but should have {size}: let the publisher of joint_states "
                "send it, because this node computes with it",
            )
        if count != size:
            return InputRefusedError(
                "length mismatch",
                f"{field} has {count} numbers but should have {size}, one for each joint name",
            )
        i = int(np.argmin(self.good[row]))
        what = f"{field} of joint '{self._joint_names[i]}'"
        return unusable_number(what, self._values[row, i], self._lower[row, i], self._upper[row, i])

    def _jump(self, position: Vector, elapsed: int) -> InputRefusedError:
        i = int(np.argmin(self.good[JUMP_ROW]))
        step = self._values[POSITION, i] - position[self.joints[i]]
        if turn := self._turn[i]:
            step -= turn * round(step / turn)
        return InputRefusedError(
            "position jump",
            f"position of joint '{self._joint_names[i]}' is {abs(step):.4g} from the one before, "
            f"{elapsed / NANOSECONDS:.4g} s earlier, which is {MAX_JUMP_RATIO:g} times as fast as "
            "its velocity limit allows: does another node publish the same joints?",
        )

    @property
    def positions(self) -> Vector:
        """The positions [count] of the last message."""
        return self._values[POSITION]

    def reported(self) -> Matrix:
        """Return velocities and efforts [2, count] of the last message, as the state has them."""
        if FALSE not in self.good.tobytes():
            return self._values[VELOCITY:]
        # beyond a limit the limit counts: overspeed must be noticed
        velocity, effort = self._values[VELOCITY:]
        clipped = np.clip(velocity, self._lower[VELOCITY], self._upper[VELOCITY])
        known = np.where(np.isfinite(velocity), clipped, nan)
        return np.stack([known, np.where(self.good[EFFORT], effort, nan)])
