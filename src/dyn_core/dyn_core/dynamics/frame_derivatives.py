# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of the velocity and acceleration of a frame.

A frame moves with its body: what a coordinate does to the body's velocity and acceleration (see
:mod:`dyn_core.dynamics.motion_derivatives`) is what it does to the frame's. Seen from axes or a
point that the coordinate does not move along, what is seen also turns by the coordinate's column S.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from dyn_core.dynamics.declare.arrays import Acceleration, Configuration, Output, Velocity
from dyn_core.dynamics.declare.options import LOCAL, Reference
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.motion_derivatives import MotionColumn, MotionColumns, motion_columns
from dyn_core.dynamics.tree_passes import Columns
from dyn_core.model.frame import Frame
from dyn_core.model.model import Model
from dyn_core.spatial import SE3, Motion, Vector3
from dyn_core.spatial.scalars import Rows

ROWS = (6, "nv")
SOURCE = "Carpentier and Mansard 2018, section III.A"


@quantity(
    Output("dv_dq", "derivative of a frame's velocity by q", "1/s, m/s", ROWS, "asked for"),
    Output("dv_dv", "derivative of a frame's velocity by v", "m, 1", ROWS, "asked for"),
    pinocchio="getFrameVelocityDerivatives",
    source=SOURCE,
)
def frame_velocity_derivatives(
    model: Model, q: Configuration, v: Velocity, *, frame: Frame, reference: Reference = LOCAL
) -> tuple[Rows, Rows]:
    """Derivatives of a frame's spatial velocity by q (along velocity coordinates) and v."""
    motion = motion_columns(model, q, v, [0.0] * model.nv, Vector3.zero())
    V = motion.V[frame.joint]
    seen = _View(motion, frame, reference)
    by_q = seen.matrix(model, lambda c: seen.turned(c, c.V_q, V))
    return by_q, seen.matrix(model, lambda c: seen.still(c.S))


@quantity(
    Output("da_dq", "derivative of a frame's acceleration by q", "1/s^2, m/s^2", ROWS, "asked for"),
    Output("da_dv", "derivative of a frame's acceleration by v", "1/s, m/s", ROWS, "asked for"),
    Output("da_da", "derivative of a frame's acceleration by a", "m, 1", ROWS, "asked for"),
    pinocchio="getFrameAccelerationDerivatives",
    source=SOURCE,
)
def frame_acceleration_derivatives(
    model: Model,
    q: Configuration,
    v: Velocity,
    a: Acceleration,
    *,
    frame: Frame,
    reference: Reference = LOCAL,
) -> tuple[Rows, Rows, Rows]:
    """Derivatives of a frame's spatial acceleration by q (along velocity coordinates), v and a."""
    motion = motion_columns(model, q, v, a, Vector3.zero())
    V, A = motion.V[frame.joint], motion.A[frame.joint]
    seen = _View(motion, frame, reference)
    by_q = seen.matrix(model, lambda c: seen.turned(c, c.A_q + c.V_q.cross(V), A))
    by_v = seen.matrix(model, lambda c: seen.still(c.A_v + c.S.cross(V)))
    return by_q, by_v, seen.matrix(model, lambda c: seen.still(c.S))


class _View:
    """Motions of a frame as they are seen in a reference."""

    def __init__(self, motion: MotionColumns, frame: Frame, reference: Reference) -> None:
        self.motion, self.frame, self.reference = motion, frame, reference
        at = motion.placements[frame.joint] * frame.placement
        world = motion.placements[0]
        if reference is Reference.LOCAL:
            self.axes = at
        elif reference is Reference.WORLD:
            self.axes = world
        else:
            self.axes = SE3(world.rotation, at.translation)

    def still(self, change: Motion) -> Motion:
        """A change in the axes and about the point of the reference."""
        return self.axes.act_inv_motion(change)

    def turned(self, column: MotionColumn, change: Motion, whole: Motion) -> Motion:
        """The same of a change by q, during which ``whole`` turns with the frame."""
        if self.reference is Reference.LOCAL:
            return self.still(change)
        S = self.still(column.S)
        if self.reference is Reference.LOCAL_WORLD_ALIGNED:  # the point moves along
            S = Motion(Vector3.zero(), S.angular)
        return self.still(change) + S.cross(self.still(whole))

    def matrix(self, model: Model, seen: Callable[[MotionColumn], Motion]) -> Rows:
        """(6, nv) what ``seen`` says of each coordinate that moves the frame."""
        result = Columns(model)
        for column in self._moving(model.parents):
            result.add(column.k, seen(column))
        return result.rows

    def _moving(self, parents: Sequence[int]) -> Iterator[MotionColumn]:
        i = self.frame.joint
        while i:
            yield from self.motion.of[i]
            i = parents[i]
