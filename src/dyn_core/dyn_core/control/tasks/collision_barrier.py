# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Shapes of a robot that stay apart."""

from __future__ import annotations

import numpy as np

from dyn_core.compiler.runtime import compile
from dyn_core.dynamics.declare.options import WORLD
from dyn_core.dynamics.joint_jacobians import joint_jacobian
from dyn_core.geometry import CollisionChecker
from dyn_core.model.model import FloatArray
from dyn_core.model.value_checks import number

MIN_DISTANCE_M = 1e-9
"""m: of a shorter way the direction is not known."""


class CollisionBarrier:
    """Pairs of shapes do not come nearer than a distance: a control barrier function.

    With the distance d of a pair ``d' >= -gain (d - least)``; pairs that are nearer than ``least``
    do not come nearer still, so that standing still is always within.

    Args:
        checker: of the robot's shapes; its pairs are those that are kept apart.
        least: m.
        gain: 1/s.
        within: m; pairs that are farther apart are left out.
    """

    def __init__(
        self,
        checker: CollisionChecker,
        least: float = 0.02,
        gain: float = 5.0,
        within: float = 0.3,
    ) -> None:
        for name, value in (("least", least), ("gain", gain), ("within", within)):
            number(f"a barrier's {name}", value)
        if not (0.0 <= least < within and gain > 0.0):
            raise ValueError("a barrier needs 0 <= least < within, and a gain above 0")
        self.checker, self.least, self.gain, self.within = checker, least, gain, within
        objects = checker.geometry.objects
        self._pairs = [(objects[i].joint, objects[j].joint) for i, j in checker.geometry.pairs]
        self._moved = sorted({joint for pair in self._pairs for joint in pair if joint})
        requests = [
            joint_jacobian.request(joint=checker.model.names[joint], reference=WORLD)
            for joint in self._moved
        ]
        self._kernel = compile(checker.model, requests) if requests else None

    def rows(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Rows (k, nv) and the least values (k) that these times the velocity may have."""
        self.checker.update(q)
        lengths, points = self.checker.nearest_points()
        near = [
            k for k in np.flatnonzero(lengths < self.within) if abs(lengths[k]) > MIN_DISTANCE_M
        ]
        found = self._jacobians(q)
        rows = np.zeros((len(near), self.checker.model.nv))
        for row, k in zip(rows, near, strict=True):
            direction = (points[k, 1] - points[k, 0]) / lengths[k]
            for joint, point, sign in zip(self._pairs[k], points[k], (-1.0, 1.0), strict=True):
                if joint:
                    J = found[joint]
                    row += sign * (direction @ J[:3] + np.cross(point, direction) @ J[3:])
        return rows, -self.gain * np.maximum(lengths[near] - self.least, 0.0)

    def _jacobians(self, q: FloatArray) -> dict[int, FloatArray]:
        """Of the joints that move shapes, in the world."""
        values = () if self._kernel is None else self._kernel(q)
        return dict(zip(self._moved, values if len(self._moved) > 1 else (values,), strict=False))
