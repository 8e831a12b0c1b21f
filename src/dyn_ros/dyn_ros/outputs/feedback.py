# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Feedback on positions and velocities: which velocities are believed, which gains are carried."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_core.control import turning_joints, wrap_differences
from dyn_ros.arrays import Vector
from dyn_ros.inputs.command_settings import commanded_joints
from dyn_ros.inputs.joint_state_reader import MAX_AWAY_S, MAX_STILL_S
from dyn_ros.inputs.joint_state_settings import JointStateSettings
from dyn_ros.inputs.joint_states import JointStateInput
from dyn_ros.inputs.robot_state import StateHost
from dyn_ros.kernels.robot import refuse_free_joints
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import NANOSECONDS
from dyn_ros.node.part import KernelPart, Part
from dyn_ros.node.report import Report
from dyn_ros.node.settings import Values
from dyn_ros.outputs.effort_commands import EffortCommands
from dyn_ros.safety.braking import is_fast
from dyn_ros.safety.plausible_limits import given
from dyn_ros.tracking.gains import JointReading, StateRate, needed_rate

POSITION_WINDOW = 0.005  # s over which positions show a velocity: half of it late, on average
VELOCITY_TOLERANCE = 0.5  # of what positions show, and beside that
LIMIT_TOLERANCE = 0.15  # of a joint's velocity limit, reached in that time at 30 times the limit
LEAST_TOLERANCE, MOST_TOLERANCE = 0.05, 0.5  # rad/s or m/s, of that part of the limit
MAX_QUANTUM = 0.008  # rad or m, by which positions of encoders of 10 bits step, and more
WRONG_TIME_S = 0.05  # s that velocities have to contradict positions


class VelocityCheck:
    """Measured velocities [n], reduced to what positions show of them.

    Feedback answers a velocity that is not there with an effort that moves the arm. What positions
    show lags, by half of POSITION_WINDOW or of a period of the states; the tolerance is for that,
    and for noise of positions and stamps. What positions showed counts until they change, or have
    stood still for MAX_STILL_S: those of some joints may come more slowly, or be repeated.
    """

    def __init__(self, limit: Vector, turning: Sequence[int]) -> None:
        """Check joints with velocity limits [n], rad/s or m/s; those of `turning` have no end."""
        self._turning = list(turning)
        part = LIMIT_TOLERANCE * given(limit)
        self._tolerance = np.clip(part, LEAST_TOLERANCE, MOST_TOLERANCE)
        self._right: Vector = np.zeros(len(limit))  # s, when each velocity last fitted
        # in the state before; and for WRONG_TIME_S
        self._lacked, self._contradicts = np.zeros((2, len(limit)), dtype=bool)
        self._marks = np.zeros((2, len(limit)))  # positions, at least POSITION_WINDOW apart
        self.forget()
        self.wrong: int | None = None
        """A joint whose velocity has been zero or of the wrong sign for WRONG_TIME_S, in two
        states at least; or None."""

    def forget(self) -> None:
        """Know no positions: until there are some of two times, velocities are as measured."""
        count = len(self._tolerance)
        self._times = np.full((2, count), np.nan)  # s, of the marks
        self._last: Vector = np.full(count, np.nan)  # positions
        self._came, self._changed = np.full((2, count), np.nan)  # s
        self._way: Vector = np.zeros(count)  # what positions showed last, rad/s or m/s
        self._least: Vector = np.full(count, -np.inf)  # of velocities; infinite: not known
        self._most = -self._least

    def checked_velocity(self, velocity: Vector, position: Vector, times: Vector) -> Vector:
        """Return velocities [n] for positions [n] at `times` [n], s.

        None is larger than measured. Where one is against the motion, and so large that it would
        move the joint, it is what positions show.
        """
        changed = position != self._last
        self._changed = np.where(changed | (times < self._changed), times, self._changed)
        unknown = np.isinf(self._most)
        news = changed | unknown | (times - self._changed > MAX_STILL_S)
        news &= times != self._came
        self._last, self._came = position.copy(), times.copy()
        way = self._velocity(position, times)
        self._mark(position, times, news)
        tolerance = VELOCITY_TOLERANCE * np.abs(way) + self._tolerance
        lacks = np.abs(way) - np.sign(way) * velocity - tolerance  # feedback would not brake it
        false = np.abs(velocity) > np.abs(way) + tolerance  # it would move the joint
        lacks[false] = 0.0
        lacking = lacks > 0.0  # not where the way is unknown
        lacking &= ~(way * self._way < 0.0)  # to and fro: an encoder between two counts
        self._way = np.where(news, way, self._way)
        self._right[news & ~lacking] = times[news & ~lacking]
        contradicts = self._lacked & (times - self._right >= WRONG_TIME_S)
        self._contradicts[news], self._lacked[news] = contradicts[news], lacking[news]
        wrong = np.flatnonzero(self._contradicts)
        self.wrong = int(wrong[0]) if len(wrong) else None
        news &= np.isfinite(way)
        against = false & (way * velocity < 0.0)
        self._least[news] = np.where(against, way, np.minimum(way - tolerance, 0.0))[news]
        self._most[news] = np.where(against, way, np.maximum(way + tolerance, 0.0))[news]
        checked: Vector = np.clip(velocity, self._least, self._most)
        return checked

    def repeated(self, velocity: Vector, times: Vector) -> Vector:
        """Return for how long the positions of joints that move have been repeated, s [n].

        Coarse encoders repeat those of slow joints, and of those that rest all are the same.
        """
        standing, speed = times - self._changed, np.abs(velocity)
        moves = (speed > MOST_TOLERANCE) & (speed * standing > MAX_QUANTUM)
        return np.where(moves & (standing <= MAX_AWAY_S), standing, 0.0)

    def _velocity(self, position: Vector, times: Vector) -> Vector:
        """Return the mean velocities [n] over POSITION_WINDOW or more; NaN: not known yet."""
        recent = times - self._times[0] < POSITION_WINDOW
        since = np.where(recent, self._marks[1], self._marks[0])
        seconds = times - np.where(recent, self._times[1], self._times[0])
        way = position - since
        wrap_differences(way, self._turning)
        return np.where(seconds >= POSITION_WINDOW, way / seconds, np.nan)

    def _mark(self, position: Vector, times: Vector, news: NDArray[np.bool_]) -> None:
        """Keep positions that are news, to measure the way from them."""
        seconds = times - self._times[0]
        first = ~(seconds >= 0.0)  # also where time has gone back
        next_one = news & (seconds >= POSITION_WINDOW)
        self._marks[1, next_one], self._times[1, next_one] = (
            self._marks[0, next_one],
            self._times[0, next_one],
        )
        self._times[1, first] = np.nan
        new = first | next_one
        self._marks[0, new], self._times[0, new] = position[new], times[new]


class Feedback(Part, KernelPart):
    """What all laws of feedback share. The first two results of the kernel: efforts, gravity."""

    node: StateHost

    def __init__(self, node: StateHost) -> None:
        """Belong to a node that calls `command` for each good state."""
        super().__init__(node)
        self._rate = StateRate()
        self._excess = ""  # why the rate of joint states could never carry the gains

    def check(self, model: dyn_core.Model, values: Values) -> None:
        """Raise ValueError if the base floats, or joint states cannot carry higher gains.

        Gains in use are lowered where states come slower than before.
        """
        refuse_free_joints(model)
        text = self._excess_of(values)
        if text and needed_rate(*self._gains(values)) > needed_rate(*self._gains(self.values)):
            raise ValueError(text)

    def start(self) -> None:
        """Know no rate of joint states yet."""
        self._rate, self._excess = StateRate(), ""
        self._check.forget()

    def stop(self) -> None:
        """Let any gains be set while nothing is commanded."""
        self.start()

    def changed(self) -> None:
        """Refuse joint states no longer if their rate carries the gains now."""
        self._excess = self._excess and self._excess_of(self.values)

    def install(self, model: dyn_core.Model) -> None:
        """Work for another robot."""
        self._check = VelocityCheck(np.asarray(model.velocity_limit), turning_joints(model))
        self.effort: Vector = np.zeros(model.nv)
        reader = self.node.part(JointStateInput).reader
        joints = commanded_joints(model, self.values)
        self._reading = JointReading([reader.joint_names.index(name) for name in joints], model.nv)

    def measure(self) -> None:
        """Let the whole node compute with velocities that positions show, and measure the rate.

        Raises InputRefusedError if velocities contradict positions, or gains the rate.
        """
        state = self.node.state
        assert state.reader is not None  # its velocities are as measured
        reader = state.reader
        times = np.where(reader.stamps > 0, reader.stamps / NANOSECONDS, reader.came)
        state.velocity = self._check.checked_velocity(reader.velocity, state.position, times)
        if (i := self._check.wrong) is not None:
            raise InputRefusedError(
                "velocity against positions",
                f"velocity of joint '{state.names[i]}' is {state.reader.velocity[i]:.3g}, but its "
                "positions move otherwise: check sign, unit and age of velocities in joint_states",
            )
        if self._reading.is_complete(reader.came, reader.stamps, reader.age):
            repeated = self._check.repeated(state.velocity, times)
            self._measure_rate(self._reading.largest_age(repeated))
        if self._excess:
            raise InputRefusedError("gains over rate", self._excess)

    def command(self) -> None:
        """Command the efforts of the kernel, once the rate of joint states is known."""
        effort, gravity, *_ = self.node.results.values()
        commands = self.node.part(EffortCommands)
        self.effort = effort - gravity if commands.hardware_compensates else effort
        if self._rate.hertz:
            commands.publish(effort, gravity=gravity)
            self.wait_for(commands.waits_for)
            return
        self.wait_for("the rate of joint states is being measured")
        if is_fast(self.node.state.velocity):  # it is damped
            commands.publish(gravity, gravity=gravity)
        else:
            commands.sustain()

    def wait_for(self, why: str) -> None:
        """Desire nothing as long as no commands are sent, for a reason; empty: they are."""

    def report(self, report: Report) -> None:
        """Warn of gains that are lowered."""
        if text := self._excess_of(self.values):
            report.warn(text)

    def _measure_rate(self, age: float) -> None:
        clock, known = self.node.get_clock(), bool(self._rate.hertz)
        simulated = clock.ros_time_is_active
        now = clock.now().nanoseconds / NANOSECONDS if simulated else self.clock.now()
        timeout = self.values[JointStateSettings].joint_state_timeout
        if not self._rate.add(now, timeout, age):
            return
        text = self._excess_of(self.values)
        if self._excess or not known:
            self._excess = text
        elif text or (text := self._excess_of(self.values, self._rate.held)):
            self.node.warn_seldom(
                "gains", f"{text} (gaps and late states count); lower gains are used"
            )

    def _excess_of(self, values: Values, rate: float | None = None) -> str:
        """Return why joint states at `rate` Hz, None: the measured one, cannot carry gains."""
        raise NotImplementedError

    def _gains(self, values: Values) -> tuple[float, float]:
        """Return the largest natural frequency, rad/s, and the damping ratio."""
        raise NotImplementedError
