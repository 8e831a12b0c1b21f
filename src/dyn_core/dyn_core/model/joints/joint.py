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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from dyn_core.spatial import SE3, Motion, Vector3
from dyn_core.spatial.immutable import Immutable
from dyn_core.spatial.lie.space import Coordinates, Space, Vector
from dyn_core.spatial.scalars import Scalar
from dyn_core.spatial.scalars.dual_numbers import derivative_along


def sameness(joint: Joint) -> Any:
    """Equality key: equal for joints that are exchangeable.

    A joint of a class outside this package equals only itself.
    """
    own = vars(joint)
    known = type(joint).__module__.startswith("dyn_core.")
    if not known or any(callable(value) for value in own.values()):
        return joint
    items = [x for v in own.values() for x in (v if isinstance(v, tuple) else (v,))]
    parts = [sameness(x) for x in items if isinstance(x, Joint)]
    space = type(joint.space), joint.nq, joint.nv
    return (type(joint), repr(joint), space, *parts)


class Freedom(Enum):
    """The motion that a joint type may declare; the compiler uses it."""

    ANY = "any"
    """Not declared: only the subspace shows it."""
    NONE = "none"
    """No motion: the child is fixed to the parent."""
    TURN = "turn"
    """A rotation about ``axis``, which is fixed in both bodies: S = [0; axis]."""
    SLIDE = "slide"
    """A translation along ``axis``, which is fixed in both bodies: S = [axis; 0]."""


class Joint(Immutable):
    """One joint type: kinematics and configuration space (Featherstone 2008, section 4.4)."""

    space: Space
    """Where the configuration lives; it knows how to integrate, interpolate and so on."""

    freedom: Freedom = Freedom.ANY
    """What a type declares about its motion; a subclass repeats it. See :attr:`motion_class`."""

    axis: Vector3
    """Rotation axis or sliding direction, for types that declare one."""

    ratio: float = 1.0
    """Rate of its own motion per rate of its coordinate: a mimic joint's multiplier, else 1."""

    @property
    def motion_class(self) -> Freedom:
        """The kind of motion that the type declares.

        With a declaration, the compiler may move inertia that does not act on the joint to the
        parent body, and turn the axis to z. Subclasses may override the motion, so a declaration of
        the base class does not count.
        """
        declared = vars(type(self)).get("freedom", Freedom.ANY)
        return declared if isinstance(declared, Freedom) else Freedom.ANY

    def with_axis(self, axis: Vector3) -> Joint:
        """The same joint with another unit axis, for types that have an ``axis``."""
        return type(self)(**{**self.parameters, "axis": list(axis)})

    def own_q(self, q: Vector) -> Vector:
        """``q``; for a mimic joint, multiplier times ``q`` plus offset."""
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

    def reverse(self) -> Reversed:
        """The joint seen from its child, and how its configurations convert.

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
        """The constructor's arguments as plain data: they distinguish joints of a type."""
        return {}

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{type(self).__name__}({arguments})"


@dataclass(frozen=True)
class Reversed:
    """``joint.transform(configuration(q)) * after`` is the inverse of the original."""

    joint: Joint
    configuration: Callable[[Vector], Coordinates]
    """Converts a configuration of the original."""
    after: SE3


def backwards(
    pieces: Sequence[tuple[int, Callable[[Vector], Coordinates]]],
) -> Callable[[Vector], Coordinates]:
    """A conversion piece by piece, which reverses their order; a piece has a size."""

    def configuration(q: Vector) -> Coordinates:
        result: Coordinates = ()
        for size, convert in pieces:
            result = (*convert(q[:size]), *result)
            q = q[size:]
        return result

    return configuration
