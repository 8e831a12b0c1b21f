# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""From the efforts that are wanted to those that are commanded: ramp, limits, limit on the rate."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dyn_ros.adapters.joint_order import first_of

MOST_TIME = 0.1  # s between two commands that a ramp or a rate counts; longer is a gap, not time


class CommandShaper:
    """Moves commands from where they are to where they shall be, never over an effort limit.

    During a ramp  command = from + (t / duration) (wanted - from),  so that a changed model,
    parameter or state of the node never makes the efforts jump. `command` is what was sent last,
    zeros before the first.
    """

    def __init__(self, joint_names: Sequence[str]) -> None:
        """Command these joints, at first from zero and without limits."""
        self.joint_names = tuple(joint_names)
        size = len(self.joint_names)
        self.command = np.zeros(size)
        self.exceeded = False
        """Whether the last command was cut at an effort limit."""
        self.limit: NDArray[np.float64] = np.full(size, np.inf)
        """N m or N, of each joint."""
        self.most_rate = np.inf
        self._from = np.zeros(size)
        self._lower, self._upper = np.zeros(size), np.zeros(size)
        self._wanted = np.zeros(size)
        self._next = np.zeros(size)
        self._over = np.zeros(size, dtype=bool)
        self._ramp_time = self._ramp_duration = 0.0  # s

    @property
    def most_rate(self) -> float | NDArray[np.float64]:
        """N m/s or N/s by which a command may change, of all or of each; infinite: no limit."""
        return self._most_rate

    @most_rate.setter
    def most_rate(self, rate: float | NDArray[np.float64]) -> None:
        self._most_rate = rate
        self._has_rate = bool(np.all(rate < np.inf))

    def ramp(self, duration: float) -> None:
        """Begin to go from the last command to what is wanted, within `duration` s."""
        np.copyto(self._from, self.command)
        self._ramp_time, self._ramp_duration = 0.0, duration

    @property
    def ramping(self) -> bool:
        """Whether a ramp is under way."""
        return self._ramp_time < self._ramp_duration

    def update(
        self, wanted: NDArray[np.float64], seconds: float, *, clamp: bool = True
    ) -> NDArray[np.float64]:
        """Return the command, `seconds` after the one before.

        Without `clamp` it stays the one before if an effort limit is exceeded.
        """
        seconds = min(seconds, MOST_TIME)
        self._ramp_time += seconds
        self._wanted[:] = wanted
        command = self._next
        command[:] = wanted
        if self._ramp_time < self._ramp_duration:
            command -= self._from
            command *= self._ramp_time / self._ramp_duration
            command += self._from
        if self._has_rate:
            self._clamp_rate(command, seconds)
        np.greater(np.abs(wanted, out=self._lower), self.limit, out=self._over)
        self.exceeded = b"\1" in self._over.tobytes()
        np.negative(self.limit, out=self._lower)
        if clamp or not self.exceeded:
            np.minimum(np.maximum(command, self._lower, out=command), self.limit, out=self.command)
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
                for i in np.flatnonzero(self._over)
            ]
        )

    def _clamp_rate(self, command: NDArray[np.float64], seconds: float) -> None:
        step = self._most_rate * seconds
        np.subtract(self.command, step, out=self._lower)
        np.add(self.command, step, out=self._upper)
        np.minimum(np.maximum(command, self._lower, out=command), self._upper, out=command)
