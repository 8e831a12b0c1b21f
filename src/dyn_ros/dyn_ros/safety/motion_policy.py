# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A stream of motion commands: begin where the robot is, follow, brake, end. No efforts."""

from enum import Enum

import numpy as np

from dyn_ros.arrays import Vector
from dyn_ros.safety.effort_policy import MAX_STEP_S


class MotionPhase(Enum):
    """What a stream does; diagnostics report the values."""

    WAITING = "waiting"  # nothing is sent
    FOLLOWING = "on"
    BRAKING = "braking"


class MotionStream:
    """Position and velocity [n] that are commanded, in rad and rad/s or m and m/s.

    While nothing good comes in it brakes: all joints lose the same share of their velocity, so that
    the robot stays on its way, and none decelerates more than it may.
    """

    def __init__(self, size: int, acceleration: float) -> None:
        """Stand, with decelerations of at most `acceleration`, rad/s^2 or m/s^2."""
        self.phase = MotionPhase.WAITING
        self.acceleration = acceleration
        self.position: Vector = np.zeros(size)
        self.velocity: Vector = np.zeros(size)
        self.change: Vector = np.zeros(size)  # of the velocity, rad/s^2 or m/s^2

    @property
    def begun(self) -> bool:
        """Whether commands have begun, and have not ended."""
        return self.phase is not MotionPhase.WAITING

    @property
    def braking(self) -> bool:
        """Whether `brake_on` has to be called."""
        return self.phase is MotionPhase.BRAKING

    @property
    def rests(self) -> bool:
        """Whether no joint shall move."""
        return not self.velocity.any()

    def begin(self, position: Vector, velocity: Vector) -> None:
        """Begin with the motion that the robot has."""
        self.position[:], self.velocity[:], self.change[:] = position, velocity, 0.0
        self.phase = MotionPhase.FOLLOWING

    def follow(self, velocity: Vector, seconds: float) -> None:
        """Go on with a velocity for so long."""
        self.phase = MotionPhase.FOLLOWING
        self._move(velocity, seconds)

    def brake(self) -> None:
        """Come to rest from now on."""
        if self.begun:
            self.phase = MotionPhase.BRAKING

    def brake_on(self, seconds: float) -> None:
        """Lose velocity for so long; at rest the stream ends with this command."""
        seconds = min(seconds, MAX_STEP_S)
        over = float(np.abs(self.velocity).max(initial=0.0)) / max(
            self.acceleration * seconds, 1e-12
        )
        self._move(self.velocity * max(0.0, 1.0 - 1.0 / max(over, 1e-12)), seconds)
        if self.rests:
            self.end()

    def halt(self) -> None:
        """Stand at once."""
        self.velocity[:], self.change[:] = 0.0, 0.0
        self.end()

    def end(self) -> None:
        """Command nothing any more, until it begins again."""
        self.phase = MotionPhase.WAITING

    def _move(self, velocity: Vector, seconds: float) -> None:
        np.subtract(velocity, self.velocity, out=self.change)
        self.change /= max(seconds, 1e-9)
        self.velocity[:] = velocity
        self.position += velocity * seconds
