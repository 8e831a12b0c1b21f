# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What RViz shows of a robot's dynamics: centre of mass, inertia ellipsoids, efforts as arrows."""

from collections.abc import Sequence
from itertools import count

import numpy as np
from geometry_msgs.msg import Point
from geometry_msgs.msg import Vector3 as Scale
from numpy.typing import NDArray
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

import dyn_core
from dyn_core.geometry import inertia_ellipsoid
from dyn_core.model import FrameType
from dyn_core.spatial import Inertia, Matrix3, quaternion_of_matrix
from dyn_ros.messages.geometry import WORLD, write_quaternion, write_xyz
from dyn_ros.messages.stamp import time_message

CENTER = ColorRGBA(r=1.0, g=0.3, b=0.1, a=1.0)
BODY = ColorRGBA(r=0.2, g=0.5, b=1.0, a=0.4)
EFFORT = ColorRGBA(r=0.1, g=0.8, b=0.2, a=0.9)
CENTER_DIAMETER = 0.06  # m
SHAFT, HEAD = 0.015, 0.03  # m, diameters of an arrow
ARROW_LENGTH = 0.005  # m for 1 N m or N


class RobotMarkers:
    """Markers in the frames of links, whose transforms RViz has; positions are filled in place."""

    def __init__(self, model: dyn_core.Model) -> None:
        """Draw a robot."""
        self._axes: list[NDArray[np.float64]] = []
        ids = count()
        links = link_names(model)
        self.message = MarkerArray()
        self._center = _marker(next(ids), "center_of_mass", links[0], Marker.SPHERE, CENTER)
        self._center.scale = Scale(x=CENTER_DIAMETER, y=CENTER_DIAMETER, z=CENTER_DIAMETER)
        bodies = []
        for link, inertia in zip(links[1:], model.inertias[1:], strict=True):
            if inertia.mass:
                body = _marker(next(ids), "inertia", link, Marker.SPHERE, BODY)
                _draw_ellipsoid(body, inertia)
                bodies.append(body)
        neutral = dyn_core.neutral(model).tolist()
        self._arrows = []
        for i in model.own_coordinates:
            if model.joints[i].nv != 1:
                continue  # an arrow is along one axis
            (column,) = model.joints[i].subspace(model.q_of(i, neutral))
            self._axes.append(np.add([*column.angular], [*column.linear]).astype(float))
            arrow = _marker(next(ids), "effort", links[i], Marker.ARROW, EFFORT)
            arrow.scale = Scale(x=SHAFT, y=HEAD, z=0.0)
            arrow.points = [Point(), Point()]
            self._arrows.append(arrow)
        self.message.markers = [self._center, *bodies, *self._arrows]

    def fill(
        self, stamp: int, center: Sequence[float], effort: NDArray[np.float64], frame: str
    ) -> MarkerArray:
        """Move the centre of mass (m, in `frame`), draw efforts [n] along their joints' axes."""
        self._center.header.frame_id = frame
        write_xyz(self._center.pose.position, center)
        for arrow, axis, x in zip(self._arrows, self._axes, effort, strict=True):
            write_xyz(arrow.points[1], ARROW_LENGTH * x * axis)
        time = time_message(stamp)
        for marker in self.message.markers:
            marker.header.stamp = time
        return self.message


def link_names(model: dyn_core.Model) -> list[str]:
    """Return for each joint the link in whose frame the joint stands.

    The root link comes first; of a robot with a floating base, the frame that it moves in.
    """
    names: dict[int, str] = {}
    for frame in model.frames:
        if frame.type is FrameType.BODY:
            names.setdefault(frame.joint, frame.name)
    names.setdefault(0, WORLD)
    return [names.get(i, model.names[i]) for i in range(model.njoints)]


def _draw_ellipsoid(marker: Marker, inertia: Inertia) -> None:
    lengths, axes = inertia_ellipsoid(inertia)
    write_xyz(marker.scale, (2.0 * length for length in lengths))
    write_xyz(marker.pose.position, inertia.com)
    write_quaternion(marker.pose.orientation, quaternion_of_matrix(Matrix3.of(axes.tolist())))


def _marker(number: int, namespace: str, frame: str, kind: int, color: ColorRGBA) -> Marker:
    marker = Marker(id=number, ns=namespace, type=kind, action=Marker.ADD, color=color)
    marker.header.frame_id = frame
    marker.pose.orientation.w = 1.0
    return marker
