# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""An arrow that a person drags: a force at a point of the robot."""

from __future__ import annotations

from typing import Any

import numpy as np

from dyn_core.model.model import FloatArray

FORCE_PER_METRE = 100.0
"""N for each metre that the arrow is dragged."""
MIN_LENGTH_M = 1e-3
"""m; a shorter arrow is none."""
ARROW_COLOR = (209, 73, 91)


class Pull:
    """A handle that follows the robot until it is dragged, and the arrow from the robot to it."""

    def __init__(self, scene: Any) -> None:
        """Add both to a scene of viser."""
        self.handle = scene.add_transform_controls(
            "/pull", scale=0.2, disable_rotations=True, disable_sliders=True
        )
        self._arrow = scene.add_arrows(
            "/force", np.zeros((1, 2, 3), dtype=np.float32), colors=ARROW_COLOR
        )
        self._is_dragged = False
        self.handle.on_update(lambda _: self.drag())

    def drag(self) -> None:
        """Stay where the handle is, away from the robot."""
        self._is_dragged = True

    def let_go(self) -> None:
        """Go back to the robot: no force any more."""
        self._is_dragged = False

    def force(self, origin: FloatArray) -> FloatArray:
        """The force (3,) in N along the scene's axes at a point of the robot (m), drawn there."""
        offset: FloatArray = np.zeros(3)
        if self._is_dragged:
            offset = np.array(self.handle.position) - origin
        else:
            self.handle.position = origin
        self._arrow.points = np.array([[origin, origin + offset]], dtype=np.float32)
        self._arrow.visible = bool(np.linalg.norm(offset) > MIN_LENGTH_M)
        return FORCE_PER_METRE * offset
