"""Motion through given points in time."""

from __future__ import annotations

import numpy as np

from dyn_core.model.model import FloatArray

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

    Its pieces are as smooth as what is known of the points: of degree 1 where positions alone are
    given, 3 with velocities, 5 with accelerations too.
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
        given = [x for x in (positions, velocities, accelerations) if x is not None]
        if not all(np.isfinite(x).all() for x in (times, *given)):
            raise ValueError("times, positions and their rates must be finite")
        if (np.diff(times) <= 0.0).any():
            raise ValueError("times of trajectory points must increase from each to the next")
        if accelerations is not None and velocities is None:
            raise ValueError("accelerations of trajectory points need velocities beside them")
        self._times, self._positions = times, positions
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

    def within(self, count: int) -> State:
        """States (pieces * count, nv) at ``count`` times of each piece, the first at its start."""
        since = np.diff(self._times)[:, None] * np.arange(count) / count
        position, velocity, acceleration = _evaluated(
            self._pieces.transpose(1, 0, 2)[:, :, None], since[:, :, None]
        )
        size = (-1, self._positions.shape[1])
        return position.reshape(size), velocity.reshape(size), acceleration.reshape(size)


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
