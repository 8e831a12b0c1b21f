# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Spherical joint by Euler angles: rotations about z, then y, then x."""

from __future__ import annotations

from dyn_core.model.joints.composite import Composite
from dyn_core.model.joints.joint import Joint, Reversed, backwards
from dyn_core.model.joints.revolute import Revolute
from dyn_core.spatial import SE3, Matrix3, Motion, Vector3
from dyn_core.spatial.lie import VectorSpace
from dyn_core.spatial.lie.space import Vector
from dyn_core.spatial.scalars.functions import cos, sin

X, Y, Z = Vector3(1.0, 0.0, 0.0), Vector3(0.0, 1.0, 0.0), Vector3(0.0, 0.0, 1.0)


class SphericalZYX(Joint):
    """q = angles (rad) about z, y, x, v = their rates (rad/s).

    Singular where the second angle is pi/2.
    """

    space = VectorSpace(3)

    def transform(self, q: Vector) -> SE3:
        turns = [Matrix3.axis_angle(u, cos(t), sin(t)) for u, t in zip((Z, Y, X), q, strict=True)]
        return SE3(turns[0] @ turns[1] @ turns[2], Vector3.zero())

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        c1, s1, c2, s2 = cos(q[1]), sin(q[1]), cos(q[2]), sin(q[2])
        columns = Vector3(-s1, c1 * s2, c1 * c2), Vector3(0.0, c2, -s2), X
        return tuple(Motion(Vector3.zero(), column) for column in columns)

    def bias(self, q: Vector, v: Vector) -> Motion:
        return self.moving_bias(q, v)

    def reverse(self) -> Reversed:
        joint = Composite([Revolute(list(-axis)) for axis in (X, Y, Z)])
        return Reversed(joint, backwards([(1, tuple)] * 3), SE3.identity())
