# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Footsteps: placements of the feet and their timing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from numbers import Real

import numpy as np

from dyn_core.control.trajectory import quintic
from dyn_core.model.model import FloatArray
from dyn_core.walking.planar_motion import Course, Sampled, bump

MIN_DISTANCE_M = 0.001  # of both feet on the ground: there is no line from one to the other below
MAX_SAMPLES = 200_000
"""The most samples of a walk: a quarter of an hour at 200 Hz, about 1 GB for a humanoid."""
LEFT = 0
"""Index of the left foot."""
RIGHT = 1
"""Index of the right foot."""
NAMES = ("left", "right")


@dataclass(frozen=True)
class Footstep:
    """A foot on the ground: the point of its sole that is the target of the CoP."""

    foot: int
    """LEFT or RIGHT."""
    position: tuple[float, float, float]
    """Position in the world, m; its height is the height of the ground."""
    heading: float = 0.0
    """Angle about the vertical, rad."""

    def __post_init__(self) -> None:
        if self.foot not in (LEFT, RIGHT):
            raise ValueError(f"footstep: foot is LEFT (0) or RIGHT (1), not {self.foot!r}")
        numbers = [*self.position, self.heading]
        real = all(isinstance(x, Real) and math.isfinite(x) for x in numbers)
        if len(self.position) != 3 or not real:
            raise ValueError(
                f"footstep: position must be three finite numbers and heading one, not "
                f"{self.position} and {self.heading}"
            )

    @property
    def place(self) -> FloatArray:
        """x, y, z, heading."""
        return np.array([*self.position, self.heading])


@dataclass(frozen=True)
class Timing:
    """Durations of the phases of a walk, s."""

    single_support: float = 0.7
    """Single support: a foot is in the air."""
    double_support: float = 0.1
    """Double support: the CoP moves from one foot to the other."""
    rest: float = 2.0
    """Standing before the first and after the last step, while the CoP shifts to and fro."""
    dt: float = 0.005
    """The sampling period."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (math.isfinite(value) and value > 0.0):
                raise ValueError(f"timing: {name} must be above 0 s, not {value}")
        if self.dt > self.double_support:
            raise ValueError(f"timing: dt {self.dt} s is longer than the double support")

    @property
    def step(self) -> float:
        """Duration of a step."""
        return self.single_support + self.double_support

    def samples(self, footsteps: int, begins: float | None = None) -> int:
        """The number of samples of a walk.

        Args:
            footsteps: how many.
            begins: when the first step begins, s; after the rest if None.

        Raises:
            ValueError: more than MAX_SAMPLES.
        """
        begins = self.rest if begins is None else begins
        count = (begins + self.rest + footsteps * self.step) / self.dt
        if not count < MAX_SAMPLES:
            most = max(0.0, (MAX_SAMPLES * self.dt - 2 * self.rest) // self.step)
            raise ValueError(
                f"{footsteps} footsteps are {count:.7g} samples of {self.dt} s, and a walk has "
                f"{MAX_SAMPLES} at most: take at most {most:.0f} footsteps, or other times"
            )
        return round(count) + 1


@dataclass(frozen=True)
class FootMotion(Sampled):
    """The motion of both feet and the CoP between them, sample by sample."""

    plan: FootstepPlan
    """The plan of the whole walk."""
    feet: tuple[Course, Course]
    """Motions of the points of the soles."""
    cop: FloatArray
    """(n, 3), reference of the CoP, m."""
    ground: FloatArray
    """(n, 3), height of the lower foot's ground, with two derivatives."""
    heading: FloatArray
    """(n, 3), mean heading of the feet, likewise."""

    def __len__(self) -> int:
        return len(self.cop)

    @property
    def timing(self) -> Timing:
        """Of the plan."""
        return self.plan.timing


@dataclass(frozen=True)
class FootstepPlan:
    """A sequence of footsteps from a stance, with its timing.

    Attributes:
        start: placements of the left and the right foot at the start.
        footsteps: in order, left and right alternating.
        timing: durations of the phases.
        clearance: height of a lifted foot above the higher of its two placements, m.
        begins: time from the first sample to the first step, s; ``timing.rest`` if None. If
            negative, the first step is under way.
        walking: whether a step came before. If so, the CoP begins at the foot that is lifted first;
            otherwise between the feet.

    Raises:
        ValueError: no footsteps, the same foot twice, both feet in one place, a clearance that is
            not above zero, or a walk without end.
    """

    start: tuple[Footstep, Footstep]
    footsteps: Sequence[Footstep]
    timing: Timing = field(default_factory=Timing)
    clearance: float = 0.07
    begins: float | None = None
    walking: bool = False

    def __post_init__(self) -> None:
        if [foot.foot for foot in self.start] != [LEFT, RIGHT]:
            raise ValueError("walking starts from a left and a right foot, in this order")
        if not self.footsteps:
            raise ValueError("no footsteps: name at least one")
        for k, (one, other) in enumerate(pairwise(self.footsteps)):
            if one.foot == other.foot:
                raise ValueError(
                    f"footsteps {k} and {k + 1} are both of the {NAMES[one.foot]} foot"
                )
        places = {foot.foot: foot.position[:2] for foot in self.start}
        for k, foot in enumerate(self.footsteps):
            places[foot.foot] = foot.position[:2]
            if math.dist(*places.values()) < MIN_DISTANCE_M:
                raise ValueError(f"footstep {k} is where the other foot stands")
        if not 0.0 < self.clearance < math.inf:
            raise ValueError(f"clearance must be above 0 m, not {self.clearance}")
        self.timing.samples(len(self.footsteps), self.begins)

    @property
    def first_step(self) -> float:
        """When the first step begins, s from the first sample."""
        return self.timing.rest if self.begins is None else self.begins

    @property
    def last_step_ends(self) -> float:
        """When the CoP leaves the last foot that stood alone, s from the first sample."""
        return self.first_step + len(self.footsteps) * self.timing.step

    def sampled(self) -> FootMotion:
        """The motion of feet and CoP."""
        timing, count = self.timing, self.timing.samples(len(self.footsteps), self.begins)
        times = timing.dt * np.arange(count, dtype=np.float64)
        stance = [foot.place for foot in self.start]
        feet = [_Track(times, place) for place in stance]
        first = stance[self.footsteps[0].foot][:3] if self.walking else _middle(stance)
        cop, ground = _Track(times, first), _Track(times, _lower(stance))
        for k, step in enumerate(self.footsteps):
            begins = self.first_step + k * timing.step
            cop.go(begins, timing.double_support, stance[1 - step.foot][:3])
            rise = float(step.place[2] - stance[step.foot][2])
            apex = max(rise, 0.0) + self.clearance  # above the old placement
            stance[step.foot] = step.place
            lifted, duration = begins + timing.double_support, timing.single_support
            ground.go(lifted, duration, _lower(stance))
            moving, share = feet[step.foot].go(lifted, duration, step.place)
            moving[:, :, 2] += (apex - 0.5 * rise) * bump(share, duration)
        cop.go(self.last_step_ends, timing.double_support, _middle(stance))
        left, right = (foot.values for foot in feet)
        heading = 0.5 * (left + right)[:, :, 3]
        soles = (Course(left), Course(right))
        return FootMotion(self, soles, cop.values[:, 0], ground.values[:, :, 0], heading)

    def changed(self, sample: int, footsteps: Sequence[Footstep]) -> FootstepPlan:
        """The plan from a sample on, with other footsteps after the step under way.

        Args:
            sample: the first of the new plan.
            footsteps: new footsteps in place of steps that have not begun; empty to stop after the
                step under way.

        Raises:
            ValueError: the walk comes to rest already, or the first footstep is of the foot that
                takes the step under way; else as for a plan.
        """
        timing, now = self.timing, sample * self.timing.dt
        if now >= self.last_step_ends:
            raise ValueError(
                "too late: the last step has ended and the robot comes to rest; send the footsteps "
                "when it stands"
            )
        begins = self.first_step
        taken = sum(begins + k * timing.step <= now for k in range(len(self.footsteps)))
        if not taken:
            return replace(self, footsteps=tuple(footsteps), begins=begins - now)
        *done, under_way = self.footsteps[:taken]
        if footsteps and footsteps[0].foot == under_way.foot:
            raise ValueError(
                f"the {NAMES[under_way.foot]} foot takes the step under way: the next footstep "
                f"must be of the {NAMES[1 - under_way.foot]} one"
            )
        stance = {foot.foot: foot for foot in (*self.start, *done)}
        return replace(
            self,
            start=(stance[LEFT], stance[RIGHT]),
            footsteps=(under_way, *footsteps),
            begins=begins + len(done) * timing.step - now,
            walking=self.walking or bool(done),
        )


def _middle(stance: Sequence[FloatArray]) -> FloatArray:
    """The point (3,) between the feet."""
    return 0.5 * (stance[LEFT] + stance[RIGHT])[:3]


def _lower(stance: Sequence[FloatArray]) -> FloatArray:
    """Height (1,) of the lower foot: with the mean, the rear leg would stretch on stairs."""
    return np.minimum(stance[LEFT], stance[RIGHT])[2:3]


class _Track:
    """A signal that moves from value to value and rests between, each move after the one before."""

    def __init__(self, times: FloatArray, place: FloatArray) -> None:
        self._times, self.place = times, place
        self._values = np.zeros((len(times), 3, len(place)))
        self._filled = 0  # samples that are filled

    @property
    def values(self) -> FloatArray:
        """(n, 3, d), with two derivatives; after the last move it rests."""
        self._rest(len(self._times))
        return self._values

    def go(self, time: float, duration: float, place: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Rest until ``time``, then move to ``place``; callers may change the samples of the move.

        Samples before and after are left alone, so that long walks cost as much per step as short
        ones.

        Returns:
            The moving part of :attr:`values`, and the share of ``duration`` passed at each sample.
        """
        begin, end = np.searchsorted(self._times, [time, time + duration])
        self._rest(int(begin))
        share = (self._times[begin:end] - time) / duration
        moving = self._values[begin:end]
        moving[:] = quintic(share, duration)[:, :, None] * (place - self.place)
        moving[:, 0] += self.place
        self.place, self._filled = place, int(end)
        return moving, share

    def _rest(self, end: int) -> None:
        self._values[self._filled : end, 0] = self.place
        self._filled = max(self._filled, end)


def straight(
    start: tuple[Footstep, Footstep],
    count: int,
    length: float = 0.2,
    rise: float = 0.0,
    side: float = 0.0,
    turn: float = 0.0,
) -> list[Footstep]:
    """``count`` footsteps forward, sideways or along a curve; the last one closes up.

    The left foot goes first, on the way to the right the right one.

    Args:
        start: where the feet stand.
        count: how many, 2 or more.
        length: ahead, from the footstep of one foot to that of the other, m.
        rise: the same in height: stairs, m.
        side: the same to the left, m.
        turn: the same to the left, rad.

    Raises:
        ValueError: fewer than two footsteps.
    """
    if not isinstance(count, int) or count < 2:
        raise ValueError(f"straight: count must be a whole number, 2 or more, not {count}")
    first = RIGHT if side < 0.0 or (side == 0.0 and turn < 0.0) else LEFT
    middle = 0.5 * (start[LEFT].place + start[RIGHT].place)
    across = [_turned(foot.place - middle, -middle[3]) for foot in start]
    result = []
    for k in range(count):
        if k < count - 1:  # the last foot closes up
            middle = middle + _turned(np.array([length, side, rise, turn]), middle[3] + 0.5 * turn)
        foot = (first + k) % 2
        x, y, z, heading = (middle + _turned(across[foot], middle[3])).tolist()
        result.append(Footstep(foot, (x, y, z), heading))
    return result


def _turned(place: FloatArray, angle: float) -> FloatArray:
    """x, y, z, heading with x and y turned."""
    c, s = math.cos(angle), math.sin(angle)
    x, y, z, heading = place
    return np.array([c * x - s * y, s * x + c * y, z, heading])
