"""The contract of a joint type.

A joint connects a frame fixed in the parent body (after the joint's placement) to the frame of the
child body. A type is one short file that implements :class:`Joint`; it holds parameters such as
an axis, never a state. All methods are generic over the scalar: given floats they compute, given
symbolic scalars they are traced.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeAlias

from dyn_core.spatial import SE3, Motion, Scalar

Vector: TypeAlias = Sequence[Scalar]


class Joint(ABC):
    """One joint type: kinematics and configuration space (Featherstone 2008, section 4.4)."""

    nq: int
    """Number of configuration coordinates."""
    nv: int
    """Number of velocity coordinates (degrees of freedom)."""

    @abstractmethod
    def transform(self, q: Vector) -> SE3:
        """Placement of the child frame in the joint's parent-side frame at configuration ``q``."""

    @abstractmethod
    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        """The nv columns of the motion subspace S, in the child frame: velocity is ``S v``.

        Constant entries are floats, so that exact zeros vanish from traces.
        """

    def bias(self, q: Vector, v: Vector) -> Motion:
        """``dS/dt v`` in the child frame: zero where S is constant in the child frame."""
        return Motion.zero()

    @abstractmethod
    def neutral(self) -> tuple[float, ...]:
        """The configuration of the identity placement."""

    @abstractmethod
    def integrate(self, q: Vector, dv: Vector) -> tuple[Scalar, ...]:
        """``q (+) dv``: the configuration reached from ``q`` with the constant velocity ``dv``
        in unit time."""

    @abstractmethod
    def difference(self, q0: Vector, q1: Vector) -> tuple[Scalar, ...]:
        """``q1 (-) q0``: the velocity that leads from ``q0`` to ``q1`` in unit time."""

    @property
    def parameters(self) -> tuple[float, ...]:
        """The numbers that distinguish this joint from others of its type."""
        return ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.parameters))})"

    def velocity(self, q: Vector, v: Vector) -> Motion:
        """Velocity of the child relative to the parent, in the child frame: ``S v``."""
        motion = Motion.zero()
        for column, rate in zip(self.subspace(q), v, strict=True):
            motion = motion + column * rate
        return motion
