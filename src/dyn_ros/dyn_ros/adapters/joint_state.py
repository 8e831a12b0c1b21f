# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Reads sensor_msgs/JointState into arrays in the model's order."""

from array import array
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from time import time_ns
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dyn_core.control.computed_torque import take_short_way
from dyn_ros.adapters.cdr import UnknownEncodingError
from dyn_ros.adapters.checked_vector import LARGEST, CheckedVector
from dyn_ros.adapters.joint_order import Found, JointOrder
from dyn_ros.adapters.plausible import FAST, MARGIN, Plausible
from dyn_ros.adapters.refusal import InputRefusedError
from dyn_ros.adapters.shortcut import Shortcut
from dyn_ros.adapters.stamp import NANOSECONDS, nanoseconds, refuse_age, refuse_order

if TYPE_CHECKING:
    from builtin_interfaces.msg import Time
    from sensor_msgs.msg import JointState

LONGEST_OVERTAKEN = NANOSECONDS // 10  # a stamp older than that is of a clock that was set back
PARTLY_GOOD = ("not finite", "implausible", "velocity absent", "effort absent")
"""Why messages are refused whose other positions are what they seem."""
UNTIMELY = ("stamp age", "stamp unchanged", "time ran backwards")
"""Why messages are refused whose efforts are not those of now."""


class JointStateReader:
    """The newest of each joint: `position`, `velocity`, `effort` in the model's order.

    Several publishers may each bring some of the joints. Joints that the model does not have are
    ignored. A message that cannot be used changes nothing but what is `seen`, and measured efforts.
    """

    def __init__(
        self,
        joint_names: Sequence[str],
        *,
        needs_velocity: bool,
        only_known: bool = False,
        ignored: Collection[str] = (),
        passive: Collection[str] = (),
    ) -> None:
        """Expect these joints; `only_known` refuses messages that name others but `ignored`.

        The efforts of `passive` joints are not looked at and stay zero.

        Without `needs_velocity` and `needs_effort` these fields are not looked at.
        """
        self.joint_names = tuple(joint_names)
        self._passive = bool(passive)
        self._order = JointOrder(joint_names, only_known=only_known, ignored=ignored)
        self._position = CheckedVector("position", joint_names)
        self._velocity = CheckedVector("velocity", joint_names)
        self._effort = CheckedVector("effort", joint_names, unread=passive)
        self.needs_velocity = needs_velocity  # may be changed between two messages, as
        self.needs_effort = False
        self.watches_motors = False  # whether velocities and efforts are read where they come
        self._motors = (
            MotorVelocity("velocity", joint_names),
            Motors("effort", joint_names, unread=passive),
        )
        self.merges = False  # whether a message may lack joints
        self.repeats = False  # whether a stamp may come again
        self.clock: Callable[[], int] | None = None  # ns, that stamps are compared with
        self.received = 0  # ns, by the system's clock, when the message came; 0: nobody knows
        self._clock_then = 0  # ns, when a message was last read
        self.most_age = 0  # ns that a stamp may be from the clock's time, and a position from now
        self._plausible: Plausible | None = None
        self._stamps = np.zeros(len(self.joint_names), dtype=np.int64)  # ns
        self._vectors = (self._position, self._velocity, self._effort, *self._motors)
        self._values = np.zeros((len(self._vectors) + 1, len(self.joint_names)))
        for vector, row in zip(self._vectors, self._values, strict=False):
            vector.values = row
        self._came = self._values[-1]  # s
        self._came.fill(-np.inf)
        self.nanoseconds = 0  # the newest stamp of all joints
        self.position = self._position.values
        """[n] rad or m, overwritten by every accepted message."""
        self.velocity = self._velocity.values
        """[n] rad/s or m/s; zeros without `needs_velocity`."""
        self.effort = self._effort.values
        """[n] N m or N; zeros without `needs_effort`."""
        self._shortcut: Shortcut | None = None
        self._asked: tuple[bool, ...] = ()  # what it was made for
        self._glimpses: JointStateReader | None = None  # of refused messages, and what was before
        self._quick_motors: list[Motors] = []  # that it fills

    @property
    def measured_velocity(self) -> NDArray[np.float64] | None:
        """[n] rad/s or m/s, where motors are watched; None: not of all joints."""
        return self._motors[0].known_values

    @property
    def measured_effort(self) -> NDArray[np.float64] | None:
        """[n] N m or N, where motors are watched; None: not of all joints."""
        return self._motors[1].known_values

    @property
    def known_velocity(self) -> NDArray[np.float64]:
        """[n] rad/s or m/s, where motors are watched; NaN of joints where it is not known."""
        return np.where(self._motors[0].known, self._motors[0].values, np.nan)

    @property
    def seen(self) -> "JointStateReader":
        """What is known now of each joint, also by messages that were refused for other joints.

        It is for damping: nothing may be computed with positions and velocities that are not of the
        same message.
        """
        glimpses = self._glimpses
        if glimpses is None or not (glimpses._came > self._came).any():
            return self
        glimpses._catch_up(self)
        return glimpses

    def read(self, message: "JointState", now: float = 0.0) -> bool:
        """Take a message that came at `now`, s; return whether it has any joint of the model.

        Raises InputRefusedError and keeps the old state if it is unusable.
        """
        found = self._order.find(message.name)
        if not self.merges:
            self._order.refuse_missing(found)
        if not len(found.joints):
            return False
        try:
            self._take(message, found, now)
        except InputRefusedError as refusal:
            if self.watches_motors and refusal.reason in PARTLY_GOOD:
                self._glimpse(message, found, now)
            if self.watches_motors and refusal.reason not in UNTIMELY:
                self._motors[1].take(message.effort, found, len(message.name))
            raise
        return True

    def read_quickly(self, data: bytes, now: float = 0.0) -> bool:
        """Take a serialized message like the one remembered; return whether that was possible.

        It never is where `read` would refuse the message, or do anything but take its numbers.
        """
        way = self._shortcut
        if way is None or len(data) != way.size:
            return False
        if self._asked != (self.needs_velocity, self.needs_effort, self.watches_motors):
            return False
        clock = 0 if self.clock is None else self.clock()
        stamp = way.take(now, data, self.nanoseconds, self.most_age, clock)
        if not stamp:
            return False
        self._clock_then = clock
        for motors in self._quick_motors:
            if motors.known_values is None:
                motors.know_all()
        self.nanoseconds = stamp
        return True

    def remember(self, data: bytes, message: "JointState") -> None:
        """Read messages quickly that are like this one, which `read` has just accepted."""
        self._shortcut = None
        self._asked = self.needs_velocity, self.needs_effort, self.watches_motors
        found = self._order.find(message.name)
        if len(found.joints) < len(self.joint_names) or self._passive:
            return
        watched = self._motors if self.watches_motors else ()
        self._quick_motors = [x for x in watched if len(getattr(message, x.field))]
        if any(motors.known_values is None for motors in self._quick_motors):
            return  # read in full until its publisher knows
        needed = [self._velocity] * self.needs_velocity + [self._effort] * self.needs_effort
        read = [self._position, *needed, *self._quick_motors]
        speed = None if self._plausible is None else self._plausible.speed
        with suppress(UnknownEncodingError):
            rows = [vector if vector in read else None for vector in self._vectors]
            self._shortcut = Shortcut(data, found, rows, speed, self._values, self._stamps)

    @property
    def quick(self) -> bool:
        """Whether a message is remembered."""
        return self._shortcut is not None

    @property
    def way(self) -> object:
        """What reads messages quickly; another one if anything about that has changed."""
        return self._shortcut

    def rows_of(self, other: "JointStateReader") -> list[tuple[slice, slice]] | None:
        """Return which rows are read quickly here, and where the other reader has the same.

        None: it reads something else, or has read another message last.
        """
        mine, theirs = self._shortcut, other._shortcut
        if mine is None or theirs is None or self.joint_names != other.joint_names:
            return None
        same = self.nanoseconds == other.nanoseconds and self.most_age == other.most_age
        return mine.rows_of(theirs) if same else None

    def take_rows(self, other: "JointStateReader", rows: Sequence[tuple[slice, slice]]) -> None:
        """Take the numbers of the message that another reader has just read quickly."""
        for mine, theirs in rows:
            self._values[mine] = other._values[theirs]
        self.nanoseconds = other.nanoseconds

    def follow(self, other: "JointStateReader", rows: Sequence[tuple[slice, slice]]) -> None:
        """Stand where the reader would that had read all these messages itself."""
        self.take_rows(other, rows)
        self._stamps[:] = other._stamps
        self._came[:] = other._came

    def forget(self) -> None:
        """Wait for all joints anew."""
        self._shortcut = self._glimpses = None
        self._came[:] = -np.inf
        for motors in self._motors:
            motors.forget()

    def late(self, since: float) -> list[str]:
        """Return the joints that have not come since a time, s."""
        if self._came.min(initial=np.inf) >= since:
            return []
        return [self.joint_names[i] for i in np.flatnonzero(self._came < since)]

    def ages(self, now: float, clock: int, most: float) -> NDArray[np.float64]:
        """Return how long ago each joint was where it is known to be, s [n].

        That is since it came, and what its stamp then says by a `clock`, ns; no stamp says more
        than `most`, s, for clocks of two computers may differ.
        """
        came = now - self._came
        on_the_way = (clock - self._stamps) / NANOSECONDS - came
        return came + np.where(self._stamps > 0, np.clip(on_the_way, 0.0, most), 0.0)

    def expect(self, plausible: Plausible | None) -> None:
        """Refuse what cannot be measurements from now on; None: only what is not finite."""
        self._shortcut = self._glimpses = None
        self._plausible = plausible
        bounds: list[Any] = [LARGEST, LARGEST]
        lower: Any = -LARGEST
        upper: Any = LARGEST
        if plausible is not None:
            lower, upper = plausible.lower, plausible.upper
            bounds = [plausible.velocity, plausible.effort]
        self._position.bound(lower, upper)
        for vectors in ((self._velocity, self._effort), self._motors):
            for vector, bound in zip(vectors, bounds, strict=True):
                vector.bound(-bound, bound)

    def _take(self, message: "JointState", found: Found, now: float) -> None:
        """Take what a message says of the joints `found`. Raises InputRefusedError as `read`."""
        stamp, before = self._check_time(message.header.stamp, found)
        size = len(message.name)
        self._position.check(message.position, found.indices, size, found.joints)
        if self._plausible is not None and stamp:  # without stamps nobody knows the time between
            self._refuse_jump(self._plausible, found.joints, stamp - before)
        if self.needs_velocity:
            _refuse_absent(message.velocity, "velocity", "velocities", size)
            self._velocity.check(message.velocity, found.indices, size, found.joints)
        if self.needs_effort:
            _refuse_absent(message.effort, "effort", "efforts", size)
            self._effort.check(message.effort, found.indices, size, found.joints)
            self._effort.accept()
        if self.needs_velocity:
            self._velocity.accept()
        self._position.accept()
        if self.watches_motors:
            self._motors[0].take(message.velocity, found, size)
            self._motors[1].take(message.effort, found, size)
        self._came[found.joints] = now
        self._stamps[found.joints] = stamp
        self.nanoseconds = max(stamp, self.nanoseconds)

    def _glimpse(self, message: "JointState", found: Found, now: float) -> None:
        """Keep what a message, whose positions were checked, says of joints where they are good."""
        if self._glimpses is None:
            self._glimpses = JointStateReader(self.joint_names, needs_velocity=False)
            self._glimpses.watches_motors = True
            self._glimpses.repeats, self._glimpses.most_age = self.repeats, self.most_age
            self._glimpses.expect(self._plausible)
        self._glimpses._catch_up(self)
        good = self._position.usable
        part = found._replace(indices=found.indices[good], joints=found.joints[good])
        if len(part.joints):
            with suppress(InputRefusedError):
                self._glimpses._take(message, part, now)

    def _catch_up(self, other: "JointStateReader") -> None:
        """Take each joint of which another reader of the same joints knows more."""
        newer = other._came > self._came
        self._values[:, newer] = other._values[:, newer]
        self._stamps[newer] = other._stamps[newer]
        for mine, theirs in zip(self._motors, other._motors, strict=True):
            mine.known[newer] = theirs.known[newer]
        self.nanoseconds = max(self.nanoseconds, other.nanoseconds)

    def _check_time(self, time: "Time", found: Found) -> tuple[int, int]:
        """Return the stamp, and the newest before of the same joints, ns."""
        now = nanoseconds(time)
        what = "the joint state"
        clock = self.clock() if self.clock is not None else 0
        last = int(self._stamps[found.joints].max())
        if clock:  # simulated time is 0 until /clock comes
            waited = time_ns() - self.received if self.received else 0
            refuse_age(what, now, clock, self.most_age, waited, last)
        if now < last - min(self.most_age, LONGEST_OVERTAKEN):
            self._stamps[found.joints] = self.nanoseconds = now
            self._came[found.joints] = -np.inf  # the robot may be anywhere at another time
            self._shortcut = self._glimpses = None  # joints that others publish may be newer
        stands_still = 0 < clock == self._clock_then
        self._clock_then = clock
        refuse_order(what, last, now, self.repeats or stands_still)
        return now, last

    def _refuse_jump(self, plausible: Plausible, joints: NDArray[np.intp], elapsed: int) -> None:
        """Raise InputRefusedError if a joint cannot have gone so far within `elapsed` ns."""
        if not 0 <= elapsed <= self.most_age or self._came[joints].min() == -np.inf:
            return
        step = self._position.step
        take_short_way(step, np.flatnonzero(plausible.turning[joints]).tolist())
        reach = plausible.speed[joints] * (elapsed / NANOSECONDS) + MARGIN
        far = np.abs(step) > reach
        if far.any():
            i = int(np.argmax(far))
            raise InputRefusedError(
                "position jump",
                f"position of joint '{self.joint_names[joints[i]]}' is {abs(step[i]):.4g} from the "
                f"one before, {elapsed / NANOSECONDS:.4g} s earlier, which is "
                f"{FAST:g} times as fast as its velocity limit allows: does somebody else publish "
                "the same joints?",
            )


class Motors(CheckedVector):
    """What motors may say or not: no message is refused that does not say it, or says NaN."""

    def __init__(
        self, field: str, joint_names: Sequence[str], *, unread: Collection[str] = ()
    ) -> None:
        """Know nothing yet."""
        super().__init__(field, joint_names, unread=unread)
        self.known = np.zeros(len(joint_names), dtype=bool)
        self.known_values: NDArray[np.float64] | None = None
        """The values [n], None if those of a joint are not known."""

    def take(self, data: "array[float]", found: Found, size: int) -> None:
        """Take what a message says of the joints `found` in it."""
        self.known[found.joints] = self.offer(data, found.indices, size, found.joints)
        self.known_values = self.values if self.known.all() else None

    def know_all(self) -> None:
        """Take note that values of all joints have come."""
        self.known[:] = True
        self.known_values = self.values

    def forget(self) -> None:
        """Know nothing any more."""
        self.known[:] = False
        self.known_values = None


class MotorVelocity(Motors):
    """Velocities beyond their bounds count as these: who runs away so fast must be noticed."""

    def _take(
        self, data: "array[float]", indices: NDArray[np.intp], joints: NDArray[np.intp]
    ) -> NDArray[np.bool_]:
        super()._take(data, indices, joints)
        candidate = self._candidate[: len(indices)]
        finite = np.isfinite(candidate)
        np.clip(candidate, self.lower[joints], self.upper[joints], out=candidate)
        return finite


def _refuse_absent(values: Sequence[float], field: str, plural: str, size: int) -> None:
    if not values:
        raise InputRefusedError(
            f"{field} absent",
            f"{field} has 0 numbers but should have {size}: let the publisher of joint_states "
            f"send {plural}, for this node computes with them",
        )
