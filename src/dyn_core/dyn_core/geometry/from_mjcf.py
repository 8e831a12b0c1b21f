# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The geometry of MJCF: its geoms, and the pairs that MuJoCo would check."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dyn_core.errors import ModelError
from dyn_core.geometry.geometry_model import (
    GeometryModel,
    GeometryObject,
    Kind,
    Pair,
    without_missing,
)
from dyn_core.geometry.shapes import (
    Box,
    Capsule,
    Cylinder,
    EllipsoidShape,
    HalfSpace,
    Shape,
    Sphere,
    TriangleMesh,
)
from dyn_core.model.frame import FrameType
from dyn_core.model.model import Model
from dyn_core.readers.mjcf.body import Body
from dyn_core.readers.mjcf.document import Document, ElementFields
from dyn_core.readers.mjcf.geom import (
    FLAT,
    FROM_FILES,
    SHAPES,
    Geom,
    fitted_shape,
    size_and_placement,
)
from dyn_core.readers.mjcf.mesh import Meshes
from dyn_core.readers.mjcf.reader import read_bodies
from dyn_core.readers.mjcf.settings import MjcfSettings
from dyn_core.spatial import SE3


def geometry_from_mjcf(
    model: Model,
    source: str | os.PathLike[str],
    kind: Kind = Kind.COLLISION,
    ignore: Collection[str] = (),
    missing: dict[str, str] | None = None,
) -> GeometryModel:
    """The geoms of a robot that was read from the same MJCF.

    For collisions, the geoms that MuJoCo would check are read (``contype`` or ``conaffinity``, or
    an explicit ``<pair>``), with the convex hulls of meshes; for display, all geoms. The pairs are
    MuJoCo's: pairs that the bits of ``contype`` and ``conaffinity`` allow, of bodies that are
    neither fixed to each other nor parent and child nor under ``<exclude>``, and the explicit
    pairs. A geom without a name is named after its body, with a number (``forearm_0``).

    Args:
        model: the robot.
        source: the MJCF text, or the path of a file. Only a file can refer to mesh files.
        kind: what to read, :attr:`Kind.COLLISION` or :attr:`Kind.VISUAL`.
        ignore: elements to leave out, as for :func:`dyn_core.readers.mjcf.model_from_mjcf`.
        missing: if given, shapes whose mesh file is missing are left out, and the reason is stored
            here by body; without it a missing file is an error.

    Raises:
        ModelError: a body that the model does not have, or a shape that is broken or unknown.
    """
    ignored = frozenset([ignore] if isinstance(ignore, str) else ignore)
    document, settings, bodies = read_bodies(source, ignored)
    reader = _MjcfShapes(model, document, settings, bodies)
    explicit = _explicit_pairs(document)
    wanted = {name for pair in explicit for name in pair}
    entries = reader.entries(kind, wanted, missing)
    objects = tuple(entry.geometry for entry in entries)
    geometry = GeometryModel(kind, objects)
    if kind is Kind.VISUAL:
        return geometry
    excluded = _excluded(document)
    filters = not _is_disabled(document, "filterparent")
    numbered = [(i, j) for i in range(len(entries)) for j in range(i + 1, len(entries))]
    pairs: list[Pair] = [
        (i, j) for i, j in numbered if _meet(entries[i], entries[j], excluded, filters)
    ]
    try:
        return GeometryModel(kind, objects, tuple(pairs)).with_pairs(explicit)
    except KeyError as error:
        raise ModelError(f"a <pair> of <contact>: {error.args[0]}") from error


@dataclass(frozen=True)
class _Entry:
    """A geom and the attributes that select its collision pairs."""

    geometry: GeometryObject
    contype: int
    conaffinity: int
    weld: int
    """Index of the body that its own body is fixed to, the nearest to the root; 0 for the world."""
    weld_parent: int
    """The same index of the parent of that body."""


class _MjcfShapes:
    """Reads the geoms of the bodies of a document."""

    def __init__(
        self, model: Model, document: Document, settings: MjcfSettings, bodies: Sequence[Body]
    ) -> None:
        self.document = document
        self.settings = settings
        self.bodies = bodies
        self.meshes = Meshes(document, settings)
        self.frames = {f.name: f for f in model.frames if f.type is FrameType.BODY}
        for body in bodies:
            if body.name not in self.frames:
                raise ModelError(
                    f"{body.where} is not in the model '{model.name}'; read both from one MJCF"
                )

    def entries(
        self, kind: Kind, wanted: Collection[str], missing: dict[str, str] | None
    ) -> list[_Entry]:
        """The geoms of this kind, and the geoms whose names are in ``wanted``."""
        found: list[_Entry] = []
        welds: list[int] = []
        for index, body in enumerate(self.bodies):
            welds.append(index if body.joints else (welds[body.parent] if index else 0))
            weld = welds[index]
            above = welds[self.bodies[weld].parent]
            for number, geom in enumerate(body.geoms):
                fields = self.document.fields(geom.element, geom.where, geom.class_)
                bits = int(fields.number("contype", 1.0)), int(fields.number("conaffinity", 1.0))
                name = fields.values.get("name") or f"{body.name}_{number}"
                if kind is Kind.COLLISION and not any(bits) and name not in wanted:
                    continue
                with without_missing(missing, body.name):
                    entry = self._object(body, geom, fields, name, kind)
                    if entry is not None:
                        found.append(_Entry(entry, *bits, weld, above))
        return found

    def _object(
        self, body: Body, geom: Geom, fields: ElementFields, name: str, kind: Kind
    ) -> GeometryObject | None:
        """The geom with its placement; None if it is left out."""
        read = self._shape(fields, kind)
        if read is None:
            return None
        shape, local = read
        frame = self.frames[body.name]
        placement = frame.placement * geom.frame * local
        return GeometryObject(name, body.name, frame.joint, placement, shape)

    def _shape(self, fields: ElementFields, use: Kind) -> tuple[Shape, SE3] | None:
        kind = fields.word("type", (*SHAPES, *FLAT, *FROM_FILES), "sphere")
        if kind in FLAT:
            return HalfSpace(), self.settings.placement(fields)
        if kind in ("sdf", "hfield"):
            self.document.refuse("mesh", fields.where)
            return None
        if kind == "mesh":
            mesh = self.meshes.mesh(fields.required("mesh"), fields.where)
            if mesh is None:
                return None
            is_convex = use is Kind.COLLISION
            shape = TriangleMesh(mesh, None, (1.0, 1.0, 1.0), is_convex)
            return shape, self.settings.placement(fields)
        if "mesh" in fields:
            fit = fitted_shape(self.settings, self.meshes, fields, kind)
            return None if fit is None else (_solid_shape(kind, fit[0]), fit[1])
        size, placement = size_and_placement(self.settings, fields, kind)
        return _solid_shape(kind, size), placement


def _solid_shape(kind: str, size: Sequence[float]) -> Shape:
    """The shape of MJCF's sizes, which are half lengths."""
    if kind == "sphere":
        return Sphere(size[0])
    if kind == "box":
        return Box(*(2.0 * x for x in size))
    if kind == "ellipsoid":
        return EllipsoidShape(*size)
    radius, half = size
    return (Cylinder if kind == "cylinder" else Capsule)(radius, 2.0 * half)


def _meet(a: _Entry, b: _Entry, excluded: Collection[frozenset[str]], filters: bool) -> bool:
    if not (a.contype & b.conaffinity or b.contype & a.conaffinity):
        return False
    if a.geometry.joint == b.geometry.joint:
        return False
    if frozenset({a.geometry.body, b.geometry.body}) in excluded:
        return False
    is_family = a.weld == b.weld_parent or b.weld == a.weld_parent
    return not (filters and is_family and a.weld and b.weld)


def _explicit_pairs(document: Document) -> list[tuple[str, str]]:
    pairs = [e for e in document.in_sections("contact") if e.tag == "pair"]
    return [_ends(element, "geom") for element in pairs]


def _excluded(document: Document) -> set[frozenset[str]]:
    found = [e for e in document.in_sections("contact") if e.tag == "exclude"]
    return {frozenset(_ends(element, "body")) for element in found}


def _ends(element: ET.Element, what: str) -> tuple[str, str]:
    first, second = element.get(f"{what}1"), element.get(f"{what}2")
    if not first or not second:
        raise ModelError(f"a <{element.tag}> of <contact> must name {what}1 and {what}2")
    return first, second


def _is_disabled(document: Document, flag: str) -> bool:
    states = [f.get(flag) for o in document.sections("option") for f in o.findall("flag")]
    return [state for state in states if state][-1:] == ["disable"]
