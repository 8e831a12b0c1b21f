# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Trajectories checked against the limits that the robot's description gives."""

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_core.configuration import position_limits
from dyn_core.control import LimitViolation, State, Trajectory, feed_forward, limit_violations
from dyn_ros.arrays import Matrix, Vector
from dyn_ros.kernels.robot import KernelRequest
from dyn_ros.kernels.surroundings import Surroundings, in_surroundings
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.safety.effort_policy import NO_EFFORT
from dyn_ros.tracking.setpoint import TO_A_SETPOINT, Setpoint

STATES = 512  # whose efforts are looked at, of a motion of fewer points; commands wait meanwhile
MIN_CHECKED_STATES = 128  # of them between the points, at least
MIN_WAY_STATES, MAX_WAY_STATES = 8, 32  # states of the way from one point to the next
ROUNDING = 1e-6  # rad or m
END_VELOCITY = 1e-3  # rad/s or m/s that counts as at rest
UNITS = {
    "position": "rad or m",
    "velocity": "rad/s or m/s",
    "acceleration": "rad/s^2 or m/s^2",
    "effort": "N m or N",
}
SLOWER_HINT = "check units, or move slower and not as far"
NEEDED_KERNEL: KernelRequest = in_surroundings(("inverse_dynamics",))


class TrajectoryLimits:
    """Looks at a motion at its points and between them, where a spline goes further than these."""

    def __init__(self, model: dyn_core.Model, passive: Collection[str]) -> None:
        """Know the limits of a robot; `passive` joints have no motor, and so no effort."""
        self._model = model
        self.joint_names = model.dof_names
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
        self._refuse_states((position, velocity, acceleration), begin, advice)
        count = int(np.clip(STATES // len(position), MIN_WAY_STATES, MAX_WAY_STATES))
        with np.errstate(over="ignore", invalid="ignore"):
            times, states = motion.within(count)
        self._refuse_states(states, begin, advice)
        self._refuse_motion_at_end(velocity[-1])
        kept = hardest(states, count)
        at_end = position[-1], still[-1], still[-1]
        q, v, a = (np.vstack([x[kept], end]) for x, end in zip(states, at_end, strict=True))
        effort = self._refuse_efforts((q, v, a), around, effort_scale, advice)
        return np.append(times[kept], motion.end), effort

    def refuse_setpoint(
        self, setpoint: Setpoint, begin: Vector, around: Surroundings, effort_scale: float = 1.0
    ) -> Vector:
        """Return by how much efforts leap at a set-point, [nv]. Arguments are those of `refuse`.

        Raises InputRefusedError if it is beyond a limit or the robot's way there takes too much
        velocity or effort. Positions of the way are not looked at: how far the robot goes beyond
        the set-point is a matter of the gains. What is over a limit without the set-point may be so
        with it.
        """
        self._refuse_states(setpoint.point, begin)
        return self._refuse_way(setpoint.way, around, effort_scale)

    def refuse_beginning(
        self, first: Setpoint, around: Surroundings, effort_scale: float = 1.0
    ) -> Vector:
        """Return by how much efforts leap where a motion begins, [nv].

        Raises InputRefusedError if that is too fast or takes too much effort. Arguments are those
        of `refuse`.
        """
        position, velocity, acceleration = (values[:2] for values in first.way)
        return self._refuse_way((position, velocity, acceleration), around, effort_scale)

    def _refuse_way(self, way: State, around: Surroundings, scale: float) -> Vector:
        self._refuse_infinite(way)
        effort = self._efforts(way, around)
        for found in limit_violations(self._model, 0.0 * way[1], way[1], effort, scale):
            if found.kind != "position" and found.worst > 0:  # it gets worse than it was
                self._refuse(found, TO_A_SETPOINT)
        return effort[1] - effort[0]

    def too_far(self, distance: Vector, most: float, share: float, effort_scale: float) -> str:
        """Return which joint is too far from where it shall be, and what to do.

        It is if it is further away than a share of `most`. Empty: none is.
        """
        worst = int(np.argmax(np.abs(distance)))
        if abs(distance[worst]) <= share * most:
            return ""
        part = f", of which a set-point may take {share:g}" if share < 1.0 else ""
        advice = "begin where the robot is, and move slower or with higher gains"
        if not (self._model.effort_limit[worst] and effort_scale):
            advice = f"its effort limit is 0, {NO_EFFORT}"
        return (
            f"joint '{self._model.dof_names[worst]}' is {distance[worst]:.3f} from where it shall "
            f"be, max_tracking_error is {most:g}{part}: {advice}"
        )

    @staticmethod
    def infinite() -> InputRefusedError:
        """Return the refusal of a motion whose numbers are too large."""
        return InputRefusedError(
            "trajectory over limit",
            "between its points it goes beyond all numbers: check units and times",
        )

    def _refuse_infinite(self, states: State) -> None:
        if not all(np.isfinite(values).all() for values in states):
            raise self.infinite()

    def _refuse_states(self, states: State, begin: Vector, advice: str = SLOWER_HINT) -> None:
        self._refuse_infinite(states)
        still = np.zeros_like(states[0])
        for found in limit_violations(self._model, *states[:2], still, accelerations=states[2]):
            lower = min(self._lower[found.coordinate], begin[found.coordinate]) - ROUNDING
            upper = max(self._upper[found.coordinate], begin[found.coordinate]) + ROUNDING
            if found.kind != "position" or not lower <= found.value <= upper:
                self._refuse(found, advice)

    def _refuse_efforts(
        self, states: State, around: Surroundings, scale: float, advice: str
    ) -> Matrix:
        effort = self._efforts(states, around)
        still = np.zeros_like(effort)
        for found in limit_violations(self._model, still, still, effort, scale):
            if found.kind == "effort":
                self._refuse(found, advice)
        return effort

    def _efforts(self, states: State, around: Surroundings) -> Matrix:
        q = states[0]
        if self._model.nq != self._model.nv:
            q = np.array([self._integrate(self._neutral, position) for position in q])
        try:
            effort = feed_forward(self._model, q, *states[1:], **around.named(self._kernel))
        except ArithmeticError as error:
            raise InputRefusedError("trajectory over limit", str(error)) from error
        return effort * self._driven

    def _refuse_motion_at_end(self, velocity: Vector) -> None:
        worst = int(np.argmax(np.abs(velocity)))
        if abs(velocity[worst]) > END_VELOCITY:
            raise InputRefusedError(
                "trajectory over limit",
                f"velocity of joint '{self._model.dof_names[worst]}' is {velocity[worst]:.4g} at "
                "the last point, its limit there is 0: end at rest",
            )

    def _refuse(self, found: LimitViolation, advice: str) -> None:
        if found.kind == "effort" and not found.limit:
            advice = NO_EFFORT
        raise InputRefusedError(
            "trajectory over limit",
            f"{found.kind} of joint '{found.joint_name}' would be {found.value:.4g} "
            f"{UNITS[found.kind]}, its limit is {found.limit + 0.0:.4g}: {advice}",
        )


def hardest(states: State, count: int) -> NDArray[np.intp]:
    """Return which states [n, nv] of a motion to look at for efforts, which takes time.

    Every `count`-th is at a point and is one of them. Of the others, where there are many, those
    with the largest accelerations are, each joint's measured by the largest that it has.
    """
    acceleration = np.abs(states[2])
    if len(acceleration) <= STATES:
        return np.arange(len(acceleration))
    most = acceleration.max(axis=0)
    ranks = (acceleration / np.where(most > 0.0, most, 1.0)).max(axis=1)
    ranks[::count] = np.inf
    points = len(ranks) // count
    size = points + max(STATES - points, MIN_CHECKED_STATES)
    return np.sort(np.argpartition(-ranks, size)[:size])
