"""The points of a robot that may touch the ground, from its collision shapes or as named."""

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

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
from dyn_core.spatial import SE3, Vector3
from dyn_ros.adapters.joint_order import quoted

RIM = 8  # points on each rim of a cylinder
DIRECTIONS = np.array([d for d in product((-1, 0, 1), repeat=3) if any(d)])  # of a mesh's points


class ContactPoint(NamedTuple):
    """A ball on a body that the ground stops; most have no radius."""

    joint: int  # that moves the body
    position: tuple[float, float, float]  # m, of the centre in the frame of that joint
    radius: float  # m


def contact_points(
    model: dyn_core.Model, source: str | Path, frames: Sequence[str], links: Sequence[str] = ()
) -> list[ContactPoint]:
    """Return the origins of `frames` and points of the collision shapes of `links`.

    If nothing is named, those of all links. `source` is the URDF, as text or path. Raises
    ValueError, worded, if there is no such frame, a shape cannot be read, or there is none.
    """
    origins = [_origin(model, name) for name in frames]
    return origins if frames and not links else [*origins, *_of_shapes(model, source, links)]


def _of_shapes(
    model: dyn_core.Model, source: str | Path, links: Sequence[str]
) -> list[ContactPoint]:
    """Return the points of the collision shapes of `links`; none named: of all."""
    try:
        shapes = geometry_from_urdf(model, source).objects
    except dyn_core.ModelError as error:
        raise ValueError(
            f"{error}; or name the frames that touch the ground in contact_frames"
        ) from error
    known = {entry.body for entry in shapes}
    for name in links:
        if name not in known:
            raise ValueError(
                f"contact_links names '{name}', which has no collision shape: choose among "
                f"{quoted(sorted(known))}"
            )
    points = [
        ContactPoint(entry.joint, _place(entry.placement, center), radius)
        for entry in shapes
        if not links or entry.body in links
        for center, radius in _balls(entry.shape)
    ]
    if not points:
        raise ValueError(
            f"robot '{model.name}' has no collision shape to stand on: complete its description, "
            "or name the frames that touch the ground in contact_frames"
        )
    return points


def _origin(model: dyn_core.Model, name: str) -> ContactPoint:
    known = {frame.name: frame for frame in model.frames}
    if name not in known:
        raise ValueError(
            f"contact_frames names '{name}', which the robot does not have: choose among "
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
    """Return the vertices that reach furthest along some direction."""
    furthest = np.argmax(vertices @ DIRECTIONS.T, axis=0)
    return [tuple(vertices[i]) for i in sorted(set(furthest.tolist()))]
