# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Motion through given points in time."""

from __future__ import annotations

import numpy as np

from dyn_core.model.model import FloatArray
from dyn_core.model.value_checks import each_number, numbers

State = tuple[FloatArray, FloatArray, FloatArray]
"""Position, velocity and acceleration."""


def quintic(share: FloatArray, duration: float) -> FloatArray:
    """From 0 to 1, at rest at both ends also in acceleration: (n, 3) with two derivatives.

    Args:
        share: of the time that has passed, before 0 and after 1 nothing moves.
        duration: of the whole, s.
    """
    s = np.clip(share, 0.0, 1.0)
    value = s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
    rate = 30.0 * s**2 * (1.0 - s) ** 2
    change = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s)
    return np.stack([value, rate / duration, change / duration**2], axis=1)


class Trajectory:
    """A spline through points at given times, at rest before the first and after the last.

    Its pieces are of degree 3 where velocities are given, and 5 with accelerations too. Where
    positions alone are given, :func:`smooth_derivatives` completes them.
    """

    def __init__(
        self,
        times: FloatArray,
        positions: FloatArray,
        velocities: FloatArray | None = None,
        accelerations: FloatArray | None = None,
    ) -> None:
        """Go through ``positions`` (n, nv) at ``times`` (n), which increase strictly (s).

        Raises:
            ValueError: times do not increase, a number is not finite, or accelerations come without
                velocities.
        """
        times = numbers("times", times, ("points",))
        positions = numbers("positions", positions, (len(times), "joints"))
        rates = {"velocities": velocities, "accelerations": accelerations}
        checked = (numbers(name, x, positions.shape) for name, x in rates.items() if x is not None)
        given = [positions, *checked]
        if not all(np.isfinite(x).all() for x in (times, *given)):
            raise ValueError("times, positions and their rates must be finite")
        if (np.diff(times) <= 0.0).any():
            raise ValueError("times of trajectory points must increase from each to the next")
        if accelerations is not None and velocities is None:
            raise ValueError("accelerations of trajectory points need velocities beside them")
        self._times, self._positions = times, positions
        if velocities is None:
            given = [positions, *smooth_derivatives(times, positions)]
        self._pieces = _pieces(np.diff(times), given)

    @property
    def end(self) -> float:
        """Time of the last point, s."""
        return float(self._times[-1])

    def sample(self, time: float) -> State:
        """Position, velocity and acceleration, each [nv]; before the start at rest in it."""
        if not self._times[0] <= time < self.end:
            still = self._positions[0 if time < self._times[0] else -1]
            return still, np.zeros_like(still), np.zeros_like(still)
        piece = int(np.searchsorted(self._times, time, side="right")) - 1
        return _evaluated(self._pieces[piece], time - self._times[piece])

    def within(self, count: int) -> tuple[FloatArray, State]:
        """Times (pieces * count) and states (pieces * count, nv), both ends of a piece included.

        Accelerations may step from one piece to the next; positions and velocities do not.
        """
        since = np.diff(self._times)[:, None] * np.linspace(0.0, 1.0, count)
        coefficients = self._pieces.transpose(1, 0, 2)[:, :, None]
        state = _evaluated(coefficients, since[:, :, None])
        for x, start in zip(state[:2], self._pieces.transpose(1, 0, 2), strict=False):
            x[:-1, -1] = start[1:]  # as given, without rounding
        size = (-1, self._positions.shape[1])
        position, velocity, acceleration = (x.reshape(size) for x in state)
        return (self._times[:-1, None] + since).ravel(), (position, velocity, acceleration)


def smooth_derivatives(
    times: FloatArray,
    positions: FloatArray,
    velocity: FloatArray | float = 0.0,
    acceleration: FloatArray | float = 0.0,
) -> tuple[FloatArray, FloatArray]:
    """Velocities and accelerations (n, nv) of a motion through positions (n, nv) to rest.

    Velocity and acceleration of the motion are continuous, and between two points it does not leave
    the interval of their positions. The velocity at a point is that of a parabola through it and
    its neighbours, at most twice the smaller slope beside it, and zero at a turning point (the
    limiter of van Leer 1977). The acceleration is the smaller of those that cubic pieces would have
    there, and zero where their signs differ.

    Args:
        times: (n), increasing, s.
        positions: (n, nv).
        velocity: at the first point; the interval of the first two may be left if it is not 0.
        acceleration: at the first point.
    """
    times = numbers("times", times, ("points",))
    positions = numbers("positions", positions, (len(times), "joints"))
    if not (np.isfinite(times).all() and np.isfinite(positions).all()):
        raise ValueError("times and positions must be finite")  # else NaN would become 0
    velocities, accelerations = np.zeros_like(positions), np.zeros_like(positions)
    velocities[0] = each_number("velocity", velocity, positions.shape[1])
    accelerations[0] = each_number("acceleration", acceleration, positions.shape[1])
    if len(times) > 2:
        with np.errstate(all="ignore"):  # beyond the largest number the result is not finite
            duration = np.diff(times)[:, None]
            slope = np.diff(positions, axis=0) / duration
            before, after = duration[:-1], duration[1:]
            parabola = (after * slope[:-1] + before * slope[1:]) / (before + after)
            velocities[1:-1] = _smaller(parabola, 2.0 * _smaller(slope[:-1], slope[1:]))
            starts, ends = cubic_accelerations(times, positions, velocities)
            accelerations[1:-1] = _smaller(ends[:-1], starts[1:])
    return velocities, accelerations


def cubic_accelerations(
    times: FloatArray, positions: FloatArray, velocities: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Accelerations (n - 1, nv) at the start and at the end of each cubic segment."""
    duration = np.diff(numbers("times", times, ("points",)))[:, None]
    positions = numbers("positions", positions, (len(times), "joints"))
    velocities = numbers("velocities", velocities, positions.shape)
    slope = np.diff(positions, axis=0) / duration
    begin, end = velocities[:-1], velocities[1:]
    at_start = (6.0 * slope - 4.0 * begin - 2.0 * end) / duration
    return at_start, (2.0 * begin + 4.0 * end - 6.0 * slope) / duration


def _smaller(one: FloatArray, other: FloatArray) -> FloatArray:
    """The one that is nearer to zero; zero where the signs differ."""
    nearer = np.where(np.abs(one) < np.abs(other), one, other)
    return np.where(np.sign(one) * np.sign(other) > 0.0, nearer, 0.0)


def _evaluated(coefficients: FloatArray, time: float | FloatArray) -> State:
    """Value, first and second derivative of polynomials; their powers are the first axis."""
    state = []
    for _ in range(3):
        value = np.zeros(np.broadcast_shapes(coefficients.shape[1:], np.shape(time)))
        for c in coefficients[::-1]:
            value = value * time + c
        state.append(value)
        powers = np.arange(1, len(coefficients))
        coefficients = coefficients[1:] * powers.reshape(-1, *[1] * (coefficients.ndim - 1))
    return state[0], state[1], state[2]


def _pieces(durations: FloatArray, derivatives: list[FloatArray]) -> FloatArray:
    """For each piece the coefficients (pieces, 2 k, nv) of the powers of time.

    With k derivatives known at both ends, the lower half of them is that of the start; the upper
    half solves for the end.
    """
    k = len(derivatives)
    size = 2 * k
    factorial = np.cumprod([1.0, *range(1, size)])
    rows = np.zeros((len(durations), k, size))  # n-th derivative of each power at the end
    for n in range(k):
        for power in range(n, size):
            rows[:, n, power] = factorial[power] / factorial[power - n] * durations ** (power - n)
    low = np.stack([x[:-1] / factorial[n] for n, x in enumerate(derivatives)], axis=1)
    end = np.stack([x[1:] for x in derivatives], axis=1)
    high = np.linalg.solve(rows[:, :, k:], end - rows[:, :, :k] @ low)
    return np.concatenate([low, high], axis=1)
