# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Fixed joint: no motion, but forces go through it as through any other."""

from __future__ import annotations

from dyn_core.model.joints.joint import Freedom, Joint, Reversed
from dyn_core.spatial import SE3, Motion
from dyn_core.spatial.lie import VectorSpace
from dyn_core.spatial.lie.space import Vector


class Fixed(Joint):
    """No coordinates: two bodies that stay separate in the model.

    :data:`dyn_core.joint_forces` and :data:`dyn_core.subtree_inertias` then say what a sensor
    between them feels.
    """

    space = VectorSpace(0)
    freedom = Freedom.NONE

    def transform(self, q: Vector) -> SE3:
        return SE3.identity()

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        return ()

    def reverse(self) -> Reversed:
        return Reversed(self, tuple, SE3.identity())
