# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The geometry of MJCF: its geoms, and the pairs that MuJoCo would check."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from dyn_core.errors import ModelError
from dyn_core.geometry import shapes
from dyn_core.geometry.geometry_model import GeometryModel, GeometryObject, Kind
from dyn_core.model.frame import FrameType
from dyn_core.model.model import Model
from dyn_core.readers.meshes import Mesh
from dyn_core.readers.mjcf.compiled import Compiled, compiled, placed

PLANE, HEIGHT_FIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX = range(7)
"""MuJoCo's numbers of the types of geoms; more are meshes."""


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

    def of_kind(spec: Any) -> Callable[[Any], bool]:
        explicit = {name for pair in spec.pairs for name in (pair.geomname1, pair.geomname2)}
        return lambda geom: (
            kind is Kind.VISUAL or geom.contype or geom.conaffinity or geom.name in explicit
        )

    unread: dict[str, str] | None = None if missing is None else {}
    document = compiled(source, ignore, of_kind, unread)
    arrays = document.model
    frames = {frame.name: frame for frame in model.frames if frame.type is FrameType.BODY}
    explicit = np.stack([arrays.pair_geom1, arrays.pair_geom2], axis=1).tolist()
    in_pairs = {g for pair in explicit for g in pair}
    bodies, meshes = document.names("body"), document.names("mesh")
    objects: dict[int, GeometryObject] = {}
    for g in range(arrays.ngeom):
        b = arrays.geom_bodyid[g]
        body, touches = bodies[b], arrays.geom_contype[g] or arrays.geom_conaffinity[g]
        if body not in frames:
            raise ModelError(
                f"body '{body}' is not in the model '{model.name}'; read both from one MJCF"
            )
        if kind is Kind.COLLISION and not touches and g not in in_pairs:
            continue
        mesh = meshes[arrays.geom_dataid[g]] if arrays.geom_dataid[g] >= 0 else ""
        if missing is not None and unread and mesh in unread:
            missing[body] = unread[mesh]
            continue
        name = arrays.geom(g).name or f"{body}_{g - arrays.body_geomadr[b]}"
        shape = _shape(document, g, f"geom '{name}' of body '{body}'", kind is Kind.COLLISION)
        if shape is not None:
            local = placed(arrays.geom_pos[g], arrays.geom_quat[g])
            place = frames[body].placement * local
            objects[g] = GeometryObject(name, body, frames[body].joint, place, shape)
    geometry = GeometryModel(kind, tuple(objects.values()))
    if kind is Kind.VISUAL:
        return geometry
    numbered = itertools.combinations(enumerate(objects.items()), 2)
    pairs = tuple(
        (i, j)
        for (i, (a, one)), (j, (b, other)) in numbered
        if one.joint != other.joint and _meet(document, a, b)
    )
    named = [(objects[a].name, objects[b].name) for a, b in explicit if {a, b} <= objects.keys()]
    return GeometryModel(kind, geometry.objects, pairs).with_pairs(named)


def _shape(document: Compiled, g: int, where: str, is_convex: bool) -> shapes.Shape | None:
    """The shape of a geom, whose sizes are half lengths in MJCF; None if it is left out."""
    model = document.model
    kind, (x, y, z) = int(model.geom_type[g]), model.geom_size[g].tolist()
    if kind == HEIGHT_FIELD:
        document.refuse("mesh", where)
        return None
    simple: dict[int, Callable[[], shapes.Shape]] = {
        PLANE: shapes.HalfSpace,
        SPHERE: lambda: shapes.Sphere(x),
        CAPSULE: lambda: shapes.Capsule(x, 2.0 * y),
        ELLIPSOID: lambda: shapes.EllipsoidShape(x, y, z),
        CYLINDER: lambda: shapes.Cylinder(x, 2.0 * y),
        BOX: lambda: shapes.Box(2.0 * x, 2.0 * y, 2.0 * z),
    }
    if kind in simple:
        return simple[kind]()
    if "mesh" in document.ignore:
        return None
    m = model.geom_dataid[g]
    first, faces = model.mesh_vertadr[m], model.mesh_faceadr[m]
    vertices = model.mesh_vert[first : first + model.mesh_vertnum[m]].astype(np.float64)
    triangles = model.mesh_face[faces : faces + model.mesh_facenum[m]].astype(np.int64)
    return shapes.TriangleMesh(Mesh(vertices, triangles), None, (1.0, 1.0, 1.0), is_convex)


def _meet(document: Compiled, a: int, b: int) -> bool:
    """Whether MuJoCo checks two geoms: by bits, families and exclusions."""
    model = document.model
    bits, by = model.geom_contype, model.geom_conaffinity
    if not (bits[a] & by[b] or bits[b] & by[a]):
        return False
    first, second = sorted((int(model.geom_bodyid[a]), int(model.geom_bodyid[b])))
    if (first << 16) + second in model.exclude_signature:
        return False
    one, other = model.body_weldid[first], model.body_weldid[second]
    above = model.body_weldid[model.body_parentid]
    is_family = one == above[other] or other == above[one]
    return not (is_family and one and other and "filterparent" not in document.disabled)
