# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What sensors of a robot can say at most, by the limits that its description gives."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, nan

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_core.configuration import position_limits
from dyn_core.control import turning_joints, wrap_differences
from dyn_ros.arrays import Matrix, Vector
from dyn_ros.messages.refusal import InputRefusedError

MAX_LIMIT_RATIO = 10.0  # of the limits of velocity and effort
# times the limit of velocity, by which a position changes from one message to the next
MAX_JUMP_RATIO = 3.0
MARGIN = 0.02  # rad or m that a position may jump, for noise and stamps that are not exact
CATCH_UP_S = 0.1  # s of motion at the velocity limit, by which a sensor may lag, then catch up
MOST_GRAVITY = 30.0  # m/s^2
MAX_NUMBER = 1e9  # of any unit: the square of more would be no number soon


@dataclass(frozen=True)
class Plausible:
    """Bounds of numbers that may be measurements, [n] each; a limit of 0 counts as not given."""

    lower: Vector
    """rad or m: the range of positions may be left by its own width."""
    upper: Vector
    velocity: Vector
    effort: Vector
    speed: Vector
    """rad/s or m/s at which a position may change; infinite where no limit is given."""
    turning: NDArray[np.bool_]
    """Which joints have no end: their positions may jump by whole turns."""

    @staticmethod
    def of(model: dyn_core.Model, joints: NDArray[np.intp]) -> "Plausible":
        """Return those of `joints`, degrees of freedom of a model that are one joint each."""
        lower, upper = (limits[joints] for limits in position_limits(model))
        speed = given(np.asarray(model.velocity_limit)[joints])
        effort = given(np.asarray(model.effort_limit)[joints])
        width = np.where(upper > lower, upper - lower, np.inf)
        return Plausible(
            np.maximum(lower - width, -MAX_NUMBER),
            np.minimum(upper + width, MAX_NUMBER),
            bound(speed),
            bound(effort),
            MAX_JUMP_RATIO * speed,
            np.isin(joints, turning_joints(model)),
        )


class Jumps:
    """Positions [n] that were further from those before than joints can move."""

    def __init__(self, speed: Vector, turning: list[int]) -> None:
        """Know the speeds [n] of plausible steps, rad/s or m/s; joints of `turning` have no end."""
        self._there, self._far = np.full((2, len(speed)), nan)
        """The positions before, and how far those jumped that are not back; NaN: not."""
        self._caught_up: Vector = np.zeros(len(speed))
        """How far those jumped that were believed last: they may jump back."""
        self.count = 0  # of states in a row in which a position jumped
        self._catch_up: Vector = self._caught_up
        self.expect(speed, turning)

    def expect(self, speed: Vector, turning: list[int]) -> None:
        """Know other speeds and joints; positions that have jumped are not believed by these."""
        catch_up: Vector = speed / MAX_JUMP_RATIO * CATCH_UP_S
        if self.count:
            np.minimum(catch_up, self._catch_up, out=catch_up)
        self._catch_up, self._turning = catch_up, turning

    def forget(self) -> None:
        """Know of no jump."""
        self._far[:], self.count = nan, 0

    def step(self, position: Vector, before: Vector) -> Vector:
        """Return how far positions are from those before."""
        step: Vector = position - before
        if self._turning:
            with np.errstate(invalid="ignore"):
                wrap_differences(step, self._turning)
        return step

    def refuse(
        self,
        good: NDArray[np.bool_],
        position: Vector,
        step: Vector,
        way: Matrix,
        origin: Vector,
        *,
        stays: bool,
    ) -> bool:
        """Count positions that are not `good`, because their step is too long; see to their return.

        `way` [2, n] is how far their velocities took them, before and now: a joint that was and is
        too fast does not jump. Positions may jump back towards `origin`, where they were before a
        gap: what came first after it was wrong. Return whether any has. With `stays` one that has
        jumped far, and twice in a row, is not good until it jumps again, half as far: with time, it
        could be anywhere.
        """
        good |= (abs(step - way) <= 0.5 * abs(way) + MARGIN).all(axis=0)
        away, before = self.step(position, origin), self.step(position - step, origin)
        back = ~good & (abs(away) < 0.5 * abs(before))
        good |= back
        there, far = self._there, self._far
        stayed: NDArray[np.bool_] = np.abs(self.step(position, there)) < 0.5 * np.abs(far)
        if stays and self.count > 1:  # two publishers alternate
            good &= ~(stayed & (np.abs(far) > self._catch_up + self._caught_up))
        self._caught_up = np.where(good & stayed, np.abs(far), self._caught_up)
        far[:] = np.where(good, nan, np.where(stayed, far, step))
        there[:] = np.where(np.isfinite(position), position, there)
        self.count = 0 if good.all() else self.count + 1
        return bool(back.any())


def refuse_implausible(
    joint_names: Sequence[str], field: str, values: Matrix, lower: Vector, upper: Vector
) -> None:
    """Raise InputRefusedError if numbers [n] or [k, n] of a field are beyond bounds [n]."""
    wrong = (values < lower) | (values > upper)
    if not wrong.any():
        return
    place = tuple(np.argwhere(wrong)[0])
    joint = place[-1]
    where = f" in state {place[0]}" if len(values) > 1 and len(place) > 1 else ""
    raise InputRefusedError(
        "implausible",
        f"{field} of joint '{joint_names[joint]}'{where} is {values[place]:.6g}, but its limits "
        f"allow {lower[joint]:.6g} to {upper[joint]:.6g}: give rad, m, rad/s, m/s, N m and N",
    )


def objection_to_gravity(gravity: Sequence[float]) -> str:
    """Return why a vector cannot be gravity, in words; empty: it can."""
    strength = hypot(*gravity)
    if strength <= MOST_GRAVITY:
        return ""
    return (
        f"gravity is {strength:.4g} m/s^2 strong, more than {MOST_GRAVITY:g}: give m/s^2, such as "
        "[0, 0, -9.81]"
    )


def given(limit: Vector) -> Vector:
    """Return limits [n]; one of 0 counts as not given, and is infinite."""
    return np.where(limit > 0.0, limit, np.inf)


def bound(limit: Vector) -> Vector:
    """Return what may be measured at most [n] of what has this limit."""
    return np.minimum(MAX_LIMIT_RATIO * limit, MAX_NUMBER)


def cut(velocity: Vector, one: Vector, other: Vector) -> Vector:
    """Return velocities [n], each cut to between two others; NaN where these are."""
    result: Vector = np.clip(velocity, np.minimum(one, other), np.maximum(one, other))
    return result
