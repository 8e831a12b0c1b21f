# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""One point to be held: what is desired, and how computed torque brings a robot there."""

from typing import NamedTuple

import numpy as np

from dyn_core.control import State, take_short_way, tracking_response
from dyn_ros.arrays import Matrix, Vector

# s in which velocity and acceleration of a set-point go to zero, for a gentle stop
STOP_TIME_S = 0.2
SETPOINT_SHARE = 0.9  # of max_tracking_error that it may take: efforts change at a rate, and lag
SETTLING_PERIODS = 6.0  # times 1 / natural_frequency after which little is left of a step
CHECKED_SHARES: Vector = np.arange(16) / np.float64(15.0)  # parts of this time


class Law(NamedTuple):
    """The parameters by which set-points are followed."""

    natural_frequency: float  # rad/s
    damping_ratio: float
    feed_forward: bool
    timeout: float  # s for which velocity and acceleration of a set-point are in force
    effort_rate: Vector  # [nv] N m/s or N/s, by which efforts may change


class Setpoint:
    """A state that is desired for a while; then its position is, while its velocity goes to zero.

    A trajectory says how a robot gets to its points. A set-point does not: the law answers the step
    with as much acceleration as the step is large. The motion of a robot which does what it is told
    is known beforehand, and is what its motors have to be able to.
    """

    def __init__(
        self,
        times: tuple[int, float],
        given: list[Matrix],
        before: State,
        robot: tuple[Vector, Vector],
        turning: list[int],
        law: Law,
    ) -> None:
        """Desire one point from a time on.

        Args:
            times: when, ns, and s after the start of the motion.
            given: position, and what is known of velocity and acceleration, [1, nv] each.
            before: what is desired then without it.
            robot: its position and velocity then, [nv].
            turning: joints without end, which take the short way.
            law: how set-points are followed.
        """
        rest = np.zeros_like(given[0][0])
        state = [*(values[0] for values in given), rest, rest]
        self._given: State = state[0], state[1], state[2]
        self._rest: State = state[0], rest, rest
        self.point: State = state[0][np.newaxis], state[1][np.newaxis], state[2][np.newaxis]
        """What is given, [1, nv] each."""
        self.begin, self._end = times[0], times[1] + law.timeout
        self.law, self._turning = law, turning
        with np.errstate(over="ignore", invalid="ignore"):
            self.way = self._way(robot, before)
        """The states of such a robot until it has come to rest, [n, nv] each.

        The first two are the same but for the acceleration, which the first has without the
        set-point.
        """

    def sample(self, time: float) -> State:
        """Return what is desired."""
        late = time - self._end
        if late < 0.0:
            return self._given
        if late >= STOP_TIME_S:
            return self._rest
        position, velocity, acceleration = self._given
        left = 1.0 - late / STOP_TIME_S
        return position, left * velocity, left * acceleration

    @property
    def distance(self) -> Vector:
        """The furthest that such a robot is from the position, rad or m, of each joint."""
        distances = self._rest[0] - self.way[0]
        worst = np.abs(distances).argmax(axis=0)
        return np.take_along_axis(distances, worst[np.newaxis], axis=0)[0]

    def _from(self, position: Vector) -> Vector:
        """Return the way from a position to the set-point."""
        way = self._rest[0] - position
        take_short_way(way, self._turning)
        return way

    def _way(self, robot: tuple[Vector, Vector], before: State) -> State:
        frequency, damping_ratio, feed_forward, timeout, _ = self.law
        gains = frequency, damping_ratio
        decayed = SETTLING_PERIODS / frequency if frequency else timeout
        begin = self._rest[0] - self._from(robot[0]), robot[1]
        ahead = [x[2] if feed_forward else self._rest[2] for x in (self._given, before)]
        there = self._rest[0] - self._from(before[0])
        without = tracking_response(
            *begin, (there, before[1], ahead[1]), CHECKED_SHARES[:1], *gains
        )
        given: State = (*self._given[:2], ahead[0])
        times: Vector = np.append(min(decayed, timeout) * CHECKED_SHARES, timeout)
        first = tracking_response(*begin, given, times, *gains)
        easing = -given[1] / STOP_TIME_S, -given[2] / STOP_TIME_S
        times, at_end = STOP_TIME_S * CHECKED_SHARES, (first[0][-1], first[1][-1])
        second = tracking_response(*at_end, given, times, *gains, easing)
        at_end = second[0][-1], second[1][-1]
        third = tracking_response(*at_end, self._rest, decayed * CHECKED_SHARES, *gains)
        parts = (np.concatenate(x) for x in zip(without, first, second, third, strict=True))
        position, velocity, acceleration = parts
        return position, velocity, acceleration
