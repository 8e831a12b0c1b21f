# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The drawing of a robot's inertia ellipsoids."""

from __future__ import annotations

from typing import Any

import numpy as np

from dyn_core.audit.report import Scene

NAMED = 16
"""Most links whose names are written, the heaviest first."""
SMALLEST = 1e-3
"""Least extent of the picture, m."""
FAR = 3.0
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
        if k < NAMED:
            axes.text(*center, f" {name}", fontsize=7, color=color)
        points.append(np.reshape(rings, (-1, 3)))
    if beyond:
        words = "Beyond the picture: " + "; ".join(f"{x}, {y}" for x, y in beyond.items())
        axes.text2D(0.0, 0.0, words, transform=axes.transAxes, fontsize=9, color="#b35900")
    cloud = np.concatenate(points) if points else np.zeros((1, 3))
    low, high = cloud.min(axis=0), cloud.max(axis=0)
    half = np.maximum(high - low, max(SMALLEST, 0.05 * (high - low).max())) / 2.0
    low, high = (low + high) / 2.0 - half, (low + high) / 2.0 + half
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    axes.set_box_aspect(half)
    axes.set(xlabel="x, m", ylabel="y, m", zlabel="z, m")
    axes.view_init(elev=20.0, azim=-60.0)


def _beyond(scene: Scene) -> dict[str, str]:
    """Links that are not drawn, and their distance or size."""
    joints = np.reshape(scene.bones, (-1, 3)) if scene.bones else np.empty((0, 3))
    size = float(np.linalg.norm(np.ptp(joints, axis=0))) if len(joints) else 0.0
    if size < SMALLEST:
        return {}
    middle, found = joints.mean(axis=0), {}
    for name, rings in scene.ellipsoids.items():
        center = np.asarray(scene.centers[name])
        away = float(np.linalg.norm(center - middle))
        radius = float(np.linalg.norm(np.reshape(rings, (-1, 3)) - center, axis=1).max())
        if away > FAR * size:
            found[name] = f"{away:.3g} m away"
        elif radius > FAR * size:
            found[name] = f"of {radius:.3g} m"
    return found
