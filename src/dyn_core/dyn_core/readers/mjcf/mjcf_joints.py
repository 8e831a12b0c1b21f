# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""MJCF's joints: type, place, zero position, limits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dyn_core.errors import ModelError
from dyn_core.model.joints import (
    Composite,
    FreeFlyer,
    Joint,
    Prismatic,
    Revolute,
    Spherical,
    Translation,
)
from dyn_core.model.tree_joint import Bound, Limits
from dyn_core.readers.mjcf.document import Document, ElementFields
from dyn_core.readers.mjcf.settings import MjcfSettings, turn
from dyn_core.readers.parsing import snapped
from dyn_core.spatial import SE3, Matrix3, Vector3

TYPES = ("hinge", "slide", "ball", "free")


@dataclass(frozen=True)
class JointDescription:
    """One joint of a body, in the frame that the body has when all its joints are at rest."""

    name: str
    where: str
    joint: Joint
    anchor: Vector3
    """Its anchor in the frame of the body (m)."""
    zero: SE3
    """Placement of its child at coordinate 0; the pose of the document is at ``ref``."""
    rest: tuple[float, ...]
    """Its coordinates in the document's pose (MuJoCo's qpos0); none if it is free."""
    limits: Limits
    springdamper: tuple[float, float] | None = None
    """Time constant (s) and damping ratio that spring and damper give it, if they do."""


def free_joint(fields: ElementFields, name: str) -> JointDescription:
    """A ``<freejoint>``, to which default classes do not apply."""
    joint = FreeFlyer()
    limits = Limits.of(joint)
    return JointDescription(name, fields.where, joint, Vector3.zero(), SE3.identity(), (), limits)


def read_joint(
    document: Document, settings: MjcfSettings, fields: ElementFields, name: str, frame: SE3
) -> JointDescription:
    """A ``<joint>``; ``frame`` is where the ``<frame>`` elements around it are in the body.

    Raises:
        ModelError: a value that no joint can have, or a force that a Model does not have.
    """
    kind = fields.word("type", TYPES, "hinge")
    _check_forces(document, settings, fields)
    if kind == "free":
        return _floating(settings, fields, name)
    anchor = frame.act_point(Vector3(*fields.numbers("pos", (0.0, 0.0, 0.0))))
    bounds: dict[str, Bound] = {**_losses(settings, fields)}
    bounds["stiffness"] = _stiffness(document, settings, fields)
    springdamper = _springdamper(fields)
    if kind == "ball":
        limits = _limits(fields, Spherical(), bounds)
        rest: tuple[float, ...] = (0.0, 0.0, 0.0, 1.0)
        return JointDescription(
            name, fields.where, Spherical(), anchor, SE3.identity(), rest, limits, springdamper
        )
    joint = _one_axis(fields, kind, frame)
    unit = settings.angle_unit if kind == "hinge" else 1.0
    ref = fields.number("ref", 0.0) * unit
    bounds.update(_range(settings, fields, unit))
    bounds["rest"] = fields.number("springref", 0.0) * unit
    bounds["effort"] = _effort(settings, fields)
    zero = _moved(joint, -ref)
    limits = _limits(fields, joint, bounds)
    return JointDescription(name, fields.where, joint, anchor, zero, (ref,), limits, springdamper)


def _check_forces(document: Document, settings: MjcfSettings, fields: ElementFields) -> None:
    """Refuse forces on the joint that a Model does not have."""
    stiffness = fields.numbers("stiffness", [0.0] * 3, least=1)
    is_free = fields.word("type", TYPES, "hinge") == "free"
    if any(stiffness[1:]) or (stiffness[0] and is_free):
        document.refuse("stiffness", fields.where)
    has_spring = any(stiffness) or _springdamper(fields) is not None
    if has_spring and "spring" not in settings.disabled and fields.number("springyield", 0.0):
        document.refuse("springyield", fields.where)
    if min(fields.numbers("springdamper", (0.0, 0.0))) > 0.0 and is_free:
        document.refuse("stiffness", fields.where)
    if any(fields.numbers("damping", [0.0] * 3, least=1)[1:]):
        document.refuse("damping", fields.where)


def _floating(settings: MjcfSettings, fields: ElementFields, name: str) -> JointDescription:
    """A free joint that is a ``<joint>``.

    MuJoCo's armature of one acts along the axes of the world, as if the body had more mass that
    weighs nothing; so it belongs to a joint whose linear velocity has these axes.
    """
    has_armature = fields.number("armature", 0.0) != 0.0
    joint = Composite([Translation(), Spherical()]) if has_armature else FreeFlyer()
    limits = _limits(fields, joint, _losses(settings, fields))
    return JointDescription(name, fields.where, joint, Vector3.zero(), SE3.identity(), (), limits)


def _springdamper(fields: ElementFields) -> tuple[float, float] | None:
    constant, ratio = fields.numbers("springdamper", (0.0, 0.0))
    return (constant, ratio) if min(constant, ratio) > 0.0 else None


def _stiffness(document: Document, settings: MjcfSettings, fields: ElementFields) -> float:
    """That of the spring at the joint, N m/rad or N/m."""
    first, *others = fields.numbers("stiffness", [0.0] * 3, least=1)
    if "spring" in settings.disabled or (any(others) and "stiffness" in document.ignore):
        return 0.0
    return first


def _one_axis(fields: ElementFields, kind: str, frame: SE3) -> Revolute | Prismatic:
    axis = frame.rotation.apply(Vector3(*fields.numbers("axis", (0.0, 0.0, 1.0))))
    try:
        return Revolute(list(axis)) if kind == "hinge" else Prismatic(list(axis))
    except ValueError as error:
        raise ModelError(f"{fields.where}: {error}") from error


def _moved(joint: Revolute | Prismatic, by: float) -> SE3:
    """The placement of the joint's child at the coordinate ``by``."""
    if isinstance(joint, Prismatic):
        return snapped(SE3(Matrix3.identity(), joint.axis * by))
    return snapped(SE3(turn(joint.axis, by), Vector3.zero()))


def _losses(settings: MjcfSettings, fields: ElementFields) -> dict[str, float]:
    damping, friction = (
        0.0 if flag in settings.disabled else fields.numbers(name, [0.0] * 3, least=1)[0]
        for flag, name in (("damper", "damping"), ("frictionloss", "frictionloss"))
    )
    return {
        "damping": damping,
        "friction": friction,
        "armature": fields.number("armature", 0.0),
    }


def _range(settings: MjcfSettings, fields: ElementFields, unit: float) -> dict[str, float]:
    """The limits of a position, if it is limited."""
    low, high = fields.numbers("range", (0.0, 0.0))
    if not _is_limited(settings, fields, "limited", "range", (low, high)):
        return {}
    return {"lower": low * unit, "upper": high * unit}


def _effort(settings: MjcfSettings, fields: ElementFields) -> float:
    """The effort that is within the limits in both directions."""
    bounds = fields.numbers("actuatorfrcrange", (0.0, 0.0))
    if not _is_limited(settings, fields, "actuatorfrclimited", "actuatorfrcrange", bounds):
        return math.inf
    return min(map(abs, bounds))


def _is_limited(
    settings: MjcfSettings, fields: ElementFields, switch: str, name: str, bounds: Sequence[float]
) -> bool:
    state = fields.word(switch, ("true", "false", "auto"), "auto")
    has_range = any(bounds)
    if state == "auto" and has_range and not settings.autolimits:
        raise ModelError(
            f"{fields.where} has a {name}, but autolimits is false; say {switch}='true' or 'false'"
        )
    is_limited = state == "true" or (state == "auto" and has_range)
    if is_limited and bounds[0] >= bounds[1]:
        raise ModelError(
            f"{fields.where}: {name} {bounds[0]} to {bounds[1]} is empty; give the lower "
            "bound first"
        )
    return is_limited


def _limits(fields: ElementFields, joint: Joint, bounds: Mapping[str, Bound]) -> Limits:
    try:
        return Limits.of(joint, **bounds)
    except ModelError as error:
        raise ModelError(f"{fields.where}: {error}; correct it") from error
