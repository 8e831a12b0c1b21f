# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The motion that a robot shall make: one leg is under way, another may follow at its time."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dyn_core.control import State, wrap_differences
from dyn_core.model import Model
from dyn_ros.arrays import Vector
from dyn_ros.messages.stamp import NANOSECONDS
from dyn_ros.safety.plausible_limits import given

MIN_APPROACH_S = 0.5
APPROACH_SPEED = 0.3  # rad/s or m/s at most, on the way to a motion


class Segment(NamedTuple):
    """A motion by time after its start."""

    start: int  # ns
    begin: int  # ns, when it is followed first, the start or later
    end: float  # s after the start, when the robot shall be where it stays
    sample: Callable[[float], State]  # by s after the start


class DesiredMotion:
    """Position, velocity and acceleration by time, ns; at rest where nothing else is desired."""

    def __init__(self) -> None:
        """Desire nothing until `rest` is called with a position."""
        self.turning: list[int] = []  # joints without end, whose differences wrap
        self.state: State  # at the last time asked for; empty before the first
        self.rest(np.zeros(0))

    @property
    def known(self) -> bool:
        """Whether anything is desired."""
        return bool(len(self.state[0]))

    def rest(self, position: Vector) -> None:
        """Stay at a position."""
        self._now: Segment | None = None
        self._next: Segment | None = None
        self.state = (position, np.zeros_like(position), np.zeros_like(position))
        self._ahead = np.zeros_like(position)  # of where the robot was, when last asked

    def stay(self, position: Vector, most: float) -> None:
        """Stay at the robot's position, or on the way from it to what was desired.

        Robots hang below what is desired where they are heavier than their model, and would sink at
        each interruption. As far as the robot was from it before, it may be so again, unless that
        was more than `most`, rad or m.
        """
        if not self.known:
            self.rest(position.copy())
            return
        way, ahead = self.state[0] - position, self._ahead
        for x in (way, ahead):
            wrap_differences(x, self.turning)
        ahead = np.where(np.abs(ahead) < most, np.abs(ahead), 0.0)
        self.rest(position + np.clip(way, -ahead, ahead))

    def follow(self, leg: Segment, now: int) -> None:
        """Go on with a leg from where it begins on; what else was to follow is dropped."""
        self._next = leg
        self._begin(now)

    def at(self, now: int, position: Vector) -> State:
        """Return the desired state at a time that never decreases, when the robot is at a position.

        Vectors are [nv].
        """
        self._begin(now)
        self.state = self.later(now)
        self._ahead = self.state[0] - position
        return self.state

    def later(self, time: int) -> State:
        """Return the desired state of the present segment at a time."""
        if self._now is None:
            return self.state
        return self._now.sample((time - self._now.start) / NANOSECONDS)

    def under_way(self, now: int) -> bool:
        """Return whether the robot shall move."""
        return self._now is not None and now < self._now.start + self._now.end * NANOSECONDS

    def waits(self, now: int) -> float:
        """Return the time until the next leg starts, s; 0 if none follows."""
        return 0.0 if self._next is None else (self._next.begin - now) / NANOSECONDS

    def _begin(self, now: int) -> None:
        if self._next is not None and now >= self._next.begin:
            self._now, self._next = self._next, None


def approach_speed(model: Model, share: float) -> Vector:
    """Return the velocities [nv] on the way to a motion, within a share of the limits."""
    return np.minimum(APPROACH_SPEED, share * given(np.asarray(model.velocity_limit)))


def approach_time(model: Model, way: Vector, share: float) -> float:
    """Return the s that a way [nv] takes within a share of the velocity limits.

    A spline that rests at both ends reaches nearly twice its mean velocity.
    """
    return max(2.0 * float((np.abs(way) / approach_speed(model, share)).max()), MIN_APPROACH_S)
