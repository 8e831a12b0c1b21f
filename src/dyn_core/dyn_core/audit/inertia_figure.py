# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The drawing of a robot's inertia ellipsoids."""

from __future__ import annotations

from typing import Any

import numpy as np

from dyn_core.audit.audited_robot import Robot
from dyn_core.audit.described_links import Link
from dyn_core.audit.report import Scene
from dyn_core.audit.tape_sampling import sampled
from dyn_core.dynamics.frame_motion import frame_placements
from dyn_core.geometry.shape_properties import inertia_ellipsoid
from dyn_core.model.model import FloatArray, Model

MAX_NAMES = 16
"""Most links whose names are written, the heaviest first."""
MIN_EXTENT_M = 1e-3
"""Least extent of the picture, m."""
MAX_DISTANCE = 3.0
"""Distance or size of a link, in sizes of the robot, from which the link is not drawn."""


def draw_scene(drawing: Any, scene: Scene) -> None:
    """Draw a scene from the front left, with the same scale along all axes.

    Links too far away or too large for the robot to remain visible are listed in words.
    """
    axes = drawing.add_subplot(projection="3d")
    axes.set_title(scene.title, fontsize=11, loc="left")
    for bone in scene.bones:
        axes.plot(*np.transpose(bone), color="0.6", linewidth=2.5)
    points = [np.reshape(bone, (-1, 3)) for bone in scene.bones]
    beyond = _beyond(scene)
    for k, (name, rings) in enumerate(scene.ellipsoids.items()):
        if name in beyond:
            continue
        color = f"C{k % 10}"
        for ring in rings:
            axes.plot(*np.transpose(ring), color=color, linewidth=0.8)
        center = np.asarray(scene.centers[name])
        axes.plot(*center[:, None], "o", color=color, markersize=4)
        if k < MAX_NAMES:
            axes.text(*center, f" {name}", fontsize=7, color=color)
        points.append(np.reshape(rings, (-1, 3)))
    if beyond:
        words = "Beyond the picture: " + "; ".join(f"{x}, {y}" for x, y in beyond.items())
        axes.text2D(0.0, 0.0, words, transform=axes.transAxes, fontsize=9, color="#b35900")
    cloud = np.concatenate(points) if points else np.zeros((1, 3))
    low, high = cloud.min(axis=0), cloud.max(axis=0)
    half = np.maximum(high - low, max(MIN_EXTENT_M, 0.05 * (high - low).max())) / 2.0
    low, high = (low + high) / 2.0 - half, (low + high) / 2.0 + half
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    axes.set_box_aspect(half)
    axes.set(xlabel="x, m", ylabel="y, m", zlabel="z, m")
    axes.view_init(elev=20.0, azim=-60.0)


def _beyond(scene: Scene) -> dict[str, str]:
    """Links that are not drawn, and their distance or size."""
    joints = np.reshape(scene.bones, (-1, 3)) if scene.bones else np.empty((0, 3))
    size = float(np.linalg.norm(np.ptp(joints, axis=0))) if len(joints) else 0.0
    if size < MIN_EXTENT_M:
        return {}
    middle, found = joints.mean(axis=0), {}
    for name, rings in scene.ellipsoids.items():
        center = np.asarray(scene.centers[name])
        away = float(np.linalg.norm(center - middle))
        radius = float(np.linalg.norm(np.reshape(rings, (-1, 3)) - center, axis=1).max())
        if away > MAX_DISTANCE * size:
            found[name] = f"{away:.3g} m away"
        elif radius > MAX_DISTANCE * size:
            found[name] = f"of {radius:.3g} m"
    return found


CIRCLE_ANGLES = np.linspace(0.0, 2.0 * np.pi, 37)
MAX_LINKS = 60
"""Most links that are drawn, the heaviest first."""


def scene(robot: Robot, model: Model) -> Scene:
    """Ellipsoids of uniform density with the links' inertias, at the initial pose."""
    heavy = sorted((x for x in robot.links if x.mass > 0.0), key=lambda x: -x.mass)[:MAX_LINKS]
    names = tuple(dict.fromkeys(link.name for link in heavy if _is_frame(model, link.name)))
    places = (
        frame_placements.request(frames=names)(model, robot.start) if names else np.empty((0, 4, 4))
    )
    by_name = {link.name: link for link in heavy}
    ellipsoids, centers = {}, {}
    for name, place in zip(names, places, strict=True):
        outlines = _outlines(by_name[name]) @ place[:3, :3].T + place[:3, 3]
        ellipsoids[name] = outlines.tolist()
        centers[name] = (place[:3, :3] @ by_name[name].com + place[:3, 3]).tolist()
    joints = sampled(model, ["forward_kinematics"])(robot.start[None])[0][:, :3, 3]
    carried = [i for i, p in enumerate(model.parents) if i and (p or not robot.floats)]
    bones = [[joints[model.parents[i]].tolist(), joints[i].tolist()] for i in carried]
    return Scene("Inertia ellipsoids and centres of mass", ellipsoids, centers, bones)


def _is_frame(model: Model, name: str) -> bool:
    return any(frame.name == name for frame in model.frames)


def _outlines(link: Link) -> FloatArray:
    """(3, n, 3) outlines of the ellipsoid in its principal planes."""
    half, axes = inertia_ellipsoid(link.inertia)
    circle = np.stack([np.cos(CIRCLE_ANGLES), np.sin(CIRCLE_ANGLES)], axis=1)
    planes = [[0, 1], [1, 2], [2, 0]]
    return np.array([link.com + circle @ (half * axes)[:, plane].T for plane in planes])
