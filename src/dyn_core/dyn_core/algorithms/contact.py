"""Constraints that a robot moves under: loops of its model, and contacts that come and go.

A caller gives :class:`Contact` and :class:`dyn_core.Loop` as an option of a quantity; definitions
get :class:`Constraints`, in which the loops of the model come first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from dyn_core.algorithms.options import LOCAL, LOCAL_WORLD_ALIGNED, Reference, content
from dyn_core.errors import ModelError
from dyn_core.model.frame import Frame
from dyn_core.model.loop import POINT, Loop, check_held
from dyn_core.model.model import Model


@dataclass(frozen=True)
class Contact:
    """A frame held still in the world, or with another frame, while the contact lasts."""

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
                f"{where}: kp pulls back to a place, so name the frame of that place: at=..."
            )
        object.__setattr__(self, "reference", reference)

    def __repr__(self) -> str:
        usual = (("reference", LOCAL), ("kp", 0.0), ("kd", 0.0), ("at", ""))
        said = [f", {k}={getattr(self, k)!r}" for k, x in usual if getattr(self, k) != x]
        return f"Contact({self.frame!r}, {self.kind}{''.join(said)})"


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
        """What a contact or loop is in ``model``. Raises KeyError and ModelError."""
        gains = one.kp, one.kd
        if isinstance(one, Loop):
            ends: tuple[Frame, Frame | None] = (model.frame(one.frame1), model.frame(one.frame2))
            found = cls(one.kind, *ends, LOCAL, *gains)
        else:
            place = model.frame(one.at) if one.at else None
            found = cls(one.kind, model.frame(one.frame), place, one.reference, *gains)
        if found.frame1.joint == found.joint2:
            raise ModelError(f"{one}: what is held is fixed to the same body; name another frame")
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
class Constraints:
    """All that a robot moves under."""

    items: tuple[Constraint, ...]
    expectation: ClassVar[str] = "a Contact or Loop, or a tuple of them"

    @classmethod
    def resolved_from(cls, model: Model, value: Any) -> Constraints:
        """The loops of ``model`` and what an option gives.

        Raises:
            KeyError: there is no such frame.
            TypeError: not contacts and loops.
            ModelError: both ends are on one body, or the model has couplings, which would be lost.
        """
        if model.couplings:
            names = ", ".join(repr(coupling.name) for coupling in model.couplings)
            raise ModelError(
                f"'{model.name}' has the couplings {names}, which constraints do not hold; take "
                "them out with dataclasses.replace(model, couplings=()) if they do not matter"
            )
        given = value if isinstance(value, tuple) else (value,)
        for one in given:
            if not isinstance(one, (Contact, Loop)):
                raise TypeError(f"{one!r} is a {type(one).__name__}")
        return cls(tuple(Constraint.of(model, one) for one in (*model.loops, *given)))

    def __len__(self) -> int:
        """The number of rows."""
        return sum(one.kind for one in self.items)

    def content(self) -> str:
        """A text that differs wherever two sets of constraints lead to different code."""
        return content(self.items)


NONE: Any = ()
"""Nothing but the loops of the model: what the option is where nothing is said."""
