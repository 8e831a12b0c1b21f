# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The contract of a joint type.

A joint connects a frame fixed in the parent body (after the joint's placement) to the frame of the
child body. A type is one short file that implements :class:`Joint`; it holds parameters such as
an axis, never a state. All methods are generic over the scalar: given floats they compute, given
symbolic scalars they are traced.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from dyn_core.model.joints.motion_class import Freedom
from dyn_core.model.joints.reversed_joint import Reversed
from dyn_core.spatial import SE3, Motion, Vector3
from dyn_core.spatial.immutable import Immutable
from dyn_core.spatial.lie.space import Space, Vector
from dyn_core.spatial.scalars import Scalar
from dyn_core.spatial.scalars.dual_numbers import derivative_along


def sameness(joint: Joint) -> Any:
    """What two joints have in common exactly if the one can stand for the other.

    Of a class that is not of this package nobody knows what it depends on: such a joint is the same
    only as itself.
    """
    own = vars(joint)
    known = type(joint).__module__.startswith("dyn_core.")
    if not known or any(callable(value) for value in own.values()):
        return joint
    items = [x for v in own.values() for x in (v if isinstance(v, tuple) else (v,))]
    parts = [sameness(x) for x in items if isinstance(x, Joint)]
    space = type(joint.space), joint.nq, joint.nv
    return (type(joint), repr(joint), space, *parts)


class Joint(Immutable):
    """One joint type: kinematics and configuration space (Featherstone 2008, section 4.4)."""

    space: Space
    """Where the configuration lives; it knows how to integrate, interpolate and so on."""

    freedom: Freedom = Freedom.ANY
    """What a type says for itself, and its subtypes say anew: see :attr:`lets`."""

    axis: Vector3
    """Of one that turns or slides, about or along which."""

    ratio: float = 1.0
    """How fast its own shaft moves when its coordinate does; another number if it follows one."""

    @property
    def lets(self) -> Freedom:
        """What this joint lets move.

        Machine code may then move inertia that the joint does not feel to the body before it, and
        turn its axis to z. A subtype moves otherwise, maybe, so what its base says does not count.
        """
        said = vars(type(self)).get("freedom", Freedom.ANY)
        return said if isinstance(said, Freedom) else Freedom.ANY

    def along(self, axis: Vector3) -> Joint:
        """The same joint about or along another unit axis, of one that turns or slides."""
        return type(self)(**{**self.parameters, "axis": list(axis)})

    def shaft(self, q: Vector) -> Vector:
        """Where its own shaft is at configuration ``q`` of the model: there, but for a follower."""
        return q

    @property
    def nq(self) -> int:
        """Number of configuration coordinates."""
        return self.space.nq

    @property
    def nv(self) -> int:
        """Number of velocity coordinates (degrees of freedom)."""
        return self.space.nv

    @abstractmethod
    def transform(self, q: Vector) -> SE3:
        """Placement of the child frame in the joint's parent-side frame at configuration ``q``."""

    @abstractmethod
    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        """The nv columns of the motion subspace S, in the child frame: velocity is ``S v``.

        Constant entries are floats, so that exact zeros vanish from traces.
        """

    def bias(self, q: Vector, v: Vector) -> Motion:
        """``dS/dt v`` in the child frame: zero where S is constant in the child frame.

        A type whose S moves returns :meth:`moving_bias`, or a closed form of it.
        """
        return Motion.zero()

    def moving_bias(self, q: Vector, v: Vector) -> Motion:
        """``dS/dt v`` by differentiating :meth:`subspace` along the motion, exactly."""
        bias = Motion.zero()
        for column, rate in zip(self.subspace_rate(q, v), v, strict=True):
            bias = bias + column * rate
        return bias

    def subspace_rate(self, q: Vector, v: Vector) -> tuple[Motion, ...]:
        """``dS/dt``, column by column in the child frame, exactly."""

        def entries(moving: Vector) -> list[Scalar]:
            return [x for column in self.subspace(moving) for x in column]

        rates = derivative_along(entries, q, self.space.rate(q, v))
        return tuple(Motion.of(rates[k : k + 6]) for k in range(0, len(rates), 6))

    def velocity(self, q: Vector, v: Vector) -> Motion:
        """Velocity of the child relative to the parent, in the child frame: ``S v``."""
        motion = Motion.zero()
        for column, rate in zip(self.subspace(q), v, strict=True):
            motion = motion + column * rate
        return motion

    def reverse(self) -> Reversed[Joint]:
        """The joint seen from its child, and how coordinates convert to it.

        By default none is known.

        Raises:
            NotImplementedError: this type has no reversal; the message says so.
        """
        raise NotImplementedError(
            f"a {type(self).__name__} joint cannot be reversed: choose a root from which its "
            "parent comes before its child"
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """The constructor's arguments as plain data: what tells this joint from its like."""
        return {}

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{type(self).__name__}({arguments})"
