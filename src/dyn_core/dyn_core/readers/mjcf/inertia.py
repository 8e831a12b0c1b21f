# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Inertia of MJCF's bodies: given, or of the geoms, with the compiler's corrections."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dyn_core.errors import ModelError
from dyn_core.readers.mjcf.body import Body
from dyn_core.readers.mjcf.document import Document
from dyn_core.readers.mjcf.geom import NOTHING, Solid, solid_of_geom
from dyn_core.readers.mjcf.mesh import Meshes
from dyn_core.readers.mjcf.principal import principal_axes
from dyn_core.readers.mjcf.refusals import ORIENTATIONS
from dyn_core.readers.mjcf.settings import SMALL, MjcfSettings
from dyn_core.readers.parsing import snapped
from dyn_core.spatial import SE3, Inertia, Matrix3, Symmetric3, Vector3

ALMOST = 1.0 - 1e-9
"""Principal moments from rounded numbers may miss the triangle inequality by this factor."""


def body_solid(
    document: Document, settings: MjcfSettings, meshes: Meshes, body: Body, is_moving: bool
) -> Solid:
    """Mass, principal moments and their frame in the body, as MuJoCo's compiler finds them.

    Geoms are used if there is no ``<inertial>``, or with ``inertiafromgeom="true"``. Meshes of a
    body that is fixed to the world are ignored.

    Raises:
        ModelError: the inertia is not that of a body, or of a shape that no Model has.
    """
    given = _given(document, settings, body)
    solid = given
    use_geoms = settings.inertiafromgeom
    if use_geoms == "true" or (use_geoms == "auto" and given is None):
        needed = is_moving or settings.settotalmass > 0.0
        solids = [solid_of_geom(document, settings, meshes, geom, needed) for geom in body.geoms]
        solids = [one for one in solids if one.mass > SMALL]
        solid = _sum(solids) if solids else given
    if solid is None:  # MuJoCo puts the least mass there, should one be set
        solid = replace(NOTHING, placement=body.placement)
    return _corrected(solid, settings, body.where)


def inertia_of(solid: Solid) -> Inertia:
    """The inertia of a solid in the frame of its body."""
    x, y, z = solid.moments
    about_com = Inertia(solid.mass, Vector3.zero(), Symmetric3(x, 0.0, y, 0.0, 0.0, z))
    return solid.placement.act_inertia(about_com)


def _given(document: Document, settings: MjcfSettings, body: Body) -> Solid | None:
    if body.inertial is None:
        return None
    fields = document.fields(body.inertial.element, f"{body.where}: <inertial>")
    for name in ("mass", "pos"):
        fields.required(name)
    mass, placement = fields.number("mass", 0.0), settings.placement(fields)
    placement = snapped(body.inertial.frame * placement)
    if "fullinertia" not in fields:
        x, y, z = fields.numbers("diaginertia", (0.0, 0.0, 0.0))
        return Solid(mass, (x, y, z), placement)
    if any(name in fields for name in ("diaginertia", *ORIENTATIONS)):
        raise ModelError(f"{fields.where}: fullinertia allows no diaginertia and no orientation")
    xx, yy, zz, xy, xz, yz = fields.numbers("fullinertia", [0.0] * 6)
    solid = _principal(mass, Vector3.zero(), Symmetric3(xx, xy, yy, xz, yz, zz))
    if min(solid.moments) < SMALL:
        raise ModelError(
            f"{fields.where}: fullinertia has principal moments {_words(solid.moments)}; they must "
            "be positive, so correct it"
        )
    return replace(solid, placement=placement * solid.placement)


def _principal(mass: float, com: Vector3, at_com: Symmetric3) -> Solid:
    """The solid whose inertia about its centre of mass is given in the axes of the body."""
    matrix = np.array([list(row) for row in at_com.rows], dtype=np.float64)
    if not np.isfinite(matrix).all():
        return Solid(mass, (math.nan, math.nan, math.nan), SE3(Matrix3.identity(), com))
    (x, y, z), axes = principal_axes(matrix)
    return Solid(mass, (x, y, z), SE3(axes, com))


def _sum(solids: Sequence[Solid]) -> Solid:
    """The union of several solids in one frame."""
    if len(solids) == 1:
        return solids[0]
    total = Inertia.zero()
    for solid in solids:
        total = total + inertia_of(solid)
    return _principal(float(total.mass), total.com, total.at_com)


def _corrected(solid: Solid, settings: MjcfSettings, where: str) -> Solid:
    """With the least mass and moments, and moments that a body can have."""
    if solid.mass < 0.0 or min(solid.moments) < 0.0:
        raise ModelError(
            f"{where}: mass {solid.mass} kg and moments {_words(solid.moments)} kg m^2 must not be "
            "negative; correct them"
        )
    mass = max(solid.mass, settings.boundmass)
    low, middle, high = sorted(max(moment, settings.boundinertia) for moment in solid.moments)
    if not (math.isfinite(mass) and math.isfinite(high)):
        raise ModelError(f"{where}: its inertia is too large for a number; correct it")
    x, y, z = (max(moment, settings.boundinertia) for moment in solid.moments)
    if low + middle < high and settings.balanceinertia:
        x = y = z = (x + y + z) / 3.0
    elif low + middle < high * ALMOST:
        raise ModelError(
            f"{where}: no body has the principal moments {_words(solid.moments)}: two must not add "
            "up to less than the third; correct them, or set balanceinertia='true'"
        )
    return Solid(mass, (x, y, z), solid.placement)


def _words(numbers: Sequence[float]) -> str:
    return ", ".join(f"{x:.6g}" for x in numbers)
