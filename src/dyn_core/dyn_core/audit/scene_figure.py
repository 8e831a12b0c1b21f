# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A robot's inertia ellipsoids as a picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from dyn_core.audit.report import Scene

NAMED = 16
"""Links whose names are written, the heaviest."""
SMALLEST = 1e-3
"""m: of the picture."""


def draw_scene(drawing: Any, scene: Scene) -> None:
    """Draw it from the front left, with the same scale along all axes."""
    axes = drawing.add_subplot(projection="3d")
    axes.set_title(scene.title, fontsize=11, loc="left")
    for bone in scene.bones:
        axes.plot(*np.transpose(bone), color="0.6", linewidth=2.5)
    points = [np.reshape(bone, (-1, 3)) for bone in scene.bones]
    for k, (name, rings) in enumerate(scene.ellipsoids.items()):
        color = f"C{k % 10}"
        for ring in rings:
            axes.plot(*np.transpose(ring), color=color, linewidth=0.8)
        center = np.asarray(scene.centers[name])
        axes.plot(*center[:, None], "o", color=color, markersize=4)
        if k < NAMED:
            axes.text(*center, f" {name}", fontsize=7, color=color)
        points.append(np.reshape(rings, (-1, 3)))
    cloud = np.concatenate(points) if points else np.zeros((1, 3))
    low, high = cloud.min(axis=0), cloud.max(axis=0)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    axes.set_box_aspect(np.maximum(high - low, max(SMALLEST, 0.05 * (high - low).max())))
    axes.set(xlabel="x, m", ylabel="y, m", zlabel="z, m")
    axes.view_init(elev=20.0, azim=-60.0)
