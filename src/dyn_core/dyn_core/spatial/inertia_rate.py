# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Rate of the spatial inertia of moving bodies."""

from __future__ import annotations

from dataclasses import dataclass

from dyn_core.spatial.immutable import immutable
from dyn_core.spatial.inertia import Inertia
from dyn_core.spatial.matrix3 import Matrix3, Symmetric3
from dyn_core.spatial.motion import Force, Motion, transposed
from dyn_core.spatial.scalars.functions import Scalar
from dyn_core.spatial.vector3 import Vector3


@immutable
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class InertiaRate:
    """Half of the rate of an inertia: ``B`` with ``dI/dt = B + B'``, in axes that rest.

    For masses m at r that move with the velocity u, ``I = sum m J' J`` with the Jacobian
    ``J = [1, -[r]x]`` of a point, and ``B = sum m J' dJ/dt = [[0, -[p]x], [0, N]]`` with the
    momentum ``p = sum m u`` (kg m/s) and ``N = -sum m [r]x [u]x`` (kg m^2/s). Among all halves it
    is the one of Christoffel's symbols (Echeandia and Wensing 2021), and like masses it adds up.
    """

    momentum: Vector3
    turning: Matrix3

    @classmethod
    def zero(cls) -> InertiaRate:
        """Nothing moves."""
        return cls(Vector3.zero(), Matrix3.zero())

    @classmethod
    def of_body(cls, inertia: Inertia, velocity: Motion) -> InertiaRate:
        """The inertia rate of a body that moves with ``velocity``.

        ``-[r]x [u]x = (r'u) 1 - u r'``; with ``u = v + w x r`` the sum of ``m u r'`` is
        ``v h' + [w]x S``, in which h is the first moment and S the matrix of second moments.
        """
        momentum = inertia.apply(velocity).linear
        second = Matrix3.of([row[:3] for row in inertia.pseudo_inertia()[:3]])
        return cls(momentum, _turning(velocity, inertia.first_moment, second))

    def __add__(self, other: InertiaRate) -> InertiaRate:
        return InertiaRate(self.momentum + other.momentum, self.turning + other.turning)

    def moved(self, rotation: Matrix3, translation: Vector3) -> InertiaRate:
        """The same in the axes and about the origin of another frame at rest.

        With ``r`` further by d, N grows by ``(d'p) 1 - p d'``.
        """
        p, d = rotation.apply(self.momentum), translation
        turned = rotation @ self.turning @ rotation.transpose()
        shift = Matrix3(*(d * -x for x in p)) + Symmetric3.scalar(d.dot(p)).full()
        return InertiaRate(p, turned + shift)

    def apply(self, motion: Motion) -> Force:
        """``B motion``."""
        w = motion.angular
        return Force(w.cross(self.momentum), self.turning.apply(w))

    def apply_transpose(self, motion: Motion) -> Force:
        """``B' motion``."""
        moment = self.momentum.cross(motion.linear) + self.turning.apply_transpose(motion.angular)
        return Force(Vector3.zero(), moment)

    def matrix(self) -> list[list[Scalar]]:
        """The 6x6 matrix of the whole rate ``B + B'``, linear first."""
        units = [Motion.basis(k) for k in range(6)]
        return transposed([list(self.apply(x) + self.apply_transpose(x)) for x in units])


def _turning(velocity: Motion, h: Vector3, second: Matrix3) -> Matrix3:
    """``tr(K) 1 - K`` with ``K = v h' + [w]x S``; the part of S has no trace."""
    K = Matrix3(*(h * x for x in velocity.linear)) + Matrix3.skew(velocity.angular) @ second
    return Symmetric3.scalar(velocity.linear.dot(h)).full() - K
