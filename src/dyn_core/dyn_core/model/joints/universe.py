# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The joint of index 0: the world, which does not move."""

from __future__ import annotations

from dyn_core.model.joints.joint import Joint
from dyn_core.spatial import SE3, Motion
from dyn_core.spatial.lie import VectorSpace
from dyn_core.spatial.lie.space import Vector


class Universe(Joint):
    """No coordinates, no motion."""

    space = VectorSpace(0)

    def transform(self, q: Vector) -> SE3:
        return SE3.identity()

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        return ()
