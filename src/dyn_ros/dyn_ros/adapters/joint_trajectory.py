# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Reads trajectory_msgs/JointTrajectory into arrays in the model's order, and writes points."""

from array import array
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.serialization import deserialize_message
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from dyn_ros.adapters.cdr import COUNT, UnknownEncodingError, alike
from dyn_ros.adapters.checked_vector import CheckedVector
from dyn_ros.adapters.joint_order import JointOrder
from dyn_ros.adapters.refusal import InputRefusedError
from dyn_ros.adapters.stamp import NANOSECONDS, duration_message
from dyn_ros.arrays import Matrix

Read = tuple[NDArray[np.float64], list[Matrix]]
LONG = 20_000  # bytes; below, a message is read in full as quickly
UNUSED = "effort"  # a field that is checked alone: who sends no numbers has a fault elsewhere too
OPTIONAL = ("velocities", "accelerations", UNUSED)


class JointTrajectoryReader:
    """Reads trajectories that name every joint of the model exactly once.

    Efforts of their points are not used, for they are computed here; they are checked all the same.
    """

    def __init__(self, joint_names: Sequence[str]) -> None:
        """Expect these joints."""
        self._order = JointOrder(joint_names, only_known=True)
        self._joint_names = tuple(joint_names)

    def read_serialized(self, data: bytes) -> tuple[JointTrajectory, Read] | None:
        """Return a message without its points, and what `read` returns of it.

        None where anything about the points is unusual: then the message has to be read in full.
        Thousands of points take a hundredth of the time in this way.
        """
        if len(data) < LONG:
            return None
        try:
            found = alike(JointTrajectory, data)
        except UnknownEncodingError:
            return None
        if found is None:
            return None
        head = data[: found.start] + bytes(COUNT)
        message = deserialize_message(head, JointTrajectory)
        numbers = found.numbers
        size = len(message.joint_names)
        given = ["positions", *(field for field in OPTIONAL if numbers[field].shape[1])]
        fits = all(
            numbers[field].shape[1] == size and np.isfinite(numbers[field]).all() for field in given
        )
        seconds, rest = (numbers[f"time_from_start.{x}"][:, 0] for x in ("sec", "nanosec"))
        times = seconds + rest / NANOSECONDS
        used = [field for field in given if field != UNUSED]
        if not fits or used[1:] == ["accelerations"] or not _increase(times):
            return None
        indices = self._order.indices(message.joint_names)
        return message, (times, [numbers[field][:, indices] for field in used])

    def read(self, message: JointTrajectory) -> Read:
        """Return times [n] (s after the start) and positions [n, nv], then their derivatives.

        Raises InputRefusedError, worded, if the message cannot be used.
        """
        points = message.points
        durations = [point.time_from_start for point in points]
        seconds, rest = ([getattr(x, field) for x in durations] for field in ("sec", "nanosec"))
        times = np.array(seconds, dtype=np.float64) + np.array(rest, dtype=np.float64) / NANOSECONDS
        if not _increase(times):
            raise InputRefusedError(
                "bad times", "time_from_start of the points must not be negative and must increase"
            )
        indices = self._order.indices(message.joint_names)
        fields = ["positions", *self._given(points)]
        matrices = {field: self._matrix(points, field, indices) for field in fields}
        matrices.pop(UNUSED, None)
        if [*matrices] == ["positions", "accelerations"]:
            raise InputRefusedError(
                "velocity absent", "points have accelerations but no velocities: give both"
            )
        return times, [*matrices.values()]

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
        rows = np.frombuffer(b"".join(vectors)).reshape(len(vectors), size)[:, indices]
        if not np.isfinite(rows).all():
            self._refuse(field, vectors, indices)
        return rows

    def _refuse(self, field: str, vectors: list[Any], indices: NDArray[np.intp]) -> None:
        """Raise InputRefusedError for the first vector that cannot be used."""
        for number, vector in enumerate(vectors):
            checked = CheckedVector(f"{field} of point {number}", self._joint_names)
            checked.check(array("d", vector), indices, len(indices))


def points_of(
    times: Iterable[float], positions: Matrix, velocities: Matrix, accelerations: Matrix
) -> list[JointTrajectoryPoint]:
    """Return the points of a motion: times [n] after the start, s, and its states, [n, joints]."""
    return [
        JointTrajectoryPoint(
            positions=q.tolist(),
            velocities=v.tolist(),
            accelerations=a.tolist(),
            time_from_start=duration_message(time),
        )
        for time, q, v, a in zip(times, positions, velocities, accelerations, strict=True)
    ]


def _increase(times: NDArray[np.float64]) -> bool:
    """Return whether times are not negative and increase."""
    return not ((np.diff(times) <= 0.0).any() or (times < 0.0).any())
