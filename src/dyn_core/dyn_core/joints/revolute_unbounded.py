"""Unbounded revolute joint: rotation about an axis, without a first or last turn."""

from __future__ import annotations

from dyn_core.joints.joint import Vector
from dyn_core.joints.revolute import Revolute
from dyn_core.spatial import SE3, Matrix3, Scalar, Vector3
from dyn_core.spatial.scalar import arctan2, cos, sin


class RevoluteUnbounded(Revolute):
    """q = (cos, sin) of the angle, v = its rate (rad/s). URDF calls it ``continuous``."""

    nq = 2

    def transform(self, q: Vector) -> SE3:
        return SE3(Matrix3.axis_angle(self.axis, q[0], q[1]), Vector3.zero())

    def neutral(self) -> tuple[float, ...]:
        return (1.0, 0.0)

    def integrate(self, q: Vector, dv: Vector) -> tuple[Scalar, ...]:
        c, s = cos(dv[0]), sin(dv[0])
        cosine, sine = q[0] * c - q[1] * s, q[1] * c + q[0] * s
        # one Newton step back to the unit circle, so that rounding does not add up
        scale = 0.5 * (3.0 - (cosine * cosine + sine * sine))
        return cosine * scale, sine * scale

    def difference(self, q0: Vector, q1: Vector) -> tuple[Scalar, ...]:
        return (arctan2(q0[0] * q1[1] - q0[1] * q1[0], q0[0] * q1[0] + q0[1] * q1[1]),)
