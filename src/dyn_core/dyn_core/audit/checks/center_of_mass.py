# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Centres of mass outside of the shapes of their links."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dyn_core.audit.audited_robot import Robot
from dyn_core.audit.check_declaration import Needs, declare
from dyn_core.audit.described_links import Link
from dyn_core.audit.fit import uniform
from dyn_core.audit.report import Item, counted, note, warning
from dyn_core.geometry.shape_properties import corners, hull_planes
from dyn_core.geometry.shapes import Shape, TriangleMesh
from dyn_core.model.model import FloatArray

SEARCH_DISTANCE = 0.25
"""Distance from a shape from which a mistake is looked for, as a share of the shape's size."""
SEARCH_OFFSET = 0.25
"""Distance from the middle of a shape from which other signs of the coordinates are tried, as a
share of its size."""
MAX_LEFT_SHARE = 0.35
"""Share of that distance that the right signs may leave."""
MIN_MASS_SHARE = 0.01
"""Least link mass for which other signs are tried, as a share of the robot's mass: small links may
be dense at one end."""
MIN_UNIT_DISTANCE = 10.0
"""Distance from a shape, in its sizes, from which a wrong unit is suspected."""
NEGLIGIBLE_MASS_SHARE = 1e-3
"""Share of the robot's mass below which a link's centre of mass has no effect."""
MIN_MIDDLE_DISTANCE = 0.35
"""Distance of a shape's middle from the link's origin, as a share of its size, from which an origin
may be missing; at an end of the shape it is half of the size."""
GLTF_SUFFIXES = (".gltf", ".glb")
DISTANCE_TOLERANCE = 0.05
"""Distance from a shape that is accepted, as a share of the shape's size."""


@declare(
    "centre of mass",
    claim="every link's centre of mass lies within its shape",
    why="gravity torques are mass times lever: a centre of mass in a wrong frame is a wrong lever",
    step="pipeline step 2",
    order=70,
    needs=Needs.SHAPES,
)
def center_of_mass(robot: Robot) -> Iterator[Item]:
    """Distances from the convex hulls of the shapes."""
    looked = outside = 0
    for link in robot.moving_links:
        points = [corners(one.shape, one.placement) for one in robot.shapes.get(link.name, ())]
        cloud = np.concatenate(points) if points else np.empty((0, 3))
        if len(cloud) < 4 or link.mass <= 0.0:
            continue
        looked += 1
        shapes = [one.shape for one in robot.shapes.get(link.name, ())]
        trusted_little = (
            link.name in robot.stand_ins
            or link.mass < NEGLIGIBLE_MASS_SHARE * robot.mass
            or any(map(_is_tilted, shapes))
        )
        size = float(np.linalg.norm(cloud.max(axis=0) - cloud.min(axis=0)))
        distance = distance_from_hull(cloud, link.com)
        if distance > DISTANCE_TOLERANCE * size:
            outside += 1
            mistake = "" if trusted_little else _mistake(robot, link, cloud, distance, size)
            yield (warning if mistake else note)(
                f"its centre of mass is {distance:.3g} m outside of its shape of {size:.3g} m"
                + (f": {mistake}" if mistake else ""),
                "look for a wrong frame, unit or sign in the <origin> of its <inertial>",
                link.name,
            )
        elif not trusted_little and (mistake := _turned(link, robot, size)):
            yield warning(
                f"its centre of mass is inside of its shape, but far from its middle: {mistake}",
                "look for a wrong frame, sign or order in the <origin> of its <inertial>",
                link.name,
            )
        elif _is_left_out(link, cloud, size):
            yield (note if trusted_little else warning)(
                "its centre of mass is exactly at the link's origin, at the end of its shape",
                "give its <inertial> an <origin>",
                link.name,
            )
    yield counted(looked - outside, looked, "centres of mass are within their shapes")


def _is_tilted(shape: Shape) -> bool:
    """Whether the mesh's up axis is ambiguous: in glTF it is y, and not all readers convert it."""
    path = shape.path if isinstance(shape, TriangleMesh) else None
    return path is not None and path.suffix.lower() in GLTF_SUFFIXES


def _mistake(robot: Robot, link: Link, cloud: FloatArray, distance: float, size: float) -> str:
    """The known mistake that explains a centre of mass outside of its shape; empty if none does."""
    com = link.com
    slips = {"in mm?": 1e-3 * com} if distance > MIN_UNIT_DISTANCE * size else {}
    if distance < SEARCH_DISTANCE * size:
        words = _turned(link, robot, size)
        return words if "frame" in words else ""  # shapes that are not drawn look like other signs
    for words, other in {**slips, **_other_frames_and_signs(robot, link)}.items():
        if distance_from_hull(cloud, other) == 0.0:
            return words
    return "in the frame of another link?" if distance > size else ""


def _other_frames_and_signs(robot: Robot, link: Link) -> dict[str, FloatArray]:
    """The centre of mass in the link's frame for each known mistake, in words."""
    places, frames = robot.zero_places, {}
    if link.name in places:
        own = np.linalg.inv(places[link.name])
        carriers = {f"in the frame of its parent '{link.parent}'?": places.get(link.parent)}
        for words, place in {**carriers, "in the frame of the base?": np.eye(4)}.items():
            if place is not None and not np.allclose(place, places[link.name]):
                frames[words] = (own @ place @ [*link.com, 1.0])[:3]
    return {**frames, **_other_signs_and_orders(link.com)}


def _other_signs_and_orders(com: FloatArray) -> dict[str, FloatArray]:
    return {
        **{f"the sign of {axis} reversed?": com * (1.0 - 2.0 * np.eye(3)[k])
           for k, axis in enumerate("xyz")},
        "all signs reversed?": -com,
        **{f"{words} exchanged?": com[list(order)] for words, order in
           (("x and y", (1, 0, 2)), ("y and z", (0, 2, 1)), ("x and z", (2, 1, 0)))},
    }  # fmt: skip


def _turned(link: Link, robot: Robot, size: float) -> str:
    """The frame, signs or order of coordinates that put it at the middle of its shape; or empty."""
    filled = uniform(link, robot.shapes[link.name])
    if filled is None or link.mass < MIN_MASS_SHARE * robot.mass:
        return ""
    middle = np.array(list(filled[0].com))
    off = float(np.linalg.norm(link.com - middle))
    if off < SEARCH_OFFSET * size:
        return ""
    others = _other_frames_and_signs(robot, link)
    words = min(others, key=lambda word: float(np.linalg.norm(others[word] - middle)))
    return words if np.linalg.norm(others[words] - middle) < MAX_LEFT_SHARE * off else ""


def _is_left_out(link: Link, cloud: FloatArray, size: float) -> bool:
    """Whether an <origin> may be missing: the shape extends to one side of the link's origin."""
    middle = 0.5 * (cloud.min(axis=0) + cloud.max(axis=0))
    return not link.com.any() and float(np.linalg.norm(middle)) > MIN_MIDDLE_DISTANCE * size


def distance_from_hull(points: FloatArray, point: FloatArray) -> float:
    """Distance of ``point`` beyond the farthest face of the hull of ``points``; 0 inside, m.

    The result is a lower bound of the distance to the hull, and exact above a face. For coplanar
    points it is the distance from their bounding box.
    """
    planes = hull_planes(points)
    if planes is None:
        beyond = np.maximum(points.min(axis=0) - point, point - points.max(axis=0))
        return float(np.linalg.norm(np.maximum(beyond, 0.0)))
    return max(0.0, float((planes[:, :3] @ point + planes[:, 3]).max()))
