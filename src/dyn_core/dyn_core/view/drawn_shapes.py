# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The drawing of a robot: its shapes as triangles, or rods between its joints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dyn_core.errors import ModelError
from dyn_core.extras import optional
from dyn_core.geometry.from_description import geometry_from_description
from dyn_core.geometry.from_urdf import Folder
from dyn_core.geometry.geometry_model import GeometryModel, GeometryObject, Kind
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
from dyn_core.model.model import Model
from dyn_core.readers.description import Source, is_text
from dyn_core.readers.meshes import Faces, Mesh, Vertices
from dyn_core.spatial import SE3, Matrix3, Vector3

ROD_RADIUS_SHARE = 0.04
"""Radius of a rod by the size of the robot."""
MIN_ROD_M = 1e-6
"""m; a shorter rod is none."""


def geometry_to_show(
    model: Model, source: Source | None, package_dirs: Sequence[Folder] = ()
) -> tuple[GeometryModel, str]:
    """The shapes of a robot to draw, and a message about those that cannot be (empty: none).

    The visual shapes, else those for collisions, else a :func:`skeleton`. A mesh is looked for in
    ``package_dirs``, in the folders that hold the description, then where ROS has its packages.

    Args:
        model: the robot.
        source: text or path of the description that it was read from; None: there is none.
        package_dirs: folders in which packages of ``package://`` are looked for.
    """
    if source is None:
        return skeleton(model), ""
    above = () if is_text(source) else tuple(Path(source).resolve().parents)
    remarks = []
    for kind in (Kind.VISUAL, Kind.COLLISION):
        try:
            found = geometry_from_description(model, source, kind, (*package_dirs, *above))
        except ModelError as error:
            remarks.append(str(error))
            continue
        if any(entry.joint for entry in found.objects):
            return found, "".join(remarks[:1])
    return skeleton(model), "".join(remarks[:1])


def skeleton(model: Model) -> GeometryModel:
    """Rods from each joint to its children, or to the centre of mass of its body."""
    ways: list[tuple[int, Vector3]] = []
    for i in range(model.njoints):
        tips = [model.joint_placements[child].translation for child in model.children[i]]
        ways += [(i, tip) for tip in tips or [model.inertias[i].com]]
    lengths = [math.hypot(*map(float, tip)) for _, tip in ways]
    radius = ROD_RADIUS_SHARE * (max(lengths, default=0.0) or 1.0)
    objects = [
        GeometryObject(f"rod_{k}", model.names[i], i, _rod(tip, length), Capsule(radius, length))
        for k, ((i, tip), length) in enumerate(zip(ways, lengths, strict=True))
        if length > MIN_ROD_M and math.isfinite(length)
    ]
    return GeometryModel(Kind.VISUAL, tuple(objects))


def triangles(objects: Sequence[GeometryObject]) -> Mesh:
    """The shapes of one joint as a single mesh in the joint's frame; a half space has none."""
    vertices: list[Vertices] = [np.empty((0, 3))]
    faces: list[Faces] = [np.empty((0, 3), dtype=np.int64)]
    count = 0
    for entry in objects:
        mesh = _mesh(entry.shape)
        if mesh is None:
            continue
        placement = np.array(entry.placement.homogeneous(), dtype=np.float64)
        vertices.append(mesh.vertices @ placement[:3, :3].T + placement[:3, 3])
        faces.append(mesh.faces + count)
        count += len(mesh.vertices)
    return Mesh(np.concatenate(vertices), np.concatenate(faces))


def shrunk(mesh: Mesh, way: float) -> Mesh:
    """A mesh whose vertices are moved inwards by ``way`` (m), by its own normals."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    normals = np.zeros_like(mesh.vertices)
    for k in range(3):
        np.add.at(normals, mesh.faces[:, k], np.cross(b - a, c - a))
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    return Mesh(mesh.vertices - way * normals / np.where(lengths > 0.0, lengths, 1.0), mesh.faces)


def corners(vertices: Vertices) -> Vertices:
    """The corners (8, 3) of the box around vertices."""
    ends = np.stack([vertices.min(axis=0), vertices.max(axis=0)])
    return np.array([[ends[i, 0], ends[j, 1], ends[k, 2]] for i, j, k in np.ndindex(2, 2, 2)])


def _rod(tip: Vector3, length: float) -> SE3:
    """Where a capsule along z lies that goes from the origin to ``tip``."""
    if length <= MIN_ROD_M:
        return SE3.identity()
    end = Vector3(*map(float, tip))
    return SE3(Matrix3.of_z_axis(end * (1.0 / length)), end * 0.5)


def _mesh(shape: Shape) -> Mesh | None:
    if isinstance(shape, TriangleMesh):
        return shape.mesh
    if isinstance(shape, HalfSpace):
        return None
    made = _primitive(shape, optional("trimesh", "drawing a robot", "view").creation)
    return Mesh(np.array(made.vertices), np.array(made.faces, dtype=np.int64))


def _primitive(shape: Shape, creation: Any) -> Any:
    if isinstance(shape, Box):
        return creation.box((shape.x, shape.y, shape.z))
    if isinstance(shape, Sphere):
        return creation.uv_sphere(shape.radius, count=(16, 24))
    if isinstance(shape, Cylinder):
        return creation.cylinder(shape.radius, shape.length, sections=32)
    if isinstance(shape, Capsule):
        return creation.capsule(shape.length, shape.radius, count=(24, 12))
    assert isinstance(shape, EllipsoidShape)
    ball = creation.uv_sphere(1.0, count=(16, 24))
    ball.apply_scale((shape.x, shape.y, shape.z))
    return ball
