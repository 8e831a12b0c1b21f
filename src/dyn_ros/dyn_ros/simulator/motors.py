# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The motors of a simulated robot: brakes, effort limits, a time-out or a latch, late commands."""

from collections import deque
from math import inf

import numpy as np

from dyn_ros.arrays import Vector


class SimulatedMotors:
    """Turns commands into the efforts that act; time is counted in steps."""

    def __init__(
        self, effort_limit: Vector, timeout: int, delay: int, braked: bool, release: int
    ) -> None:
        """Set limits [nv] (N m, N), the steps until commands time out, and their delay in steps.

        With a `timeout` of 0 the last command acts for ever. If it starts `braked`, the brakes are
        off `release` steps after the first command.
        """
        self._limit = effort_limit
        self._timeout, self._delay = timeout or inf, delay
        self._starts_braked, self._release = braked, release
        self.effort = np.zeros(len(effort_limit))  # applied now, N m or N
        self.reset()

    def reset(self) -> None:
        """Forget all commands; brake, if that is how the robot starts."""
        self._under_way: deque[tuple[int, Vector]] = deque()  # step when it acts, effort
        self._step = 0
        self._timed_out = 0.0  # step
        self._released: int | None = None  # step; once the first command has come
        self.braked = self._starts_braked
        self.effort[:] = 0.0

    @property
    def commanded(self) -> bool:
        """Whether a command is in force."""
        return self._step < self._timed_out

    def command(self, effort: Vector) -> None:
        """Take a command; it acts `delay` steps later."""
        self._under_way.append((self._step + self._delay, effort.copy()))
        self._apply_arrived()

    def advance(self) -> None:
        """Let one step of time pass."""
        self._step += 1
        if self._step == self._timed_out:
            self.effort[:] = 0.0
        self._apply_arrived()

    def _apply_arrived(self) -> None:
        """Give the newest command, at most the limits; release the brakes when it is time."""
        while self._under_way and self._under_way[0][0] <= self._step:
            np.clip(self._under_way.popleft()[1], -self._limit, self._limit, out=self.effort)
            self._timed_out = self._step + self._timeout
            if self._released is None:
                self._released = self._step + self._release
        if self._released is not None and self._step >= self._released:
            self.braked = False
