# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Spherical joint: any rotation about a point fixed in both bodies."""

from __future__ import annotations

from dyn_core.model.joints.joint import Joint, Reversed
from dyn_core.spatial import SE3, Matrix3, Motion, Vector3
from dyn_core.spatial.lie import Rotations
from dyn_core.spatial.lie.space import Vector


class Spherical(Joint):
    """q = unit quaternion (x, y, z, w), v = angular velocity in the child frame (rad/s)."""

    space = Rotations()

    def transform(self, q: Vector) -> SE3:
        return SE3(Matrix3.quaternion(q[0], q[1], q[2], q[3]), Vector3.zero())

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        return tuple(Motion.basis(k) for k in (3, 4, 5))

    def reverse(self) -> Reversed:
        return Reversed(self, self.space.inverse, SE3.identity())
