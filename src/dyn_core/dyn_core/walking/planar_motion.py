# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Motion of bodies that translate and turn about the vertical."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dyn_core.model.model import FloatArray
from dyn_core.spatial import SE3, Matrix3, Motion, Vector3, quaternion

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
        heading, rate, change = self.values[:, :, 3].T
        turn = Matrix3.axis_angle(Vector3(0.0, 0.0, 1.0), np.cos(heading), np.sin(heading))
        place, linear, classical = (Vector3(*self.values[:, k, :3].T) for k in range(3))
        velocity = Motion(turn.apply_transpose(linear), Vector3(0.0, 0.0, rate))
        # the acceleration of spatial vectors is smaller than that of the point by w x v
        relative = turn.apply_transpose(classical) - velocity.angular.cross(velocity.linear)
        acceleration = Motion(relative, Vector3(0.0, 0.0, change))
        half = 0.5 * heading  # scalars here are columns of samples
        about_vertical = (0.0, 0.0, np.sin(half), np.cos(half))
        turned = quaternion.product(about_vertical, quaternion.of_matrix(placement.rotation))
        at = SE3(turn, place).act_point(placement.translation)
        return (
            _columns(*at, *turned),
            _columns(*placement.act_inv_motion(velocity)),
            _columns(*placement.act_inv_motion(acceleration)),
        )


def _columns(*columns: FloatArray | float) -> FloatArray:
    """Numbers of samples side by side."""
    return np.stack(np.broadcast_arrays(*columns), axis=1)


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
