# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What moves a robot: one check of a motion, one way to stop, one wording of tracking errors.

Nodes that command a whole motion (trajectories by topic or action, set-points, identification,
walking) ask `MotionLimits` before it begins. Inverse kinematics keeps the same limits in each
step, and commands by a `MotionStream`. Both come to rest by `stop_time`.
"""

from collections.abc import Collection, Sequence
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_core.configuration import position_limits
from dyn_core.control import LimitViolation, State, Trajectory, feed_forward, limit_violations
from dyn_ros.arrays import Matrix, Vector
from dyn_ros.kernels.robot import KernelRequest
from dyn_ros.kernels.surroundings import Surroundings, in_surroundings
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.safety.effort_policy import MAX_STEP_S, NO_EFFORT

MAX_STATES = 512  # whose efforts are checked, of a motion of fewer points; commands wait meanwhile
MIN_CHECKED_STATES = 128  # of them between the points, at least
MIN_WAY_STATES, MAX_WAY_STATES = 8, 32  # states of the way from one point to the next
ROUNDING = 1e-6  # rad or m
MAX_END_VELOCITY = 1e-3  # rad/s or m/s that counts as at rest
MIN_STOP_S, MAX_STOP_S = 0.3, 1.5  # of a stop that a trajectory's follower makes
PEAK_DECELERATION_RATIO = 2.0  # to the mean one: 1.5, more where the robot accelerates
MAX_LAST_BRAKING_S = 5.0  # s, before a process that ends is killed
SMALLEST = 1e-9  # s, rad/s^2 or m/s^2, in place of zero
UNITS = {
    "position": "rad or m",
    "velocity": "rad/s or m/s",
    "acceleration": "rad/s^2 or m/s^2",
    "effort": "N m or N",
}
SLOWER_HINT = "check units, or move slower and not as far"
SETPOINT_HINT = (
    "the robot has to go to a set-point at once, by natural_frequency and damping_ratio: send "
    "points that are nearer to each other, or one with a time_from_start in which to reach it"
)
INFINITE = "its values between points are not finite: check units and times"
NEEDED_KERNEL: KernelRequest = in_surroundings(("inverse_dynamics",))


def over_limit(text: str) -> InputRefusedError:
    """Return the refusal of a motion that the robot cannot make."""
    return InputRefusedError("trajectory over limit", text)


def refuse_infinite(states: State) -> None:
    """Raise InputRefusedError if a number is not finite."""
    if not all(np.isfinite(values).all() for values in states):
        raise over_limit(INFINITE)


def tracking_error(
    joint_names: Sequence[str], distance: Vector, most: float, advice: str, share: float = 1.0
) -> str:
    """Return which joint is too far from where it shall be, and what to do; empty: none is.

    Args:
        joint_names: [n].
        distance: of each joint, [n] rad or m.
        most: max_tracking_error, rad or m; 0: no limit.
        advice: what to do about it, in words.
        share: part of it that may be taken.
    """
    worst = int(np.argmax(np.abs(distance)))
    if not most or abs(distance[worst]) <= share * most:
        return ""
    part = f", of which a set-point may take {share:g}" if share < 1.0 else ""
    return (
        f"joint '{joint_names[worst]}' is {distance[worst]:.3f} from its desired position, "
        f"max_tracking_error is {most:g}{part}: {advice}"
    )


def stop_time(velocity: Vector, deceleration: Vector | float) -> float:
    """Return the s in which all joints come to rest, none harder than at `deceleration`."""
    return float((np.abs(velocity) / np.maximum(deceleration, SMALLEST)).max(initial=0.0))


class Stop(NamedTuple):
    """The point of a trajectory that stops a motion: at rest there, after so many s.

    From position q and velocity v a robot goes to rest at q + v T / 2 within time T. Every follower
    obeys such a point; a joint_trajectory_controller rejects a trajectory without points, and
    continues the motion.
    """

    duration: float
    position: Vector

    @staticmethod
    def of(
        model: dyn_core.Model,
        position: Vector,
        velocity: Vector,
        deceleration: Vector | float = np.inf,
    ) -> "Stop":
        """Return the stop from position and velocity, [nv], within the position limits.

        It is as quick as MIN_STOP_S and `deceleration`, [nv], allow.
        """
        needed = PEAK_DECELERATION_RATIO * stop_time(velocity, deceleration)
        duration = min(max(needed, MIN_STOP_S), MAX_STOP_S)
        lower, upper = position_limits(model)  # a joint beyond a limit stays there
        low, high = np.minimum(lower, position), np.maximum(upper, position)
        return Stop(duration, np.clip(position + 0.5 * duration * velocity, low, high))


class MotionPhase(Enum):
    """What a stream does; diagnostics report the values."""

    WAITING = "waiting"  # nothing is sent
    FOLLOWING = "active"
    BRAKING = "braking"


class MotionStream:
    """Position and velocity [n] that are commanded, in rad and rad/s or m and m/s.

    While nothing good comes in it brakes: all joints lose the same share of their velocity, so that
    the robot stays on its way, and none decelerates more than it may. A joint that would pass its
    limit of position loses more.
    """

    def __init__(
        self, size: int, acceleration: float, limits: tuple[Vector, Vector] | None = None
    ) -> None:
        """Stand, with decelerations of at most `acceleration`, rad/s^2 or m/s^2.

        `limits` are the lowest and highest positions [n]; None: there are none.
        """
        self.phase = MotionPhase.WAITING
        self.acceleration = acceleration
        infinite: Vector = np.full(size, np.inf)
        self._lowest, self._highest = limits or (-infinite, infinite)
        self.position: Vector = np.zeros(size)
        self.velocity: Vector = np.zeros(size)
        self.change: Vector = np.zeros(size)  # of the velocity, rad/s^2 or m/s^2
        self._left = np.inf  # s, that braking may still take

    @property
    def begun(self) -> bool:
        """Whether commands have begun, and have not ended."""
        return self.phase is not MotionPhase.WAITING

    @property
    def braking(self) -> bool:
        """Whether `brake_on` has to be called."""
        return self.phase is MotionPhase.BRAKING

    def begin(self, position: Vector, velocity: Vector) -> None:
        """Begin with the motion that the robot has."""
        self.position[:], self.velocity[:], self.change[:] = position, velocity, 0.0
        self.phase, self._left = MotionPhase.FOLLOWING, np.inf

    def follow(self, velocity: Vector, seconds: float) -> None:
        """Go on with a velocity for so long."""
        self.phase, self._left = MotionPhase.FOLLOWING, np.inf
        self._move(velocity, seconds)

    def brake(self, most: float = np.inf) -> None:
        """Come to rest from now on; within `most` s, even if joints decelerate too much."""
        if self.begun:
            self.phase, self._left = MotionPhase.BRAKING, min(self._left, most)

    def brake_on(self, seconds: float) -> None:
        """Lose velocity for so long; at rest the stream ends with this command."""
        seconds = min(seconds, MAX_STEP_S)
        needed = min(stop_time(self.velocity, self.acceleration), self._left)
        self._left -= seconds
        speed, ahead = np.abs(self.velocity), np.sign(self.velocity)
        room = np.where(ahead > 0.0, self._highest - self.position, self.position - self._lowest)
        own = np.minimum(0.5 * speed**2 / np.maximum(room, SMALLEST), self.acceleration)
        shared = speed * max(0.0, 1.0 - seconds / max(needed, SMALLEST))
        self._move(ahead * np.minimum(shared, np.maximum(speed - own * seconds, 0.0)), seconds)
        if not self.velocity.any():
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


class MotionLimits:
    """Looks at a motion at its points and between them, where a spline goes further than these."""

    def __init__(self, model: dyn_core.Model, passive: Collection[str]) -> None:
        """Know the limits of a robot; `passive` joints have no motor, and so no effort."""
        self._model = model
        self.joint_names = model.dof_names
        self.velocity_scale = 1.0
        """Part of the velocity limits that may be used."""
        self._driven = np.array([name not in passive for name in model.dof_names])
        self._integrate = dyn_core.compile(model, ["integrate"])
        self._kernel = NEEDED_KERNEL.compile(model)
        self._neutral = dyn_core.neutral(model)
        self._lower, self._upper = position_limits(model)

    def refuse(
        self,
        motion: Trajectory,
        points: Sequence[Matrix],
        begin: Vector,
        around: Surroundings,
        effort_scale: float = 1.0,
        advice: str = SLOWER_HINT,
    ) -> tuple[Vector, Matrix]:
        """Return times [n] and efforts [n, nv] along a motion, the last those of rest at its end.

        Raises InputRefusedError if it breaks a limit, or does not end at rest.

        Args:
            motion: through the points.
            points: positions, and what is known of velocities and accelerations, [n, nv] each.
            begin: position from which the robot comes, [nv]; it may be beyond a limit.
            around: gravity, payloads and wrenches, for the efforts.
            effort_scale: part of the effort limits that may be used.
            advice: what to do about it, in words.
        """
        still = np.zeros_like(points[0])
        position, velocity, acceleration, *_ = [*points, still, still]
        self.refuse_states((position, velocity, acceleration), begin, advice)
        count = int(np.clip(MAX_STATES // len(position), MIN_WAY_STATES, MAX_WAY_STATES))
        with np.errstate(over="ignore", invalid="ignore"):
            times, states = motion.within(count)
        self.refuse_states(states, begin, advice)
        worst = int(np.argmax(np.abs(velocity[-1])))
        if abs(velocity[-1, worst]) > MAX_END_VELOCITY:
            raise over_limit(
                f"velocity of joint '{self.joint_names[worst]}' is {velocity[-1, worst]:.4g} at "
                "the last point, its limit there is 0: end at rest"
            )
        kept = hardest(states, count)
        at_end = position[-1], still[-1], still[-1]
        q, v, a = (np.vstack([x[kept], end]) for x, end in zip(states, at_end, strict=True))
        effort = self._efforts((q, v, a), around)
        self.refuse_efforts(effort, effort_scale, advice)
        return np.append(times[kept], motion.end), effort

    def refuse_way(self, way: State, around: Surroundings, scale: float = 1.0) -> Vector:
        """Return by how much efforts step at a set-point, [nv].

        `way` are the states of a robot that goes there, the first without the set-point; `around`
        and `scale` as in `refuse`. What is over a limit in the first state may be so on the way.
        Positions are not looked at: how far the robot goes beyond the set-point is a matter of the
        gains.

        Raises InputRefusedError if the way takes more velocity or effort than limits allow.
        """
        refuse_infinite(way)
        effort = self._efforts(way, around)
        for found in self._violations(0.0 * way[1], way[1], effort, scale):
            if found.kind != "position" and found.worst > 0:  # it gets worse than it was
                self._refuse(found, SETPOINT_HINT)
        return effort[1] - effort[0]

    def refuse_states(self, states: State, begin: Vector, advice: str = SLOWER_HINT) -> None:
        """Raise InputRefusedError if states, [nv] or [n, nv] each, are beyond a limit of motion.

        `begin` is the position from which the robot comes.
        """
        refuse_infinite(states)
        q, v, a = map(np.atleast_2d, states)
        for found in self._violations(q, v, np.zeros_like(q), 1.0, a):
            lower = min(self._lower[found.coordinate], begin[found.coordinate]) - ROUNDING
            upper = max(self._upper[found.coordinate], begin[found.coordinate]) + ROUNDING
            if found.kind != "position" or not lower <= found.value <= upper:
                self._refuse(found, advice)

    def refuse_efforts(self, effort: Matrix, scale: float = 1.0, advice: str = SLOWER_HINT) -> None:
        """Raise InputRefusedError if efforts [n, nv] are over a part of their limits."""
        still = np.zeros_like(effort)
        for found in self._violations(still, still, effort, scale):
            if found.kind == "effort":
                self._refuse(found, advice)

    def _efforts(self, states: State, around: Surroundings) -> Matrix:
        q = states[0]
        if self._model.nq != self._model.nv:
            q = np.array([self._integrate(self._neutral, position) for position in q])
        try:
            effort = feed_forward(self._model, q, *states[1:], **around.named(self._kernel))
        except ArithmeticError as error:
            raise over_limit(str(error)) from error
        return effort * self._driven

    def _violations(
        self, q: Matrix, v: Matrix, effort: Matrix, scale: float, a: Matrix | None = None
    ) -> list[LimitViolation]:
        return limit_violations(self._model, q, v, effort, scale, a, self.velocity_scale)

    def _refuse(self, found: LimitViolation, advice: str) -> None:
        if found.kind == "effort" and not found.limit:
            advice = NO_EFFORT
        if found.kind == "velocity" and self.velocity_scale < 1.0:
            advice = f"{advice}, or raise limits.velocity_scale"
        raise over_limit(
            f"{found.kind} of joint '{found.joint_name}' would be {found.value:.4g} "
            f"{UNITS[found.kind]}, its limit is {found.limit + 0.0:.4g}: {advice}"
        )


def hardest(states: State, count: int) -> NDArray[np.intp]:
    """Return which states [n, nv] of a motion to look at for efforts, which takes time.

    Every `count`-th is at a point and is one of them. Of the others, where there are many, those
    with the largest accelerations are, each joint's measured by the largest that it has.
    """
    acceleration = np.abs(states[2])
    if len(acceleration) <= MAX_STATES:
        return np.arange(len(acceleration))
    most = acceleration.max(axis=0)
    ranks = (acceleration / np.where(most > 0.0, most, 1.0)).max(axis=1)
    ranks[::count] = np.inf
    points = len(ranks) // count
    size = points + max(MAX_STATES - points, MIN_CHECKED_STATES)
    return np.sort(np.argpartition(-ranks, size)[:size])
