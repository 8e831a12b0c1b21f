# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Helical joint: a screw; rotation and translation about one axis, coupled by a pitch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dyn_core.model.joints.axis_joint import AxisJoint
from dyn_core.model.joints.joint import Reversed
from dyn_core.model.value_checks import finite_number
from dyn_core.spatial import SE3, Matrix3, Motion
from dyn_core.spatial.lie.space import Vector
from dyn_core.spatial.scalars.functions import cos, sin


class Helical(AxisJoint):
    """q = angle (rad), v = its rate (rad/s); ``pitch`` is the translation per radian (m/rad)."""

    def __init__(self, axis: Sequence[float] = (0.0, 0.0, 1.0), pitch: float = 0.0) -> None:
        super().__init__(axis)
        self.pitch = finite_number("the pitch of a helical joint", pitch)

    @property
    def parameters(self) -> dict[str, Any]:
        return {**super().parameters, "pitch": self.pitch}

    def transform(self, q: Vector) -> SE3:
        turn = Matrix3.axis_angle(self.axis, cos(q[0]), sin(q[0]))
        return SE3(turn, self.axis * (q[0] * self.pitch))

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        return (Motion(self.axis * self.pitch, self.axis),)

    def reverse(self) -> Reversed:
        return Reversed(Helical(list(-self.axis), self.pitch), tuple, SE3.identity())
