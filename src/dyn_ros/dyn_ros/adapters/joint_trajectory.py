"""Reads trajectory_msgs/JointTrajectory into arrays in the model's order."""

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dyn_ros.adapters.checked_vector import CheckedVector
from dyn_ros.adapters.joint_order import JointOrder
from dyn_ros.adapters.refusal import InputRefusedError
from dyn_ros.adapters.stamp import NANOSECONDS

if TYPE_CHECKING:
    from trajectory_msgs.msg import JointTrajectory

Matrix = NDArray[np.float64]
OPTIONAL = ("velocities", "accelerations")


class JointTrajectoryReader:
    """Reads trajectories that name every joint of the model exactly once."""

    def __init__(self, joint_names: Sequence[str]) -> None:
        """Expect these joints."""
        self._order = JointOrder(joint_names, only_known=True)
        self._joint_names = tuple(joint_names)

    def read(self, message: "JointTrajectory") -> tuple[NDArray[np.float64], list[Matrix]]:
        """Return times [n] (s after the start) and positions [n, nv], then their derivatives.

        Raises InputRefusedError, worded, if the message cannot be used.
        """
        points = message.points
        times = np.array(
            [p.time_from_start.sec + p.time_from_start.nanosec / NANOSECONDS for p in points]
        )
        if (np.diff(times) <= 0.0).any() or (times < 0.0).any():
            raise InputRefusedError(
                "bad times", "time_from_start of the points must not be negative and must increase"
            )
        indices = self._order.indices(message.joint_names)
        fields = ["positions", *self._given(points)]
        if fields == ["positions", "accelerations"]:
            raise InputRefusedError(
                "velocity absent", "points have accelerations but no velocities: give both"
            )
        return times, [self._matrix(points, field, indices) for field in fields]

    def _given(self, points: Sequence[Any]) -> list[str]:
        """Return the optional fields that all points have."""
        given = []
        for field in OPTIONAL:
            present = [bool(len(getattr(point, field))) for point in points]
            if any(present) and not all(present):
                raise InputRefusedError(
                    "length mismatch",
                    f"{field} of point {present.index(False)} is empty, but other points have it: "
                    "give it for all points or for none",
                )
            if any(present):
                given.append(field)
        return given

    def _matrix(self, points: Sequence[Any], field: str, indices: NDArray[np.intp]) -> Matrix:
        vectors = [getattr(point, field) for point in points]
        size = len(indices)
        if any(len(vector) != size for vector in vectors):
            self._refuse(field, vectors, indices)
        rows = np.array(vectors).reshape(len(vectors), size)[:, indices]
        if not np.isfinite(rows).all():
            self._refuse(field, vectors, indices)
        return rows

    def _refuse(self, field: str, vectors: list[Any], indices: NDArray[np.intp]) -> None:
        """Raise InputRefusedError for the first vector that cannot be used."""
        for number, vector in enumerate(vectors):
            checked = CheckedVector(f"{field} of point {number}", self._joint_names)
            checked.check(array("d", vector), indices, len(indices))
