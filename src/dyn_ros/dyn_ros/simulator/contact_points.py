# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The points of a robot that may touch the ground, from its collision shapes or as named."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_core.geometry import (
    Box,
    Capsule,
    Cylinder,
    Shape,
    Sphere,
    TriangleMesh,
    geometry_from_urdf,
)
from dyn_core.simulation import ContactPoint
from dyn_core.spatial import SE3, Vector3
from dyn_ros.messages.joint_order import quoted

RIM = 8  # points on each rim of a cylinder
CORNER = 0.003  # m that a mesh's vertex is outside of the hull of the others, at least
# steps to the distance from a hull, and how exact it is
HULL_STEPS, HULL_DISTANCE_ERROR = 200, 0.05
DIRECTIONS = np.array([d for d in product((-1, 0, 1), repeat=3) if any(d)])  # of a mesh's points


def contact_points(
    model: dyn_core.Model, source: str | Path, names: Sequence[str] = ()
) -> list[ContactPoint]:
    """Return the points of the collision shapes of links, and the origins of other frames.

    If nothing is named, the shapes of all links count. `source` is the URDF, as text or path.
    Raises ValueError, worded, if there is no such frame, a shape cannot be read, or there is none.
    """
    missing: dict[str, str] = {}
    try:
        shapes = geometry_from_urdf(model, source, missing=missing).objects
    except dyn_core.ModelError as error:
        raise ValueError(str(error)) from error
    if wrong := [reason for body, reason in missing.items() if not names or body in names]:
        raise ValueError(f"{wrong[0]}; or name links in contacts whose shapes can be read")
    known = {entry.body for entry in shapes}
    origins = [_origin(model, name) for name in names if name not in known]
    chosen = [entry for entry in shapes if not names or entry.body in names]
    shapes_of = Counter(entry.joint for entry in chosen)
    points: dict[int, list[ContactPoint]] = {}
    for entry in chosen:
        points.setdefault(entry.joint, []).extend(
            ContactPoint(entry.joint, _place(entry.placement, center), radius)
            for center, radius in _balls(entry.shape)
        )
    if not (origins or any(points.values())):
        raise ValueError(
            f"robot '{model.name}' has no collision shape to stand on: complete its description, "
            "or name the frames that touch the ground in contacts"
        )
    return origins + [
        point
        for joint, found in points.items()
        for point in (_on_hull(found) if shapes_of[joint] > 1 else found)
    ]


def _on_hull(points: list[ContactPoint]) -> list[ContactPoint]:
    """Return the points of a moving body's shapes without those between others: none lands."""
    corners = np.array([point.position for point in points if not point.radius])
    kept = {tuple(corner) for corner in _outermost(corners)} if len(corners) else set()
    return [point for point in points if point.radius or point.position in kept]


def _origin(model: dyn_core.Model, name: str) -> ContactPoint:
    known = {frame.name: frame for frame in model.frames}
    if name not in known:
        raise ValueError(
            f"contacts names '{name}', which the robot does not have: choose among "
            f"{quoted(sorted(known))}"
        )
    frame = known[name]
    return ContactPoint(frame.joint, _place(frame.placement, (0.0, 0.0, 0.0)), 0.0)


def _place(placement: SE3, point: Sequence[float]) -> tuple[float, float, float]:
    x, y, z = placement.act_point(Vector3(*map(float, point)))
    return float(x), float(y), float(z)


def _balls(shape: Shape) -> Iterator[tuple[Sequence[float], float]]:
    """Yield centres and radii of balls whose hull is a shape, or nearly so."""
    if isinstance(shape, Sphere):
        yield (0.0, 0.0, 0.0), shape.radius
    elif isinstance(shape, Capsule):
        for end in (-0.5, 0.5):
            yield (0.0, 0.0, end * shape.length), shape.radius
    elif isinstance(shape, Box):
        for x, y, z in product((-0.5, 0.5), repeat=3):
            yield (x * shape.x, y * shape.y, z * shape.z), 0.0
    elif isinstance(shape, Cylinder):
        for angle, end in product(2.0 * np.pi / RIM * np.arange(RIM), (-0.5, 0.5)):
            x, y = shape.radius * np.cos(angle), shape.radius * np.sin(angle)
            yield (x, y, end * shape.length), 0.0
    elif isinstance(shape, TriangleMesh):
        for corner in _extremes(shape.mesh.vertices):
            yield corner, 0.0


def _extremes(vertices: NDArray[np.float64]) -> list[tuple[float, ...]]:
    """Return the vertices that reach furthest along some direction, without those in between."""
    furthest = np.argmax(vertices @ DIRECTIONS.T, axis=0)
    return [tuple(point) for point in _outermost(vertices[sorted(set(furthest.tolist()))])]


def _outermost(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points without those that are in the hull of the others, the innermost going first."""
    kept = np.unique(points, axis=0)
    outside: NDArray[np.float64] = np.zeros(len(kept))  # m, or more: a hull only shrinks
    while len(kept) > 1:
        k = int(np.argmin(outside))
        outside[k] = _distance(kept[k], np.delete(kept, k, axis=0))
        if outside[k] > outside.min():
            continue
        if outside[k] > CORNER:
            break
        kept, outside = np.delete(kept, k, axis=0), np.delete(outside, k)
    return kept


def _distance(point: NDArray[np.float64], others: NDArray[np.float64]) -> float:
    """Return how far a point is from the convex hull of others (Gilbert 1966)."""
    edges = others - point
    nearest = edges[np.argmin((edges**2).sum(axis=1))]
    for _ in range(HULL_STEPS):
        ahead = edges[np.argmin(edges @ nearest)]
        if nearest @ (nearest - ahead) <= HULL_DISTANCE_ERROR * (nearest @ nearest):
            break
        way = nearest - ahead
        nearest = nearest - min(1.0, (nearest @ way) / (way @ way)) * way
    return float(np.linalg.norm(nearest))
