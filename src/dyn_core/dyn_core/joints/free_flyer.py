"""Free flyer: all six degrees of freedom, such as the base of a legged robot."""

from __future__ import annotations

from dyn_core.joints.joint import Joint, Vector
from dyn_core.spatial import SE3, Matrix3, Motion, Scalar, Vector3, quaternion
from dyn_core.spatial.scalar import select, sin
from dyn_core.spatial.scalar import sqrt as root


class FreeFlyer(Joint):
    """q = position (m) and unit quaternion (x, y, z, w); v = velocity in the child frame
    (linear m/s, angular rad/s)."""

    nq = 7
    nv = 6

    def transform(self, q: Vector) -> SE3:
        return SE3(Matrix3.quaternion(*q[3:]), Vector3.of(q[:3]))

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        return tuple(Motion.basis(k) for k in range(6))

    def neutral(self) -> tuple[float, ...]:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)

    def integrate(self, q: Vector, dv: Vector) -> tuple[Scalar, ...]:
        """The exponential of SE(3): a screw motion in the body frame."""
        linear, w = Vector3.of(dv[:3]), Vector3.of(dv[3:])
        square = w.dot(w)
        across = w.cross(linear)
        half = quaternion.half_sinc(square)
        step = linear + across * (2.0 * half * half) + w.cross(across) * quaternion.cubic_gap(square)
        position = self.transform(q).act_point(step)
        before = (q[3], q[4], q[5], q[6])
        x, y, z, s = quaternion.renormalized(quaternion.product(before, quaternion.exp(w)))
        # of the two quaternions of one orientation, the one nearer to the old
        same = x * q[3] + y * q[4] + z * q[5] + s * q[6]
        sign = select(same < 0.0, -1.0, 1.0)
        return (*position, sign * x, sign * y, sign * z, sign * s)

    def difference(self, q0: Vector, q1: Vector) -> tuple[Scalar, ...]:
        """The logarithm of SE(3) of the placement of q1 in q0."""
        relative = quaternion.product(
            quaternion.conjugate((q0[3], q0[4], q0[5], q0[6])), (q1[3], q1[4], q1[5], q1[6])
        )
        w = quaternion.log(relative)
        between = Matrix3.quaternion(*q0[3:]).apply_transpose(Vector3.of(q1[:3]) - Vector3.of(q0[:3]))
        across = w.cross(between)
        linear = between - across * 0.5 + w.cross(across) * _inverse_gap(w.dot(w))
        return (*linear, *w)


def _inverse_gap(square: Scalar) -> Scalar:
    """``(1 - (t / 2) cot(t / 2)) / t^2`` of the angle ``t = sqrt(square)``, t < 2 pi."""
    is_small = square < 1e-2
    safe = select(is_small, 1.0, square)
    angle = root(safe)
    half = quaternion.half_sinc(safe)  # sin(t/2) / t
    # cot(t/2) t/2 = t^2 sin(t) / (2 t (1 - cos t)) = sin(t) / (4 t half^2)
    closed = (1.0 - sin(angle) / (4.0 * angle * half * half)) / safe
    terms = (1.0 / 12.0, 1.0 / 720.0, 1.0 / 30240.0, 1.0 / 1209600.0, 1.0 / 47900160.0)
    series: Scalar = 0.0
    for term in reversed(terms):
        series = term + square * series
    return select(is_small, series, closed)
