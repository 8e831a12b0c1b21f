# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Constraints that a robot moves under: what its model ties, and contacts that come and go.

A caller gives :class:`Contact`, :class:`dyn_core.Loop` and :class:`dyn_core.Coupling` as an option
of a quantity; definitions get :class:`Constraints`, in which the loops and then the couplings of
the model come first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from dyn_core.dynamics.declare.options import LOCAL, LOCAL_WORLD_ALIGNED, Reference, content
from dyn_core.errors import ModelError
from dyn_core.model.content import close
from dyn_core.model.coupling import Coupling
from dyn_core.model.frame import Frame
from dyn_core.model.loop import POINT, Loop, check_held
from dyn_core.model.model import Model
from dyn_core.model.reference_checks import check_scalar_joints

IndexedTerms = tuple[tuple[int, float], ...]
"""Indices of joints, each with its coefficient."""


@dataclass(frozen=True)
class Contact:
    """A frame that a contact fixes in the world, or to another frame."""

    frame: str
    kind: int = POINT
    """3 holds the frame's origin, as a foot that may turn does; 6 its axes too."""
    reference: Reference = LOCAL
    """Along which axes it is held and its force is given: LOCAL or LOCAL_WORLD_ALIGNED."""
    kp: float = 0.0
    """Baumgarte's stiffness of the position error, 1/s^2; it needs ``at``."""
    kd: float = 0.0
    """Baumgarte's damping of the velocity, 1/s; ``2 sqrt(kp)`` damps critically."""
    at: str = ""
    """The frame that it is held at, of the world or another body; by default the world, wherever
    the frame happens to be."""

    def __post_init__(self) -> None:
        close(self)
        where = f"contact of '{self.frame}'"
        check_held(where, self.kind, kp=self.kp, kd=self.kd)
        try:
            reference = Reference(self.reference)
        except ValueError:
            reference = Reference.WORLD
        if reference is Reference.WORLD:
            raise ModelError(
                f"{where}: reference must be LOCAL or LOCAL_WORLD_ALIGNED, not {self.reference!r}"
            )
        if self.kp and not self.at:
            raise ModelError(
                f"{where}: kp pulls to a target, so name the frame of the target: at=..."
            )
        object.__setattr__(self, "reference", reference)

    def __repr__(self) -> str:
        usual = (("reference", LOCAL), ("kp", 0.0), ("kd", 0.0), ("at", ""))
        given = [f", {k}={getattr(self, k)!r}" for k, x in usual if getattr(self, k) != x]
        return f"Contact({self.frame!r}, {self.kind}{''.join(given)})"


@dataclass(frozen=True)
class Constraint:
    """A contact or loop of one robot."""

    kind: int
    """Number of rows: 3 linear ones, or 6, linear ones first."""
    frame1: Frame
    frame2: Frame | None
    """None for the world, wherever ``frame1`` happens to be."""
    reference: Reference
    kp: float
    kd: float

    @classmethod
    def of(cls, model: Model, one: Contact | Loop) -> Constraint:
        """A contact or loop, resolved in ``model``. Raises KeyError and ModelError."""
        gains = one.kp, one.kd
        if isinstance(one, Loop):
            ends: tuple[Frame, Frame | None] = (model.frame(one.frame1), model.frame(one.frame2))
            found = cls(one.kind, *ends, LOCAL, *gains)
        else:
            place = model.frame(one.at) if one.at else None
            found = cls(one.kind, model.frame(one.frame), place, one.reference, *gains)
        if found.frame1.joint == found.joint2:
            raise ModelError(f"{one}: both frames are fixed to the same body; name another frame")
        return found

    @property
    def joint2(self) -> int:
        """The joint whose body ``frame1`` is held to; 0 is the world."""
        return self.frame2.joint if self.frame2 else 0

    @property
    def turned(self) -> bool:
        """Whether the rows are along the axes of the world, not of ``frame1``."""
        return self.reference is LOCAL_WORLD_ALIGNED

    def content(self) -> str:
        """A text that differs wherever two constraints lead to different code."""
        parts = (self.kind, self.frame1, self.frame2, self.reference, self.kp, self.kd)
        return content(parts)


@dataclass(frozen=True)
class CoupledJoints:
    """A coupling of one robot."""

    coupling: Coupling
    followers: IndexedTerms
    leaders: IndexedTerms

    kind: ClassVar[int] = 1
    """Number of rows."""

    @classmethod
    def of(cls, model: Model, coupling: Coupling) -> CoupledJoints:
        """A coupling, resolved in ``model``. Raises ModelError."""
        check_scalar_joints(model, coupling.joints, f"coupling '{coupling.name}'")
        ends = (
            tuple((model.joint_index(name), c) for name, c in terms)
            for terms in (coupling.followers, coupling.leaders)
        )
        return cls(coupling, *ends)

    @property
    def kp(self) -> float:
        """Baumgarte's stiffness of the position error, 1/s^2."""
        return self.coupling.kp

    @property
    def kd(self) -> float:
        """Baumgarte's damping of the velocity error, 1/s."""
        return self.coupling.kd

    def content(self) -> str:
        """A text that differs wherever two couplings lead to different code."""
        return content((self.followers, self.leaders, self.coupling.polynomial, self.kp, self.kd))


@dataclass(frozen=True)
class Constraints:
    """All that a robot moves under."""

    items: tuple[Constraint | CoupledJoints, ...]
    expectation: ClassVar[str] = "a Contact, Loop or Coupling, or a tuple of them"
    given: ClassVar[str] = "Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...]"

    @classmethod
    def resolved_from(cls, model: Model, value: Any) -> Constraints:
        """The loops and couplings of ``model`` and what an option gives.

        Raises:
            KeyError: there is no such frame.
            TypeError: not contacts, loops and couplings.
            ModelError: both ends are on one body, or a coupling of what is no joint of one
                coordinate.
        """
        return cls(tuple(_resolved(model, one) for one in asked(model, value)))

    def __len__(self) -> int:
        """The number of rows."""
        return sum(one.kind for one in self.items)

    def content(self) -> str:
        """A text that differs wherever two sets of constraints lead to different code."""
        return content(self.items)


def asked(model: Model, value: Any) -> tuple[Any, ...]:
    """All that is held, in the order of its rows, for an option ``value``."""
    given = value if isinstance(value, tuple) else (value,)
    return (*model.loops, *model.couplings, *given)


def _resolved(model: Model, one: Any) -> Constraint | CoupledJoints:
    if isinstance(one, Coupling):
        return CoupledJoints.of(model, one)
    if isinstance(one, (Contact, Loop)):
        return Constraint.of(model, one)
    raise TypeError(f"{one!r} is a {type(one).__name__}")


NONE: Any = ()
"""Nothing but the loops and couplings of the model: the option where nothing is given."""
