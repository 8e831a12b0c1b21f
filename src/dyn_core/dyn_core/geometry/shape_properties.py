# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Shapes as solids of uniform density, the convex hulls around them, and ellipsoids of inertia."""

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
from dyn_core.spatial import SE3, Inertia, Symmetric3, Vector3, uniform_solids

CIRCLE_POINTS = 16
"""The number of points that replace a circle in a hull."""
UNIT_BALL = 4.0 / 3.0 * math.pi
"""Volume of a ball of radius 1."""
MAX_HULL_PLANES = 200
"""The most faces of a hull; a hull with more faces is replaced by this number of tangent planes."""


def solid_of(shape: Shape) -> tuple[Inertia, bool] | None:
    """Inertia of a shape of density 1 (kg/m^3), in its own frame; None if it has no volume.

    The second result is False where a mesh is not closed, so that its convex hull is filled.
    """
    match shape:
        case HalfSpace():
            return None
        case TriangleMesh():
            return _mesh_solid(shape)
        case Box(x, y, z):
            return uniform_solids.box(x * y * z, x, y, z), True
        case EllipsoidShape(x, y, z):
            return uniform_solids.ellipsoid(UNIT_BALL * x * y * z, x, y, z), True
        case Sphere(radius):
            return uniform_solids.sphere(UNIT_BALL * radius**3, radius), True
        case Cylinder(radius, length):
            mass = math.pi * radius**2 * length
            return uniform_solids.cylinder(mass, radius, length), True
        case Capsule(radius, length):
            mass = math.pi * radius**2 * length + UNIT_BALL * radius**3
            return uniform_solids.capsule(mass, radius, length), True


def corners(shape: Shape, placement: SE3) -> FloatArray:
    """Points (n, 3) whose convex hull encloses the shape; round shapes approximately."""
    local = _local_corners(shape)
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


def hull_volume(points: FloatArray) -> float:
    """Volume of the convex hull of points (n, 3), m^3; 0 for points in one plane."""
    spatial = optional("scipy.spatial", "the hull of a shape", "geometry")
    try:
        return float(spatial.ConvexHull(points).volume)
    except (spatial.QhullError, ValueError):
        return 0.0


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


def _local_corners(shape: Shape) -> FloatArray:
    """The points of :func:`corners` in the shape's own frame."""
    found: FloatArray
    match shape:
        case HalfSpace():
            found = np.empty((0, 3))
        case TriangleMesh():
            found = shape.mesh.vertices
        case Box(x, y, z):
            found = np.array(list(itertools.product((-0.5, 0.5), repeat=3))) * (x, y, z)
        case EllipsoidShape(x, y, z):
            found = _ball() * (x, y, z)
        case Sphere(radius):
            found = _ball() * radius
        case Capsule(radius, length):
            ends = np.array([0.0, 0.0, 0.5 * length])
            found = np.concatenate([_ball() * radius - ends, _ball() * radius + ends])
        case Cylinder(radius, length):
            angles = np.arange(CIRCLE_POINTS) * (2.0 * np.pi / CIRCLE_POINTS)
            circle = np.stack([np.cos(angles), np.sin(angles), 0.0 * angles], axis=1) * radius
            ends = np.array([0.0, 0.0, 0.5 * length])
            found = np.concatenate([circle - ends, circle + ends])
    return found


def _ball() -> FloatArray:
    """Points on the unit sphere."""
    azimuth = np.arange(CIRCLE_POINTS) * (2.0 * np.pi / CIRCLE_POINTS)
    polar = np.linspace(0.0, np.pi, CIRCLE_POINTS // 2 + 1)
    a, p = (x.ravel() for x in np.meshgrid(azimuth, polar))
    return np.stack([np.sin(p) * np.cos(a), np.sin(p) * np.sin(a), np.cos(p)], axis=1)


def inertia_ellipsoid(inertia: Inertia) -> tuple[FloatArray, FloatArray]:
    """The ellipsoid with the inertia of a body: semi-axes (m) and axes as columns (3, 3).

    Its density is uniform: the second moment of mass along each axis is m length^2 / 5. A negative
    moment, which no physical body has, counts as zero.

    Args:
        inertia: the inertia of a body with mass; the ellipsoid is centred at its centre of mass.
    """
    about_center = Inertia.from_com(inertia.mass, Vector3.zero(), inertia.at_com)
    second_moment = [[float(x) for x in row] for row in about_center.second_moment.rows]
    moments, axes = np.linalg.eigh(second_moment)
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] *= -1.0
    return np.sqrt(np.maximum(5.0 * moments / inertia.mass, 0.0)), axes
