# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Universal (Cardan) joint: rotations about two axes that meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dyn_core.model.joints.axis_joint import unit_axis
from dyn_core.model.joints.joint import Joint, Reversed, backwards
from dyn_core.spatial import SE3, Matrix3, Motion, Vector3
from dyn_core.spatial.lie import VectorSpace
from dyn_core.spatial.lie.space import Vector
from dyn_core.spatial.scalars.functions import cos, sin


class Universal(Joint):
    """q = angles (rad), v = their rates (rad/s).

    ``axis1`` is fixed in the parent, ``axis2`` in the child.
    """

    space = VectorSpace(2)

    def __init__(
        self, axis1: Sequence[float] = (1.0, 0.0, 0.0), axis2: Sequence[float] = (0.0, 1.0, 0.0)
    ) -> None:
        self.axis1, self.axis2 = unit_axis(axis1), unit_axis(axis2)
        if abs(self.axis1.dot(self.axis2)) > 1.0 - 1e-9:
            raise ValueError("the two axes of a universal joint must not be parallel")

    @property
    def parameters(self) -> dict[str, Any]:
        return {"axis1": list(self.axis1), "axis2": list(self.axis2)}

    def transform(self, q: Vector) -> SE3:
        first = Matrix3.axis_angle(self.axis1, cos(q[0]), sin(q[0]))
        return SE3(first @ self._second(q), Vector3.zero())

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        first = self._second(q).apply_transpose(self.axis1)
        return Motion(Vector3.zero(), first), Motion(Vector3.zero(), self.axis2)

    def bias(self, q: Vector, v: Vector) -> Motion:
        """The first axis, carried along by the rotation about the second."""
        first = self._second(q).apply_transpose(self.axis1)
        return Motion(Vector3.zero(), first.cross(self.axis2) * (v[0] * v[1]))

    def reverse(self) -> Reversed:
        joint = Universal(list(-self.axis2), list(-self.axis1))
        return Reversed(joint, backwards([(1, tuple)] * 2), SE3.identity())

    def _second(self, q: Vector) -> Matrix3:
        return Matrix3.axis_angle(self.axis2, cos(q[1]), sin(q[1]))
