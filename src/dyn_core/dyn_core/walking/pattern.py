# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Walking patterns: the motion of a centre of mass over footsteps, and its dynamic filter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from dyn_core.model.model import FloatArray, Model
from dyn_core.model.reference_checks import refuse_another
from dyn_core.walking.arm_motion import ArmMotion
from dyn_core.walking.biped import Biped
from dyn_core.walking.footsteps import FootMotion, Footstep
from dyn_core.walking.planar_motion import Course, Sampled
from dyn_core.walking.preview_control import CopResponse, PreviewControl

WINDOW_S = 1.6
"""Preview window, s: two steps."""
COP_MARGIN_M = 0.03
"""Tolerance of the CoP when footsteps change, m: half of a narrow sole."""
RESPONSE_TIME_S = 0.05
"""Time in which the response of the CoP hardly changes, s."""


@dataclass(frozen=True)
class Pattern(Sampled):
    """A walk of the cart-table model."""

    model: Model
    """The robot that it was made for."""
    steps: FootMotion
    center: Course
    """Motion of the centre of mass; its heading is the base's."""
    control: PreviewControl
    cart: CopResponse
    """Response of the cart-table model; height and vertical acceleration change on stairs."""
    robot: CopResponse
    """Response of the robot along the walk, for the filter."""
    arms: ArmMotion
    """Motion of the joints outside the legs, such as arms."""

    @property
    def times(self) -> FloatArray:
        """(n,), s."""
        return self.steps.timing.dt * np.arange(len(self.steps), dtype=np.float64)

    @property
    def cop(self) -> FloatArray:
        """(n, 3), the CoP that the cart-table model has with this motion, m."""
        horizontal = self.cart.cop(self.center.values[:, :, :2])
        return np.column_stack([horizontal, self.steps.cop[:, 2]])


def pattern(
    biped: Biped, steps: FootMotion, window: float = WINDOW_S, begun: Pattern | None = None
) -> Pattern:
    """The motion of the centre of mass for which the CoP follows the footsteps.

    Args:
        biped: the robot; its height of the centre of mass and response of the CoP are used.
        steps: the motion of the feet.
        window: preview window, s.
        begun: the walk at the sample before the first one and at the first one, if the robot
            already walks.

    Raises:
        MissingExtraError: the biped has tasks, and daqp is not installed.
        ModelError: a footstep is out of reach.
        ValueError: the window has no sample; a task has no target; the walk is of another robot.
    """
    refuse_another(biped.model, begun)
    dt = steps.timing.dt
    height = float(biped.center[2] - biped.start[0].position[2])
    gravity = float(np.linalg.norm(biped.model.gravity))
    if not dt <= window < np.inf:
        raise ValueError(f"window must be longer than a sample ({dt} s), not {window} s")
    control = PreviewControl(dt, round(window / dt))
    values = np.zeros((len(steps), 3, 4))
    values[:, :, 2] = steps.ground
    values[:, 0, 2] += height
    values[:, :, 3] = steps.heading
    plane = steps.cop[:, 2]
    cart = CopResponse.cart((values[:, 0, 2] - plane) / (gravity + values[:, 2, 2]))
    first = steps.cop[0, :2] if begun is None else begun.center.values[:, :, :2]
    values[:, :, :2] = control.follow(steps.cop[:, :2], cart, first)
    center = Course(values)
    every = max(1, round(RESPONSE_TIME_S / dt))
    robot = biped.response(center, steps.feet, plane, every)
    arms = biped.arm_motion(center, steps.feet, dt, None if begun is None else begun.arms)
    return Pattern(biped.model, steps, center, control, cart, robot, arms)


@dataclass(frozen=True)
class Walked:
    """The motion of the whole robot for a pattern."""

    pattern: Pattern
    center: Course
    q: FloatArray
    """(n, nq)"""
    v: FloatArray
    """(n, nv)"""
    a: FloatArray
    """(n, nv)"""
    cop: FloatArray
    """(n, 2), of the whole robot, m."""
    turning: FloatArray
    """(n,), vertical moment of the ground at the CoP, N m."""

    @property
    def error(self) -> FloatArray:
        """(n, 2), CoP of the pattern minus CoP of the robot, m."""
        result: FloatArray = self.pattern.cop[:, :2] - self.cop
        return result

    @property
    def distances(self) -> FloatArray:
        """(n,), distance between both CoPs, m."""
        result: FloatArray = np.linalg.norm(self.error, axis=1)
        return result


def walked(biped: Biped, pattern: Pattern, center: Course | None = None) -> Walked:
    """The motion of the joints, and the CoP that follows from it.

    Args:
        biped: the robot.
        pattern: the walk.
        center: motion of the centre of mass; the pattern's if None.

    Raises:
        ModelError, ValueError: a footstep is out of reach, or the pattern is of another robot.
    """
    refuse_another(biped.model, pattern)
    center = center or pattern.center
    motion = biped.motion(center, pattern.steps.feet, arms=pattern.arms)
    return Walked(pattern, center, *motion, *biped.ground(*motion, pattern.cop[:, 2]))


def filtered(
    biped: Biped,
    pattern: Pattern,
    iterations: int = 1,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> list[Walked]:
    """The walk before and after each step of the dynamic filter.

    A step is a Newton-Raphson step: preview control of the CoP's error gives the displacement of
    the base (Kajita et al. 2003, section 5; Nishiwaki and Kagami 2009; Naveau et al. 2014, section
    III). These authors take the derivative of the cart-table model, which leaves a tenth to a fifth
    of the error, because legs have mass; :meth:`Biped.response` takes this into account.

    Args:
        biped: the robot.
        pattern: the walk.
        iterations: steps of the filter.
        report: called with the numbers of computed walks and of all walks.

    Raises:
        ModelError: a footstep is out of reach.
        ValueError: a negative number of steps, or the pattern is of another robot.
    """
    if iterations < 0:
        raise ValueError(f"iterations must not be negative, not {iterations}")
    return _filtered(biped, pattern, [np.zeros(2)] * iterations, report)


def revised(
    biped: Biped,
    walks: Sequence[Walked],
    sample: int,
    footsteps: Sequence[Footstep],
    margin: float = COP_MARGIN_M,
) -> list[Walked]:
    """The rest of a filtered walk with other footsteps, while the robot walks.

    The feet move as planned until the step under way ends. The centre of mass turns to the new
    footsteps at once: its position, velocity and acceleration, and so the CoP, are continuous.

    Args:
        biped: the robot.
        walks: as :func:`filtered` returned them, or this function.
        sample: of ``walks``, 1 or more: the first of the result.
        footsteps: new footsteps in place of steps that have not begun at this sample; empty to stop
            after the step under way.
        margin: tolerance of the CoP, m. Preview control needs time to move the centre of mass.

    Returns:
        The same number of walks: before and after each step of the filter.

    Raises:
        ModelError: a footstep is out of reach.
        ValueError: the walk has no such sample, or the footsteps come too late for the margin; else
            as for :meth:`FootstepPlan.changed`.
    """
    old = walks[0].pattern
    if not 1 <= sample < len(old.steps):
        raise ValueError(f"sample must be from 1 to {len(old.steps) - 1}, not {sample}")
    now = slice(sample - 1, sample + 1)
    steps = old.steps.plan.changed(sample, footsteps).sampled()
    window = old.control.preview * old.control.dt
    new = pattern(biped, steps, window, old[now])
    off = np.linalg.norm(new.cop - steps.cop, axis=1)
    if not off.max() <= margin:
        raise ValueError(
            f"too late for footsteps that differ so much: {new.times[off.argmax()]:.2f} s later "
            f"the CoP would be {1e3 * off.max():.0f} mm off, where {1e3 * margin:.0f} are allowed; "
            "send them earlier, or change less"
        )
    begun = [
        (after.center.values - before.center.values)[now, :, :2]
        for before, after in pairwise(walks)
    ]
    return _filtered(biped, new, begun)


def _filtered(
    biped: Biped,
    pattern: Pattern,
    begun: Sequence[FloatArray],
    report: Callable[[int, int], None] = lambda done, total: None,
) -> list[Walked]:
    """The walk before and after a step of the filter for each beginning of a correction."""
    result = [walked(biped, pattern)]
    for one in begun:
        report(len(result), len(begun) + 1)
        before = result[-1]
        correction = pattern.control.follow(before.error, pattern.robot, one)
        result.append(walked(biped, pattern, moved(before.center, correction)))
    return result


def moved(center: Course, correction: FloatArray) -> Course:
    """The centre of mass with a correction (n, 3, 2) of its horizontal motion."""
    values = center.values.copy()
    values[:, :, :2] += correction
    return Course(values)


class DynamicFilter:
    """The filter during the walk, sample by sample.

    Each :meth:`step` computes the motion of the joints and the inverse dynamics of **all** samples
    that preview control looks ahead, and from them the corrected motion of the present one;
    :func:`filtered` computes the same for the whole walk.
    """

    def __init__(self, biped: Biped, pattern: Pattern) -> None:
        """Stand at the first sample. Raises ValueError if the pattern is of another robot."""
        refuse_another(biped.model, pattern)
        self._biped, self._pattern = biped, pattern
        self._correction: FloatArray = np.zeros((2, 3, 2))
        """Motion at the previous and the present sample."""
        self._sample = 0
        self._near: FloatArray | None = None

    def step(self) -> Walked:
        """The corrected motion of the present sample (all arrays with n = 1); then go on by one.

        Raises:
            ModelError: a footstep is out of reach.
            StopIteration: the walk is over.
        """
        if self._sample >= len(self._pattern.steps):
            raise StopIteration("the walk is over")
        ahead = self._window(self._sample)
        q, v, a = self._biped.motion(ahead.center, ahead.steps.feet, self._near, ahead.arms)
        error = ahead.cop[:, :2] - self._biped.cop(q, v, a, ahead.cop[:, 2])
        now = self._pattern[self._sample : self._sample + 1]
        corrected = moved(now.center, self._correction[1:])
        follow = self._pattern.control.follow
        self._correction = follow(error, ahead.robot, self._correction)[:2]
        self._near = np.concatenate([q[1:], q[-1:]])
        self._sample += 1
        motion = self._biped.motion(corrected, now.steps.feet, q[:1], now.arms)
        return Walked(now, corrected, *motion, *self._biped.ground(*motion, now.cop[:, 2]))

    def _window(self, start: int) -> Pattern:
        """The present sample and those ahead; after the last one the robot stands."""
        samples = np.arange(start, start + self._pattern.control.preview + 1)
        chosen = np.minimum(samples, len(self._pattern.steps) - 1)
        return self._pattern[chosen]
