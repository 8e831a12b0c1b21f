# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Ellipsoid joint: the child's origin glides on an ellipsoid, its z axis along with it.

Used for shoulder blades; the position and rotation are those of Pinocchio's joint of this name.
"""

from __future__ import annotations

from typing import Any

from dyn_core.model.joints.joint import Joint
from dyn_core.model.joints.spherical_zyx import X, Y, Z
from dyn_core.model.value_checks import finite_numbers
from dyn_core.spatial import SE3, Matrix3, Motion, Vector3
from dyn_core.spatial.lie import VectorSpace
from dyn_core.spatial.lie.space import Vector
from dyn_core.spatial.scalars.functions import cos, sin


class Ellipsoid(Joint):
    """q = angles (rad) about x, y, z, v = their rates (rad/s); radii (m) along x, y, z.

    The motion subspace belongs to the parent's frame, so it cannot be reversed.
    """

    space = VectorSpace(3)

    def __init__(self, a: float = 1.0, b: float = 1.0, c: float = 1.0) -> None:
        x, y, z = finite_numbers((a, b, c), 3, "the radii of an ellipsoid joint")
        self.radii = (x, y, z)
        if min(self.radii) < 0.0:
            raise ValueError(f"the radii of an ellipsoid joint must not be negative: {self.radii}")

    @property
    def parameters(self) -> dict[str, Any]:
        return dict(zip("abc", self.radii, strict=True))

    def transform(self, q: Vector) -> SE3:
        (a, b, c), turns = self.radii, self._turns(q)
        c0, s0, c1, s1 = cos(q[0]), sin(q[0]), cos(q[1]), sin(q[1])
        return SE3(turns[0] @ turns[1] @ turns[2], Vector3(a * s1, -b * s0 * c1, c * c0 * c1))

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        (a, b, c), (turn_x, turn_y, turn_z) = self.radii, self._turns(q)
        c0, s0, c1, s1 = cos(q[0]), sin(q[0]), cos(q[1]), sin(q[1])
        rotation = turn_x @ turn_y @ turn_z
        dp = (
            Vector3(0.0, -b * c0 * c1, -c * s0 * c1),
            Vector3(a * c1, b * s0 * s1, -c * c0 * s1),
            Vector3.zero(),
        )
        axes = ((turn_y @ turn_z).apply_transpose(X), turn_z.apply_transpose(Y), Z)
        pairs = zip(dp, axes, strict=True)
        return tuple(Motion(rotation.apply_transpose(v), w) for v, w in pairs)

    def bias(self, q: Vector, v: Vector) -> Motion:
        return self.moving_bias(q, v)

    @staticmethod
    def _turns(q: Vector) -> list[Matrix3]:
        return [Matrix3.axis_angle(u, cos(t), sin(t)) for u, t in zip((X, Y, Z), q, strict=True)]
