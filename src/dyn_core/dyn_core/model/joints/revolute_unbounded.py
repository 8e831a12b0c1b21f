# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Unbounded revolute joint: rotation about an axis, without a first or last turn."""

from __future__ import annotations

from dyn_core.model.joints.joint import Freedom
from dyn_core.model.joints.revolute import Revolute
from dyn_core.spatial import SE3, Matrix3, Vector3
from dyn_core.spatial.lie import Circle
from dyn_core.spatial.lie.space import Vector


class RevoluteUnbounded(Revolute):
    """q = (cos, sin) of the angle, v = its rate (rad/s). URDF calls it ``continuous``."""

    space = Circle()
    freedom = Freedom.TURN

    def transform(self, q: Vector) -> SE3:
        return SE3(Matrix3.axis_angle(self.axis, q[0], q[1]), Vector3.zero())
