# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Positions that stop dead in a motion: a driver that repeats what it read last."""

import numpy as np

from dyn_ros.arrays import Vector
from dyn_ros.safety.plausible_limits import MARGIN

WINDOW_S = 0.1  # s, over which a speed is measured
MIN_SPEED = 0.2  # rad/s or m/s; slower motion may well come to rest at once
SUDDEN = 0.5  # part of its mean speed that a joint has in its last step, if nothing slows it down
MAX_STEP = 3.0  # rad or m in WINDOW_S; more is a turn of a joint without an end


class Standstill:
    """Notices positions [n] that were in motion, and are exactly the same now.

    An arm that comes to rest slows down before.
    """

    def __init__(self) -> None:
        """Know no positions."""
        self._newest = self._before = b""
        self.since = self._step_s = 0.0  # s, when positions last changed; between both changes
        self._marks: list[tuple[float, Vector]] = []  # times, s, and positions, WINDOW_S apart
        self._is_sudden: bool | None = None  # None: not computed since the last change

    def is_sudden(self, position: Vector, time: float) -> bool:
        """Return whether positions at a time, s, stand still, and should not."""
        numbers = position.tobytes()
        if numbers != self._newest or time < self.since:
            self._before, self._newest = self._newest, numbers
            self._step_s, self.since = time - self.since, time
            self._is_sudden = None
            if not self._marks or not 0.0 <= time - self._marks[-1][0] < WINDOW_S:
                self._marks = [*self._marks[-1:], (time, position.copy())]
            return False
        if self._is_sudden is None:
            self._is_sudden = self._moved()
        return self._is_sudden

    def _moved(self) -> bool:
        """Return whether a joint moved up to the last change, and was not slowed down."""
        begin, first = self._marks[0]
        seconds, newest = self.since - begin, np.frombuffer(self._newest)
        if not 0.0 < seconds < 3.0 * WINDOW_S or len(self._before) != len(self._newest):
            return False
        way, step = np.abs(newest - first), np.abs(newest - np.frombuffer(self._before))
        speed = way / seconds
        moves = (speed > MIN_SPEED) & (way > MARGIN) & (way < MAX_STEP)
        return bool((moves & (step > SUDDEN * speed * self._step_s)).any())
