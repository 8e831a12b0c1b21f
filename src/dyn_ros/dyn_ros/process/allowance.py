# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""How often something may be done that keeps the robot's next state waiting."""

from math import inf


class Allowance:
    """Some times at once, and then at a rate. Times are those of a steady clock, s."""

    def __init__(self, at_once: int, rate: float) -> None:
        """Allow something so many times, and then `rate` times a second."""
        self._at_once, self._rate = at_once, rate
        self._left, self._last = float(at_once), -inf

    def take(self, now: float) -> bool:
        """Return whether it may be done once more, now."""
        self._left = min(self._at_once, self._left + (now - self._last) * self._rate)
        self._last = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True
