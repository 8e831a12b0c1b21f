# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Reads trajectory_msgs/JointTrajectory into arrays in the model's order, and writes points."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from dyn_ros.arrays import Matrix, Vector
from dyn_ros.messages.checked_vector import finite_vector
from dyn_ros.messages.joint_order import find_all_joints
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import duration_message, seconds_of

Read = tuple[NDArray[np.float64], list[Matrix]]
# a field that is checked alone: who sends no numbers has a fault elsewhere too
UNUSED_FIELD = "effort"
OPTIONAL = ("velocities", "accelerations", UNUSED_FIELD)


def read_trajectory(message: JointTrajectory, joint_names: Sequence[str]) -> Read:
    """Return times [n] (s after the start) and positions [n, nv], then their derivatives.

    The trajectory has to name every joint of the model exactly once, and is returned in their
    order. Efforts of its points are not used, for they are computed; they are checked all the same.
    Raises InputRefusedError, worded, if the message cannot be used, or has no points.
    """
    points = message.points
    if not points:
        raise InputRefusedError("no points", "the trajectory has no points: send at least one")
    times = np.array([seconds_of(point.time_from_start) for point in points])
    if (np.diff(times) <= 0.0).any() or (times < 0.0).any():
        raise InputRefusedError(
            "bad times", "time_from_start of the points must not be negative and must increase"
        )
    indices = find_all_joints(joint_names, message.joint_names).indices
    fields = ["positions", *(field for field in OPTIONAL if _is_given(points, field))]
    numbers = {field: _rows(points, field, message.joint_names) for field in fields}
    numbers.pop(UNUSED_FIELD, None)
    if list(numbers) == ["positions", "accelerations"]:
        raise InputRefusedError(
            "velocity absent", "points have accelerations but no velocities: give both"
        )
    return times, [values[:, indices] for values in numbers.values()]


def _is_given(points: Sequence[Any], field: str) -> bool:
    """Return whether all points have a field. Raises InputRefusedError if only some have."""
    present = [bool(len(getattr(point, field))) for point in points]
    if any(present) and not all(present):
        raise InputRefusedError(
            "length mismatch",
            f"{field} of point {present.index(False)} is empty, but other points have it: "
            "give it for all points or for none",
        )
    return all(present)


def _rows(points: Sequence[Any], field: str, names: Sequence[str]) -> Matrix:
    """Return the numbers of a field, [n, joints]. Raises InputRefusedError."""
    vectors = [getattr(point, field) for point in points]
    if {len(vector) for vector in vectors} == {len(names)}:
        rows = np.frombuffer(b"".join(vectors)).reshape(len(vectors), len(names))
        if np.isfinite(rows).all():
            return rows
    for number, vector in enumerate(vectors):
        finite_vector(f"{field} of point {number}", names, vector)  # refuses one of them
    raise AssertionError


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


def stop_messages(
    joint_names: Sequence[str], duration: float, position: Vector
) -> tuple[JointTrajectory, JointTrajectory]:
    """Return an empty trajectory, then one of a point at rest after `duration`, s.

    By the empty one computed_torque brakes, also where it refuses the point; a
    joint_trajectory_controller rejects it. The point is that of safety/motion_policy.py, with
    accelerations, so that a controller interpolates without steps of acceleration.
    """
    still = 0.0 * position[np.newaxis]
    points = points_of([duration], position[np.newaxis], still, still)
    return JointTrajectory(), JointTrajectory(joint_names=list(joint_names), points=points)
