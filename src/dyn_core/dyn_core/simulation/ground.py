# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The ground under a robot: unilateral contacts with Coulomb friction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dyn_core.compiler.runtime import Data
from dyn_core.compiler.signature import Asked
from dyn_core.contacts.problem_checks import check_friction
from dyn_core.dynamics.declare.options import LOCAL_WORLD_ALIGNED
from dyn_core.dynamics.forward_kinematics import forward_kinematics
from dyn_core.dynamics.joint_jacobians import joint_jacobian
from dyn_core.model.gravity_compensator import check_carrier
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.value_checks import finite_numbers, number

NEAR_GAP_M = 0.005
"""Points that stay higher at their present velocity are no contacts of a step, m."""
RECOVERED_SHARE = 0.1
"""Share of a penetration that is corrected in a step."""
FRICTION = 4
"""Column of the coefficient of friction in the table of points, after centre and radius."""
MAX_RECOVERY_SPEED_M_S = 0.5
"""The largest speed of correction of a penetration, m/s."""


class ContactPoint(NamedTuple):
    """A contact point, or a ball, on a body."""

    joint: int
    """Index of the joint that moves the body."""
    position: tuple[float, float, float]
    """Position of the centre in the frame of that joint, m."""
    radius: float
    """Radius of the ball, m; 0 for a point."""


class Ground:
    """The plane z = 0 with Coulomb friction, the ground of a robot. An impact is inelastic."""

    def __init__(self, model: Model, points: Sequence[ContactPoint], friction: float) -> None:
        """Define the contact points.

        Args:
            model: the robot.
            points: the contact points; points of the world, joint 0, are ignored.
            friction: coefficient of all.

        Raises:
            ValueError: the coefficient is not from 0 to MOST_FRICTION of `dyn_core.contacts`,
                there is no point, or one is not of this robot.
        """
        self.model = model
        check_friction([friction])
        _check(model, points)
        joints = [point.joint for point in points]
        self._joints = np.array(joints, dtype=np.int64)
        self._balls = np.array([(*x.position, x.radius, friction) for x in points], np.float64)
        moving = sorted({joint for joint in joints if joint})
        rows = {joint: row for row, joint in enumerate(moving)}
        self._rows = np.array([rows.get(joint, -1) for joint in joints], dtype=np.int64)
        self._jacobians = tuple(
            joint_jacobian.request(joint=model.names[j], reference=LOCAL_WORLD_ALIGNED)
            for j in moving
        )
        self.quantities: tuple[Asked, ...] = (forward_kinematics.request(), *self._jacobians)
        """Quantities of the kernel whose results the ground takes."""
        self.impulses: FloatArray = np.zeros((len(joints), 3))
        """(points, 3) impulses of the last step along the axes of the world, N s."""

    def reset(self) -> None:
        """Forget the impulses of the last step."""
        self.impulses[:] = 0.0

    def lowest(self, placements: FloatArray) -> float:
        """The height in m of the lowest point; ``placements`` (njoints, 4, 4) are oMi."""
        own = placements[self._joints]
        centers = np.einsum("kj,kj->k", own[:, 2, :3], self._balls[:, :3]) + own[:, 2, 3]
        return float((centers - self._balls[:, 3]).min())

    def within(self, data: Data) -> tuple[Any, ...]:
        """The arguments of a step: arrays of the ground, and those of ``data`` for `quantities`.

        A kernel that is bound to ``data`` afterwards fills them. Data of another robot raise
        ValueError.
        """
        data.check(self.model)
        jacobians = data.together(self._jacobians)
        stack = jacobians.reshape(len(self._jacobians), 6, data.model.nv)
        placements = data[forward_kinematics]
        return placements, stack, self._joints, self._rows, self._balls, self.impulses


def _check(model: Model, points: Sequence[ContactPoint]) -> None:
    if not points:
        raise ValueError("points must hold one at least: a robot without any needs no Ground")
    for k, (joint, position, radius) in enumerate(points):
        where = f"points[{k}] of '{model.name}'"
        check_carrier(joint, len(model.joints), where)
        finite_numbers(position, 3, f"{where}: its position")
        if not 0.0 <= number(f"{where}: its radius", radius) < np.inf:
            raise ValueError(f"{where}: its radius must be finite and not negative, not {radius}")


def touching(
    placements: FloatArray,
    stack: FloatArray,
    joints: FloatArray,
    rows: FloatArray,
    balls: FloatArray,
    v: FloatArray,
    dt: float,
) -> tuple[Any, FloatArray, FloatArray]:
    """Compiled: the points near the ground, their Jacobian (3 points, nv), and what is added to c.

    That is the velocity at which a gap just closes within the step.
    """
    nv, count = stack.shape[2], 0
    speeds = np.zeros((len(stack), 6))
    for row in range(len(stack)):
        for i in range(6):
            for j in range(nv):
                speeds[row, i] += stack[row, i, j] * v[j]
    near, offset = np.empty(len(joints), np.int64), np.zeros(3 * len(joints))
    J = np.empty((3 * len(joints), nv))
    for k in range(len(joints)):
        if rows[k] < 0:
            continue
        own, ball = placements[joints[k]], balls[k]
        x = own[0, 0] * ball[0] + own[0, 1] * ball[1] + own[0, 2] * ball[2]
        y = own[1, 0] * ball[0] + own[1, 1] * ball[1] + own[1, 2] * ball[2]
        z = own[2, 0] * ball[0] + own[2, 1] * ball[1] + own[2, 2] * ball[2] - ball[3]
        gap, speed = own[2, 3] + z, speeds[rows[k]]
        ahead = gap + dt * (speed[2] + speed[3] * y - speed[4] * x)  # v + w x (x, y, z)
        if min(gap, ahead) > NEAR_GAP_M:
            continue
        moving, at = stack[rows[k]], 3 * count
        for j in range(nv):
            J[at, j] = moving[0, j] + moving[4, j] * z - moving[5, j] * y
            J[at + 1, j] = moving[1, j] + moving[5, j] * x - moving[3, j] * z
            J[at + 2, j] = moving[2, j] + moving[3, j] * y - moving[4, j] * x
        deep = max(RECOVERED_SHARE * gap / dt, -MAX_RECOVERY_SPEED_M_S)
        offset[at + 2] = gap / dt if gap >= 0.0 else deep
        near[count] = k
        count += 1
    return near[:count], J[: 3 * count], offset[: 3 * count]
