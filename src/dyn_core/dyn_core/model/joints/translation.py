# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Translation joint: any displacement without rotation."""

from __future__ import annotations

from dyn_core.model.joints.joint import Joint, Reversed
from dyn_core.spatial import SE3, Matrix3, Motion, Vector3
from dyn_core.spatial.lie import VectorSpace
from dyn_core.spatial.lie.space import Vector


class Translation(Joint):
    """q = displacement (x, y, z) in m, v = its rate (m/s)."""

    space = VectorSpace(3)

    def transform(self, q: Vector) -> SE3:
        return SE3(Matrix3.identity(), Vector3.of(q))

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        return tuple(Motion.basis(k) for k in (0, 1, 2))

    def reverse(self) -> Reversed:
        return Reversed(self, self.space.inverse, SE3.identity())
