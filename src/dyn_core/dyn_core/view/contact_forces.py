# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Ground reaction of a robot on a floating base: forces at the ends of its limbs, their CoP."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dyn_core.compiler.runtime.kernel import compile
from dyn_core.dynamics.declare.options import LOCAL_WORLD_ALIGNED
from dyn_core.dynamics.frame_jacobian import frame_jacobian
from dyn_core.dynamics.frame_motion import frame_placement
from dyn_core.model.frame import FrameType
from dyn_core.model.model import FloatArray, Model

MOMENT_LEVER_M = 0.02
"""m: a moment counts as the force that gives it on this lever."""
DAMPING = 1e-6
"""Of squared forces and moments beside squared efforts: what is not measured stays small."""
MIN_LOAD_SHARE = 0.05
"""Share of the robot's weight below which a foot counts as in the air, and there is no CoP."""


@dataclass(frozen=True)
class Contacts:
    """Forces (k, 3) in N at points (k, 3) in m, in the world, and the CoP (3,), None in the air."""

    points: FloatArray
    forces: FloatArray
    center: FloatArray | None


class ContactForces:
    """Wrenches at the last links of all limbs: least-squares fit of external efforts.

    ``sum J_k' w_k = tau`` in least squares, of all degrees of freedom of the base and the joints.

    Args:
        model: the robot; its first joint is that of its floating base.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.frames = limb_ends(model)
        requests = [frame_placement.request(frame=x) for x in self.frames]
        requests += [
            frame_jacobian.request(frame=x, reference=LOCAL_WORLD_ALIGNED) for x in self.frames
        ]
        self._kernel = compile(model, requests) if len(requests) > 1 else None
        mass = sum(float(inertia.mass) for inertia in model.inertias[1:])
        self.weight = mass * float(np.linalg.norm([float(x) for x in model.gravity]))
        """N"""

    def update(self, q: FloatArray, outside: FloatArray) -> Contacts:
        """Those at a configuration (nq) where efforts (nv) come from outside, N m and N."""
        count = len(self.frames)
        if self._kernel is None or not np.isfinite(outside).all():
            return Contacts(np.zeros((0, 3)), np.zeros((0, 3)), None)
        values = self._kernel(q)
        points = np.array([place[:3, 3] for place in values[:count]])
        scale = np.tile([1.0, 1.0, 1.0, MOMENT_LEVER_M, MOMENT_LEVER_M, MOMENT_LEVER_M], count)
        A = np.concatenate([np.array(J) for J in values[count:]]).T * scale
        w = np.linalg.solve(A.T @ A + DAMPING * np.eye(6 * count), A.T @ outside) * scale
        wrenches = w.reshape(count, 6)
        forces = wrenches[:, :3]
        feet = forces[:, 2] > MIN_LOAD_SHARE * self.weight
        center = None
        if feet.any():
            center = _center(points[feet], wrenches[feet])
        return Contacts(points[feet], forces[feet], center)


def limb_ends(model: Model) -> list[str]:
    """The last link of each chain: feet, hands, heads."""
    inner = {model.parents[i] for i in range(1, model.njoints)}
    found = {}
    for frame in model.frames:
        if frame.type is FrameType.BODY and frame.joint and frame.joint not in inner:
            found[frame.joint] = frame.name
    return list(found.values())


def _center(points: FloatArray, wrenches: FloatArray) -> FloatArray:
    """Where, at the height of the lowest point, all of it has no moment about level axes."""
    height = float(points[:, 2].min())
    total = wrenches[:, :3].sum(axis=0)
    moment = wrenches[:, 3:].sum(axis=0) + np.cross(points, wrenches[:, :3]).sum(axis=0)
    x = (-moment[1] + height * total[0]) / total[2]
    y = (moment[0] + height * total[1]) / total[2]
    return np.array([x, y, height])
