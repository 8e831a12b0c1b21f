# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""MJCF's ``<connect>`` and ``<weld>``: equalities that close loops."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence

from dyn_core.errors import ModelError
from dyn_core.model.builder import ModelBuilder
from dyn_core.model.frame import FrameType
from dyn_core.model.loop import PLACEMENT, POINT, Loop
from dyn_core.readers.mjcf.body import WORLD, Body
from dyn_core.readers.mjcf.document import Document, ElementFields
from dyn_core.readers.mjcf.equalities import baumgarte_gains, equality_fields
from dyn_core.readers.mjcf.settings import unit_quaternion
from dyn_core.readers.parsing import snapped
from dyn_core.spatial import SE3, Matrix3, Vector3

OPERATIONAL = FrameType.OPERATIONAL


def add_loops(document: Document, builder: ModelBuilder, bodies: Sequence[Body]) -> None:
    """Close the loops of a document: the frames that stay together are added under own names.

    Frames of a loop between bodies are called after its equality, ``weld_1`` and ``weld_2``; those
    between sites are the sites, unless these share their names with a body or joint. A constraint
    between bodies without relative motion is passed over.

    Raises:
        ModelError: an equality of bodies or sites that do not exist, or of neither.
    """
    at_rest = _placements(bodies)
    for number, element in enumerate(document.in_sections("equality")):
        if element.tag not in ("connect", "weld") or element.tag in document.ignore:
            continue
        fields = equality_fields(document, element)
        if not fields.flag("active", True):
            continue
        stem = fields.values.get("name") or f"{element.tag}_{number}"
        ends = _site_ends(builder, fields, stem) or _body_ends(
            builder, element, fields, stem, at_rest
        )
        joints = {builder.frames[end, OPERATIONAL].joint for end in ends}
        if len(joints) == 2:
            builder.loops.append(Loop(*ends, _kind(element, fields), *baumgarte_gains(fields)))


def _placements(bodies: Sequence[Body]) -> dict[str, SE3]:
    """The placement of each body in the world in the document's pose."""
    found: list[SE3] = []
    for body in bodies:
        found.append(found[body.parent] * body.placement if found else body.placement)
    return {body.name: place for body, place in zip(bodies, found, strict=True)}


def _kind(element: ET.Element, fields: ElementFields) -> int:
    is_point = element.tag == "connect" or fields.number("torquescale", 1.0) == 0.0
    return POINT if is_point else PLACEMENT


def _site_ends(builder: ModelBuilder, fields: ElementFields, stem: str) -> tuple[str, str] | None:
    """The frames of the two sites; None if the equality is between bodies."""
    if "site1" not in fields and "site2" not in fields:
        return None
    first, second = fields.required("site1"), fields.required("site2")
    for site in (first, second):
        if (site, OPERATIONAL) not in builder.frames:
            raise ModelError(f"{fields.where}: there is no site '{site}'; correct the name")
    return _named_alone(builder, first, f"{stem}_1"), _named_alone(builder, second, f"{stem}_2")


def _named_alone(builder: ModelBuilder, site: str, other: str) -> str:
    """The name of the site's frame, or of a new frame there if something else has that name too."""
    if not any((site, kind) in builder.frames for kind in FrameType if kind is not OPERATIONAL):
        return site
    frame = builder.frames[site, OPERATIONAL]
    return _add_frame(builder, other, frame.joint, frame.placement)


def _add_frame(builder: ModelBuilder, name: str, joint: int, placement: SE3) -> str:
    """Add a frame under this name, with underscores added where that is another's; its name."""
    while any((name, kind) in builder.frames for kind in FrameType):
        name += "_"
    builder.add_frame(name, OPERATIONAL, joint, placement)
    return name


def _body_ends(
    builder: ModelBuilder,
    element: ET.Element,
    fields: ElementFields,
    stem: str,
    at_rest: dict[str, SE3],
) -> tuple[str, str]:
    """Two new frames, each fixed to one of the bodies."""
    names = fields.required("body1"), fields.values.get("body2") or WORLD
    for name in names:
        if name not in at_rest:
            raise ModelError(f"{fields.where}: there is no body '{name}'; correct the name")
    anchor = SE3(Matrix3.identity(), Vector3(*fields.numbers("anchor", (0.0, 0.0, 0.0))))
    relative = at_rest[names[0]].inverse() * at_rest[names[1]]
    if element.tag == "connect":
        placements = anchor, relative.inverse() * anchor
    else:
        placements = _given_pose(fields) or relative * anchor, anchor
    made = []
    for end, (name, placement) in enumerate(zip(names, placements, strict=True), 1):
        body = builder.frames[name, FrameType.BODY]
        place = snapped(body.placement * placement)
        made.append(_add_frame(builder, f"{stem}_{end}", body.joint, place))
    return made[0], made[1]


def _given_pose(fields: ElementFields) -> SE3 | None:
    """Placement of the anchor in the first body, axes along the second; None if not given.

    In MuJoCo the position of ``relpose`` is that of the anchor, not of the second body.
    """
    x, y, z, *quaternion = fields.numbers("relpose", (0.0, 1.0, *[0.0] * 5))
    if not any(quaternion):
        return None
    w, i, j, k = quaternion
    rotation = Matrix3.quaternion(*unit_quaternion((i, j, k, w), fields.where))
    return SE3(rotation, Vector3(x, y, z))
