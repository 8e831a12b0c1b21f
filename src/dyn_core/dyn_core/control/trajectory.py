"""Motion through given points in time."""

from __future__ import annotations

import numpy as np

from dyn_core.model.model import FloatArray

State = tuple[FloatArray, FloatArray, FloatArray]
"""Position, velocity and acceleration."""


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
        since = time - self._times[piece]
        coefficients = self._pieces[piece]
        state = []
        for _ in range(3):
            value = np.zeros_like(self._positions[0])
            for c in coefficients[::-1]:
                value = value * since + c
            state.append(value)
            coefficients = coefficients[1:] * np.arange(1, len(coefficients))[:, None]
        return state[0], state[1], state[2]


def _pieces(durations: FloatArray, derivatives: list[FloatArray]) -> list[FloatArray]:
    """For each piece the coefficients (2 k, nv) of the powers of time.

    With k derivatives known at both ends, the lower half of them is that of the start; the upper
    half solves for the end.
    """
    k = len(derivatives)
    size = 2 * k
    factorial = np.cumprod([1.0, *range(1, size)])
    pieces = []
    for piece, T in enumerate(durations):
        low = np.array([x[piece] / factorial[n] for n, x in enumerate(derivatives)])
        rows = np.zeros((k, size))  # n-th derivative of each power at the end
        for n in range(k):
            for power in range(n, size):
                rows[n, power] = factorial[power] / factorial[power - n] * T ** (power - n)
        end = np.array([x[piece + 1] for x in derivatives])
        high = np.linalg.solve(rows[:, k:], end - rows[:, :k] @ low)
        pieces.append(np.concatenate([low, high]))
    return pieces
