"""Prismatic joint: translation along an axis fixed in both bodies, by a length (m)."""

from __future__ import annotations

from collections.abc import Sequence

from dyn_core.joints.axis import unit_axis
from dyn_core.joints.joint import Joint, Vector
from dyn_core.spatial import SE3, Matrix3, Motion, Scalar, Vector3


class Prismatic(Joint):
    """q = displacement (m), v = its rate (m/s). Any axis."""

    nq = 1
    nv = 1

    def __init__(self, axis: Sequence[float] = (0.0, 0.0, 1.0)) -> None:
        self.axis = unit_axis(axis)

    @property
    def parameters(self) -> tuple[float, ...]:
        return tuple(self.axis)

    def transform(self, q: Vector) -> SE3:
        return SE3(Matrix3.identity(), self.axis * q[0])

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        return (Motion(self.axis, Vector3.zero()),)

    def neutral(self) -> tuple[float, ...]:
        return (0.0,)

    def integrate(self, q: Vector, dv: Vector) -> tuple[Scalar, ...]:
        return (q[0] + dv[0],)

    def difference(self, q0: Vector, q1: Vector) -> tuple[Scalar, ...]:
        return (q1[0] - q0[0],)
