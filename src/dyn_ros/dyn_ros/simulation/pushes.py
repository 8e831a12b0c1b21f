"""External wrenches at frames of a simulated robot, as joint efforts."""

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_core.model.frame import Frame
from dyn_core.spatial import Force
from dyn_ros.adapters.joint_order import quoted
from dyn_ros.adapters.refusal import InputRefusedError

Vector = NDArray[np.float64]


class Pushes:
    """The wrenches that act now; each ends some steps after it was set."""

    def __init__(self, model: dyn_core.Model, timeout: int) -> None:
        """Push frames of `model`; a wrench acts for `timeout` steps."""
        self._model = model
        self._timeout = timeout
        self._none = np.zeros(model.nv)
        self.reset()

    def reset(self) -> None:
        """End all wrenches."""
        self._active: dict[str, tuple[int, Frame, Force]] = {}  # steps left, where, what

    def push(self, frame: str, wrench: tuple[float, ...]) -> None:
        """Let a wrench [force, torque] (N, N m; axes and origin of `frame`) act from now on.

        It replaces the one before at that frame. Raises InputRefusedError if there is no such
        frame.
        """
        names = [known.name for known in self._model.frames]
        if frame not in names:
            raise InputRefusedError(
                "unknown frame",
                f"the robot has no frame '{frame}': choose among {quoted(sorted(set(names)))}",
            )
        self._active[frame] = (self._timeout, self._model.frame(frame), Force.of(wrench))

    def advance(self, q: Vector) -> Vector:
        """Return the joint efforts [nv] of all wrenches at the configuration `q`; count a step."""
        if not self._active:
            return self._none
        numbers = q.tolist()
        effort = np.zeros(self._model.nv)
        for _, frame, force in self._active.values():
            add_joint_effort(self._model, numbers, frame, force, effort)
        self._active = {
            name: (steps - 1, frame, force)
            for name, (steps, frame, force) in self._active.items()
            if steps > 1
        }
        return effort


def add_joint_effort(
    model: dyn_core.Model, q: list[float], frame: Frame, force: Force, effort: Vector
) -> None:
    """Add J^T f to `effort`: from the frame down to the base, S^T f of each joint on the way."""
    i, force = frame.joint, frame.placement.act_force(force)
    while i:
        joint, own = model.joints[i], model.q_of(i, q)
        for k, column in enumerate(joint.subspace(own)):
            effort[model.idx_v[i] + k] += column.dot(force)
        force = (model.joint_placements[i] * joint.transform(own)).act_force(force)
        i = model.parents[i]
