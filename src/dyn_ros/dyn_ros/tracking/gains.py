# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Which gains of computed torque the rate of joint states can carry.

Computed torque makes every joint a double integrator under  u = -2 zeta w v - w^2 q.  Its open loop

    L(s) = (2 zeta w s + w^2) / s^2

has a gain of 1 at  wc = w sqrt(2 zeta^2 + sqrt(4 zeta^4 + 1))  and a phase margin there of
atan(2 zeta wc / w), so that it is stable with delays below its delay margin

    atan(2 zeta wc / w) / wc .

A command acts about one period of joint states after the measurement and is then held for one,
which delays it by half a period more: 1.5 periods. The margin has to be 2.5 periods, one to spare
for transport, filters in the driver and errors of the model. With zeta = 1 that is
w <= 0.26 times the rate; with large zeta 2 zeta w <= 0.63 times the rate.
"""

from collections.abc import Sequence
from math import atan, inf, sqrt

import numpy as np
from numpy.typing import NDArray

from dyn_ros.arrays import Vector

OWN_DELAY = 1.5  # periods of joint states from a measurement to the middle of its command
DELAY_MARGIN = 2.5  # periods of joint states
RATE_WINDOW_S = 0.3  # s over which a rate is measured, at least
LEAST_STATES = 10  # in that time
RISE_S = 0.3  # s in which the rate that gains are for may double


def needed_rate(natural_frequency: float, damping_ratio: float) -> float:
    """Return the least rate of joint states for these gains, Hz; infinite: no rate is enough."""
    if not natural_frequency:
        return 0.0
    square = damping_ratio**2
    crossover = sqrt(2.0 * square + sqrt(4.0 * square**2 + 1.0))  # in parts of natural_frequency
    margin = atan(2.0 * damping_ratio * crossover) / (crossover * natural_frequency)
    return DELAY_MARGIN / margin if margin else inf


def carried(natural_frequency: float, damping_ratio: float, rate: float) -> float:
    """Return the natural frequency, at most the given one, that joint states at `rate` Hz carry.

    As long as the rate is unknown, 0, that is the given one.
    """
    needed = needed_rate(natural_frequency, damping_ratio)
    return natural_frequency * min(1.0, rate / needed) if needed and rate else natural_frequency


def excess(natural_frequency: float, damping_ratio: float, rate: float) -> str:
    """Return why joint states at `rate` Hz, 0: unknown, cannot carry gains; empty: they can."""
    needed = needed_rate(natural_frequency, damping_ratio)
    if needed <= rate or not rate:
        return ""
    if needed == inf:
        return (
            f"damping_ratio {damping_ratio:g} is unstable at any rate of joint states: set it to "
            "0.5 or more"
        )
    most = carried(natural_frequency, damping_ratio, rate)
    return (
        f"natural_frequency {natural_frequency:g} rad/s with damping_ratio {damping_ratio:g} needs "
        f"joint states at {needed:.0f} Hz, they come at {rate:.0f} Hz, which is enough for "
        f"{most:.3g} rad/s: lower natural_frequency or damping_ratio, or publish joint states "
        "faster"
    )


class StateRate:
    """The rate at which states come, measured over RATE_WINDOW_S again and again."""

    def __init__(self) -> None:
        """Know no rate yet."""
        self.hertz = 0.0
        """Of the last window; 0: none has passed."""
        self._begin = self._last = -inf
        self._count = 0
        self._gaps = 0.0, 0.0  # s, the longest of the last window, and of this one
        self.held = 0.0
        """The rate, Hz, by the longest gap: in bursts of states it is for which a command holds.

        Of states that come late, the rate of those that would delay commands as much. It rises by
        RISE_S, for gains that return in a step would make light joints jump."""

    def add(self, now: float, timeout: float, age: float = 0.0) -> bool:
        """Count a state of `age` s, now in s; return whether the rate has been measured anew.

        After a gap of more than `timeout` s, or where time goes back, a window begins anew.
        """
        gap = now - self._last
        if not 0.0 <= gap <= timeout:
            self._begin, self._count, self._gaps = now, 0, (0.0, 0.0)
        else:
            self._count += 1
            self._gaps = self._gaps[0], max(self._gaps[1], gap + age / OWN_DELAY)
        self._last = now
        passed = now - self._begin
        ends = self._count >= LEAST_STATES and passed >= RATE_WINDOW_S
        if ends:
            self.hertz = self._count / passed
            self._begin, self._count, self._gaps = now, 0, (self._gaps[1], 0.0)
        longest = max(self._gaps)
        held = min(self.hertz, 1.0 / longest) if longest else self.hertz
        risen = self.held * 2.0 ** (min(max(gap, 0.0), RISE_S) / RISE_S)
        self.held = min(held, risen) if self.held else held
        return ends


class JointReading:
    """When each of some joints came last: they may come in messages of their own."""

    def __init__(self, joints: Sequence[int], count: int) -> None:
        """Look at these of so many joints."""
        self._joints = list(joints)
        self._counted = -inf  # s, when the newest of them came when they were complete
        self._ages: Vector = np.zeros(count)  # s, when they came
        self._stamps: NDArray[np.int64] = np.zeros(count, dtype=np.int64)  # ns

    def largest_age(self, repeated: Vector) -> float:
        """Return the age of the oldest state, s, of joints that were `repeated` for s [n]."""
        return float((self._ages + repeated)[self._joints].max(initial=0.0))

    def is_complete(self, came: Vector, stamps: NDArray[np.int64], age: float) -> bool:
        """Take note of a state; return whether each joint has come since that was last so.

        Args:
            came: when the joints came, s [n].
            stamps: of their states, ns [n].
            age: of the newest of these states when it came, s.
        """
        self._ages[stamps != self._stamps] = age
        self._stamps = stamps.copy()
        read = came[self._joints]
        if read.min(initial=inf) <= self._counted:
            return False
        self._counted = float(read.max(initial=-inf))
        return True
