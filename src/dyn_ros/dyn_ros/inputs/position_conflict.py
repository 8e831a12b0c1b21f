# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Whether positions jump to and fro, as those of two publishers do that tell of one joint."""

from collections import deque
from math import inf

MIN_JUMPS = 5  # with good samples between them
CONFLICT_WINDOW_S = 2.0  # s in which so many are a conflict, and for which it lasts after the last


class Conflict:
    """Counts jumps that good samples follow. All times are given, s of a steady clock."""

    def __init__(self) -> None:
        """Know of no jump."""
        self.what = ""  # about the last jump
        self.quiet = True  # as long as there was none
        self._jumps: deque[float] = deque(maxlen=MIN_JUMPS)
        self._jumped = False  # since the last good sample
        self._until = -inf

    def jump(self, now: float, what: str) -> None:
        """Take note of a sample that was refused; several in a row are one jump."""
        if not self._jumped:
            self._jumps.append(now)
        self._jumped, self.what, self.quiet = True, what, False

    def accept(self, now: float) -> bool:
        """Take note of a good sample; return whether it must not be trusted all the same."""
        self._jumped = False
        if len(self._jumps) == MIN_JUMPS and now - self._jumps[0] <= CONFLICT_WINDOW_S:
            self._until = now + CONFLICT_WINDOW_S
        return self.lasts(now)

    def lasts(self, now: float) -> bool:
        """Return whether there is a conflict."""
        return now < self._until
