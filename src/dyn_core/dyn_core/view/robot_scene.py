# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The robot in the scene: a mesh for each joint, moved and coloured where it is.

Nothing is built anew while the robot moves: a browser needs much longer for that than for a new
placement or colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dyn_core.extras import optional
from dyn_core.geometry.geometry_model import GeometryModel
from dyn_core.geometry.shape_properties import inertia_ellipsoid
from dyn_core.model.model import FloatArray, Model
from dyn_core.view.contact_forces import Contacts
from dyn_core.view.drawn_shapes import corners, shrunk, triangles

NO_EFFORT_COLOR, HALF_EFFORT_COLOR, FULL_EFFORT_COLOR = (
    (200, 207, 216),
    (240, 178, 52),
    (193, 39, 45),
)
"""Colours of a link by effort over limit: none, half, all of it."""
TARGET_COLOR, MASS_CENTER_COLOR, BODY_COLOR = (70, 130, 200), (255, 90, 30), (60, 130, 255)
GROUND_COLOR = (46, 158, 79)
GHOST_INSET_M = 0.002
"""m by which a ghost is smaller: two surfaces in one place would be drawn in stripes."""
COLOR_STEPS = 24
"""Of colour: fewer messages to the browser than for every change."""


def color_of(part: float) -> tuple[int, int, int]:
    """The colour of a share between 0 and 1 of what a joint's motor can do."""
    part = round(COLOR_STEPS * min(1.0, max(0.0, part))) / COLOR_STEPS
    low, high, between = (
        (NO_EFFORT_COLOR, HALF_EFFORT_COLOR, 2 * part)
        if part < 0.5
        else (HALF_EFFORT_COLOR, FULL_EFFORT_COLOR, 2 * part - 1)
    )
    red, green, blue = (round(a + (b - a) * between) for a, b in zip(low, high, strict=True))
    return red, green, blue


class RobotScene:
    """A robot, its ghost, its centre of mass and its inertias."""

    def __init__(self, scene: Any, model: Model, geometry: GeometryModel) -> None:
        """Draw a robot in a scene of viser; it stands in the origin until it is moved."""
        self._so3 = optional("viser.transforms", "a live view", "view").SO3
        self._model = model
        self._boxes: dict[int, FloatArray] = {}
        self._bodies = self._draw(scene, "/robot", geometry, None)
        self._ghosts = self._draw(scene, "/ghost", geometry, 0.3)
        self._shown = dict.fromkeys(self._bodies, NO_EFFORT_COLOR)
        self._ellipsoids = [
            handle
            for i in self._bodies
            if (handle := self._ellipsoid(scene, f"/robot/{i}/inertia", i)) is not None
        ]
        self._center = scene.add_icosphere("/center_of_mass", radius=0.025, color=MASS_CENTER_COLOR)
        self._center.visible = False
        self._contacts = scene.add_arrows(
            "/contacts", np.zeros((1, 2, 3), dtype=np.float32), colors=GROUND_COLOR
        )
        self._pressure = scene.add_icosphere("/center_of_pressure", radius=0.02, color=GROUND_COLOR)
        self.show_contacts(None)
        self.show_ghost(None)
        self.show_inertias(False)

    def move(self, placements: FloatArray) -> None:
        """Put the joints where they are: homogeneous matrices (njoints, 4, 4)."""
        self._place(self._bodies, placements)

    def color(self, shares: Sequence[float]) -> None:
        """Colour each joint's links by |effort| over limit; one number for each joint."""
        for i, (_, mesh) in self._bodies.items():
            color = color_of(shares[i])
            if mesh is not None and color != self._shown[i]:
                mesh.color = self._shown[i] = color

    def show_ghost(self, placements: FloatArray | None) -> None:
        """Draw where the robot shall be, faintly, or nothing of that."""
        if placements is not None:
            self._place(self._ghosts, placements)
        for frame, _ in self._ghosts.values():
            if frame.visible != (placements is not None):
                frame.visible = placements is not None

    def corners(self, placements: FloatArray) -> FloatArray:
        """Where the joints and the corners of boxes around their links are (n, 3), in m."""
        points = [
            placements[i, :3, 3] + box @ placements[i, :3, :3].T for i, box in self._boxes.items()
        ]
        return np.concatenate([placements[:, :3, 3], *points])

    def show_center(self, position: FloatArray | None) -> None:
        """Draw the centre of mass (m), or none."""
        if position is not None:
            self._center.position = position
        self._center.visible = position is not None

    def show_contacts(self, contacts: Contacts | None, weight: float = 1.0) -> None:
        """Draw forces of the ground, of which a robot's `weight` (N) is a metre, and their CoP."""
        some = contacts is not None and len(contacts.points) > 0
        if contacts is not None and some:
            ends = contacts.points + contacts.forces / weight
            arrows = np.stack([contacts.points, ends], axis=1)
            self._contacts.points = arrows.astype(np.float32)
            if contacts.center is not None:
                self._pressure.position = contacts.center
        self._contacts.visible = some
        self._pressure.visible = some and contacts is not None and contacts.center is not None

    def show_inertias(self, shown: bool) -> None:
        """Draw the ellipsoids that move as the bodies do, or none."""
        for handle in self._ellipsoids:
            handle.visible = shown

    def _draw(
        self, scene: Any, root: str, geometry: GeometryModel, opacity: float | None
    ) -> dict[int, tuple[Any, Any]]:
        """Frames and meshes by joint; a mesh is None where there is nothing to draw."""
        drawn = {}
        for i in range(self._model.njoints):
            mesh = triangles([entry for entry in geometry.objects if entry.joint == i])
            handle = None
            frame = scene.add_frame(f"{root}/{i}", show_axes=False)
            if len(mesh.faces) and np.isfinite(mesh.vertices).all():
                if opacity is None:
                    self._boxes[i] = corners(mesh.vertices)
                else:
                    mesh = shrunk(mesh, GHOST_INSET_M)
                handle = scene.add_mesh_simple(
                    f"{root}/{i}/mesh",
                    vertices=mesh.vertices.astype(np.float32),
                    faces=mesh.faces.astype(np.uint32),
                    color=NO_EFFORT_COLOR if opacity is None else TARGET_COLOR,
                    opacity=opacity,
                    side="double",
                    flat_shading=True,
                    cast_shadow=opacity is None,
                )
            drawn[i] = (frame, handle)
        return drawn

    def _ellipsoid(self, scene: Any, name: str, joint: int) -> Any:
        inertia = self._model.inertias[joint]
        if joint == 0 or not inertia.mass > 0.0:
            return None
        lengths, axes = inertia_ellipsoid(inertia)
        return scene.add_icosphere(
            name,
            radius=1.0,
            scale=tuple(np.maximum(lengths, 1e-3)),
            color=BODY_COLOR,
            opacity=0.4,
            wxyz=self._so3.from_matrix(axes).wxyz,
            position=[float(x) for x in inertia.com],
        )

    def _place(self, frames: dict[int, tuple[Any, Any]], placements: FloatArray) -> None:
        if not np.isfinite(placements).all():
            return
        for i, (frame, _) in frames.items():
            frame.wxyz = self._so3.from_matrix(placements[i, :3, :3]).wxyz
            frame.position = placements[i, :3, 3]
