# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Trajectories that excite all base parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

import numpy as np

from dyn_core.compiler.runtime import compile
from dyn_core.configuration import configurations, position_limits
from dyn_core.dynamics.rnea import rnea
from dyn_core.errors import ModelError
from dyn_core.extras import optional
from dyn_core.geometry.collision_checker import CollisionChecker
from dyn_core.identification.base_parameters import BaseParameters
from dyn_core.identification.blas_threads import single_threaded
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.reference_checks import refuse_another
from dyn_core.model.value_checks import check_whole, number

LIMIT_SHARE = 0.9
"""Default share of each limit that a trajectory may use."""
EIGENVALUE_TOLERANCE = 1e-14
"""Share of the largest eigenvalue of W'W below which an eigenvalue is rounding error."""
MAX_HARMONICS = 50
"""Most harmonics; with more the fastest one has too few samples in a period."""
SAMPLES_PER_PERIOD = 100
"""Samples of a period at which limits and condition number are computed."""
CHECK_FACTOR = 10
"""Factor by which more samples of the returned trajectory are checked."""
DEFAULT_LIMITS = {"position": np.pi, "velocity": 2.0, "effort": np.inf}
"""Limits of a joint that has none: rad, rad/s, N m."""


@dataclass(frozen=True)
class Excitation:
    """A periodic motion of all joints, at rest at its start and end (Swevers et al. 1997).

    ``q(t) = center + sum of sine_k sin(k w t) / (k w) - cosine_k cos(k w t) / (k w)``. The sum of
    ``sine_k`` and the sum of ``k cosine_k`` are zero, so that velocity and acceleration are zero at
    the start of a period.
    """

    center: FloatArray
    """(nv,), rad or m."""
    sine: FloatArray
    """(harmonics, nv) coefficients, rad/s or m/s."""
    cosine: FloatArray
    """(harmonics, nv) coefficients, rad/s or m/s."""
    period: float
    """Length of a period, s."""

    def states(self, times: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Positions, velocities and accelerations (n, nv) at times (n,)."""
        rates = 2.0 * np.pi / self.period * np.arange(1, len(self.sine) + 1)
        angle = np.outer(times, rates)
        s, c = np.sin(angle), np.cos(angle)
        q = self.center + (s / rates) @ self.sine - (c / rates) @ self.cosine
        v = c @ self.sine + s @ self.cosine
        a = -(s * rates) @ self.sine + (c * rates) @ self.cosine
        return q, v, a

    @property
    def one_period(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """States of one period at which limits and condition number are computed."""
        return self.sampled(SAMPLES_PER_PERIOD)

    def sampled(self, count: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """States (q, v, a) at ``count`` times of one period."""
        return self.states(np.arange(count) * self.period / count)


def condition(base: BaseParameters, states: tuple[FloatArray, FloatArray, FloatArray]) -> float:
    """Condition number of the base regressor, its columns scaled to the same length."""
    W = base.regressor(*states).reshape(-1, len(base))
    gram = W.T @ W
    sizes = np.sqrt(np.diag(gram))
    sizes = np.where(sizes > 0.0, sizes, 1.0)
    smallest, *_, largest = np.linalg.eigvalsh(gram / np.outer(sizes, sizes))
    return float(np.sqrt(largest / max(smallest, EIGENVALUE_TOLERANCE * largest)))


@single_threaded
def excitation(
    base: BaseParameters,
    period: float = 10.0,
    harmonics: int = 5,
    iterations: int = 20,
    seed: int = 0,
    checker: CollisionChecker | None = None,
    share: float = LIMIT_SHARE,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> Excitation:
    """A trajectory with a small condition number within limits of position, velocity and effort.

    Random trajectories are scaled to the limits. The best of them is improved by L-BFGS on the
    logarithm of the condition number.

    Args:
        base: the base parameters to excite.
        period: s.
        harmonics: of the Fourier series; the fastest is ``harmonics / period`` Hz.
        iterations: of L-BFGS.
        seed: of the random trajectories.
        checker: finds collisions of a configuration, with the robot itself or its surroundings.
        share: of each limit that the trajectory may use.
        report: called with the number of steps done, and the most there can be.

    Raises:
        ModelError: a joint cannot move, gravity alone exceeds the effort limits, or every
            trajectory found collides.
        ValueError: harmonics, period or share is out of range, or the checker is of another robot.
    """
    refuse_another(base.parameters.model, checker)
    check_whole("excitation: seed", seed, 0)
    check_whole("excitation: iterations", iterations, 0)
    check_whole("excitation: harmonics", harmonics, 2)
    if not 0.0 < number("excitation: share", share) <= 1.0:
        raise ValueError(f"excitation: share must be above 0 and at most 1, not {share}")
    if not (harmonics <= MAX_HARMONICS and 0.0 < number("excitation: period", period) < np.inf):
        raise ValueError(
            f"excitation: harmonics must be from 2 to {MAX_HARMONICS}, and the period above 0 s"
        )
    shaper = _Shaper(base.parameters.model, period, harmonics, checker, share)
    random = np.random.default_rng(seed)
    starts = [random.normal(size=shaper.size) for _ in range(20)]

    def objective(numbers: FloatArray) -> float:
        """The logarithm of the condition number of the trajectory of free numbers."""
        shaped = shaper.shaped(numbers)
        return 100.0 if shaped is None else float(np.log(condition(base, shaped.one_period)))

    optimize = optional("scipy.optimize", "excitation", extra="identification")
    steps = count(1)

    found = optimize.minimize(
        objective,
        min(starts, key=objective),
        method="L-BFGS-B",
        callback=lambda _: report(next(steps), iterations),
        options={"maxiter": iterations, "maxfun": iterations * (shaper.size + 1) * 2},
    )
    best = shaper.shaped(found.x, SAMPLES_PER_PERIOD * CHECK_FACTOR)
    if best is None:
        raise ModelError(
            f"'{base.parameters.model.name}': every trajectory that was tried collides or exceeds "
            "an effort limit; check the geometry, the limits, and where the joints' middle is"
        )
    return best


class _Shaper:
    """Maps free numbers to a trajectory within the limits."""

    HALVINGS = 8

    def __init__(
        self,
        model: Model,
        period: float,
        harmonics: int,
        checker: CollisionChecker | None,
        share: float,
    ) -> None:
        self._model, self._period, self._harmonics = model, period, harmonics
        self._checker, self._share = checker, share
        lower, upper = position_limits(model)
        bounded = np.isfinite(lower) & np.isfinite(upper)
        with np.errstate(invalid="ignore"):
            middle = 0.5 * (lower + upper)
        self._center = np.where(bounded, middle, np.clip(0.0, lower, upper))
        room = np.where(bounded, 0.5 * (upper - lower), DEFAULT_LIMITS["position"])
        self._room = share * np.minimum(room, DEFAULT_LIMITS["position"])
        fastest = np.where(np.isfinite(model.velocity_limit), model.velocity_limit, np.inf)
        self._speed = share * np.minimum(fastest, DEFAULT_LIMITS["velocity"])
        for limit, allowed in (("position", self._room), ("velocity", self._speed)):
            if not (allowed > 0.0).all():
                name = model.dof_names[int(np.argmin(allowed > 0.0))]
                raise ModelError(
                    f"joint '{name}' cannot move: its {limit} limit leaves no room; correct it in "
                    "the description, or make the joint fixed"
                )
        self._efforts = compile(model, [rnea])

    @property
    def size(self) -> int:
        """The number of free numbers."""
        return (2 * self._harmonics + 1) * self._model.nv

    def shaped(self, numbers: FloatArray, count: int = SAMPLES_PER_PERIOD) -> Excitation | None:
        """The trajectory; None if it collides or exceeds the effort limits at any amplitude.

        Args:
            numbers: as many as :attr:`size`.
            count: samples of a period that are checked.
        """
        terms, nv = self._harmonics, self._model.nv
        shift, *rows = numbers.reshape(-1, nv)
        sine, cosine = np.array(rows[:terms]), np.array(rows[terms:])
        order = np.arange(1.0, terms + 1.0)[:, None]
        sine = sine - sine.mean(axis=0)  # v(0) = sum of sine_k
        cosine = cosine - order * (order * cosine).sum(axis=0) / (order**2).sum()  # a(0)
        plain = Excitation(np.zeros(nv), sine, cosine, self._period)
        q, v, _ = plain.sampled(count)
        middle = 0.5 * (q.max(axis=0) + q.min(axis=0))
        reach = 0.5 * (q.max(axis=0) - q.min(axis=0))
        # The range that the motion leaves unused bounds the position of its centre.
        scale = np.minimum(self._room / reach, self._speed / np.abs(v).max(axis=0))
        for _ in range(self.HALVINGS):
            left = self._room - scale * reach
            center = self._center - scale * middle + np.tanh(shift) * left
            found = Excitation(center, scale * sine, scale * cosine, self._period)
            if self._allowed(found, count):
                return found
            scale = 0.7 * scale
        return None

    def _allowed(self, found: Excitation, count: int) -> bool:
        q, v, a = found.sampled(count)
        states = tuple(np.ascontiguousarray(x) for x in (configurations(self._model, q), v, a))
        tau = self._efforts.batch(*states)
        if (np.abs(tau).max(axis=0) > self._share * self._model.effort_limit).any():
            return False
        return not any(map(self._collides, states[0]))

    def _collides(self, q: FloatArray) -> bool:
        if self._checker is None:
            return False
        self._checker.update(q)
        return self._checker.collides()
