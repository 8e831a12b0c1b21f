# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Solids of MJCF's geoms: mass and principal moments of simple shapes."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dyn_core.errors import ModelError
from dyn_core.readers.mjcf.document import Document, ElementFields
from dyn_core.readers.mjcf.mesh import Meshes, MeshSolid
from dyn_core.readers.mjcf.settings import SMALL, MjcfSettings, to_z
from dyn_core.readers.parsing import snapped
from dyn_core.spatial import SE3, Matrix3, Vector3

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Solid:
    """A rigid body by its principal axes."""

    mass: float
    """kg."""
    moments: Triple
    """About the axes of ``placement``, kg m^2."""
    placement: SE3
    """Of the centre of mass and the principal axes in the frame of the body."""

    def scaled(self, factor: float) -> Solid:
        """The same with all masses times ``factor``."""
        x, y, z = (moment * factor for moment in self.moments)
        return Solid(self.mass * factor, (x, y, z), self.placement)


NOTHING = Solid(0.0, (0.0, 0.0, 0.0), SE3.identity())


@dataclass(frozen=True)
class Geom:
    """A geom as it stands in a body."""

    element: ET.Element
    where: str
    """The description of the geom in errors."""
    class_: str
    """The default class in force there."""
    frame: SE3
    """Placement in the body of the ``<frame>`` elements around the geom."""


@dataclass(frozen=True)
class _Shape:
    """A kind of geom that fills a volume."""

    sizes: int
    """The number of its sizes."""
    volume: Callable[[list[float]], float]
    """m^3."""
    moments: Callable[[list[float]], Triple]
    """Per unit of mass, m^2."""


def _ball_moments(s: list[float]) -> Triple:
    moment = 0.4 * s[0] * s[0]
    return moment, moment, moment


def _box_moments(s: list[float]) -> Triple:
    x, y, z = (side * side / 3.0 for side in s)
    return y + z, x + z, x + y


def _ellipsoid_moments(s: list[float]) -> Triple:
    x, y, z = (axis * axis / 5.0 for axis in s)
    return y + z, x + z, x + y


def _cylinder_moments(s: list[float]) -> Triple:
    across = s[0] * s[0] / 4.0 + s[1] * s[1] / 3.0
    return across, across, s[0] * s[0] / 2.0


def _capsule_moments(s: list[float]) -> Triple:
    """A cylinder and a ball of which each half is moved to one of its ends."""
    radius, half = s
    ball = 2.0 * radius / (2.0 * radius + 3.0 * half)  # its part of the mass
    across, _, along = _cylinder_moments(s)
    round_ = 0.4 * radius * radius
    moved = round_ + half * (0.75 * radius + half)
    total = (1.0 - ball) * across + ball * moved
    return total, total, (1.0 - ball) * along + ball * round_


SHAPES = {
    "sphere": _Shape(1, lambda s: 4.0 / 3.0 * math.pi * s[0] * s[0] * s[0], _ball_moments),
    "box": _Shape(3, lambda s: 8.0 * s[0] * s[1] * s[2], _box_moments),
    "ellipsoid": _Shape(3, lambda s: 4.0 / 3.0 * math.pi * s[0] * s[1] * s[2], _ellipsoid_moments),
    "cylinder": _Shape(2, lambda s: 2.0 * math.pi * s[0] * s[0] * s[1], _cylinder_moments),
    "capsule": _Shape(
        2, lambda s: math.pi * s[0] * s[0] * (2.0 * s[1] + 4.0 / 3.0 * s[0]), _capsule_moments
    ),
}
"""Sizes are half lengths along the axes, or a radius and half the length along z (m)."""
FLAT = ("plane",)
FROM_FILES = ("mesh", "sdf", "hfield")


def solid_of_geom(
    document: Document, settings: MjcfSettings, meshes: Meshes, geom: Geom, needed: bool
) -> Solid:
    """The solid of a geom, of no mass if its group has none.

    ``needed`` says whether it matters; where it does not, a mesh gives no inertia.

    Raises:
        ModelError: a shape without size, of negative mass, or one that no Model can represent.
    """
    fields = document.fields(geom.element, geom.where, geom.class_)
    low, high = settings.inertiagrouprange
    if not low <= fields.number("group", 0.0) <= high:
        return NOTHING
    kind = fields.word("type", (*SHAPES, *FLAT, *FROM_FILES), "sphere")
    density, mass = fields.number("density", 1000.0), fields.number("mass", math.nan)
    if min(density, mass) < 0.0:
        raise ModelError(f"{geom.where}: mass and density must not be negative; correct them")
    if kind in FLAT or mass == 0.0 or (math.isnan(mass) and density == 0.0):
        return NOTHING
    if kind in FROM_FILES or "mesh" in fields:
        volume, unit, placement = 0.0, (0.0, 0.0, 0.0), SE3.identity()
        if needed:
            volume, unit, placement = _of_mesh(document, settings, meshes, fields, kind)
    else:
        if fields.flag("shellinertia", False):
            document.refuse("shellinertia", geom.where)
        size, placement = size_and_placement(settings, fields, kind)
        volume, unit = SHAPES[kind].volume(size), SHAPES[kind].moments(size)
    if volume <= SMALL:
        return NOTHING
    mass = density * volume if math.isnan(mass) else mass
    x, y, z = (mass * moment for moment in unit)
    return Solid(mass, (x, y, z), snapped(geom.frame * placement))


def _of_mesh(
    document: Document, settings: MjcfSettings, meshes: Meshes, fields: ElementFields, kind: str
) -> tuple[float, Triple, SE3]:
    """Volume, moments per unit of mass and their frame of a mesh, or of a shape fitted to it."""
    if kind in ("sdf", "hfield"):
        document.refuse("mesh", fields.where)
        return 0.0, (0.0, 0.0, 0.0), SE3.identity()
    if kind == "mesh":
        solid = meshes.solid(fields.required("mesh"), fields.where)
        if solid is not None:
            return solid.amount, solid.moments, settings.placement(fields) * solid.placement
    elif (fit := fitted_shape(settings, meshes, fields, kind)) is not None:
        size, placement = fit
        return SHAPES[kind].volume(size), SHAPES[kind].moments(size), placement
    return 0.0, (0.0, 0.0, 0.0), SE3.identity()


def fitted_shape(
    settings: MjcfSettings, meshes: Meshes, fields: ElementFields, kind: str
) -> tuple[list[float], SE3] | None:
    """The sizes of a shape that stands in place of a mesh, and where it is in the body (m).

    None where the mesh is left out.
    """
    solid = meshes.solid(fields.required("mesh"), fields.where)
    if solid is None:
        return None
    size, center = _fitted(solid, kind, settings.fitaabb)
    size = [x * fields.number("fitscale", 1.0) for x in size][: SHAPES[kind].sizes]
    placement = settings.placement(fields) * solid.placement
    return size, placement * SE3(Matrix3.identity(), center)


def _fitted(solid: MeshSolid, kind: str, to_box: bool) -> tuple[list[float], Vector3]:
    """Sizes of a shape in place of a mesh, and its middle in the principal axes of the mesh.

    MuJoCo fits it to the box of equal inertia, or ``to_box``: to the box around the mesh.
    """
    if to_box:
        return _around(solid, kind)
    total = sum(solid.moments)
    x, y, z = (math.sqrt(1.5 * max(total - 2.0 * moment, 0.0)) for moment in solid.moments)
    sizes = {
        "sphere": [(x + y + z) / 3.0],
        "capsule": [(x + y) / 2.0, max(0.0, z - (x + y) / 4.0)],
        "cylinder": [(x + y) / 2.0, z],
    }
    return sizes.get(kind, [x, y, z]), Vector3.zero()


def reach_of_mesh(
    settings: MjcfSettings, meshes: Meshes, fields: ElementFields
) -> tuple[list[float], SE3] | None:
    """How far a mesh reaches along its principal axes (m), and where these are in the body.

    None where the mesh is left out.
    """
    solid = meshes.solid(fields.required("mesh"), fields.where)
    if solid is None:
        return None
    reach: list[float] = np.abs(_in_own_axes(solid)).max(axis=0).tolist()
    return reach, settings.placement(fields) * solid.placement


def _in_own_axes(solid: MeshSolid) -> NDArray[np.float64]:
    """The vertices of a mesh in its principal axes."""
    inverse = solid.placement.inverse()
    rotation = np.array([list(row) for row in inverse.rotation.rows])
    vertices: NDArray[np.float64] = solid.mesh.vertices @ rotation.T + list(inverse.translation)
    return vertices


def _around(solid: MeshSolid, kind: str) -> tuple[list[float], Vector3]:
    points = _in_own_axes(solid)
    low, high = points.min(axis=0), points.max(axis=0)
    x, y, z = ((high - low) / 2.0).tolist()
    round_ = max(x, y)
    sizes = {
        "sphere": [max(x, y, z)],
        "capsule": [round_, z - round_],
        "cylinder": [round_, z],
    }
    return sizes.get(kind, [x, y, z]), Vector3(*((low + high) / 2.0).tolist())


def size_and_placement(
    settings: MjcfSettings, fields: ElementFields, kind: str
) -> tuple[list[float], SE3]:
    """The sizes of a shape (m, as :data:`SHAPES` has them) and where it is in the body.

    Raises:
        ModelError: a size that is missing or not positive, or ``fromto`` of no length.
    """
    count = SHAPES[kind].sizes
    if "fromto" not in fields:
        size, placement = fields.numbers("size", [0.0] * 3, least=1)[:count], None
    else:
        size, placement = _from_to(fields, kind)
    if min(size) <= 0.0:
        raise ModelError(
            f"{fields.where}: a {kind} needs {count} positive size{'s' if count > 1 else ''}; "
            "correct them"
        )
    return size, placement or settings.placement(fields)


def _from_to(fields: ElementFields, kind: str) -> tuple[list[float], SE3]:
    """Size and placement of a shape whose z axis is given by its two ends."""
    if kind == "sphere":
        raise ModelError(f"{fields.where}: a sphere has no fromto; give it a size")
    placement, half = between_ends(fields)
    width = fields.numbers("size", [0.0] * 3, least=1)[0]
    size = [width, width] if SHAPES[kind].sizes == 3 else [width]
    return [*size, half], placement


def between_ends(fields: ElementFields) -> tuple[SE3, float]:
    """The middle of the two points ``fromto``, with z along them, and half their distance (m).

    Raises:
        ModelError: they coincide, or there is a position besides.
    """
    if any(fields.numbers("pos", (0.0, 0.0, 0.0))):
        raise ModelError(f"{fields.where} has pos and fromto; keep one")
    numbers = fields.numbers("fromto", [0.0] * 6)
    start, end = Vector3(*numbers[:3]), Vector3(*numbers[3:])
    along = start - end
    length = math.hypot(*along)
    if length < SMALL:
        raise ModelError(f"{fields.where}: the two ends of fromto coincide; move them apart")
    middle = (start + end) * 0.5
    return snapped(SE3(to_z(along * (1.0 / length)), middle)), length / 2.0
