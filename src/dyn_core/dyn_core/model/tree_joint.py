# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""One joint of a robot's tree, with the body that it moves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

from dyn_core.errors import ModelError
from dyn_core.model.content import close
from dyn_core.model.joints import Joint
from dyn_core.model.value_checks import numbers
from dyn_core.spatial import SE3, Inertia
from dyn_core.spatial.immutable import immutable

BOUND_FIELDS = ("lower", "upper", "velocity", "effort", "acceleration", "jerk")
"""What motion and efforts shall keep within; no definition depends on them. All others enter the
dynamics, where an infinite number would be NaN in the end."""
POSITION_FIELDS = ("lower", "upper", "rest")
"""What has the size of a configuration, and any sign."""
UNIT_LENGTH_TOLERANCE = 1e-6
"""How far the coordinates of an orientation may be from unit length."""
Bound = float | Sequence[float]
"""One number for all coordinates of a joint, or one for each."""


@immutable
@dataclass(frozen=True)
class Limits:
    """Limits, losses and springs of a joint, one number per coordinate (rad, N m; else m, N).

    Those of a mimic joint apply to its own motion, not to the coordinate that it follows.
    """

    lower: tuple[float, ...]
    """(nq) lowest position; -inf where there is none."""
    upper: tuple[float, ...]
    """(nq) highest position; inf where there is none."""
    velocity: tuple[float, ...]
    """(nv) largest speed; inf where there is none."""
    effort: tuple[float, ...]
    """(nv) largest effort; inf where there is none."""
    damping: tuple[float, ...]
    """(nv) viscous friction, N m s/rad, N s/m."""
    friction: tuple[float, ...]
    """(nv) Coulomb friction, N m, N."""
    armature: tuple[float, ...]
    """(nv) inertia of the rotor seen from the joint, rotor inertia times gear ratio squared;
    kg m^2, kg."""
    stiction: tuple[float, ...]
    """(nv) what static friction is above ``friction``, N m, N; it fades as the joint moves."""
    stribeck_velocity: tuple[float, ...]
    """(nv) speed at which 1/e of ``stiction`` is left, rad/s, m/s; 0 where there is no stiction."""
    stiffness: tuple[float, ...]
    """(nv) stiffness of a spring between the joint's two bodies, N m/rad, N/m."""
    rest: tuple[float, ...]
    """(nq) position in which the spring is relaxed."""
    acceleration: tuple[float, ...]
    """(nv) largest acceleration, rad/s^2, m/s^2; inf where there is none."""
    jerk: tuple[float, ...]
    """(nv) largest jerk, rad/s^3, m/s^3; inf where there is none."""

    @classmethod
    def of(
        cls,
        joint: Joint,
        *,
        lower: Bound = -math.inf,
        upper: Bound = math.inf,
        velocity: Bound = math.inf,
        effort: Bound = math.inf,
        damping: Bound = 0.0,
        friction: Bound = 0.0,
        armature: Bound = 0.0,
        stiction: Bound = 0.0,
        stribeck_velocity: Bound = 0.0,
        stiffness: Bound = 0.0,
        rest: Bound | None = None,
        acceleration: Bound = math.inf,
        jerk: Bound = math.inf,
    ) -> Limits:
        """Limits of a joint of this type; a single number holds for all its coordinates.

        Springs are relaxed in the neutral configuration unless ``rest`` is given.

        Raises:
            ModelError: a wrong number of numbers, NaN, bounds that exclude each other, or a
                number that must not be negative, stiction that never fades, or a spring whose
                rest is no configuration.
        """
        given: dict[str, Bound] = {
            "lower": lower, "upper": upper, "velocity": velocity, "effort": effort,
            "damping": damping, "friction": friction, "armature": armature, "stiction": stiction,
            "stribeck_velocity": stribeck_velocity, "stiffness": stiffness,
            "rest": joint.space.neutral() if rest is None else rest, "acceleration": acceleration,
            "jerk": jerk,
        }  # fmt: skip
        return cls(**cls.sized(joint, given))

    @staticmethod
    def sized(joint: Joint, given: Mapping[str, Bound]) -> dict[str, tuple[float, ...]]:
        """Some fields, by name, with a number for each coordinate of the joint.

        Raises:
            ModelError: a wrong number of numbers.
        """
        return {name: _each(x, _count(joint, name), name) for name, x in given.items()}

    def __post_init__(self) -> None:
        close(self)
        for field in fields(self):
            values = getattr(self, field.name)
            if any(map(math.isnan, values)):
                raise ModelError(f"{field.name} is {list(values)}; a limit must not be NaN")
            if field.name not in POSITION_FIELDS and min(values, default=0.0) < 0.0:
                raise ModelError(f"{field.name} must not be negative")
            if field.name not in BOUND_FIELDS and not all(map(math.isfinite, values)):
                raise ModelError(f"{field.name} must be finite")
        for excess, speed in zip(self.stiction, self.stribeck_velocity, strict=False):
            if excess > 0.0 and speed == 0.0:
                raise ModelError(
                    f"stiction of {excess} needs a stribeck_velocity above 0, at which it fades"
                )
        for low, high in zip(self.lower, self.upper, strict=False):
            if low > high:
                raise ModelError(f"the lower limit {low} is above the upper limit {high}")

    def effects(self) -> Limits:
        """The same without the bounds, on which no definition depends."""
        free = {name: (math.inf,) * len(getattr(self, name)) for name in BOUND_FIELDS}
        return replace(self, **{**free, "lower": (-math.inf,) * len(self.lower)})

    def check_size(self, joint: Joint) -> None:
        """That there is a number for each coordinate of ``joint``.

        Raises:
            ModelError: there is not, or its spring rests in no configuration of it.
        """
        self.sized(joint, {field.name: getattr(self, field.name) for field in fields(self)})
        if not joint.space.is_normalized(self.rest, UNIT_LENGTH_TOLERANCE):
            raise ModelError(f"rest {list(self.rest)} holds an orientation not of unit length")


@immutable
@dataclass(frozen=True)
class TreeJoint:
    """A joint with its placement, parent and inertia; index 0 of a model is the universe."""

    name: str
    joint: Joint
    parent: int
    """Index of the joint that carries this one, smaller than its own; 0 for the universe."""
    placement: SE3
    """Placement of the joint, at its neutral configuration, in the frame of its parent joint."""
    inertia: Inertia
    """Inertia of the moved body with all that is fixed to it, in the joint's frame."""
    limits: Limits
    primary: int
    """Index of the joint whose coordinates it uses: its own, but for a mimic joint."""

    def __post_init__(self) -> None:
        for part, kind in ((self.placement, SE3), (self.inertia, Inertia)):
            if type(part) is not kind:  # compiled code does not call the methods of a subclass
                raise TypeError(
                    f"joint '{self.name}': {part!r} must be of the class {kind.__name__} itself"
                )
        try:
            self.limits.check_size(self.joint)
        except ModelError as error:
            raise ModelError(f"joint '{self.name}': {error}") from error


def _count(joint: Joint, name: str) -> int:
    """How many numbers a field has."""
    return joint.nq if name in POSITION_FIELDS else joint.nv


def _each(value: Bound, count: int, what: str) -> tuple[float, ...]:
    each = value if hasattr(value, "__len__") else [value] * count
    found = tuple(numbers(what, each, ("n",)).tolist())
    if len(found) != count:
        raise ModelError(f"{what} has {len(found)} numbers; the joint has {count} coordinates")
    return found
