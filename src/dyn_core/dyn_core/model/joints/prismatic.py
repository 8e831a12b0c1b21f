# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Prismatic joint: translation along an axis fixed in both bodies, by a length (m)."""

from __future__ import annotations

from dyn_core.model.joints.axis_joint import AxisJoint
from dyn_core.model.joints.joint import Freedom, Reversed
from dyn_core.spatial import SE3, Matrix3, Motion, Vector3
from dyn_core.spatial.lie.space import Vector


class Prismatic(AxisJoint):
    """q = displacement (m), v = its rate (m/s). Any axis."""

    freedom = Freedom.SLIDE

    def transform(self, q: Vector) -> SE3:
        return SE3(Matrix3.identity(), self.axis * q[0])

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        return (Motion(self.axis, Vector3.zero()),)

    def reverse(self) -> Reversed:
        return Reversed(Prismatic(list(-self.axis)), tuple, SE3.identity())
