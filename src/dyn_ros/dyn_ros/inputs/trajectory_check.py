# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A trajectory before it is followed: from where, and whether the robot can make it."""

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple, Protocol

import numpy as np

from dyn_core.control import (
    State,
    Trajectory,
    cubic_accelerations,
    smooth_derivatives,
    take_short_way,
)
from dyn_ros.arrays import Matrix, Vector
from dyn_ros.inputs.command_settings import effort_rate
from dyn_ros.inputs.tracking_settings import FollowSettings, TrackingSettings
from dyn_ros.kernels.surroundings import Surroundings
from dyn_ros.messages.joint_trajectory import Read
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import NANOSECONDS
from dyn_ros.node.settings import Values
from dyn_ros.safety.motion_policy import SLOWER_HINT, MotionLimits
from dyn_ros.tracking.effort_steps import refuse_lag
from dyn_ros.tracking.motion import Segment
from dyn_ros.tracking.setpoint import Law, Setpoint

# points, from which on a trajectory is checked beside the commands, which go on
MIN_BACKGROUND_POINTS = 500
FIRST_LEAD_S = 0.2  # s that this may take at first; twice as long each time that it was not enough
MOST_LEAD = 5.0  # s
MAX_APPROACH_RATIO = 2.0  # times the fastest of a trajectory, on the way to its first point
MOST_JOINING = 0.2  # s, so that low gains leave out no more of a way
PEAK = (
    "; between points given by positions alone, joints accelerate and brake, and reach up to 1.9 "
    "times their mean velocity"
)
STEPS = (
    "; accelerations step at points that have velocities alone: give accelerations at all points"
)
AT_ONCE = "header.stamp to 0 to start at once, and compare the clocks"
MAX_LATENESS_S = 0.1  # s after its start that a trajectory may come without a warning

# One thread for the nodes of a process: commands would wait longer beside several.
_worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="trajectories")


class Follower(Protocol):
    """Somebody who wants to know what becomes of a trajectory."""

    def begun(self, leg: Segment) -> None:
        """Hear that it is followed from now on, or from its start on."""

    def refused(self, refusal: InputRefusedError) -> None:
        """Take note that the trajectory is refused; the motion before it goes on."""

    def interrupted(self, reason: str, text: str) -> None:
        """Hear that it is followed no more, with a countable reason and words."""


class Plan(NamedTuple):
    """A trajectory, joined to the desired state at its beginning."""

    start: int  # ns
    begin: int  # ns, when it is followed first
    desired: State  # the desired state at that time
    times: Vector  # s after the start, of the points
    points: list[Matrix]  # positions and velocities, maybe accelerations, [n, nv] each
    position: Vector  # in which it begins: as desired, but for whole turns
    first: Setpoint  # the first point, which is held if there is no other
    positions_alone: bool  # whether the message has no velocities


def planned(
    read: Read,
    start: int,
    begin: int,
    desired: State,
    robot: tuple[Vector, Vector],
    turning: list[int],
    law: Law,
) -> Plan:
    """Return how a trajectory that starts at `start` is followed from `begin` on, both in ns.

    That is no earlier, `desired` is what is desired then, `robot` its position and velocity.
    Turning joints take the short way. Raises InputRefusedError if it is over.

    One that is joined in its midst is nowhere just where the robot is desired to be: on the way to
    a point that is next at once, a millionth of a radian would be any velocity. Its points of the
    next moment are left out, but never the last.
    """
    times, points = read
    state, begin_time = desired, (begin - start) / NANOSECONDS
    ahead = times >= begin_time
    if not ahead.any():
        raise InputRefusedError(
            "in the past",
            f"its last point was to be reached {begin_time - times[-1]:.3f} s ago: set {AT_ONCE}",
        )
    if begin > start:
        ahead = times >= begin_time + joining(law)
        ahead[-1] = True
    times, points = times[ahead], [values[ahead] for values in points]
    rates: tuple[Vector | float, Vector | float] = 0.0, 0.0  # where the motion begins
    if times[0] > begin_time:
        rates = state[1:]
        way = points[0][0] - state[0]
        take_short_way(way, turning)
        state = points[0][0] - way, *state[1:]
        times = np.concatenate([[begin_time], times])
        points = [np.vstack([s, x]) for s, x in zip(state, points, strict=False)]
    alone = len(points) == 1
    with np.errstate(over="ignore", invalid="ignore"):
        if alone:
            points += smooth_derivatives(times, points[0], *rates)
        given = [values[:1] for values in points]
        if len(points) == 2 and len(times) > 1:
            given.append(cubic_accelerations(times, *points)[0][:1])
    first = Setpoint((begin, begin_time), given, desired, robot, turning, law)
    return Plan(start, begin, desired, times, points, state[0], first, alone)


def lateness(stamp: int, now: int) -> str:
    """Return what is told of a trajectory that comes after its start, both in ns; empty: nothing.

    What is left of its time is all that the whole way is given.
    """
    late = (now - stamp) / NANOSECONDS
    if not stamp or late < MAX_LATENESS_S:
        return ""
    return (
        f"a trajectory was to start {late:.3g} s ago and is made faster, to be in time: set its "
        f"{AT_ONCE}"
    )


def law(values: Values, effort_limit: Vector) -> Law:
    """Return how parameters say that set-points are followed."""
    return Law(
        values[TrackingSettings].natural_frequency,
        values[TrackingSettings].damping_ratio,
        values[TrackingSettings].feed_forward,
        values[FollowSettings].reference_timeout,
        effort_rate(effort_limit, values),
    )


def joining(law: Law) -> float:
    """Return how long a robot takes to join a motion: the time in which errors are answered, s."""
    return min(1.0 / law.natural_frequency, MOST_JOINING) if law.natural_frequency else MOST_JOINING


def advice(plan: Plan) -> str:
    """Return what to do about a motion that breaks a limit."""
    left = float(plan.times[-1] - plan.times[0])
    with np.errstate(over="ignore", invalid="ignore"):
        times, ways = np.diff(plan.times), np.abs(np.diff(plan.points[0], axis=0)).max(axis=1)
        speeds = ways / times
        hasty = len(speeds) > 1 and speeds[0] > MAX_APPROACH_RATIO * speeds[1:].max()
    if hasty:
        return (
            f"its first point is {ways[0]:.3g} rad or m from where the robot shall be and "
            f"{times[0]:.3g} s ahead: begin where ~/desired says, or with a point at time 0"
        )
    if plan.begin == plan.start or left >= joining(plan.first.law):
        return SLOWER_HINT + PEAK if plan.positions_alone else SLOWER_HINT
    return (
        f"its header.stamp is {plan.times[0]:.3g} s ago, and {left:.3g} s are left until its last "
        "point: send it sooner, or set header.stamp to 0 to start at once"
    )


def spline(plan: Plan) -> Trajectory:
    """Return the motion through the points of a plan. May refuse them."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            return Trajectory(plan.times, *plan.points)
    except np.linalg.LinAlgError as error:
        raise InputRefusedError(
            "bad times", "its points are too close to each other in time: leave some out"
        ) from error
    except ValueError as error:
        raise MotionLimits.infinite() from error


class Checked(NamedTuple):
    """What a check has found."""

    motion: Trajectory | Setpoint
    found: Vector | InputRefusedError  # the step of efforts, [nv], or which limit is broken

    def effort_step(self) -> Vector:
        """Return by how much efforts step, [nv]. Raises InputRefusedError if over a limit."""
        if isinstance(self.found, InputRefusedError):
            raise self.found
        return self.found


def check(plan: Plan, limits: MotionLimits, around: Surroundings, scale: float) -> Checked:
    """Check a plan against the robot's limits. Raises InputRefusedError for bad times."""
    motion = plan.first if len(plan.times) == 1 else spline(plan)
    try:
        if isinstance(motion, Setpoint):
            step = limits.refuse_setpoint(motion.point, motion.way, plan.position, around, scale)
        else:
            what_to_do = advice(plan)
            course = limits.refuse(motion, plan.points, plan.position, around, scale, what_to_do)
            position, velocity, acceleration = (values[:2] for values in plan.first.way)
            step = limits.refuse_way((position, velocity, acceleration), around, scale)
            steps = STEPS if len(plan.points) == 2 else ""
            refuse_lag(limits.joint_names, course, step, plan.first.law, what_to_do + steps)
    except InputRefusedError as refusal:
        return Checked(motion, refusal)
    return Checked(motion, step)


class Waiting:
    """A long trajectory that is checked in a thread of its own, while commands go on."""

    def __init__(self, stamp: int, read: Read, follower: Follower | None) -> None:
        """Wait with a trajectory whose stamp is `stamp`, ns, 0: it starts at once."""
        self.stamp, self.read, self.follower = stamp, read, follower
        self.lead = FIRST_LEAD_S
        self.plan: Plan
        self._check: Future[Checked] | None = None

    def begin(self, plan: Plan, *how: Any) -> None:
        """Check a plan in a thread; `how` as for `check`, with a copy of the surroundings."""
        self.plan = plan
        self._check = _worker.submit(check, plan, *how)

    @property
    def done(self) -> bool:
        """Whether the check is over."""
        return self._check is not None and self._check.done()

    def give_up(self) -> None:
        """Leave the check out unless it has begun, for others wait for the thread."""
        if self._check is not None:
            self._check.cancel()

    def result(self) -> Checked:
        """Return the result of the check. Raises InputRefusedError for bad times."""
        assert self._check is not None
        return self._check.result()

    def take_longer(self) -> None:
        """Have more time for the next check.

        Raises InputRefusedError if it has had enough.
        """
        self.lead *= 2.0
        if self.lead > MOST_LEAD:
            raise InputRefusedError(
                "too long to check",
                f"its {len(self.read[0])} points could not be checked within {MOST_LEAD:g} s: is "
                "the processor overloaded? Send fewer points",
            )
