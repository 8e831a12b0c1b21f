# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Shapes as solids of uniform density, and the convex hulls around them."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from dyn_core.extras import optional
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
from dyn_core.model.model import FloatArray
from dyn_core.readers.meshes import Mesh
from dyn_core.spatial import SE3, Inertia, Symmetric3, Vector3

CIRCLE_POINTS = 16
"""The number of points that replace a circle in a hull."""
MAX_HULL_PLANES = 200
"""The most faces of a hull; a hull with more faces is replaced by this number of tangent planes."""


def solid_of(shape: Shape) -> tuple[Inertia, bool] | None:
    """Inertia of a shape of density 1 (kg/m^3), in its own frame; None if it has no volume.

    The second result is False where a mesh is not closed, so that its convex hull is filled.
    """
    if isinstance(shape, HalfSpace):
        return None
    if isinstance(shape, TriangleMesh):
        return _mesh_solid(shape)
    kind, sizes = _halves(shape)
    mass, moments = _volume(kind, sizes)
    x, y, z = (mass * moment for moment in moments)
    return Inertia.from_com(mass, Vector3.zero(), Symmetric3(x, 0.0, y, 0.0, 0.0, z)), True


def corners(shape: Shape, placement: SE3) -> FloatArray:
    """Points (n, 3) whose convex hull encloses the shape; round shapes approximately."""
    if isinstance(shape, HalfSpace):
        return np.empty((0, 3))
    local = shape.mesh.vertices if isinstance(shape, TriangleMesh) else _primitive_corners(shape)
    rotation = np.array([list(row) for row in placement.rotation.rows], dtype=np.float64)
    moved: FloatArray = local @ rotation.T + list(placement.translation)
    return moved


def hull_planes(points: FloatArray) -> FloatArray | None:
    """Planes (k, 4) around points (n, 3): ``a x + b y + c z + d`` is at most 0 inside.

    (a, b, c) are unit vectors. The result is None for points in one plane. A hull of many faces is
    replaced by tangent planes in evenly spread directions.
    """
    spatial = optional("scipy.spatial", "the hull of a shape", "geometry")
    if len(points) < 4:
        return None
    try:
        hull = spatial.ConvexHull(points)
    except spatial.QhullError:
        return None
    planes: FloatArray = np.unique(hull.equations.round(9), axis=0)
    if len(planes) <= MAX_HULL_PLANES:
        return planes
    k = np.arange(MAX_HULL_PLANES)  # a spiral of Fibonacci
    z, turn = 1.0 - (2.0 * k + 1.0) / MAX_HULL_PLANES, np.pi * (3.0 - np.sqrt(5.0)) * k
    radius = np.sqrt(1.0 - z**2)
    normals = np.stack([radius * np.cos(turn), radius * np.sin(turn), z], axis=1)
    reach = (points[hull.vertices] @ normals.T).max(axis=0)
    return np.column_stack([normals, -reach])


def _mesh_solid(shape: TriangleMesh) -> tuple[Inertia, bool] | None:
    surface = _surface(shape.mesh)
    is_closed = bool(surface.is_volume) and not shape.is_convex
    if not is_closed:
        try:
            surface = surface.convex_hull
        except Exception:  # qhull's own, for points in a plane
            return None
    facts = surface.mass_properties
    if not (np.isfinite(facts.inertia).all() and facts.volume > 0.0):
        return None
    at_com = Symmetric3.of(facts.inertia.tolist())
    com = Vector3(*facts.center_mass.tolist())
    return Inertia.from_com(float(facts.volume), com, at_com), is_closed or shape.is_convex


def _surface(mesh: Mesh) -> Any:
    trimesh = optional("trimesh", "the volume of a mesh", "geometry")
    return trimesh.Trimesh(mesh.vertices, mesh.faces, process=True)


def _halves(shape: Shape) -> tuple[str, list[float]]:
    """MJCF's name of a primitive, and its sizes, which are half lengths in MJCF."""
    if isinstance(shape, Box):
        return "box", [shape.x / 2.0, shape.y / 2.0, shape.z / 2.0]
    if isinstance(shape, EllipsoidShape):
        return "ellipsoid", [shape.x, shape.y, shape.z]
    if isinstance(shape, Sphere):
        return "sphere", [shape.radius]
    assert isinstance(shape, Cylinder | Capsule)
    kind = "cylinder" if isinstance(shape, Cylinder) else "capsule"
    return kind, [shape.radius, shape.length / 2.0]


def _volume(kind: str, sizes: list[float]) -> tuple[float, tuple[float, float, float]]:
    """Volume (m^3) and principal moments per unit of mass (m^2) of a primitive."""
    if kind in ("cylinder", "capsule"):
        radius, half = sizes
        across, along = radius * radius / 4.0 + half * half / 3.0, radius * radius / 2.0
        cylinder, ball = 2.0 * math.pi * radius**2 * half, 4.0 / 3.0 * math.pi * radius**3
        if kind == "cylinder":
            return cylinder, (across, across, along)
        share = ball / (cylinder + ball)  # of the mass, half of it at each end of the cylinder
        turned = 0.4 * radius * radius
        moved = turned + half * (0.75 * radius + half)
        across = (1.0 - share) * across + share * moved
        return cylinder + ball, (across, across, (1.0 - share) * along + share * turned)
    x, y, z = sizes * 3 if kind == "sphere" else sizes
    volume = 8.0 * x * y * z if kind == "box" else 4.0 / 3.0 * math.pi * x * y * z
    xx, yy, zz = (half * half / (3.0 if kind == "box" else 5.0) for half in (x, y, z))
    return volume, (yy + zz, xx + zz, xx + yy)


def _primitive_corners(shape: Shape) -> FloatArray:
    kind, sizes = _halves(shape)
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
    if kind == "box":
        box: FloatArray = signs * sizes
        return box
    if kind in ("sphere", "ellipsoid"):
        ball: FloatArray = _ball() * (sizes * 3 if len(sizes) == 1 else sizes)
        return ball
    radius, half = sizes
    if kind == "capsule":
        ends = (_ball() * radius + [0.0, 0.0, end] for end in (-half, half))
        return np.concatenate(list(ends))
    angles = np.arange(CIRCLE_POINTS) * (2.0 * np.pi / CIRCLE_POINTS)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1) * radius
    rims = (np.column_stack([circle, np.full(CIRCLE_POINTS, end)]) for end in (-half, half))
    return np.concatenate(list(rims))


def _ball() -> FloatArray:
    """Points on the unit sphere."""
    azimuth = np.arange(CIRCLE_POINTS) * (2.0 * np.pi / CIRCLE_POINTS)
    polar = np.linspace(0.0, np.pi, CIRCLE_POINTS // 2 + 1)
    a, p = (x.ravel() for x in np.meshgrid(azimuth, polar))
    return np.stack([np.sin(p) * np.cos(a), np.sin(p) * np.sin(a), np.cos(p)], axis=1)
