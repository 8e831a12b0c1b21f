# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""From the efforts that are wanted to those that are commanded: ramp, limits, limit on the rate."""

from collections.abc import Callable, Sequence
from functools import cache
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyn_core.execution.standalone import standalone
from dyn_ros.adapters.checked_vector import LARGEST
from dyn_ros.adapters.joint_order import first_of

MOST_TIME = 0.1  # s between two commands that a ramp or a rate counts; longer is a gap, not time
WANTED, COMMAND, LEAP, LIMIT, RATE = range(5)  # rows of a shaper's numbers
GIVEN, CUT, KEPT = range(3)  # commands: as wanted, at a limit, the one before


class CommandShaper:
    """Moves commands from where they are to where they shall be, never over an effort limit.

    During a ramp  command = wanted + (1 - t / duration) (command - wanted at its beginning),  so
    that a changed model, parameter or state of the node never makes the efforts jump. What changes
    with the robot's state is followed all the same, also where ramps begin again and again.
    `command` is what was sent last, zeros before the first.
    """

    def __init__(self, joint_names: Sequence[str]) -> None:
        """Command these joints, at first from zero and without limits."""
        self.joint_names = tuple(joint_names)
        size = len(self.joint_names)
        self._numbers = np.zeros((5, size))
        self._known = size, self._numbers.ctypes.data
        self._wanted, self.command = self._numbers[: COMMAND + 1]
        self.limit, self.most_rate = inf, inf
        self.exceeded = False
        """Whether more was wanted last than an effort limit."""
        self._ramp_time = self._ramp_duration = 0.0  # s
        self._begins = False  # whether the next command is the first of a ramp

    @property
    def limit(self) -> NDArray[np.float64]:
        """N m or N, of each joint; without a limit the largest number."""
        return self._numbers[LIMIT]

    @limit.setter
    def limit(self, limit: float | NDArray[np.float64]) -> None:
        self._numbers[LIMIT] = np.minimum(limit, LARGEST)

    @property
    def most_rate(self) -> NDArray[np.float64]:
        """N m/s or N/s by which the command of each joint may change; infinite: no limit."""
        return self._numbers[RATE]

    @most_rate.setter
    def most_rate(self, rate: float | NDArray[np.float64]) -> None:
        self._numbers[RATE] = rate

    def ramp(self, duration: float) -> None:
        """Begin to go from the last command to what is wanted, within `duration` s."""
        self._ramp_time, self._ramp_duration, self._begins = 0.0, duration, True

    @property
    def ramping(self) -> bool:
        """Whether a ramp is under way."""
        return self._ramp_time < self._ramp_duration

    def update(
        self, wanted: NDArray[np.float64], seconds: float, *, clamp: bool = True
    ) -> NDArray[np.float64]:
        """Return the command, `seconds` after the one before.

        It stays the one before if an effort is not finite, or, without `clamp`, over its limit.
        """
        seconds = min(seconds, MOST_TIME)
        self._ramp_time += seconds
        ramped, ramp = self._ramp_time, self._ramp_duration
        share = ramped / ramp if ramped < ramp else 1.0
        self._wanted[:] = wanted
        found = shaping()(share, seconds, clamp, self._begins, *self._known)
        self._begins &= found == KEPT
        self.exceeded = found != GIVEN
        return self.command

    def jump(self, wanted: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the command without ramp and limit on the rate, but within the limits."""
        np.clip(wanted, -self.limit, self.limit, out=self.command)
        return self.command

    def zero(self) -> NDArray[np.float64]:
        """Return a command of zero efforts, whatever the rate."""
        self.command[:] = 0.0
        self.exceeded = False
        return self.command

    def describe_excess(self) -> str:
        """Say which joints needed more effort than they have."""
        return first_of(
            [
                f"joint '{self.joint_names[i]}' needs {self._wanted[i]:.3f} but its effort limit "
                f"is {self.limit[i]:.3f}"
                for i in np.flatnonzero(~(np.abs(self._wanted) <= self.limit))
            ]
        )


def _shape(share: float, seconds: float, clamp: int, begins: int, count: int, numbers: Any) -> int:
    """Write the command at this `share` of a ramp, which `begins` perhaps; return what it is.

    It stays the one before if a number is not finite, or over a limit without `clamp`.
    """
    found = GIVEN
    for k in range(count):
        if not abs(numbers[WANTED * count + k]) <= numbers[LIMIT * count + k]:  # as NaN is
            found = CUT
            if not clamp or not abs(numbers[WANTED * count + k]) < inf:
                return KEPT
    for k in range(count):
        limit, before = numbers[LIMIT * count + k], numbers[COMMAND * count + k]
        wanted = min(max(numbers[WANTED * count + k], -limit), limit)
        if begins:
            numbers[LEAP * count + k] = before - wanted
        if share < 1.0:
            wanted += (1.0 - share) * numbers[LEAP * count + k]
        if numbers[RATE * count + k] < inf:
            step = numbers[RATE * count + k] * seconds
            wanted = min(max(wanted, before - step), before + step)
        numbers[COMMAND * count + k] = min(max(wanted, -limit), limit)
    return found


@cache
def shaping() -> Callable[..., int]:
    """Return `_shape` in machine code."""
    return standalone(_shape, "int64", "float64", "float64", *["int64"] * 3, "float64*")
