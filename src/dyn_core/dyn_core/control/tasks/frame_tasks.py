# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Tasks of frames: where a frame is in the world, or seen from another frame."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dyn_core.control.pose_error import checked_placement, pose_error
from dyn_core.control.tasks.task import Costs, EvaluatedState, TargetTask, Terms
from dyn_core.dynamics.declare import Request
from dyn_core.dynamics.declare.options import LOCAL_WORLD_ALIGNED
from dyn_core.dynamics.frame_jacobian import frame_jacobian
from dyn_core.dynamics.frame_motion import frame_acceleration, frame_placement, frame_velocity
from dyn_core.model.model import FloatArray, Model


def motion_of(frame: str) -> tuple[Request, ...]:
    """Placement, Jacobian, velocity and acceleration of a frame, along the axes of the world."""
    world = {"frame": frame, "reference": LOCAL_WORLD_ALIGNED}
    return (
        frame_placement.request(frame=frame),
        frame_jacobian.request(**world),
        frame_velocity.request(**world),
        frame_acceleration.request(**world, classical=True),
    )


class FrameTask(TargetTask):
    """A frame moves to a placement in the world, straight and about one axis.

    Args:
        frame: its name.
        position_cost: of the squared error of position, one number or one along each axis of the
            world.
        orientation_cost: the same of orientation, about each axis.
        gain, damping_ratio, priority, lm_damping: see :class:`Task`.
    """

    def __init__(
        self,
        frame: str,
        position_cost: Costs = 1.0,
        orientation_cost: Costs = 1.0,
        gain: float = 10.0,
        damping_ratio: float = 1.0,
        priority: int = 0,
        lm_damping: float = 0.05,
    ) -> None:
        self.frame = frame
        costs = _of_pose(position_cost, orientation_cost)
        super().__init__(costs, gain, damping_ratio, priority, lm_damping)

    def checked_target(self, target: FloatArray) -> FloatArray:
        """A placement (4, 4) in the world, with velocity and acceleration (6,)."""
        return checked_placement(f"the target of {self}", target)

    def set_target_from_configuration(self, model: Model, q: FloatArray) -> None:
        """Stay where the frame is at a configuration (nq)."""
        self.set_target(np.array(frame_placement(model, q, frame=self.frame)))

    def requests(self) -> tuple[Request, ...]:
        """The motion of the frame."""
        return motion_of(self.frame)

    def terms(self, state: EvaluatedState, values: Sequence[FloatArray]) -> Terms:
        """The error is :func:`pose_error`."""
        placement, jacobian, velocity, drift = values
        return Terms(pose_error(placement, self.goal()), jacobian, drift, velocity)

    def __repr__(self) -> str:
        return f"{type(self).__name__}('{self.frame}')"


class RelativeFrameTask(FrameTask):
    """A frame moves to a placement relative to another frame, the root, along the root's axes."""

    def __init__(
        self,
        frame: str,
        root: str,
        position_cost: Costs = 1.0,
        orientation_cost: Costs = 1.0,
        gain: float = 10.0,
        damping_ratio: float = 1.0,
        priority: int = 0,
        lm_damping: float = 0.05,
    ) -> None:
        self.root = root
        super().__init__(
            frame, position_cost, orientation_cost, gain, damping_ratio, priority, lm_damping
        )

    def set_target_from_configuration(self, model: Model, q: FloatArray) -> None:
        """Stay where the frame is in the root."""
        places = (np.array(frame_placement(model, q, frame=x)) for x in (self.root, self.frame))
        root, frame = places
        self.set_target(np.linalg.solve(root, frame))

    def requests(self) -> tuple[Request, ...]:
        """The motion of both frames."""
        return (*motion_of(self.frame), *motion_of(self.root))

    def terms(self, state: EvaluatedState, values: Sequence[FloatArray]) -> Terms:
        """Velocity and acceleration seen from a frame that moves itself.

        With the way r from the root, ``r' = v - v_root - w_root x r`` and
        ``r'' = a - a_root - alpha_root x r - w_root x (w_root x r) - 2 w_root x r'``.
        """
        placement, J, velocity, drift, root, J_root, v_root, drift_root = values
        w, way = v_root[3:], placement[:3, 3] - root[:3, 3]
        shift = np.eye(6)  # what a body that moves with the root does at the frame's origin
        shift[:3, 3:] = -np.cross(np.eye(3), way)  # [way]x
        pairs = (J, J_root), (velocity, v_root), (drift, drift_root)
        relative, seen, change = (own - shift @ of_root for own, of_root in pairs)
        change[:3] -= np.cross(w, np.cross(w, way) + 2.0 * seen[:3])
        change[3:] -= np.cross(w, seen[3:])
        turn = np.kron(np.eye(2), root[:3, :3].T)
        here = np.linalg.solve(root, placement).astype(np.float64)
        error = pose_error(here, self.goal())
        return Terms(error, turn @ relative, turn @ change, turn @ seen)

    def __repr__(self) -> str:
        return f"RelativeFrameTask('{self.frame}', '{self.root}')"


def _of_pose(position: Costs, orientation: Costs) -> FloatArray:
    """Costs (6,) of a pose's rows."""
    try:
        return np.concatenate([np.broadcast_to(x, (3,)) for x in (position, orientation)])
    except ValueError as error:
        raise ValueError("costs of a pose are a number or three, one for each axis") from error
