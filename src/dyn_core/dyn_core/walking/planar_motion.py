# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Motion of bodies that translate and turn about the vertical."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dyn_core.model.model import FloatArray
from dyn_core.spatial import SE3, quaternion

if TYPE_CHECKING:
    from typing_extensions import Self

Samples: TypeAlias = int | slice | NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Sampled:
    """Arrays with a row for each sample; an index takes the same part of all of them."""

    def __getitem__(self, samples: Samples) -> Self:
        """A part of the samples."""

        def part(x: Any) -> Any:
            if isinstance(x, tuple):
                return tuple(map(part, x))
            return x[samples] if isinstance(x, (np.ndarray, Sampled)) else x

        return replace(self, **{x.name: part(getattr(self, x.name)) for x in fields(self)})


@dataclass(frozen=True)
class Course(Sampled):
    """Position and heading over time, with their first and second derivatives.

    ``values`` is (n, 3, 4): for each sample the order of the derivative, then x, y, z (m) and the
    heading (rad) about the vertical.
    """

    values: FloatArray

    def __len__(self) -> int:
        return len(self.values)

    @property
    def positions(self) -> FloatArray:
        """(n, 3), m."""
        result: FloatArray = self.values[:, 0, :3]
        return result

    def carried(self, placement: SE3) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The motion of a frame that is fixed at ``placement`` in the body with this course.

        Returns:
            Its poses (n, 7) in the world, position and quaternion (x, y, z, w); its spatial
            velocities (n, 6) and their rates (n, 6) in its own axes, linear parts first.
        """
        moving = self.values
        matrix = np.array(placement.homogeneous(), dtype=np.float64)
        fixed, arm = matrix[:3, :3], matrix[:3, 3]
        cosine, sine = np.cos(moving[:, 0, 3]), np.sin(moving[:, 0, 3])
        rate, change = moving[:, 1, 3], moving[:, 2, 3]
        poses = np.empty((len(moving), 7))
        poses[:, 0] = moving[:, 0, 0] + cosine * arm[0] - sine * arm[1]
        poses[:, 1] = moving[:, 0, 1] + sine * arm[0] + cosine * arm[1]
        poses[:, 2] = moving[:, 0, 2] + arm[2]
        poses[:, 3:] = _turned(moving[:, 0, 3], placement)
        # In axes that turn with the heading the arm is constant. The rotation is about the
        # vertical, so the cross product with its rate swaps x and y.
        velocity, acceleration = (_ahead(moving[:, k, :3], cosine, sine) for k in (1, 2))
        velocity[:, 0] -= rate * arm[1]
        velocity[:, 1] += rate * arm[0]
        acceleration[:, 0] -= change * arm[1] + rate**2 * arm[0]
        acceleration[:, 1] += change * arm[0] - rate**2 * arm[1]
        acceleration[:, 0] += rate * velocity[:, 1]
        acceleration[:, 1] -= rate * velocity[:, 0]
        return (
            poses,
            np.hstack([velocity @ fixed, rate[:, None] * fixed[2]]),
            np.hstack([acceleration @ fixed, change[:, None] * fixed[2]]),
        )


def _ahead(vectors: FloatArray, cosine: FloatArray, sine: FloatArray) -> FloatArray:
    """Vectors (n, 3) of the world, in axes that are turned by headings."""
    x, y, z = vectors.T
    return np.stack([cosine * x + sine * y, cosine * y - sine * x, z], axis=1)


def _turned(heading: FloatArray, placement: SE3) -> FloatArray:
    """Quaternions (n, 4) of a heading followed by a rotation."""
    half = 0.5 * heading
    about_vertical = (0.0, 0.0, np.sin(half), np.cos(half))
    fixed = quaternion.of_matrix(placement.rotation)
    result = quaternion.product(about_vertical, fixed)  # scalars here are columns of samples
    return np.stack(np.broadcast_arrays(*result), axis=1)


def bump(share: FloatArray, duration: float) -> FloatArray:
    """From 0 to 1 half-way and back to 0, with zero velocity and acceleration at both ends: (n, 3).

    This is the one polynomial of sixth degree with these properties. Two motions from rest to rest,
    up and down, would have zero acceleration at the top.

    Args:
        share: share of the time that has passed; nothing moves before 0 and after 1.
        duration: of the whole, s.
    """
    s = np.clip(share, 0.0, 1.0)
    rest, slope = s * (1.0 - s), 1.0 - 2.0 * s
    value = 64.0 * rest**3
    rate = 192.0 * rest**2 * slope
    change = 384.0 * rest * (slope**2 - rest)
    return np.stack([value, rate / duration, change / duration**2], axis=1)
