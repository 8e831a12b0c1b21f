"""Revolute joint: rotation about an axis fixed in both bodies, by an angle (rad)."""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.joints.axis import unit_axis
from dyn_core.joints.joint import Joint, Vector
from dyn_core.spatial import SE3, Matrix3, Motion, Scalar, Vector3
from dyn_core.spatial.scalar import cos, sin


class Revolute(Joint):
    """q = angle (rad), v = its rate (rad/s). Any axis; coordinate axes trace to sparse code."""

    nq = 1
    nv = 1

    def __init__(self, axis: Sequence[float] = (0.0, 0.0, 1.0)) -> None:
        self.axis = unit_axis(axis)

    @property
    def parameters(self) -> tuple[float, ...]:
        return tuple(self.axis)

    def transform(self, q: Vector) -> SE3:
        return SE3(Matrix3.axis_angle(self.axis, cos(q[0]), sin(q[0])), Vector3.zero())

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        return (Motion(Vector3.zero(), self.axis),)

    def neutral(self) -> tuple[float, ...]:
        return (0.0,)

    def integrate(self, q: Vector, dv: Vector) -> tuple[Scalar, ...]:
        return (q[0] + dv[0],)

    def difference(self, q0: Vector, q1: Vector) -> tuple[Scalar, ...]:
        return (q1[0] - q0[0],)
