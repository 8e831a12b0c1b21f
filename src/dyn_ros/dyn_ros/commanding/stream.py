# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A stream of effort commands: begin, follow, hold, damp, end. A controller holds the last one.

And from the efforts that are wanted to those that are sent: ramp, limits, limit on the rate.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from math import inf, nan
from typing import Any

import numpy as np

from dyn_core.compiler.runtime.numba_free import Standalone
from dyn_ros.adapters.checked_vector import LARGEST
from dyn_ros.adapters.joint_order import first_of
from dyn_ros.arrays import Matrix, Vector
from dyn_ros.commanding.braking import Brakes, beside_free

MOST_TIME = 0.1  # s between two commands that a ramp or a rate counts; longer is a gap, not time
WANTED, COMMAND, LEAP, LIMIT, RATE, BEFORE, TREND, NEXT = ROWS = range(8)  # of a shaper's numbers
GIVEN, CUT, KEPT = range(3)  # commands: as wanted, at a limit, the one before
HELD_SHARE = 0.5  # part of the time of damping in which gravity is compensated in full
NO_EFFORT = (
    "so that nothing moves it: set the limit in the description, and effort_limit_scale, above 0, "
    "or name the joint in passive_joints if it has no motor"
)
FADE = 0.1  # s before the end of a shutdown command in which what it lacks is made up for


class Phase(Enum):
    """What a stream does."""

    WAITING = "waiting"  # nothing is sent: it has not begun, or has ended
    FOLLOWING = "on"  # a command for each good state
    HOLDING = "holding"  # gravity, for a bounded time, then damping
    DAMPING = "damping"  # gravity and braking, for a bounded time, then zero
    FADING = "ramp to zero"
    BRAKING = "braking"  # of motion


WAITING, FOLLOWING = Phase.WAITING, Phase.FOLLOWING  # Python 3.11 is slow to find members


@dataclass
class Durations:
    """How long each phase takes, s."""

    ramp: float = 0.5
    hold: float = 0.2
    damp: float = 2.0
    damping_time: float = 0.1  # in which damping takes velocities to 1/e


class CommandShaper:
    """Moves commands from where they are to where they shall be, never over an effort limit.

    During a ramp  command = wanted + (1 - t / duration) (command - wanted at its beginning),  so
    that a changed model, parameter or state of the node never makes the efforts jump. What changes
    with the robot's state is followed all the same, also where ramps begin again and again: of what
    leaps at a beginning, as much as changed in the sample before is taken for the robot's motion.
    Where one joint's effort may not change as fast as it shall, those of all joints go the same
    share of their way: what the robot does is then between what it did and what is wanted. Each
    joint as far as it may go would drive axes that are almost parallel against each other.
    `command` is what was sent last, zeros before the first.
    """

    def __init__(self, joint_names: Sequence[str]) -> None:
        """Command these joints, at first from zero and without limits."""
        self.joint_names = tuple(joint_names)
        size = len(self.joint_names)
        self._numbers = np.zeros((len(ROWS), size))
        self._numbers[BEFORE] = nan
        self._shape = shaping().bind(self._numbers)
        self._wanted, self.command = self._numbers[: COMMAND + 1]
        self.limit, self.most_rate = inf, inf
        self.exceeded = False
        """Whether more was wanted last than an effort limit."""
        self._ramp_time = self._ramp_duration = 0.0  # s
        self._begins = 0  # whether the next command is the first of a ramp

    @property
    def limit(self) -> Vector:
        """N m or N, of each joint; without a limit the largest number."""
        return self._numbers[LIMIT]

    @limit.setter
    def limit(self, limit: float | Vector) -> None:
        self._numbers[LIMIT] = np.minimum(limit, LARGEST)

    @property
    def most_rate(self) -> Vector:
        """N m/s or N/s by which the command of each joint may change; infinite: no limit."""
        return self._numbers[RATE]

    @most_rate.setter
    def most_rate(self, rate: float | Vector) -> None:
        self._numbers[RATE] = rate

    def ramp(self, duration: float) -> None:
        """Begin to go from the last command to what is wanted, within `duration` s."""
        self._ramp_time, self._ramp_duration, self._begins = 0.0, duration, 1

    @property
    def ramping(self) -> bool:
        """Whether a ramp is under way."""
        return self._ramp_time < self._ramp_duration

    def update(
        self, wanted: Vector, seconds: float, apart: float | None = None, *, clamp: bool = True
    ) -> Vector:
        """Return the command, `seconds` after the one before.

        It stays the one before if an effort is not finite, or, without `clamp`, over its limit.
        `apart` is the time between their ways to the controller, s, which limits the change; None:
        the same.
        """
        apart, share = seconds if apart is None else apart, 1.0
        if self._ramp_time < self._ramp_duration:
            self._ramp_time += min(seconds, MOST_TIME)
            share = min(1.0, self._ramp_time / self._ramp_duration)
        size, cut = len(self.joint_names), 1 if clamp else 0
        found = self._shape(share, apart, cut, self._begins, size, wanted)
        if found != KEPT:
            self._begins = 0
        self.exceeded = found != GIVEN
        return self.command

    def jump(self, wanted: Vector) -> Vector:
        """Return the command without ramp and limit on the rate, but within the limits."""
        np.clip(wanted, -self.limit, self.limit, out=self.command)
        self._numbers[BEFORE], self._numbers[TREND] = nan, 0.0
        return self.command

    def zero(self) -> Vector:
        """Return a command of zero efforts, whatever the rate."""
        self.command[:] = self._numbers[TREND] = 0.0
        self._numbers[BEFORE] = nan
        self.exceeded = False
        return self.command

    def describe_excess(self) -> str:
        """Say which joints needed more effort than they have."""
        return first_of(
            [
                f"joint '{self.joint_names[i]}' needs {self._wanted[i]:.3f} but its effort limit "
                f"is {self.limit[i]:.3f}{'' if self.limit[i] else f': {NO_EFFORT}'}"
                for i in np.flatnonzero(~(np.abs(self._wanted) <= self.limit))
            ]
        )


class CommandStream:
    """Commands [n] in the controller's order, N m or N, of times of a steady clock, s.

    While no valid state comes, `tick` returns what is sent. No command depends on the effort of the
    motion before: holding is gravity, and damping is

        command = s(t) gravity - M v / damping_time,

    with gravity and mass matrix of the newest positions and the newest velocity: by itself it gives
    dv/dt = -v / damping_time, whatever the robot weighs, and takes out energy, for M is positive
    definite. Where the velocities of some joints are unknown M is `beside_free`, which does half of
    that for the others. v is what `VelocityGuard.shown` makes of it. s is 1 in the first half of
    the time, then falls to 0, so that the robot sinks slowly; in the last FADE s all of it goes to
    zero. The time begins anew with states that are good, but have not settled.

    A model that is distrusted may be what drives the robot: an M of 20 kg too many does. Nothing of
    it is used then: gravity is given as zero, and `Brakes` brake each joint as its response allows.

    Damping and ramps to a last effort end in their time, or FADE if that is longer, whatever the
    limit on the rate: what that leaves of the way goes to zero in the last FADE s.
    """

    def __init__(self, shaper: CommandShaper, durations: Durations) -> None:
        """Send what `shaper` lets through."""
        self.shaper, self.durations = shaper, durations
        self.phase = Phase.WAITING
        size = len(shaper.joint_names)
        self.gravity: Vector = np.zeros(size)
        self.mass: Matrix | None = None  # None: the model is distrusted
        self._brakes = Brakes(shaper.limit)
        self._resumes_ramp = False  # whether holding interrupted a ramp
        self._last_word: Vector = np.zeros(size)  # to which commands fade
        self._fading_time = 0.0
        self._since = self._last = 0.0  # when the phase began, and the last command was computed
        self.sent = 0.0
        """When that one had been sent: its process may have been interrupted before."""

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
        if self.phase is not FOLLOWING:
            short = self.phase is Phase.HOLDING and now - self._since <= MOST_TIME
            if self._resumes_ramp or not short:
                self.shaper.ramp(self.durations.ramp)
            self._enter(Phase.FOLLOWING, now)
        return self._shaped(wanted, now, clamp=clamp)

    def hold(self, now: float, gravity: Vector) -> Vector:
        """Return the command towards gravity efforts [n], which are held for a bounded time.

        Damping continues instead.
        """
        if self.phase is FOLLOWING:
            self._enter(Phase.HOLDING, now)
            self._resumes_ramp = self.shaper.ramping
            self.shaper.ramp(0.0)  # one under way may come from the effort of a motion
        if self.phase is not Phase.HOLDING:
            return self.shaper.command
        self.gravity[:] = np.nan_to_num(gravity)
        return self._shaped(self.gravity, now)

    def damp(self, now: float, gravity: Vector, mass: Matrix | None = None) -> None:
        """Damp from now on, with gravity efforts [n] and mass matrix of the newest positions.

        Without one, or where all gravity is zero, nothing of the model is used.
        """
        self.gravity[:] = np.nan_to_num(gravity)
        self.mass = mass if self.gravity.any() else None
        if self.phase is not Phase.DAMPING:
            self.shaper.ramp(0.0)  # one under way would take most of the damping away
            self._brakes = Brakes(self.shaper.limit)
            self._enter(Phase.DAMPING, now)

    def renew(self, now: float) -> None:
        """Damp for the whole time from now on."""
        if self.phase is Phase.DAMPING:
            self._since = now

    def fade(self, now: float, efforts: Vector | float, duration: float) -> None:
        """Go to efforts [n] from now on, within `duration` s if the rate allows, and end there."""
        self._last_word[:] = np.nan_to_num(efforts)
        self._fading_time = duration
        self.shaper.ramp(duration)
        self._enter(Phase.FADING, now)

    def ramp(self) -> None:
        """Go from the last command to what is wanted from now on; holding and damping at once."""
        self._resumes_ramp = True
        if self.phase not in (Phase.HOLDING, Phase.DAMPING):
            self.shaper.ramp(self.durations.ramp)

    def zero(self) -> Vector:
        """Return the command that the motors shall give nothing; later ones ramp from there."""
        self.phase = Phase.FOLLOWING if self.begun else Phase.WAITING
        command = self.shaper.zero()
        self.shaper.ramp(self.durations.ramp)
        return command

    def end(self) -> None:
        """Send nothing any more, until it begins again."""
        self.phase = Phase.WAITING

    def due_to_damp(self, now: float) -> bool:
        """Whether gravity has been held long enough."""
        return self.phase is Phase.HOLDING and now - self._since > self.durations.hold

    def tick(self, now: float, velocity: Vector | None, age: Vector | float = 0.0) -> Vector | None:
        """Return what is sent while no valid state comes; None: nothing, the stream has ended.

        `velocity` [n] is the newest, in rad/s or m/s, NaN of joints where it is not known, and
        `age` s old; None: of all joints.
        """
        if self.phase is Phase.HOLDING:
            return self._shaped(self.gravity, now)
        if self.phase is Phase.DAMPING:
            return self._damped(now, velocity, age)
        return self._faded(now) if self.phase is Phase.FADING else None

    def _damped(self, now: float, velocity: Vector | None, age: Vector | float) -> Vector:
        duration, limit = max(self.durations.damp, 1e-9), self.shaper.limit
        left = max(0.0, 1.0 - (now - self._since) / duration)
        wanted = min(1.0, left / (1.0 - HELD_SHARE)) * np.clip(self.gravity, -limit, limit)
        if velocity is not None and self.mass is not None:
            known = np.isfinite(velocity)
            inertia = self.mass if known.all() else beside_free(self.mass, known)
            wanted[known] -= inertia @ velocity[known] / self.durations.damping_time
        elif velocity is not None:
            wanted += self._brakes.efforts(velocity, now, self.durations.damping_time, age)
        wanted *= min(1.0, left / min(FADE / duration, 1.0 - HELD_SHARE))
        command = self._arriving(wanted, now, duration)
        if not (left or command.any()):
            self.end()
        return command

    def _faded(self, now: float) -> Vector:
        command = self._arriving(self._last_word, now, self._fading_time)
        limit = self.shaper.limit
        if np.array_equal(command, np.clip(self._last_word, -limit, limit)):
            self.end()
        return command

    def _arriving(self, wanted: Vector, now: float, duration: float) -> Vector:
        """Return the command towards `wanted`, which is there after `duration` s, or FADE."""
        before, last = self._last, self.shaper.command.copy()
        end = self._since + max(duration, FADE)
        command, limit = self._shaped(wanted, now), self.shaper.limit
        if end - now < FADE:
            goal = np.clip(wanted, -limit, limit)
            share = max(end - now, 0.0) / max(end - before, 1e-9)
            most = min(share, 1.0) * np.abs(last - goal)
            command[:] = goal + np.clip(command - goal, -most, most)
        return command

    def _enter(self, phase: Phase, now: float) -> None:
        if phase is Phase.FOLLOWING and self.phase is not Phase.HOLDING:
            self._last = now  # what was sent between has been rated already
        self.phase, self._since = phase, now

    def _shaped(self, wanted: Vector, now: float, *, clamp: bool = True) -> Vector:
        """Return the command towards `wanted`, which changes as much as may be since it was sent.

        Ramps count the time between two computations, so that they take as long as they shall.
        """
        before, apart = self._last, now - max(self._last, self.sent)
        command = self.shaper.update(wanted, now - before, apart, clamp=clamp)
        if clamp or not self.shaper.exceeded:  # else nothing was computed, and holding is next
            self._last = now
        return command


def _shape(
    share: float, seconds: float, clamp: int, begins: int, count: int, wished: Any, numbers: Any
) -> int:
    """Write the command at this `share` of a ramp, which `begins` perhaps; return what it is.

    It stays the one before if a number is not finite, or over a limit without `clamp`.
    """
    found = GIVEN
    for k in range(count):
        numbers[WANTED * count + k] = wished[k]
    for k in range(count):
        if not abs(numbers[WANTED * count + k]) <= numbers[LIMIT * count + k]:  # as NaN is
            found = CUT
            if not clamp or not abs(numbers[WANTED * count + k]) < inf:
                return KEPT
    together = 1.0  # part of their way that all efforts go
    for k in range(count):
        limit, before = numbers[LIMIT * count + k], numbers[COMMAND * count + k]
        before = min(max(before, -limit), limit)  # a limit that has fallen waits for no rate
        numbers[COMMAND * count + k] = before
        wanted = min(max(numbers[WANTED * count + k], -limit), limit)
        trend = wanted - numbers[BEFORE * count + k]
        if begins:
            leap, trend = before - wanted, numbers[TREND * count + k]
            numbers[LEAP * count + k] = leap + min(max(trend, min(-leap, 0.0)), max(-leap, 0.0))
        if begins or not abs(trend) < inf:
            trend = 0.0
        numbers[BEFORE * count + k], numbers[TREND * count + k] = wanted, trend
        if share < 1.0:
            wanted += (1.0 - share) * numbers[LEAP * count + k]
        wanted = min(max(wanted, -limit), limit)
        numbers[NEXT * count + k] = wanted
        step = numbers[RATE * count + k] * min(max(seconds, 0.0), MOST_TIME)
        if abs(wanted - before) > step:  # which is NaN for an infinite rate in no time
            together = min(together, step / abs(wanted - before))
    for k in range(count):
        wanted, before = numbers[NEXT * count + k], numbers[COMMAND * count + k]
        if together < 1.0:
            wanted = before + together * (wanted - before)
        numbers[COMMAND * count + k] = wanted
    return found


@cache
def shaping() -> Standalone:
    """Return `_shape` in machine code."""
    return Standalone(_shape, "float64", "float64", *["int64"] * 3, "float64[]", "float64*")
