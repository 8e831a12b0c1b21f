# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Planar joint: displacement in a plane and rotation about its normal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dyn_core.model.joints.axis_joint import two_across, unit_axis
from dyn_core.model.joints.joint import Joint, Reversed
from dyn_core.spatial import SE3, Matrix3, Motion, Vector3
from dyn_core.spatial.lie import Plane
from dyn_core.spatial.lie.space import Vector


class Planar(Joint):
    """q = (x, y, cos, sin) in m, v = rates (x, y, heading) in the child frame (m/s, rad/s).

    x and y are along the two axes that make a right-handed frame with the ``normal`` of the plane:
    for the normal z these are x and y.
    """

    space = Plane()

    def __init__(self, normal: Sequence[float] = (0.0, 0.0, 1.0)) -> None:
        self.normal = unit_axis(normal)
        self.across = two_across(self.normal)

    @property
    def parameters(self) -> dict[str, Any]:
        return {"normal": list(self.normal)}

    def transform(self, q: Vector) -> SE3:
        first, second = self.across
        turn = Matrix3.axis_angle(self.normal, q[2], q[3])
        return SE3(turn, first * q[0] + second * q[1])

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        slides = [Motion(axis, Vector3.zero()) for axis in self.across]
        return (*slides, Motion(Vector3.zero(), self.normal))

    def reverse(self) -> Reversed:
        return Reversed(self, self.space.inverse, SE3.identity())
