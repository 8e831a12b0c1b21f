"""Walking patterns: the motion of a centre of mass over footsteps, and its dynamic filter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from dyn_core.model.model import FloatArray
from dyn_core.walking.biped import Biped
from dyn_core.walking.course import Course, Samples
from dyn_core.walking.footsteps import Steps
from dyn_core.walking.preview import PreviewControl, Walk

WINDOW = 1.6
"""s that preview control looks ahead: two steps."""


@dataclass(frozen=True)
class Pattern:
    """A walk as the cart-table model has it."""

    steps: Steps
    center: Course
    """Of the centre of mass; its heading is the base's."""
    cop: FloatArray
    """(n, 3), the CoP that the cart-table model has with this motion, m."""
    control: PreviewControl
    """By which the cart-table model follows the footsteps."""
    correction: PreviewControl
    """By which the filter corrects: as the robot's CoP answers to its base, not as a cart's."""

    def __getitem__(self, samples: Samples) -> Pattern:
        """These samples of it."""
        return replace(
            self,
            steps=self.steps[samples],
            center=self.center[samples],
            cop=self.cop[samples],
        )

    @property
    def times(self) -> FloatArray:
        """(n,), s."""
        return self.steps.timing.dt * np.arange(len(self.steps), dtype=np.float64)


def pattern(biped: Biped, steps: Steps, window: float = WINDOW) -> Pattern:
    """The motion of the centre of mass by which the CoP goes where the steps want it.

    Args:
        biped: gives the height of the centre of mass above the ground.
        steps: the motion of the feet.
        window: how far preview control looks ahead, s.

    Raises:
        ValueError: the window has no sample.
    """
    dt = steps.timing.dt
    height = float(biped.center[2] - biped.start[0].position[2])
    gravity = float(np.linalg.norm(biped.model.gravity))
    if not dt <= window < np.inf:
        raise ValueError(f"window must be longer than a sample ({dt} s), not {window} s")
    ahead = round(window / dt)
    control = PreviewControl.of(height, dt, ahead, gravity)
    share, lever = biped.response
    correction = PreviewControl.of(lever, dt, ahead, gravity, share=share)
    moving = control.follow(steps.cop[:, :2], steps.cop[0, :2])
    values = np.zeros((len(steps), 3, 4))
    values[:, :, :2] = moving
    values[:, :, 2] = steps.ground
    values[:, 0, 2] += height
    values[:, :, 3] = steps.heading
    cop = steps.cop.copy()
    cop[:, :2] = np.einsum("k,nkd->nd", control.output, moving)
    return Pattern(steps, Course(values), cop, control, correction)


@dataclass(frozen=True)
class Walked:
    """A pattern as the whole robot walks it."""

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

    @property
    def error(self) -> FloatArray:
        """(n, 2), the CoP that the pattern has, less that of the robot, m."""
        result: FloatArray = self.pattern.cop[:, :2] - self.cop
        return result

    @property
    def distances(self) -> FloatArray:
        """(n,), how far apart they are, m."""
        result: FloatArray = np.linalg.norm(self.error, axis=1)
        return result


def walked(biped: Biped, pattern: Pattern, center: Course | None = None) -> Walked:
    """What the joints do, and where the CoP then is.

    Args:
        biped: the robot.
        pattern: the walk.
        center: another motion of the centre of mass than the pattern's.

    Raises:
        ModelError: a footstep is out of reach.
    """
    center = center or pattern.center
    q, v, a = biped.motion(center, pattern.steps.feet)
    return Walked(pattern, center, q, v, a, biped.cop(q, v, a, pattern.cop[:, 2]))


def filtered(
    biped: Biped,
    pattern: Pattern,
    iterations: int = 1,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> list[Walked]:
    """The walk before and after each step of the dynamic filter.

    A step is one of Newton and Raphson: preview control of the CoP's error gives what the base has
    to move by (Kajita et al. 2003, section 5; Nishiwaki and Kagami 2009; Naveau et al. 2014,
    section III). They take the cart-table model for the derivative, by which a tenth to a fifth of
    the error is left, the share of the legs; :attr:`Biped.response` takes that into account.

    Args:
        biped: the robot.
        pattern: the walk.
        iterations: steps of the filter.
        report: called with how many walks are computed, and how many there are.

    Raises:
        ModelError: a footstep is out of reach.
        ValueError: a negative number of steps.
    """
    if iterations < 0:
        raise ValueError(f"iterations must not be negative, not {iterations}")
    result = [walked(biped, pattern)]
    for _ in range(iterations):
        report(len(result), iterations + 1)
        before = result[-1]
        correction = pattern.correction.follow(before.error, np.zeros(2))
        result.append(walked(biped, pattern, moved(before.center, correction)))
    return result


def moved(center: Course, correction: FloatArray) -> Course:
    """The centre of mass with a correction (n, 3, 2) of its horizontal motion."""
    values = center.values.copy()
    values[:, :, :2] += correction
    return Course(values)


class DynamicFilter:
    """One step of the filter while the robot walks, sample by sample.

    Each :meth:`step` computes the motion of the joints and the inverse dynamics of **all** samples
    that preview control looks ahead, and from them the corrected motion of the present one: the
    same that :func:`filtered` computes of the whole walk.
    """

    def __init__(self, biped: Biped, pattern: Pattern) -> None:
        """Stand at the first sample."""
        self._biped, self._pattern = biped, pattern
        self._walk = Walk(pattern.correction, np.zeros(2))
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
        q, v, a = self._biped.motion(ahead.center, ahead.steps.feet, self._near)
        error = ahead.cop[:, :2] - self._biped.cop(q, v, a, ahead.cop[:, 2])
        now = self._pattern[self._sample : self._sample + 1]
        corrected = moved(now.center, self._walk.state[None])
        self._walk.advance(error)
        self._near = np.concatenate([q[1:], q[-1:]])
        self._sample += 1
        motion = self._biped.motion(corrected, now.steps.feet, q[:1])
        cop = self._biped.cop(*motion, now.cop[:, 2])
        return Walked(now, corrected, *motion, cop)

    def _window(self, start: int) -> Pattern:
        """The present sample and those ahead; after the last one the robot stands."""
        samples = np.arange(start, start + self._pattern.control.preview + 1)
        chosen = np.minimum(samples, len(self._pattern.steps) - 1)
        return self._pattern[chosen]
