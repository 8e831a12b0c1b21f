# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""MJCF's tendons that act on joints by themselves: springs, losses."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dyn_core.dynamics.tendon_lengths import spans, tendon_length
from dyn_core.dynamics.tree_passes import joint_kinematics, placements
from dyn_core.errors import ModelError
from dyn_core.model.builder import ModelBuilder
from dyn_core.model.frame import FrameType
from dyn_core.model.model import Model
from dyn_core.model.tendon import Point, Strand, Tendon
from dyn_core.readers.mjcf.document import Document, ElementFields
from dyn_core.readers.mjcf.equalities import describe, tendon_terms
from dyn_core.readers.mjcf.mjcf_joints import JointDescription
from dyn_core.readers.mjcf.settings import MjcfSettings

AT_REST = -1.0
"""The value of ``springlength`` for a spring that is relaxed in MuJoCo's pose of springs."""
PARTS = ("site", "geom", "pulley")


@dataclass(frozen=True)
class _Action:
    """The forces of a tendon."""

    stiffness: tuple[float, ...]
    damping: tuple[float, ...]
    friction: float
    armature: float

    @classmethod
    def of(cls, settings: MjcfSettings, fields: ElementFields) -> _Action:
        stiffness, damping = (
            () if flag in settings.disabled else _trimmed(fields.numbers(name, [0.0] * 3, least=1))
            for flag, name in (("spring", "stiffness"), ("damper", "damping"))
        )
        has_friction = "frictionloss" not in settings.disabled
        friction = fields.number("frictionloss", 0.0) if has_friction else 0.0
        return cls(stiffness, damping, friction, fields.number("armature", 0.0))

    def __bool__(self) -> bool:
        return bool(self.stiffness or self.damping or self.friction or self.armature)


def _trimmed(numbers: Sequence[float]) -> tuple[float, ...]:
    last = max((k for k, x in enumerate(numbers, 1) if x), default=0)
    return tuple(numbers[:last])


def read_tendons(
    document: Document,
    settings: MjcfSettings,
    builder: ModelBuilder,
    joints: Mapping[str, JointDescription],
) -> list[Tendon]:
    """The tendons that exert forces; others, such as those of sensors, are passed over.

    Their springs' lengths at rest are still those of the document, which may say :data:`AT_REST`.

    Raises:
        ModelError: a tendon with forces that cannot be represented, or of
            an element that does not exist.
    """
    found = []
    for number, element in enumerate(document.in_sections("tendon")):
        fields = document.fields(element, describe(element, "tendon"), kind="tendon")
        action = _Action.of(settings, fields)
        if not action or "tendon" in document.ignore:
            continue
        if element.tag not in ("spatial", "fixed"):
            document.refuse_unknown(element.tag, "<tendon>", "element")
            continue
        if action.stiffness and fields.number("springyield", 0.0):
            document.refuse("springyield", fields.where)
        if action.armature:
            document.refuse("tendon", f"{fields.where}: its armature")
        name = fields.values.get("name") or f"tendon_{number}"
        low, high = _relaxed(fields)
        found.append(
            Tendon(
                name,
                _strands(document, builder, element, fields) if element.tag == "spatial" else (),
                tendon_terms(document, element, joints) if element.tag == "fixed" else (),
                stiffness=action.stiffness,
                relaxed=(low, high),
                damping=action.damping,
                friction=action.friction,
            )
        )
    return found


def _relaxed(fields: ElementFields) -> tuple[float, float]:
    given = fields.numbers("springlength", (AT_REST, math.nan), least=1)
    low, high = given[0], given[0] if math.isnan(given[1]) else given[1]
    if low > high:
        raise ModelError(f"{fields.where}: springlength '{low} {high}' is empty; correct it")
    return low, high


def _strands(
    document: Document, builder: ModelBuilder, element: ET.Element, fields: ElementFields
) -> tuple[Strand, ...]:
    """The ways of a spatial tendon from site to site; pulleys part them."""
    strands: list[Strand] = []
    points: list[Point] = []
    share = 1.0
    for part in [*element, ET.Element("pulley", divisor="1")]:
        inner = ElementFields(f"{fields.where}: <{part.tag}>", dict(part.attrib))
        if part.tag == "site":
            points.append(_site(builder, inner))
        elif part.tag == "pulley":
            if len(points) > 1:
                strands.append(Strand(tuple(points), share))
            divisor = inner.number("divisor", 0.0)
            if divisor <= 0.0:
                raise ModelError(f"{inner.where}: its divisor must be positive; correct it")
            points, share = [], 1.0 / divisor
        elif part.tag == "geom":
            document.refuse("tendon", f"{fields.where}: it winds around a geom")
        else:
            document.refuse_unknown(part.tag, fields.where, "element")
    return tuple(strands)


def _site(builder: ModelBuilder, fields: ElementFields) -> Point:
    name = fields.required("site")
    frame = builder.frames.get((name, FrameType.OPERATIONAL))
    if frame is None:
        raise ModelError(f"{fields.where}: there is no site '{name}'; correct the name")
    x, y, z = (float(entry) for entry in frame.placement.translation)
    return frame.joint, (x, y, z)


def relaxed_at(tendons: Sequence[Tendon], model: Model, q: Sequence[float]) -> list[Tendon]:
    """The same tendons; springs without a given length are relaxed at ``q``."""
    oMi = placements(model, joint_kinematics(model, q))

    def length(tendon: Tendon) -> float:
        return float(tendon_length(model, tendon, q, list(spans(tendon, oMi))))

    return [
        replace(tendon, relaxed=(length(tendon),) * 2)
        if tendon.relaxed == (AT_REST, AT_REST)
        else tendon
        for tendon in tendons
    ]
