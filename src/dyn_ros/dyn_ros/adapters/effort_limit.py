"""Keeps commanded efforts within the limits of the robot's description."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class EffortLimiter:
    """Clamps efforts to +-limit and knows which joint was over it.

    The nearest effort that the joint can give holds more of the arm than none at all, so the
    effort is clamped rather than dropped; the node has to say so.
    """

    def __init__(self, joint_names: Sequence[str], limits: NDArray[np.float64]) -> None:
        """Set the limits [n], N m or N, inf where there is none."""
        self._joint_names = tuple(joint_names)
        self._upper = np.array(limits, dtype=np.float64)
        self._lower = -self._upper
        self._clamped = np.zeros(len(self._upper))
        self._over = np.zeros(len(self._upper), dtype=bool)

    def clamp(self, effort: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the clamped efforts, overwritten by the next call."""
        np.clip(effort, self._lower, self._upper, out=self._clamped)
        np.not_equal(self._clamped, effort, out=self._over)
        return self._clamped

    @property
    def exceeded(self) -> bool:
        """Whether the last call clamped anything."""
        return bool(self._over.any())

    def describe(self, effort: NDArray[np.float64]) -> str:
        """Say which joints needed more than they have."""
        return ", ".join(
            f"joint '{self._joint_names[i]}' needs {effort[i]:.3f} but its effort limit is "
            f"{self._upper[i]:.3f}"
            for i in np.flatnonzero(self._over)
        )
