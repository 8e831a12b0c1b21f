# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Do the motors do what they are told, and does the arm run away?"""

from collections.abc import Sequence
from math import inf, sqrt

import numpy as np

from dyn_core.control.computed_torque import take_short_way
from dyn_ros.arrays import Vector

RUNNING_AWAY = 0.02  # s that a joint has to be too fast, for noise is over in less
SLOWED = 0.5  # s that no joint may be too fast before commands begin
MISPLACED = 0.2  # s that efforts have to come back at other joints
DIFFERENT = 0.2  # part of a command by which what comes back differs, if it is not what was sent
WINDOW = 0.05  # s between two positions whose difference is a velocity
ALIKE = 0.2  # part of that difference that remains if the joints are put into another order
NO_VELOCITIES = (
    "joint_states have no velocities: a joint that runs away is noticed later, by its positions, "
    "and damping is gravity alone"
)


class Patience:
    """Whether something has been so for a while. Times are those of a steady clock, s."""

    def __init__(self, duration: float) -> None:
        """Say so after `duration`, s."""
        self._duration = duration
        self._since: float | None = None

    @property
    def begun(self) -> bool:
        """Whether it is so now."""
        return self._since is not None

    def over(self, now: float, is_so: bool) -> bool:
        """Take note; return whether it has been so without a break for the duration."""
        if not is_so:
            self._since = None
            return False
        if self._since is None:
            self._since = now
        return now - self._since >= self._duration


class Speedometer:
    """Velocities from positions [n], for joint states that have none.

    A robot that is put elsewhere (a simulation that begins anew) jumps once and does not move.
    """

    def __init__(self, turning: list[int]) -> None:
        """Know the joints that turn without an end: their positions may jump by 2 pi."""
        self._turning = turning
        self._before: tuple[float, Vector] | None = None
        self._last: Vector | None = None  # over the last window
        self._slower: Vector | None = None  # of the last two

    def velocity(self, position: Vector, time: float) -> Vector | None:
        """Return the mean velocity [n] over WINDOW, the slower of two; None: not known yet.

        `time` is that of the position, s.
        """
        if self._before is None or time < self._before[0]:
            self._before, self._last, self._slower = (time, position.copy()), None, None
        passed = time - self._before[0]
        if passed >= WINDOW:
            way = position - self._before[1]
            take_short_way(way, self._turning)
            now = way / passed
            if self._last is not None:
                self._slower = np.where(np.abs(now) < np.abs(self._last), now, self._last)
            self._before, self._last = (time, position.copy()), now
        return self._slower


class VelocityGuard:
    """Notices joints that are faster than they may be; compensation drives them, perhaps."""

    def __init__(self, joint_names: Sequence[str], limit: Vector, turning: Sequence[str]) -> None:
        """Watch joints with velocity limits [n] in rad/s or m/s; 0 or infinite: none.

        Those of `turning` turn without an end.
        """
        self._joint_names = tuple(joint_names)
        self._limit = np.where(limit > 0.0, limit, np.inf)
        self._over = np.zeros(len(joint_names), dtype=bool)
        self._speed = np.zeros(len(joint_names))
        self.scale = np.inf
        self.is_told = True  # whether velocities come with the positions
        self._speedometer = Speedometer([i for i, x in enumerate(joint_names) if x in turning])
        self._way: Vector | None = None  # velocities from positions, as last seen
        self._way_is_over = False
        self._patience = Patience(RUNNING_AWAY)
        self._hasty, self._hasty_at = "", -inf  # the first joint of those that were too fast; s

    @property
    def scale(self) -> float:
        """How many times its limit a joint may be fast."""
        return self._scale

    @scale.setter
    def scale(self, scale: float) -> None:
        self._scale, self.most = scale, scale * self._limit

    @property
    def calm(self) -> bool:
        """Whether velocities come, and the last were no more than `most`, [n] rad/s or m/s."""
        return self.is_told and not self._patience.begun

    def haste(self, now: float) -> str:
        """Return which joint was faster than `most` a moment ago, in words; empty: none."""
        if now - self._hasty_at > SLOWED:
            return ""
        return (
            f"joint '{self._hasty}' moves faster than max_velocity_scale times its velocity limit, "
            f"as in an arm that falls: commands begin once all have been slower for {SLOWED:g} s"
        )

    def runaway(self, velocity: Vector | None, position: Vector, stamp: float, now: float) -> str:
        """Return which joint runs away, in words; empty: none.

        Positions [n] at their stamps, s, tell it too, where velocities [n] are absent or are not
        measured: some drivers fill in zeros.
        """
        self.is_told = velocity is not None
        way = self._speedometer.velocity(position, stamp or now)
        if way is not self._way:  # once in a WINDOW
            self._way = way
            self._way_is_over = way is not None and bool((np.abs(way) > self.most).any())
        if velocity is None or self._way_is_over:
            velocity = way
        if velocity is None or not len(velocity):
            return ""
        over = np.greater(np.abs(velocity, out=self._speed), self.most, out=self._over)
        too_fast = b"\1" in over.tobytes()
        if too_fast:
            self._hurry(self._joint_names[int(over.argmax())], now)
        if not self._patience.over(now, too_fast):
            return ""
        i = int(over.argmax())
        return (
            f"joint '{self._joint_names[i]}' runs away: {velocity[i]:.3g} where its velocity limit "
            f"is {self._limit[i]:.3g} and max_velocity_scale {self.scale:g}; is gravity "
            "compensated twice, or a payload wrong?"
        )

    def _hurry(self, joint: str, now: float) -> None:
        if now - self._hasty_at > SLOWED:
            self._hasty = joint
        self._hasty_at = now


class Echo:
    """Compares the efforts that come back, by name, with those that were sent, by place."""

    def __init__(self, joint_names: Sequence[str]) -> None:
        """Watch joints in the order of the commands."""
        self._joint_names = tuple(joint_names)
        self._patience = Patience(MISPLACED)
        self.difference = np.zeros(1)
        """[1] N m or N, the largest of all joints."""

    @property
    def calm(self) -> bool:
        """Whether the last efforts that came back were those that were sent."""
        return not self._patience.begun

    def misplaced(self, sent: Vector, measured: Vector, now: float) -> str:
        """Return what shows that commands reach other joints than they are for; empty: nothing.

        Efforts that differ for other reasons (friction, a sensor's offset) are no such sign: those
        that reach other joints are much the same numbers in another order.
        """
        if not len(sent):
            return ""
        wrong = np.abs(measured - sent)
        i = int(wrong.argmax())
        self.difference[0] = wrong[i]
        distance = sqrt(wrong.dot(wrong))
        differs = distance > DIFFERENT * sqrt(sent.dot(sent))
        if differs:
            nearest = np.linalg.norm(np.sort(measured) - np.sort(sent))  # of all orders
            differs = bool(nearest < ALIKE * distance)
        if not self._patience.over(now, differs):
            return ""
        return (
            f"joint '{self._joint_names[i]}' gives {measured[i]:.3g} but was sent {sent[i]:.3g}, "
            "and the efforts that come back are those sent in another order: let command_joints "
            "have the controller's order"
        )
