# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Time as an object: what waits or compares times is given one, and tests step their own."""

import time


class Clock:
    """The clocks of the computer: a steady one, and the time since 1970, which may be adjusted."""

    # Without a method of Python's around each: nodes ask several times in every sample.
    now = staticmethod(time.monotonic)
    """Return steady time, s."""
    nanoseconds = staticmethod(time.monotonic_ns)
    """Return the same steady time, ns."""
    since_1970 = staticmethod(time.time_ns)
    """Return the time since 1970, ns."""

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


CLOCK = Clock()


class ManualClock(Clock):
    """A clock that stands still until it is moved on."""

    def __init__(self, start: float = 1000.0) -> None:
        """Begin at a steady time, s."""
        self._now = round(1e9 * start)

    def now(self) -> float:
        """Return steady time, s."""
        return 1e-9 * self._now

    def nanoseconds(self) -> int:
        """Return the same steady time, ns."""
        return self._now

    def since_1970(self) -> int:
        """Return the same time: the clocks of this computer agree."""
        return self._now

    def sleep(self, seconds: float) -> None:
        """Move on."""
        self._now += round(1e9 * seconds)
