# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A picture of the inertia ellipsoids, which shows a wrong origin, axis or unit at a glance."""

from __future__ import annotations

import numpy as np

from dyn_core.audit.audited_robot import Robot
from dyn_core.audit.described_links import Link
from dyn_core.audit.report import Scene
from dyn_core.audit.tape_sampling import sampled
from dyn_core.dynamics.frame_motion import frame_placements
from dyn_core.geometry.inertia_ellipsoid import inertia_ellipsoid
from dyn_core.model.model import FloatArray, Model

ANGLES = np.linspace(0.0, 2.0 * np.pi, 37)
MOST = 60
"""Most links that are drawn, the heaviest first."""


def scene(robot: Robot, model: Model) -> Scene:
    """Ellipsoids of uniform density with the links' inertias, at the initial pose."""
    heavy = sorted((x for x in robot.links if x.mass > 0.0), key=lambda x: -x.mass)[:MOST]
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
    circle = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)
    planes = [[0, 1], [1, 2], [2, 0]]
    return np.array([link.com + circle @ (half * axes)[:, plane].T for plane in planes])
