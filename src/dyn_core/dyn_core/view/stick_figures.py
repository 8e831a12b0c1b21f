# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Robots as sticks, in pictures of matplotlib: for notebooks and papers, without a browser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dyn_core.compiler.runtime.kernel import compile
from dyn_core.dynamics.declare import Request
from dyn_core.dynamics.frame_motion import frame_placements
from dyn_core.model.model import FloatArray, Model

FIRST_OPACITY, LAST_OPACITY = 0.25, 1.0
"""Opacity of the first configuration, and of the last."""


def draw_sticks(
    axes: Any,
    model: Model,
    configurations: FloatArray,
    tips: Sequence[str] = (),
    azimuth: float = -60.0,
    elevation: float = 20.0,
    color: str = "tab:blue",
) -> Callable[[FloatArray], FloatArray]:
    """Draw a robot in some configurations, the last one darkest, as a distant camera sees it.

    Args:
        axes: of matplotlib; the same scale is set along both, and what frames them goes.
        model: the robot.
        configurations: (n, nq).
        tips: frames at which limbs end: hands, feet, a tool.
        azimuth: of the camera about z, from x, degrees.
        elevation: of the camera above the x-y plane, degrees.
        color: of the sticks.

    Returns:
        What takes points of the world (..., 3), m, to the picture (..., 2), to draw more.

    Raises:
        ModelError: the robot has no such frame.
    """
    seen = _projection(np.radians(azimuth), np.radians(elevation))
    frames = [frame_placements.request(frames=tuple(tips))] if tips else []
    wanted: list[str | Request] = ["forward_kinematics", *frames]
    compute = compile(model, wanted, backend="tape")
    ways = [(parent, i) for i, parent in enumerate(model.parents) if parent]
    ways += [(model.frame(tip).joint, model.njoints + k) for k, tip in enumerate(tips)]
    opacities = np.linspace(LAST_OPACITY, FIRST_OPACITY, len(configurations))[::-1]
    for q, opacity in zip(configurations, opacities, strict=True):
        found = compute(q)
        parts = found if isinstance(found, tuple) else (found,)
        points = seen(np.concatenate([np.asarray(part)[:, :3, 3] for part in parts]))
        for a, b in ways:
            axes.plot(*points[[a, b]].T, color=color, alpha=opacity, lw=2.5, marker="o", ms=3)
    axes.set_aspect("equal")
    axes.axis("off")
    return seen


def _projection(azimuth: float, elevation: float) -> Callable[[FloatArray], FloatArray]:
    """An orthographic camera that looks at the origin."""
    c, s = np.cos(azimuth), np.sin(azimuth)
    up = [-np.sin(elevation) * c, -np.sin(elevation) * s, np.cos(elevation)]
    screen = np.array([[-s, c, 0.0], up])
    return lambda points: np.asarray(points) @ screen.T
