# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A trajectory before it is followed: from where, and whether the robot can make it."""

from typing import NamedTuple

import numpy as np

from dyn_core.control import (
    State,
    Trajectory,
    cubic_accelerations,
    smooth_derivatives,
    wrap_differences,
)
from dyn_ros.arrays import Matrix, Vector
from dyn_ros.kernels.surroundings import Surroundings
from dyn_ros.messages.joint_trajectory import Read
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import NANOSECONDS
from dyn_ros.safety.motion_policy import INFINITE, SLOWER_HINT, MotionLimits, over_limit
from dyn_ros.tracking.effort_steps import refuse_lag
from dyn_ros.tracking.setpoint import Law, Setpoint

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


class Plan(NamedTuple):
    """A trajectory, joined to the desired state at its beginning."""

    start: int  # ns
    begin: int  # ns, when it is followed first
    desired: State  # the desired state at that time
    times: Vector  # s after the start, of the points
    points: list[Matrix]  # positions and velocities, maybe accelerations, [n, nv] each
    position: Vector  # in which it begins: as desired, but for whole turns
    first: Setpoint  # the first point, which is held if there is no other
    law: Law
    positions_alone: bool  # whether the message has no velocities

    @property
    def motion(self) -> Trajectory | Setpoint:
        """The motion through the points. Raises InputRefusedError for bad times."""
        if len(self.times) == 1:
            return self.first
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                return Trajectory(self.times, *self.points)
        except np.linalg.LinAlgError as error:
            raise InputRefusedError(
                "bad times", "its points are too close to each other in time: leave some out"
            ) from error
        except ValueError as error:
            raise over_limit(INFINITE) from error

    @property
    def advice(self) -> str:
        """What to do if the motion breaks a limit."""
        left = float(self.times[-1] - self.times[0])
        with np.errstate(over="ignore", invalid="ignore"):
            times, ways = np.diff(self.times), np.abs(np.diff(self.points[0], axis=0)).max(axis=1)
            speeds = ways / times
            hasty = len(speeds) > 1 and speeds[0] > MAX_APPROACH_RATIO * speeds[1:].max()
        if hasty:
            return (
                f"its first point is {ways[0]:.3g} rad or m from the desired position, and only "
                f"{times[0]:.3g} s ahead: begin at the position on ~/desired, or with a point at "
                "time 0"
            )
        if self.begin == self.start or left >= joining(self.law):
            return SLOWER_HINT + PEAK if self.positions_alone else SLOWER_HINT
        return (
            f"its header.stamp is {self.times[0]:.3g} s ago, and {left:.3g} s are left until its "
            "last point: send it sooner, or set header.stamp to 0 to start at once"
        )


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
    Position errors of turning joints wrap. Raises InputRefusedError if it is over.

    One that is joined in its midst is nowhere just where the robot is desired to be: on the way to
    a point that is next at once, a millionth of a radian would be any velocity. Its points of the
    next moment are left out, but never the last.
    """
    times, points = read
    state, begin_time = desired, (begin - start) / NANOSECONDS
    if times[-1] < begin_time:
        raise InputRefusedError(
            "in the past",
            f"its last point was to be reached {begin_time - times[-1]:.3f} s ago: set {AT_ONCE}",
        )
    ahead = times >= begin_time + (joining(law) if begin > start else 0.0)
    ahead[-1] = True
    times, points = times[ahead], [values[ahead] for values in points]
    rates: tuple[Vector | float, Vector | float] = 0.0, 0.0  # where the motion begins
    if times[0] > begin_time:
        rates = state[1:]
        way = points[0][0] - state[0]
        wrap_differences(way, turning)
        state = points[0][0] - way, *state[1:]
        times = np.concatenate([[begin_time], times])
        points = [np.vstack([s, x]) for s, x in zip(state, points, strict=False)]
    alone = len(points) == 1
    with np.errstate(over="ignore", invalid="ignore"):
        if alone:
            points += smooth_derivatives(times, points[0], *rates)
        given = [values[0] for values in points]
        if len(points) == 2 and len(times) > 1:
            given.append(cubic_accelerations(times, *points)[0][0])
    first = Setpoint(begin_time, given, desired, robot, turning, law)
    return Plan(start, begin, desired, times, points, state[0], first, law, alone)


def joining(law: Law) -> float:
    """Return how long a robot takes to join a motion: the time in which errors are answered, s."""
    return min(1.0 / law.natural_frequency, MOST_JOINING) if law.natural_frequency else MOST_JOINING


def check(
    plan: Plan, limits: MotionLimits, around: Surroundings, scale: float
) -> tuple[Trajectory | Setpoint, Vector]:
    """Return the motion of a plan, and by how much efforts step where it begins, [nv].

    Raises InputRefusedError if it breaks a limit of the robot.
    """
    motion, way = plan.motion, plan.first.way
    if isinstance(motion, Setpoint):
        limits.refuse_states(motion.point, plan.position)
        return motion, limits.refuse_way(way, around, scale)
    advice = plan.advice
    course = limits.refuse(motion, plan.points, plan.position, around, scale, advice)
    step = limits.refuse_way((way[0][:2], way[1][:2], way[2][:2]), around, scale)
    advice += STEPS if len(plan.points) == 2 else ""
    refuse_lag(limits.joint_names, course, step, plan.law, advice)
    return motion, step
