# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""One point to be held: what is desired, and how computed torque brings a robot there."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dyn_core.control import State, tracking_response, wrap_differences
from dyn_ros.arrays import Vector

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
    with as much acceleration as the step is large. The motion of a robot that follows its commands
    is known beforehand, and is what its motors have to be able to.
    """

    def __init__(
        self,
        begin: float,
        given: Sequence[Vector],
        before: State,
        robot: tuple[Vector, Vector],
        turning: list[int],
        law: Law,
    ) -> None:
        """Desire one point from a time on.

        Args:
            begin: s after the start of the motion.
            given: position, and what is known of velocity and acceleration, [nv] each.
            before: what is desired then without it.
            robot: its position and velocity then, [nv].
            turning: joints without end, whose differences wrap.
            law: how set-points are followed.
        """
        rest = np.zeros_like(given[0])
        position, velocity, acceleration, *_ = *given, rest, rest
        self.point: State = position, velocity, acceleration
        self._rest: State = position, rest, rest
        self._end = begin + law.timeout
        with np.errstate(over="ignore", invalid="ignore"):
            self.way = self._way(robot, before, turning, law)
        """The states of such a robot until it has come to rest, [n, nv] each.

        The first two are the same but for the acceleration, which the first has without the
        set-point.
        """

    def sample(self, time: float) -> State:
        """Return what is desired."""
        late = time - self._end
        if late < 0.0:
            return self.point
        if late >= STOP_TIME_S:
            return self._rest
        position, velocity, acceleration = self.point
        left = 1.0 - late / STOP_TIME_S
        return position, left * velocity, left * acceleration

    @property
    def distance(self) -> Vector:
        """The furthest that such a robot is from the position, rad or m, of each joint."""
        distances = self.point[0] - self.way[0]
        worst = np.abs(distances).argmax(axis=0)
        return np.take_along_axis(distances, worst[np.newaxis], axis=0)[0]

    def _way(
        self, robot: tuple[Vector, Vector], before: State, turning: list[int], law: Law
    ) -> State:
        ways = [self.point[0] - x[0] for x in (robot, before)]
        for way in ways:
            wrap_differences(way, turning)
        q, there = (self.point[0] - way for way in ways)
        v, ahead = robot[1], 1.0 if law.feed_forward else 0.0
        position, velocity, change = self.point[0], self.point[1], ahead * self.point[2]
        frequency, timeout = law.natural_frequency, law.timeout
        decayed = SETTLING_PERIODS / frequency if frequency else timeout
        in_force = np.append(min(decayed, timeout) * CHECKED_SHARES, timeout)
        given, easing = (
            (position, velocity, change),
            (-velocity / STOP_TIME_S, -change / STOP_TIME_S),
        )
        states = []
        for desired, times, changing in (
            ((there, before[1], ahead * before[2]), CHECKED_SHARES[:1], None),
            (given, in_force, None),
            (given, STOP_TIME_S * CHECKED_SHARES, easing),
            (self._rest, decayed * CHECKED_SHARES, None),
        ):
            states.append(tracking_response(q, v, desired, times, *law[:2], changing))
            q, v = states[-1][0][-1], states[-1][1][-1]
        q, v, a = (np.concatenate(x) for x in zip(*states, strict=True))
        return q, v, a
