# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Checks the numbers of one message about joints, and takes them if all are in order."""

from collections.abc import Callable, Collection, Sequence
from functools import cache
from math import inf, nan, pi
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dyn_core.compiler.runtime.numba_free import Standalone
from dyn_ros.arrays import Matrix, Vector
from dyn_ros.messages.checked_vector import LARGEST, unusable_number
from dyn_ros.messages.joint_order import Found
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import NANOSECONDS
from dyn_ros.safety.plausible_limits import FAST, MARGIN, Plausible

if TYPE_CHECKING:
    from sensor_msgs.msg import JointState

FIELDS = ("position", "velocity", "effort")
POSITION, VELOCITY, EFFORT = range(3)
REPORTED, CAME, ROWS = 3, 5, 6
"""Rows of a state: FIELDS, then velocity and effort as reported, then when each joint came (s)."""
LOWER, UPPER, SPEED, TURN = 0, 3, 6, 7  # rows of bounds: of each field, then of steps of positions
JUMPED = 3  # row beside those of FIELDS: position that went too far
NEEDS_VELOCITY, NEEDS_EFFORT, WATCHES, REPEATS = 1, 2, 4, 8  # options
UNTIMELY = 16  # result; others are sums of 1 << row


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
        self._bounds = np.full((TURN + 1, count), inf)
        self._bounds[LOWER:UPPER], self._bounds[UPPER:SPEED] = -LARGEST, LARGEST
        self._bounds[TURN] = 0.0
        if plausible is not None:
            x, velocity, effort = plausible, plausible.velocity, plausible.effort
            turn = np.where(x.turning, 2.0 * pi, 0.0)
            rows = (x.lower, -velocity, -effort, x.upper, velocity, effort, x.speed, turn)
            self._bounds[:] = np.stack(rows)[:, found.joints]
        self._values = np.zeros((3, count))
        self.good = np.zeros((4, count), dtype=bool)
        """[4, count]: which numbers of FIELDS are usable, and which positions did not jump."""
        read = np.array([name not in passive for name in self._joint_names], dtype=np.int64)
        sizes = np.array([count, state.shape[1], len(found.names)])
        self.take: Callable[..., int] = taking().bind(
            sizes, found.indices, found.joints, read, self._bounds, self._values,
            self.good.view(np.uint8), state, stamps,
        )  # fmt: skip
        """Take a message: see `_take`."""

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
        for row in (POSITION, JUMPED, VELOCITY, EFFORT):
            if fault & 1 << row:
                return self._jump(position, elapsed) if row == JUMPED else self._bad(row, message)
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
        bounds = self._bounds[LOWER + row, i], self._bounds[UPPER + row, i]
        return unusable_number(what, self._values[row, i], *bounds)

    def _jump(self, position: Vector, elapsed: int) -> InputRefusedError:
        i = int(np.argmin(self.good[JUMPED]))
        step = self._values[POSITION, i] - position[self.joints[i]]
        if turn := self._bounds[TURN, i]:
            step -= turn * round(step / turn)
        return InputRefusedError(
            "position jump",
            f"position of joint '{self._joint_names[i]}' is {abs(step):.4g} from the one before, "
            f"{elapsed / NANOSECONDS:.4g} s earlier, which is {FAST:g} times as fast as its "
            "velocity limit allows: does another node publish the same joints?",
        )

    @property
    def positions(self) -> Vector:
        """The positions [count] of the last message."""
        return self._values[POSITION]

    def reported(self) -> Matrix:
        """Return velocities and efforts [2, count] of the last message, as the state has them."""
        lower, upper = self._bounds[LOWER + VELOCITY], self._bounds[UPPER + VELOCITY]
        velocity, effort = self._values[VELOCITY:]
        known = np.where(np.isfinite(velocity), np.clip(velocity, lower, upper), nan)
        return np.stack([known, np.where(self.good[EFFORT], effort, nan)])


def _take(
    now: float,
    stamp: int,
    clock: int,
    most_age: int,
    options: int,
    positions: int,
    position: Vector,
    velocities: int,
    velocity: Vector,
    efforts: int,
    effort: Vector,
    sizes: NDArray[np.int64],
    indices: NDArray[np.int64],
    joints: NDArray[np.int64],
    read: NDArray[np.int64],
    bounds: Vector,
    values: Vector,
    good: NDArray[np.uint8],
    state: Vector,
    stamps: NDArray[np.int64],
) -> int:
    """Check the fields of a message, and take them if none that is needed is at fault.

    Times are in ns but `now`, s, when the message came; a `clock` of 0 is not compared with, and a
    stamp of 0 is none. Arrays are flat. Return 0, UNTIMELY, or the sum of 1 << row of faults.
    """
    count, every, size = sizes[0], sizes[1], sizes[2]
    before = 0
    for i in range(count):
        before = max(before, stamps[joints[i]])
    if clock != 0 and abs(clock - stamp) > most_age:
        return UNTIMELY
    if stamp < before or (stamp == before and stamp != 0 and not options & REPEATS):
        return UNTIMELY
    elapsed = stamp - before
    timed = stamp != 0 and elapsed <= most_age
    fault = 0
    for i in range(count):
        j, k = joints[i], indices[i]
        values[i] = position[k] if positions == size else nan
        values[count + i] = velocity[k] if velocities == size else nan
        values[2 * count + i] = effort[k] if efforts == size else nan
        if not read[i]:
            values[2 * count + i] = 0.0
        for row in range(3):
            x = values[row * count + i]
            fits = bounds[row * count + i] <= x <= bounds[(3 + row) * count + i]  # unlike NaN
            good[row * count + i] = fits
            if not fits:
                fault |= 1 << row
        step = values[i] - state[j]
        turn = bounds[TURN * count + i]
        if turn > 0.0 and good[i]:
            step -= turn * int(step / turn + (0.5 if step > 0.0 else -0.5))
        reach = bounds[SPEED * count + i] * (max(elapsed, 1) / NANOSECONDS) + MARGIN
        far = timed and state[CAME * every + j] > -inf and abs(step) > reach
        good[3 * count + i] = not far
        if far:
            fault |= 1 << JUMPED
    if not options & NEEDS_VELOCITY:
        fault &= ~(1 << VELOCITY)
    if not options & NEEDS_EFFORT:
        fault &= ~(1 << EFFORT)
    if fault != 0:
        return fault
    for i in range(count):
        j = joints[i]
        state[j] = values[i]
        speed, load = values[count + i], values[2 * count + i]
        if options & NEEDS_VELOCITY:
            state[every + j] = speed
        if options & NEEDS_EFFORT:
            state[2 * every + j] = load
        if options & WATCHES:
            most = bounds[4 * count + i]  # beyond it the bound counts: overspeed must be noticed
            state[3 * every + j] = min(max(speed, -most), most) if abs(speed) < inf else nan
            state[4 * every + j] = load if good[2 * count + i] else nan
        state[CAME * every + j] = now
        stamps[j] = stamp
    return 0


@cache
def taking() -> Standalone:
    """Return `_take` in machine code."""
    field = ("int64", "float64[]")
    arrays = ("int64*",) * 4 + ("float64*",) * 2 + ("uint8*", "float64*", "int64*")
    return Standalone(_take, "float64", *["int64"] * 4, *field * 3, *arrays)
