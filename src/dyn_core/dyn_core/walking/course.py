"""Bodies that move through the world and turn about the vertical."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dyn_core.model.model import FloatArray
from dyn_core.spatial import SE3, quaternion

Samples: TypeAlias = slice | NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Course:
    """Position and heading over time, with their first and second derivatives.

    ``values`` is (n, 3, 4): for each sample the order of the derivative, then x, y, z (m) and the
    heading (rad) about the vertical.
    """

    values: FloatArray

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, samples: Samples) -> Course:
        """These samples of it."""
        return Course(self.values[samples])

    @property
    def positions(self) -> FloatArray:
        """(n, 3), m."""
        result: FloatArray = self.values[:, 0, :3]
        return result

    def carried(self, placement: SE3) -> tuple[FloatArray, FloatArray, FloatArray]:
        """How a frame moves that is fixed at ``placement`` in the body that has this course.

        Returns:
            Its poses (n, 7) in the world, position and quaternion (x, y, z, w); its spatial
            velocities (n, 6) and their rates (n, 6) in its own axes, linear parts first.
        """
        moving = self.values
        # The frame's own axes turn with the heading; what is fixed in them is R (n, 3, 3).
        cosine, sine = np.cos(moving[:, 0, 3]), np.sin(moving[:, 0, 3])
        zero, one = np.zeros_like(sine), np.ones_like(sine)
        heading = np.array([[cosine, -sine, zero], [sine, cosine, zero], [zero, zero, one]])
        heading = np.moveaxis(heading, -1, 0)
        matrix = np.array(placement.homogeneous(), dtype=np.float64)
        fixed, arm = matrix[:3, :3], heading @ matrix[:3, 3]
        rate, change = (moving[:, k, 3, None] * np.array([0.0, 0.0, 1.0]) for k in (1, 2))
        position = moving[:, 0, :3] + arm
        swept = np.cross(rate, arm)
        velocity = moving[:, 1, :3] + swept
        acceleration = moving[:, 2, :3] + np.cross(change, arm) + np.cross(rate, swept)
        to_axes = np.swapaxes(heading @ fixed, 1, 2)
        linear, turning, turning_rate = (
            (to_axes @ vector[:, :, None])[:, :, 0] for vector in (velocity, rate, change)
        )
        linear_rate = (to_axes @ acceleration[:, :, None])[:, :, 0] - np.cross(turning, linear)
        return (
            np.hstack([position, _turned(moving[:, 0, 3], placement)]),
            np.hstack([linear, turning]),
            np.hstack([linear_rate, turning_rate]),
        )


def _turned(heading: FloatArray, placement: SE3) -> FloatArray:
    """Quaternions (n, 4) of a rotation that a heading comes before."""
    half = 0.5 * heading
    about_vertical = (0.0, 0.0, np.sin(half), np.cos(half))
    fixed = quaternion.of_matrix(placement.rotation)
    result = quaternion.product(about_vertical, fixed)  # numbers here are columns of samples
    return np.stack(np.broadcast_arrays(*result), axis=1)


def bump(share: FloatArray, duration: float) -> FloatArray:
    """From 0 to 1 half-way and back to 0, at rest at both ends also in acceleration: (n, 3).

    The one polynomial of sixth degree that does so. Two motions from rest to rest, up and down,
    would have to stop accelerating at the top.

    Args:
        share: of the time that has passed, before 0 and after 1 nothing moves.
        duration: of the whole, s.
    """
    s = np.clip(share, 0.0, 1.0)
    rest, slope = s * (1.0 - s), 1.0 - 2.0 * s
    value = 64.0 * rest**3
    rate = 192.0 * rest**2 * slope
    change = 384.0 * rest * (slope**2 - rest)
    return np.stack([value, rate / duration, change / duration**2], axis=1)
