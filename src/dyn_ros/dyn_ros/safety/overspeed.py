# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Overspeed, positions that stop dead, and motors that do not follow their commands."""

from collections.abc import Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from dyn_core.control import wrap_differences
from dyn_ros.arrays import Vector
from dyn_ros.safety.beginning import AT_REST
from dyn_ros.safety.braking import recent
from dyn_ros.safety.plausible_limits import MARGIN, cut, given

OVERSPEED_TIME = 0.02  # s that a joint has to be too fast; noise is shorter
MIN_SLOW_TIME_S = 0.5  # s that no joint may be too fast before commands begin
AT_LIMIT = 0.99  # of its effort limit that a motor gives
MISPLACED, AT_ONCE = 0.2, 0.002  # s that efforts have to come back at other joints; and at least
# part of a command by which what comes back differs, if it is not what was sent
MIN_COMMAND_DIFFERENCE = 0.2
MIN_LIMIT_SHARE = 0.002  # part of a joint's limit by which it differs at least
VELOCITY_WINDOW_S = 0.05  # s between two positions whose difference is a velocity
DAMPING_WINDOW_S = 0.02  # s, the same while an arm is damped
# times the velocity that positions show, or that part, is believed of a measured one
MAX_VELOCITY_RATIO = 1.5
POSITION_LAG_S = 0.1  # s of damping from which on positions show velocities soon enough
# part of that difference that remains if the joints are put into another order, at most; and where
# it is so small that one state is enough
MAX_REORDERED_SHARE, EXACT_SHARE = 0.2, 0.02
STANDSTILL_WINDOW_S = 0.1  # s, over which the speed of positions is measured that stop
MIN_MOVING_SPEED = 0.2  # rad/s or m/s; slower motion may well come to rest at once
# part of its mean speed that a joint has in its last step, if nothing slows it down
MIN_LAST_STEP_SHARE = 0.5
MAX_WAY = 3.0  # rad or m in STANDSTILL_WINDOW_S; more is a turn of a joint without an end
NO_VELOCITIES = (
    "joint_states have no plausible velocities: overspeed is detected later, by positions, and "
    "damping is weaker"
)


class Patience:
    """Whether something has been so for a while. Times are those of a steady clock, s."""

    def __init__(self) -> None:
        """Begin without a finding."""
        self._since: float | None = None

    def over(self, now: float, is_so: bool, duration: float) -> bool:
        """Take note; return whether it has been so without a break for the duration, s."""
        if not is_so:
            self._since = None
            return False
        if self._since is None:
            self._since = now
        return now - self._since >= duration


class Speedometer:
    """Velocities from positions [n], for joint states that have none.

    A robot that is put elsewhere (a simulation that begins anew) jumps once and does not move.
    """

    def __init__(self, turns: Sequence[bool]) -> None:
        """Know which joints turn without an end: their positions may jump by 2 pi."""
        self._turning = [i for i, turn in enumerate(turns) if turn]
        self._before: Vector = np.zeros(len(turns))  # positions
        self._earlier: Vector = self._before
        self.forget()
        self._slower: Vector | None = None
        self.newest: Vector | None = None
        """The mean velocity [n] over the last window; None: not known yet."""
        self.changes = 0  # of the velocity

    def forget(self) -> None:
        """Let velocities be unknown until there are positions of two times again.

        A joint may have rested since an older position, and move now.
        """
        self._times = -inf, inf  # s, of positions: not before anything, after everything

    def velocity(self, position: Vector, time: float) -> Vector | None:
        """Return the slower [n] of two means over VELOCITY_WINDOW_S or more; None: not known yet.

        `time` is that of the position, s.
        """
        seconds = time - self._times[1]
        if not 0.0 <= seconds < inf:
            self._before, self._times = position.copy(), (-inf, time)
            self._slower = self.newest = None
            self.changes += 1
        elif seconds >= VELOCITY_WINDOW_S:
            now, last = self._way(position, self._before) / seconds, self.newest
            if last is not None:
                self._slower = np.where(np.abs(now) < np.abs(last), now, last)
            self.newest, self._earlier, self._before = now, self._before, position.copy()
            self._times = self._times[1], time
            self.changes += 1
        return self._slower

    def present(self, position: Vector, time: float) -> Vector | None:
        """Return the mean [n] over DAMPING_WINDOW_S, at most both windows; None: unknown."""
        self.velocity(position, time)
        for since, then in zip((self._before, self._earlier), reversed(self._times), strict=True):
            if DAMPING_WINDOW_S <= time - then < inf:
                return self._way(position, since) / (time - then)
        return None

    def _way(self, position: Vector, since: Vector) -> Vector:
        way = position - since
        wrap_differences(way, self._turning)
        return way


class Standstill:
    """Notices positions [n] that were in motion, and are exactly the same now.

    An arm that comes to rest slows down before. One joint alone may have met an obstacle, unless
    its measured velocity continues.
    """

    def __init__(self) -> None:
        """Know no positions."""
        self._newest = self._before = b""
        self.since = self._step_s = 0.0  # s, when positions last changed; between both changes
        self._marks: list[tuple[float, Vector]] = []
        """Times, s, and positions, at least STANDSTILL_WINDOW_S apart."""
        self._stopped: NDArray[np.bool_] | None = None  # None: not known since the last change
        self._count = 0  # of joints that have

    def is_sudden(
        self, position: Vector, velocity: Vector, time: float, counts: NDArray[np.bool_]
    ) -> bool:
        """Return whether positions [n] at a time, s, stand still, and should not.

        `velocity` [n] is that of the same message, NaN where it is unknown. Only joints of `counts`
        [n] are looked at: a gripper stops dead at what it grips.
        """
        numbers = position.tobytes()
        if numbers != self._newest or time < self.since:
            self._before, self._newest = self._newest, numbers
            self._step_s, self.since = time - self.since, time
            self._stopped = None
            if not self._marks or not 0.0 <= time - self._marks[-1][0] < STANDSTILL_WINDOW_S:
                self._marks = [*self._marks[-1:], (time, position.copy())]
            return False
        if self._stopped is None:
            self._stopped = counts & self._find_stopped()
            self._count = np.count_nonzero(self._stopped)
        if self._count != 1:  # at rest there is nothing more to compute
            return self._count > 1
        return bool((np.abs(velocity[self._stopped]) > MIN_MOVING_SPEED).any())

    def _find_stopped(self) -> NDArray[np.bool_]:
        """Return which joints moved up to the last change, and were not slowed down."""
        begin, first = self._marks[0]
        seconds, newest = self.since - begin, np.frombuffer(self._newest)
        is_measured = 2.0 * self._step_s < seconds < 3.0 * STANDSTILL_WINDOW_S  # not over a gap
        if not is_measured or len(self._before) != len(self._newest):
            return np.zeros(len(newest), dtype=bool)
        way, step = np.abs(newest - first), np.abs(newest - np.frombuffer(self._before))
        speed = way / seconds
        moved: NDArray[np.bool_] = (speed > MIN_MOVING_SPEED) & (way > MARGIN) & (way < MAX_WAY)
        return moved & (step > MIN_LAST_STEP_SHARE * speed * self._step_s)


class VelocityGuard:
    """Notices joints that are faster than they may be; compensation drives them, perhaps."""

    def __init__(self, joint_names: Sequence[str], limit: Vector, turning: Sequence[str]) -> None:
        """Watch joints with velocity limits [n] in rad/s or m/s; 0 or infinite: none.

        Those of `turning` turn without an end.
        """
        self.joint_names = tuple(joint_names)
        self._limit = given(limit)
        self.most = np.zeros(len(joint_names))  # rad/s or m/s, beyond which they are too fast
        self.scale = np.inf
        self.has_velocities = True  # whether velocities come with the positions
        self.jumps = False  # whether positions jump, and velocities by them are not believed
        self._speedometer = Speedometer([x in turning for x in joint_names])
        self._changes, self._way_is_over = 0, False  # whether they are too fast by their positions
        self._patience = Patience()
        self._fast_joint, self._fast_at = "", -inf  # the first joint of those that were too fast; s

    @property
    def scale(self) -> float:
        """How many times its limit a joint may be fast."""
        return self._scale

    @scale.setter
    def scale(self, scale: float) -> None:
        self._scale, self.most[:] = scale, scale * self._limit

    def forget(self) -> None:
        """Know no positions: the next ones may come long after the last."""
        self._speedometer.forget()

    def recent_overspeed(self, now: float) -> str:
        """Return which joint was too fast a moment ago, in words; empty: none."""
        if now - self._fast_at > MIN_SLOW_TIME_S:
            return ""
        return (
            f"joint '{self._fast_joint}' moves faster than limits.velocity_scale times its "
            f"velocity limit: commands begin once all joints have been slower for "
            f"{MIN_SLOW_TIME_S:g} s"
        )

    @property
    def speed(self) -> Vector | None:
        """The mean velocities [n] by the last positions; None: not known yet."""
        return self._speedometer.newest

    def rests(self, velocity: Vector | None) -> bool | None:
        """Return whether no joint moves, by measured velocities [n] and positions; None: unknown.

        To be called after `overspeed`.
        """
        known = [x for x in (velocity, self._speedometer.newest) if x is not None]
        return all((np.abs(x) < AT_REST).all() for x in known) if known else None

    def is_fast(self, velocity: Vector) -> bool:
        """Return whether a joint is too fast at this moment, by velocities [n] or positions."""
        way = self._speedometer.newest
        return self._find_fast(velocity) > 0 or (way is not None and self._find_fast(way) > 0)

    def overspeed(self, velocity: Vector | None, position: Vector, stamp: float, now: float) -> str:
        """Return which joint is at overspeed, in words; empty: none.

        A velocity counts as far as positions [n] at their stamps, s, agree: at most
        MAX_VELOCITY_RATIO times what they show over the last DAMPING_WINDOW_S to DAMPING_WINDOW_S +
        VELOCITY_WINDOW_S. A sensor that errs for a moment at a joint that rests shows no motion; a
        joint that accelerates at a is noticed about DAMPING_WINDOW_S later. Until positions show
        anything, velocities count alone. Positions alone count too, for velocities may be absent
        (NaN of a joint), or zeros that a driver fills in.
        """
        self.has_velocities = velocity is not None
        time = stamp or now
        way = self._speedometer.velocity(position, time)
        if self._changes != self._speedometer.changes:
            self._changes = self._speedometer.changes
            self._way_is_over = way is not None and self._find_fast(way) > 0
        if self.jumps:
            way = None
        elif velocity is None or self._way_is_over:
            velocity = way
        if velocity is None or not len(velocity):
            return ""
        first = self._find_fast(velocity)
        if first and velocity is not way:
            recent = self._speedometer.present(position, time)
            if recent is not None and not self.jumps:
                velocity = cut(velocity, recent / MAX_VELOCITY_RATIO, recent * MAX_VELOCITY_RATIO)
                first = self._find_fast(velocity)
                self.has_velocities = first > 0
        if first:
            self._note_overspeed(self.joint_names[first - 1], now)
        if not self._patience.over(now, first > 0, OVERSPEED_TIME):
            return ""
        i = first - 1
        return (
            f"joint '{self.joint_names[i]}' at overspeed: {velocity[i]:.3g} where its velocity "
            f"limit is {self._limit[i]:.3g} and limits.velocity_scale {self.scale:g}; is gravity "
            "compensated twice, a payload wrong, or the arm not held?"
        )

    def checked_velocity(
        self,
        velocity: Vector | None,
        position: Vector,
        stamp: float,
        now: float,
        damping_time: float = POSITION_LAG_S,
        age: Vector | float = 0.0,
    ) -> Vector | None:
        """Return velocities [n] as positions [n] at their stamps, s, show them; None: not yet.

        Each is cut to between 1 / MAX_VELOCITY_RATIO and MAX_VELOCITY_RATIO times that of the
        positions. Of a joint at rest whose sensor is broken nothing is left, and of one that moves
        enough to slow it down: partly damped, inertia that is not that of the last valid state
        drives the other joints. What lags is believed by less where `damping_time`, s, is shorter
        than POSITION_LAG_S. Velocities of `age` s, which came late or have had no successor, would
        drive an arm that damping slows down as fast as ever. With T, the larger of age and
        damping_time, what is left of them is exp(-age / T) damping_time / T: the gain, exp(-age /
        T) / T, times a delay of that age is 1 / e at most, with which a delayed integrator does not
        swing. A joint whose velocity is NaN counts as one without; of one whose position is, or was
        a moment ago, the velocity is NaN. Where positions jump, a velocity may be less than what
        they show, but not more: a driver may derive it from them.
        """
        way = self._speedometer.present(position, stamp or now)
        if self.jumps:
            known = np.zeros(len(position)) if velocity is None else np.nan_to_num(velocity)
            return known if way is None else cut(known, 0.0 * way, MAX_VELOCITY_RATIO * way)
        if way is None:
            return None
        least, most = (
            way * (min(1.0, damping_time / POSITION_LAG_S) / MAX_VELOCITY_RATIO),
            MAX_VELOCITY_RATIO * way,
        )
        measured = least if velocity is None else np.where(np.isnan(velocity), least, velocity)
        checked = cut(measured, least, most)
        return checked * recent(age, damping_time)

    def _find_fast(self, velocity: Vector) -> int:
        """Return the place, from 1 on, of the first joint that is too fast; 0: none."""
        fast = np.abs(velocity) > self.most
        return int(fast.argmax()) + 1 if fast.any() else 0

    def _note_overspeed(self, joint: str, now: float) -> None:
        if now - self._fast_at > MIN_SLOW_TIME_S:
            self._fast_joint = joint
        self._fast_at = now


class Echo:
    """Compares the efforts that come back, by name, with those that were sent, by place."""

    def __init__(self, joint_names: Sequence[str], limit: Vector) -> None:
        """Watch joints with effort limits [n], N m or N, in the order of the commands."""
        self._joint_names, self._limit = tuple(joint_names), limit
        self._least = np.where(np.isfinite(limit), MIN_LIMIT_SHARE * limit, 0.0)
        self._all, self._some, self.suspected = Patience(), Patience(), False  # by one state
        self._measured = self._sent = b""  # the newest measured efforts, and the command then
        self.difference = 0.0
        """N m or N, the largest of all joints."""

    def misplaced(
        self,
        sent: Vector,
        measured: Vector,
        now: float,
        delay: float = MISPLACED,
        *,
        some: bool = False,
    ) -> str:
        """Return what shows for `delay` s that commands reach other joints; empty: nothing.

        Efforts that differ for other reasons (friction, a sensor's offset) are no such sign: those
        that reach other joints are much the same numbers in another order. Efforts that stay while
        commands change are none either: the command subscriber has stopped, and the motors keep an
        old command. Within a shorter delay than MISPLACED one state counts whose efforts equal the
        commands in another order to EXACT_SHARE. With `some` the joints count whose efforts differ,
        where others hardly do: two wrists of a heavy arm. Friction that a torque sensor measures
        may look like that.
        """
        wrong, size = measured - sent, np.maximum(np.abs(sent), np.abs(measured))
        self.difference, self.suspected = float(np.abs(wrong).max(initial=0.0)), False
        before, self._measured = self._measured, measured.tobytes()
        if self._measured != before:
            self._sent = sent.tobytes()
        elif self._sent != sent.tobytes():
            return ""
        clear = np.abs(wrong) > MIN_COMMAND_DIFFERENCE * size
        far, squares = clear & (np.abs(wrong) > self._least), wrong**2
        differs = squares.sum() > MIN_COMMAND_DIFFERENCE**2 * (sent @ sent)
        misplaced = bool(differs) and bool(far.any()) and self._is_reordered(measured, sent)
        self.suspected = misplaced or self._is_reordered(measured, sent, far)
        found = self._all.over(now, misplaced, max(delay, AT_ONCE))  # one state may be a lag
        partly = self._some.over(now, self.suspected, OVERSPEED_TIME)
        if delay < MISPLACED and squares[clear].sum() > EXACT_SHARE**2 * (sent @ sent):
            found |= self._is_reordered(measured, sent, clear, EXACT_SHARE)
        if not (found or (some and partly)):
            return ""
        i = int(np.abs(wrong * far if far.any() else wrong).argmax())
        return (
            f"measured effort of joint '{self._joint_names[i]}' is {measured[i]:.3g}, its command "
            f"{sent[i]:.3g}, and measured efforts equal the commands in another order: set "
            "command_joints to the controller's order"
        )

    def _is_reordered(
        self,
        measured: Vector,
        sent: Vector,
        joints: NDArray[np.bool_] | None = None,
        most_share: float = MAX_REORDERED_SHARE,
    ) -> bool:
        """Return whether efforts [n] of some joints equal the commands in another order, nearly.

        A motor that gives all it has may have been sent more, for another joint: it takes what the
        others leave.
        """
        which = slice(None) if joints is None else joints
        measured, sent, limit = measured[which], sent[which], self._limit[which]
        if len(measured) < 2:
            return False
        apart, gives, most = measured - sent, measured[:, None], limit[:, None]
        errors = np.minimum(abs(gives - sent), abs(gives - np.clip(sent, -most, most))) ** 2
        total = 0.0
        for joint in np.lexsort((-limit, np.abs(measured) >= AT_LIMIT * limit)):
            place = int(errors[joint].argmin())
            total += float(errors[joint, place])
            errors[:, place] = inf
        return total < most_share * most_share * float(apart @ apart)
