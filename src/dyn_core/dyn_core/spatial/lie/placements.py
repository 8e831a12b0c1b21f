# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Placements in space: position and orientation."""

from __future__ import annotations

from dyn_core.spatial import SE3, Matrix3, Motion, Vector3
from dyn_core.spatial.exponential import jexp3, jexp6, jlog3, jlog6
from dyn_core.spatial.lie.product import Product
from dyn_core.spatial.lie.rotations import Rotations
from dyn_core.spatial.lie.space import Coordinates, Vector
from dyn_core.spatial.lie.vector_space import VectorSpace
from dyn_core.spatial.scalars import Rows

ORIENTATION = Rotations()


class Placements(Product):
    """SE(3). q = position (m) and quaternion (x, y, z, w); v = velocity in the body frame.

    Its elements are those of the product; its group law, and so its tangent space, is another.
    """

    def __init__(self) -> None:
        super().__init__([VectorSpace(3), ORIENTATION])
        self.isometric = False

    @staticmethod
    def placement(q: Vector) -> SE3:
        """The placement with the coordinates ``q``."""
        return SE3(Matrix3.quaternion(q[3], q[4], q[5], q[6]), Vector3.of(q[:3]))

    def integrate(self, q: Vector, dv: Vector) -> Coordinates:
        w = Vector3.of(dv[3:])
        step = jexp3(-w).apply(Vector3.of(dv[:3]))
        return (*self.placement(q).act_point(step), *ORIENTATION.integrate(q[3:], dv[3:]))

    def difference(self, q0: Vector, q1: Vector) -> Coordinates:
        w = Vector3.of(ORIENTATION.difference(q0[3:], q1[3:]))
        between = Vector3.of(q1[:3]) - Vector3.of(q0[:3])
        local = self.placement(q0).rotation.apply_transpose(between)
        return (*jlog3(-w).apply(local), *w)

    def rate(self, q: Vector, v: Vector) -> Coordinates:
        linear = self.placement(q).rotation.apply(Vector3.of(v[:3]))
        return (*linear, *ORIENTATION.rate(q[3:], v[3:]))

    def inverse(self, q: Vector) -> Coordinates:
        return (*self.placement(q).inverse().translation, *ORIENTATION.inverse(q[3:]))

    def adjoint(self, q: Vector) -> Rows:
        return self.placement(q).action()

    def jexp(self, dv: Vector) -> Rows:
        return jexp6(Motion.of(dv))

    def jlog(self, dv: Vector) -> Rows:
        return jlog6(Motion.of(dv))
