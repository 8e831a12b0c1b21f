# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A stream of effort commands: begin, follow, hold, damp, end. A controller holds the last one."""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from dyn_ros.adapters.command_shape import MOST_TIME, CommandShaper
from dyn_ros.arrays import Matrix, Vector

HELD_SHARE = 0.5  # part of the time of damping in which gravity is compensated in full


class Phase(Enum):
    """What a stream does."""

    WAITING = "waiting"  # nothing is sent: it has not begun, or has ended
    FOLLOWING = "on"  # a command for each good state
    HOLDING = "holding"  # the last command, for a bounded time, then damping
    DAMPING = "damping"  # gravity of the last good state and damping, for a bounded time, then zero
    FADING = "ramp to zero"
    BRAKING = "braking"  # of motion


@dataclass
class Durations:
    """How long each phase takes, s."""

    ramp: float = 0.5
    hold: float = 0.2
    damp: float = 2.0
    damping_time: float = 0.1  # in which damping takes velocities to 1/e


class CommandStream:
    """Commands [n] in the controller's order, N m or N, of times of a steady clock, s.

    While nothing good comes in, `tick` says what is sent. Damping is

        command = s(t) gravity - M v / damping_time,

    with gravity and mass matrix of the last good state and the newest velocity: by itself it gives
    dv/dt = -v / damping_time, whatever the robot weighs, and takes out energy, for M is positive
    definite. s is 1 in the first half of the time, then falls to 0, so that the robot sinks slowly.
    """

    def __init__(self, shaper: CommandShaper, durations: Durations) -> None:
        """Send what `shaper` lets through."""
        self.shaper, self.durations = shaper, durations
        self.phase = Phase.WAITING
        size = len(shaper.joint_names)
        self.gravity: Vector = np.zeros(size)
        self.mass: Matrix = np.zeros((size, size))
        self._since = self._last = 0.0  # when the phase began, and the last command was sent

    @property
    def begun(self) -> bool:
        """Whether commands have begun, and have not ended."""
        return self.phase is not Phase.WAITING

    @property
    def ticking(self) -> bool:
        """Whether `tick` has to be called."""
        return self.phase in (Phase.HOLDING, Phase.DAMPING, Phase.FADING)

    def begin(self, efforts: Vector, now: float) -> None:
        """Begin at what the motors give."""
        self.shaper.jump(efforts)
        self.shaper.ramp(self.durations.ramp)
        self._enter(Phase.FOLLOWING, now)

    def follow(self, wanted: Vector, now: float, *, clamp: bool = True) -> Vector:
        """Return the command for a good state; ramps unless the one before was just now."""
        if self.phase is not Phase.FOLLOWING:
            if self.phase is not Phase.HOLDING or now - self._since > MOST_TIME:
                self.shaper.ramp(self.durations.ramp)
            self._enter(Phase.FOLLOWING, now)
        before, self._last = self._last, now
        return self.shaper.update(wanted, now - before, clamp=clamp)

    def hold(self, now: float) -> Vector:
        """Return the last command, which is held from now on for a bounded time."""
        if self.phase is Phase.FOLLOWING:
            self._enter(Phase.HOLDING, now)
        return self.shaper.command

    def damp(self, now: float, gravity: Vector, mass: Matrix) -> None:
        """Damp from now on, with what the last good state gives."""
        self.gravity[:], self.mass[:] = gravity, mass
        if self.phase is not Phase.DAMPING:
            self.shaper.ramp(0.0)  # one under way would take most of the damping away
            self._enter(Phase.DAMPING, now)

    def fade(self, now: float) -> None:
        """Ramp to zero from now on."""
        self.shaper.ramp(self.durations.ramp)
        self._enter(Phase.FADING, now)

    def ramp(self) -> None:
        """Go from the last command to what is wanted from now on; damping does so at once."""
        if self.phase is not Phase.DAMPING:
            self.shaper.ramp(self.durations.ramp)

    def zero(self) -> Vector:
        """Return the command that the motors shall give nothing; later ones ramp from there."""
        self.phase = Phase.FOLLOWING if self.begun else Phase.WAITING
        command = self.shaper.zero()
        self.shaper.ramp(self.durations.ramp)
        return command

    def jump(self, efforts: Vector) -> Vector:
        """Return a last command, at once."""
        return self.shaper.jump(efforts)

    def end(self) -> None:
        """Send nothing any more, until it begins again."""
        self.phase = Phase.WAITING

    def due_to_damp(self, now: float) -> bool:
        """Whether the last command has been held long enough."""
        return self.phase is Phase.HOLDING and now - self._since > self.durations.hold

    def tick(self, now: float, velocity: Vector | None) -> Vector | None:
        """Return what is sent while nothing good comes in; None: nothing, the stream has ended.

        `velocity` [n] is the newest, in rad/s or m/s; None: nobody knows it.
        """
        if self.phase is Phase.HOLDING:
            return self._take(self.shaper.command, now)
        if self.phase is Phase.DAMPING:
            return self._damped(now, velocity)
        if self.phase is Phase.FADING:
            command = self._take(self.shaper.update(0.0 * self.gravity, now - self._last), now)
            return command if self.shaper.ramping else self._over()
        return None

    def _damped(self, now: float, velocity: Vector | None) -> Vector:
        passed = (now - self._since) / max(self.durations.damp, 1e-9)
        if passed >= 1.0:
            return self._over()
        share = min(1.0, (1.0 - passed) / (1.0 - HELD_SHARE))
        wanted = share * self.gravity
        if velocity is not None:
            wanted -= self.mass @ velocity / self.durations.damping_time
        return self._take(self.shaper.update(wanted, now - self._last), now)

    def _over(self) -> Vector:
        """Return zero, the last command of all."""
        self.end()
        return self.shaper.zero()

    def _enter(self, phase: Phase, now: float) -> None:
        self.phase, self._since = phase, now
        if phase is Phase.FOLLOWING:
            self._last = now  # what was sent between has been rated already

    def _take(self, command: Vector, now: float) -> Vector:
        self._last = now
        return command
