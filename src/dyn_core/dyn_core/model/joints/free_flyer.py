# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Free flyer: all six degrees of freedom, such as the base of a legged robot."""

from __future__ import annotations

from dyn_core.model.joints.joint import Joint, Reversed
from dyn_core.spatial import SE3, Motion
from dyn_core.spatial.lie import Placements
from dyn_core.spatial.lie.space import Vector


class FreeFlyer(Joint):
    """q = position (m) and unit quaternion (x, y, z, w).

    v = velocity in the child frame (linear m/s, angular rad/s).
    """

    space = Placements()

    def transform(self, q: Vector) -> SE3:
        return self.space.placement(q)

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        return tuple(Motion.basis(k) for k in range(6))

    def reverse(self) -> Reversed:
        return Reversed(self, self.space.inverse, SE3.identity())
