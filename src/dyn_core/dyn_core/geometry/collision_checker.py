# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Collisions and distances of a robot's shapes, computed by coal."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyn_core.compiler.runtime import Data
from dyn_core.dynamics.forward_kinematics import forward_kinematics
from dyn_core.errors import ModelError
from dyn_core.extras import optional
from dyn_core.geometry.geometry_model import GeometryModel
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
from dyn_core.readers.meshes import Mesh, convex_hull

FloatArray = NDArray[np.float64]
TOLERANCE = 1e-6
"""The default tolerance of distances in coal, m."""


class CollisionChecker:
    """Placements, collisions and distances of a robot's shapes at a configuration.

    Call :meth:`update` with a configuration, then the other methods. Threads must not share a
    checker.

    Args:
        model: the robot.
        geometry: its shapes and its collision pairs.
        tolerance: tolerance of distances, m; coal's iterations stop at this tolerance.

    Raises:
        ModelError: coal is not installed, or the shapes are of another robot.
    """

    def __init__(self, model: Model, geometry: GeometryModel, tolerance: float = TOLERANCE) -> None:
        self.coal = optional("coal", "checking collisions", "geometry")
        self.tolerance = tolerance
        self.model = model
        self.geometry = geometry
        geometry.check(model)
        self._data = Data(model)
        self._shapes = [_coal_shape(self.coal, entry.shape) for entry in geometry.objects]
        self._joints = np.array([entry.joint for entry in geometry.objects], dtype=np.intp)
        local = [entry.placement.homogeneous() for entry in geometry.objects]
        self._local = np.array(local, dtype=np.float64).reshape(-1, 4, 4)
        self.placements: FloatArray = np.full_like(self._local, np.nan)
        """(objects, 4, 4) of the shapes in the world, homogeneous matrices; NaN until updated."""
        self._places: list[Any] = []

    def update(self, q: FloatArray) -> None:
        """Compute the placements of the shapes at the configuration ``q`` (nq).

        Raises:
            ValueError: ``q`` has the wrong size or is not finite.
        """
        if not np.isfinite(q).all():
            raise ValueError("q (configuration) is not finite, so shapes have no placement")
        oMi = forward_kinematics(self.model, self._data, q)
        np.matmul(oMi[self._joints], self._local, out=self.placements)
        self._places = [
            self.coal.Transform3s(place[:3, :3].copy(), place[:3, 3].copy())
            for place in self.placements
        ]

    def collisions(self) -> NDArray[np.bool_]:
        """(pairs) whether the two shapes of each pair touch."""
        request, found = self.coal.CollisionRequest(), np.zeros(len(self.geometry.pairs), np.bool_)
        for k, ends in enumerate(self._pairs()):
            found[k] = bool(self.coal.collide(*ends, request, self.coal.CollisionResult()))
        return found

    def collides(self) -> bool:
        """Whether any pair touches; the search ends at the first contact."""
        request = self.coal.CollisionRequest()
        return any(
            self.coal.collide(*ends, request, self.coal.CollisionResult()) for ends in self._pairs()
        )

    def distances(self) -> FloatArray:
        """(pairs) distances, m; zero or negative where two shapes touch."""
        return self.nearest_points()[0]

    def nearest_points(self) -> tuple[FloatArray, FloatArray]:
        """(pairs) distances and (pairs, 2, 3) nearest points of both shapes, in the world, m."""
        count = len(self.geometry.pairs)
        lengths, points = np.empty(count), np.empty((count, 2, 3))
        for k, ends in enumerate(self._pairs()):
            request, result = self.coal.DistanceRequest(), self.coal.DistanceResult()
            request.gjk_tolerance = request.epa_tolerance = self.tolerance
            lengths[k] = self.coal.distance(*ends, request, result)
            points[k] = result.getNearestPoint1(), result.getNearestPoint2()
        return lengths, points

    def _pairs(self) -> list[tuple[Any, Any, Any, Any]]:
        """Shape and placement of both objects of each pair."""
        if not self._places and self.geometry.objects:
            raise ModelError("the shapes have no placement yet; call update(q) first")
        shapes, places = self._shapes, self._places
        return [(shapes[i], places[i], shapes[j], places[j]) for i, j in self.geometry.pairs]


def _coal_shape(coal: Any, shape: Shape) -> Any:
    match shape:
        case Box(x, y, z):
            return coal.Box(x, y, z)
        case Sphere(radius):
            return coal.Sphere(radius)
        case Cylinder(radius, length):
            return coal.Cylinder(radius, length)
        case Capsule(radius, length):
            return coal.Capsule(radius, length)
        case EllipsoidShape(x, y, z):
            return coal.Ellipsoid(x, y, z)
        case HalfSpace():
            return coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)
        case TriangleMesh():
            return _hull(coal, shape.mesh) if shape.is_convex else _triangles(coal, shape.mesh)


def _triangles(coal: Any, mesh: Mesh) -> Any:
    surface = coal.BVHModelOBBRSS()
    surface.beginModel(len(mesh.faces), len(mesh.vertices))
    surface.addVertices(mesh.vertices)
    surface.addTriangles(mesh.faces)
    surface.endModel()
    return surface


def _hull(coal: Any, mesh: Mesh) -> Any:
    faces = convex_hull(mesh.vertices, "a mesh")
    used, numbers = np.unique(faces, return_inverse=True)
    points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for point in mesh.vertices[used]:
        points.append(point)
    for i, j, k in numbers.reshape(-1, 3).tolist():
        triangles.append(coal.Triangle(i, j, k))
    return coal.Convex(points, triangles)
