"""Planar joint: displacement in the x-y plane and rotation about z."""

from __future__ import annotations

from dyn_core.joints.joint import Joint
from dyn_core.joints.reversal import Inverse, Reversed
from dyn_core.lie import Plane
from dyn_core.lie.space import Vector
from dyn_core.spatial import SE3, Matrix3, Motion, Vector3


class Planar(Joint):
    """q = (x, y, cos, sin) in m, v = rates (x, y, heading) in the child frame (m/s, rad/s)."""

    space = Plane()

    def transform(self, q: Vector) -> SE3:
        turn = Matrix3.axis_angle(Vector3(0.0, 0.0, 1.0), q[2], q[3])
        return SE3(turn, Vector3(q[0], q[1], 0.0))

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        return tuple(Motion.basis(k) for k in (0, 1, 5))

    def reverse(self) -> Reversed[Joint]:
        return Reversed(self, Inverse(self.space), SE3.identity())
