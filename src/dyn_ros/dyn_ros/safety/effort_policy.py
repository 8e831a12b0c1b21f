# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The state machine between wanted efforts and motors, as docs/safety.md describes it.

Every effort command of the nodes comes out of `EffortPolicy.step`. The vectors in
dyn_msgs/policy/effort_policy.json are its specification, for the controllers in C++ too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from math import inf, nan

import numpy as np

from dyn_ros.arrays import Matrix, Vector
from dyn_ros.messages.checked_vector import MAX_FLOAT
from dyn_ros.messages.joint_order import first_of
from dyn_ros.safety.beginning import AT_REST
from dyn_ros.safety.braking import Damping, is_fast

MAX_STEP_S = 0.1  # of time between two commands that ramp and rate count: longer is a gap
SETTLE_S = 0.1  # of valid states without a break, after which an interruption is over
END_S = 0.1  # that a shutdown command takes at least, and in which damping fades to zero
STILL = 0.02  # rad/s or m/s: an arm that moves is braked before its last effort is that of gravity
HELD_SHARE = 0.5  # of the duration of damping, in which gravity is compensated in full
MAX_RATE = 1e12  # N m/s or N/s
EFFORT_ROUNDING = 1e-9  # N m or N, of rounding
NO_EFFORT = (
    "so that nothing moves it: set the limit in the description, and limits.effort_scale, above 0, "
    "or name the joint in passive_joints if it has no motor"
)


class Phase(Enum):
    """States of the machine; diagnostics report their values."""

    WAITING = "waiting"  # nothing is sent
    FOLLOWING = "active"  # a command for each valid state
    HOLDING = "holding"  # gravity, for a bounded time, then damping
    DAMPING = "damping"  # gravity and braking, for a bounded time, then zero
    ENDING = "ramp to zero"  # or to gravity, at the end


class Event(Enum):
    """What happened since the last step."""

    FOLLOW = "follow"  # a valid state, with wanted efforts
    UNSETTLED = "unsettled"  # a valid state, too soon after a loss to be followed
    HOLD = "hold"  # an invalid state or command, and the reaction to it
    DAMP = "damp"
    ZERO = "zero"
    TICK = "tick"  # nothing but time
    STOP = "stop"  # deactivation, or the end of the process
    RELEASE = "release"  # another publisher commands the motors, or no subscriber is left


class Trust(Enum):
    """What commands may rely on; restored with the next state that is followed."""

    FULL = "full"
    NO_MODEL = "no model"  # at overspeed: gravity or inertia of the model may drive the arm
    NO_ORDER = "no order"  # efforts reach other joints than they are sent to


WAITING, FOLLOWING = Phase.WAITING, Phase.FOLLOWING  # Python 3.11 is slow to find members
HOLDING, DAMPING, ENDING = Phase.HOLDING, Phase.DAMPING, Phase.ENDING
VALID_EVENTS = Event.FOLLOW, Event.UNSETTLED
ORDERS = {x: x.value for x in (Event.HOLD, Event.DAMP, Event.ZERO, Event.RELEASE)}


@dataclass
class EffortSettings:
    """Limits [n] of efforts, N m or N, and of their rate, N m/s or N/s; durations in s."""

    limit: Vector
    rate: Vector
    ramp: float = 0.5
    hold: float = 0.2
    damp: float = 2.0
    damping_time: float = 0.1  # in which damping takes velocities to 37 %
    shutdown: str = "damp"  # or none, zero, ramp_to_zero, hold_gravity

    def __post_init__(self) -> None:
        """Replace limits that are absent by numbers with which one can compute."""
        self.limit, self.rate = np.minimum(self.limit, MAX_FLOAT), np.minimum(self.rate, MAX_RATE)


class EffortPolicy:
    """From the efforts that are wanted to those that are sent, [n] in the controller's order.

    Commands stay within the limits of effort. They change by at most the limit of the rate: where
    one joint would change faster, all go the same share of their way, so that the acceleration is
    between the old and the wanted one. Where what is wanted steps they ramp:
    command = wanted + (1 - t / ramp) (command - wanted at its beginning).

    No command depends on the effort of the motion before: holding is gravity of the newest
    positions, and damping is  s(t) gravity - M v / damping_time,  as `Damping` has it, without M
    where trust in the model is missing, or where no gravity is commanded that could have shown the
    model to be right. s is 1 in the first half of the time, then falls to 0; in the last END_S all
    of it does.
    """

    def __init__(self, joint_names: Sequence[str], settings: EffortSettings | None = None) -> None:
        """Command these joints, from zero."""
        self.joint_names = tuple(joint_names)
        zeros: Vector = np.zeros(len(self.joint_names))
        self.phase, self.trust = Phase.WAITING, Trust.FULL
        self.command: Vector = zeros.copy()
        """What was sent last."""
        self.sent = -inf
        """s, when that had been sent; the process may have been interrupted before."""
        self.speaks = False
        """Whether a command has been sent since the beginning."""
        self.exceeded = False
        """Whether the efforts wanted in the last step are over a limit, or not finite."""
        self.settings = settings or EffortSettings(zeros + inf, zeros + inf)
        self._wanted: Vector = zeros
        self._gravity: Vector = zeros
        self._since = self._last = 0.0  # s: of the phase, of the last command
        self._trouble = inf  # s, when an interruption began that is not over
        self._calm = 0.0  # s, since when states have been valid
        self._goal: Vector = zeros  # of a shutdown command
        self._holds = False  # whether damping is for that which holds gravity
        self._end = 0.0  # s, when that is over
        self._damping, self._trusted = Damping(zeros), True  # whether it holds gravity
        self._ramp_time = self._ramp_duration = 0.0  # s
        self._begins = self._resumes_ramp = False  # a ramp: with the next command; after holding
        self._offset: Vector = zeros  # what a ramp adds at its beginning to what is wanted
        self._before: Vector = zeros + nan  # what was wanted last
        self._trend: Vector = zeros  # by how much that changed

    @property
    def begun(self) -> bool:
        """Whether commands have begun, and have not ended."""
        return self.phase is not WAITING

    @property
    def ticking(self) -> bool:
        """Whether commands are due between joint states."""
        return self.phase is not WAITING and self.phase is not FOLLOWING

    @property
    def ramping(self) -> bool:
        """Whether a ramp is under way."""
        return self._ramp_time < self._ramp_duration

    def damps(self, measured: Vector | None) -> bool:
        """Whether an arm is damped that is still fast, by velocities that nothing confirms yet."""
        return self.speaks and self.phase is DAMPING and is_fast(measured)

    def begin(self, efforts: Vector, now: float) -> None:
        """Begin at what the motors give, within the limits."""
        self.command = self._within(efforts)
        self._before, self._trend = nan * self.command, 0.0 * self.command
        self.speaks, self.trust = False, Trust.FULL
        self._trouble, self._calm, self._last = inf, now, now
        self._start_ramp(self.settings.ramp)
        self._enter(FOLLOWING, now)

    def end(self) -> None:
        """Send nothing any more, until it begins again."""
        self.phase = WAITING

    def ramp(self) -> None:
        """Ramp to what is wanted from now on, for it may step; holding and damping do not wait."""
        self._resumes_ramp = True
        if self.phase is not HOLDING and self.phase is not DAMPING:
            self._start_ramp(self.settings.ramp)

    def step(
        self,
        now: float,
        event: Event,
        *,
        wanted: Vector | None = None,
        gravity: Vector | None = None,
        velocity: Vector | None = None,
        age: Vector | float = 0.0,
        mass: Matrix | None = None,
    ) -> Vector | None:
        """Return the command that is due; None: none. Times are those of a steady clock, s.

        Args:
            now: the time.
            event: what happened since the last step.
            wanted: efforts of a valid state. Those over a limit are clamped; those that are not
                finite are not followed, and nothing is sent (`exceeded` in both cases).
            gravity: efforts at the newest positions, without what the hardware adds; None or not
                finite: as before.
            velocity: as far as positions show it, NaN where it is not known; None: nowhere.
            age: of the velocity, s.
            mass: mass matrix at the newest positions.
        """
        if gravity is not None and np.isfinite(gravity).all():
            self._gravity = gravity
        self.exceeded = False
        if self.phase is WAITING:
            return None
        if event in VALID_EVENTS:
            self._calm = min(self._calm, now)
            fast = velocity is not None and is_fast(velocity)
            if fast and (self.phase is ENDING or not self.speaks):  # an arm that falls, perhaps
                self._begin_damping(now)
            if event is Event.FOLLOW and self._follows(now, fast=fast):
                return self._follow(wanted, now)
        elif event in (Event.HOLD, Event.DAMP):
            self._calm, self._trouble = inf, min(self._trouble, now)
        command = self._react(event, now, velocity, age, mass)
        self.speaks = self.speaks or command is not None
        return command

    # Transitions -------------------------------------------------------------------------------

    def _follows(self, now: float, *, fast: bool) -> bool:
        """Whether wanted efforts are followed: no interruption lasts, or it has just begun."""
        if now - self._calm >= SETTLE_S:
            self._trouble = inf
        if self.phase is DAMPING:
            return self._trouble == inf and not fast
        return now - self._trouble <= self.settings.hold

    def _follow(self, wanted: Vector | None, now: float) -> Vector | None:
        self._wanted = np.zeros(0) if wanted is None else wanted
        self.exceeded = not bool((np.abs(self._wanted) <= self.settings.limit).all())
        if self.exceeded and not np.isfinite(self._wanted).all():
            return None
        if self.phase is not FOLLOWING:
            moment = self.phase is HOLDING and now - self._since <= MAX_STEP_S
            if self._resumes_ramp or not moment:
                self._start_ramp(self.settings.ramp)
            self._enter(FOLLOWING, now)
        self.trust, self.speaks = Trust.FULL, True
        return self._shaped(self._wanted, now)

    def _react(
        self,
        event: Event,
        now: float,
        velocity: Vector | None,
        age: Vector | float,
        mass: Matrix | None,
    ) -> Vector | None:
        """Return the command of the phase in which an event results."""
        order = self._order(event, now)
        if event is Event.STOP:
            self._holds = order == "hold_gravity"
        if order == "hold_gravity" and is_fast(velocity, STILL):
            order = "damp"  # first, for with gravity alone the arm would continue
        elif not order and self._is_braked(now, velocity):
            order = "hold_gravity"
        if order in ("none", "release") or (order and not self.speaks):
            if event in (Event.STOP, Event.RELEASE):
                self.end()
            return None
        if order == "zero":
            ends = event is not Event.ZERO and (event is Event.STOP or self.ticking)
            self.command, self._before = 0.0 * self.command, nan * self.command
            self._last = now
            self._start_ramp(self.settings.ramp)
            self._enter(WAITING if ends else FOLLOWING, now)
            return self.command
        if order == "damp":
            self._begin_damping(now)
        elif order == "hold" and self.phase is FOLLOWING:
            self._resumes_ramp = self.ramping
            self._start_ramp(0.0)  # one under way may come from the effort of a motion
            self._enter(HOLDING, now)
        elif order in ("ramp_to_zero", "hold_gravity"):
            duration = self.settings.ramp if order == "ramp_to_zero" else 0.0
            self._goal = self._gravity if order == "hold_gravity" else 0.0 * self._gravity
            self._start_ramp(duration)
            self._end = now + max(duration, END_S)
            self._enter(ENDING, now)
        if self.phase is HOLDING:
            return self._shaped(self._gravity, now)
        if self.phase is DAMPING:
            if event in VALID_EVENTS:  # the arm is not let down while states come again and again
                self._since = now
            return self._damped(now, velocity, age, mass)
        return self._ended(now) if self.phase is ENDING else None

    def _order(self, event: Event, now: float) -> str:
        """Return what to do because of an event, or of time that has passed; empty: go on."""
        order = self.settings.shutdown if event is Event.STOP else ORDERS.get(event, "")
        if event is Event.RELEASE:
            return order
        if self.trust is Trust.NO_ORDER and (order or self.ticking):
            return "zero"
        if self.trust is Trust.NO_MODEL and (order or self.ticking) and event is not Event.ZERO:
            return "damp"
        late = now - self._trouble > self.settings.hold and self.phase is not ENDING
        return "damp" if late and order in ("", "hold") else order

    def _is_braked(self, now: float, velocity: Vector | None) -> bool:
        """Whether an arm that was to be held has come to rest before it is let down."""
        braked = self._holds and self.phase is DAMPING and velocity is not None
        held = HELD_SHARE * self.settings.damp
        return braked and now - self._since >= held and not is_fast(velocity, AT_REST)

    def _begin_damping(self, now: float) -> None:
        if self.phase is not DAMPING:
            self._start_ramp(0.0)  # one under way would take most of the damping away
            self._damping = Damping(self.settings.limit)
            self._enter(DAMPING, now)

    def _enter(self, phase: Phase, now: float) -> None:
        self.phase, self._since = phase, now
        self._holds &= phase is DAMPING

    # Commands ----------------------------------------------------------------------------------

    def _within(self, efforts: Vector) -> Vector:
        limit = self.settings.limit
        result: Vector = np.minimum(np.maximum(efforts, -limit), limit)  # np.clip takes longer
        return result

    def _damped(
        self, now: float, velocity: Vector | None, age: Vector | float, mass: Matrix | None
    ) -> Vector:
        time, duration = self.settings.damping_time, max(self.settings.damp, 1e-9)
        left = max(0.0, 1.0 - (now - self._since) / duration)
        if left >= 1.0 - HELD_SHARE:  # later the arm sinks, maybe at overspeed: that shows nothing
            self._trusted = self.trust is Trust.FULL
        share = min(1.0, left / (1.0 - HELD_SHARE)) if self._trusted else 0.0
        wanted = share * self._within(self._gravity)
        if velocity is not None:
            shown = self._trusted and bool(self._gravity.any())
            wanted += self._damping.efforts(
                velocity, now, time, age, mass, held=wanted, trusted=shown
            )
        wanted *= min(1.0, left / min(END_S / duration, 1.0 - HELD_SHARE))
        command = self._arriving(wanted, now, self._since + max(duration, END_S))
        if not (left or command.any()):
            self.end()
        return command

    def _ended(self, now: float) -> Vector:
        command, goal = self._arriving(self._goal, now, self._end), self._within(self._goal)
        if np.abs(command - goal).max(initial=0.0) > EFFORT_ROUNDING:
            return command
        self.end()
        self.command = goal
        return goal

    def _arriving(self, wanted: Vector, now: float, end: float) -> Vector:
        """Return the command towards `wanted`, which is there at the end whatever the rate."""
        before, last = self._last, self.command
        command = self._shaped(wanted, now)
        if end - now < END_S:
            goal = self._within(wanted)
            share = max(end - now, 0.0) / max(min(end - before, END_S), EFFORT_ROUNDING)
            most = min(share, 1.0) * np.abs(last - goal)
            self.command = command = goal + np.clip(command - goal, -most, most)
        return command

    def _start_ramp(self, duration: float) -> None:
        self._ramp_time, self._ramp_duration, self._begins = 0.0, duration, True

    def _shaped(self, wanted: Vector, now: float) -> Vector:
        """Return the command towards `wanted`, within limits, rate and ramp.

        Of the step at the beginning of a ramp, as much as changed in the sample before is taken for
        the robot's motion: a command that lagged behind it wherever ramps begin again and again
        (a payload that changes often) would drive the robot.
        """
        seconds = min(now - self._last, MAX_STEP_S)
        apart = min(max(now - max(self._last, self.sent), 0.0), MAX_STEP_S)
        self._last = now
        before, wanted = self._within(self.command), self._within(wanted)
        if self._begins:
            lag, trend = wanted - before, np.nan_to_num(self._trend)
            self._offset = np.clip(trend, np.minimum(lag, 0.0), np.maximum(lag, 0.0)) - lag
            self._trend, self._begins = 0.0 * lag, False
        else:
            self._trend = wanted - self._before  # NaN for the first
        self._before = wanted
        if self.ramping:
            self._ramp_time += seconds
            left = max(0.0, 1.0 - self._ramp_time / self._ramp_duration)
            wanted = self._within(wanted + left * self._offset)
        way = wanted - before
        step = self.settings.rate * apart
        slow = np.abs(way) > step
        if slow.any():
            wanted = before + (step[slow] / np.abs(way[slow])).min() * way
        self.command = wanted
        return wanted

    def describe_excess(self) -> str:
        """Return which joints need more effort than they have, in words."""
        limit = self.settings.limit
        return first_of(
            [
                f"joint '{self.joint_names[i]}' needs {self._wanted[i]:.3f} but its effort limit "
                f"is {limit[i]:.3f}{'' if limit[i] else f': {NO_EFFORT}'}"
                for i in np.flatnonzero(~(np.abs(self._wanted) <= limit))
            ]
        )
