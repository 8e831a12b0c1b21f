"""Centres of mass outside of what they are the centre of."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dyn_core.audit.declaration import Needs, declare
from dyn_core.audit.report import Item, fine, note, warning
from dyn_core.audit.robot import Robot
from dyn_core.geometry.solids import corners, hull_planes
from dyn_core.model.model import FloatArray

SLACK = 0.05
"""Share of a shape's size by which its centre of mass may be outside."""


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
        size = float(np.linalg.norm(cloud.max(axis=0) - cloud.min(axis=0)))
        distance = distance_from_hull(cloud, link.com)
        if distance > SLACK * size:
            outside += 1
            yield (note if robot.stand_ins else warning)(
                f"its centre of mass is {distance:.3g} m outside of its shape of {size:.3g} m",
                "look for a wrong frame, unit or sign in the <origin> of its <inertial>",
                link.name,
            )
    yield fine(f"{looked - outside} of {looked} centres of mass are within their shapes")


def distance_from_hull(points: FloatArray, point: FloatArray) -> float:
    """How far ``point`` is beyond the farthest face of the hull of ``points``; 0 inside, m.

    It is a lower bound of the distance, which is exact beside a face. Of points in a plane it is
    that from the box around them.
    """
    planes = hull_planes(points)
    if planes is None:
        beyond = np.maximum(points.min(axis=0) - point, point - points.max(axis=0))
        return float(np.linalg.norm(np.maximum(beyond, 0.0)))
    return max(0.0, float((planes[:, :3] @ point + planes[:, 3]).max()))
