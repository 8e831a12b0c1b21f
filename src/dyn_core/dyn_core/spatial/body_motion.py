# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""How a rigid body moves, by the accelerations of its points."""

from __future__ import annotations

from dataclasses import dataclass, field

from dyn_core.spatial.immutable import immutable
from dyn_core.spatial.inertia import Inertia
from dyn_core.spatial.matrix3 import Matrix3
from dyn_core.spatial.motion import Force, Motion
from dyn_core.spatial.se3 import SE3
from dyn_core.spatial.vector3 import Vector3


@immutable
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BodyMotion:
    """Rotation and acceleration of a body, in its own frame.

    ``w`` (rad/s) is its angular velocity, ``alpha`` (rad/s^2) its angular acceleration, ``origin``
    (m/s^2) the acceleration of the frame's origin as a point: not that of spatial vectors, which is
    smaller by ``w x v``. No linear velocity is needed to know how forces make a body move so (Luh,
    Walker and Paul 1980).
    """

    w: Vector3
    alpha: Vector3
    origin: Vector3
    gradient: Matrix3 = field(init=False)
    """``[alpha]x + [w]x [w]x`` (1/s^2): a point r accelerates with ``origin + gradient r``."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "gradient", _gradient(self.w, self.alpha))

    @classmethod
    def straight(cls, origin: Vector3) -> BodyMotion:
        """All points accelerate alike."""
        return cls(Vector3.zero(), Vector3.zero(), origin)

    def carried(self, placement: SE3, velocity: Motion, acceleration: Motion) -> BodyMotion:
        """The motion of a second body that moves relative to this one, in the second's frame.

        Args:
            placement: of the second body in this one.
            velocity: of the second relative to this one, in the second's frame.
            acceleration: the rate of ``velocity`` in that frame.
        """
        back = placement.rotation.apply_transpose
        w = back(self.w)
        both = w + velocity.angular
        point = self.origin + self.gradient.apply(placement.translation)
        return BodyMotion(
            both,
            back(self.alpha) + acceleration.angular + w.cross(velocity.angular),
            back(point) + acceleration.linear + (w + both).cross(velocity.linear),
        )

    def force(self, body: Inertia) -> Force:
        """The force that moves a body so: the sums of ``m a`` and ``r x m a`` over its points.

        With ``a = origin + U r`` the sum of ``r x m U r`` is the axial vector of ``U S``, which
        takes fewer operations than ``I alpha + w x I w`` (Khalil and Kleinfinger 1987).
        """
        h, U = body.first_moment, self.gradient
        (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = U.rows
        Sxx, Sxy, Syy, Sxz, Syz, Szz = body.second_moment.entries
        axial = Vector3(
            zx * Sxy + zy * Syy + (zz - yy) * Syz - yx * Sxz - yz * Szz,
            xy * Syz + xz * Szz + (xx - zz) * Sxz - zx * Sxx - zy * Sxy,
            yx * Sxx + yz * Sxz + (yy - xx) * Sxy - xy * Syy - xz * Syz,
        )
        return Force(self.origin * body.mass + U.apply(h), axial + h.cross(self.origin))


def _gradient(w: Vector3, alpha: Vector3) -> Matrix3:
    xx, yy, zz = w.x * w.x, w.y * w.y, w.z * w.z
    xy, xz, yz = w.x * w.y, w.x * w.z, w.y * w.z
    return Matrix3(
        Vector3(-(yy + zz), xy - alpha.z, xz + alpha.y),
        Vector3(xy + alpha.z, -(xx + zz), yz - alpha.x),
        Vector3(xz - alpha.y, yz + alpha.x, -(xx + yy)),
    )
