# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Revolute joint: rotation about an axis fixed in both bodies, by an angle (rad)."""

from __future__ import annotations

from dyn_core.model.joints.axis_joint import AxisJoint
from dyn_core.model.joints.joint import Freedom, Reversed
from dyn_core.spatial import SE3, Matrix3, Motion, Vector3
from dyn_core.spatial.lie.space import Vector
from dyn_core.spatial.scalars.functions import cos, sin


class Revolute(AxisJoint):
    """q = angle (rad), v = its rate (rad/s). Any axis; coordinate axes trace to sparse code."""

    freedom = Freedom.TURN

    def transform(self, q: Vector) -> SE3:
        return SE3(Matrix3.axis_angle(self.axis, cos(q[0]), sin(q[0])), Vector3.zero())

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        return (Motion(Vector3.zero(), self.axis),)

    def reverse(self) -> Reversed:
        return Reversed(type(self)(list(-self.axis)), tuple, SE3.identity())
