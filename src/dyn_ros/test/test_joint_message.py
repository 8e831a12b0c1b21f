"""Messages about joints are allocated once: what is published costs a copy of its numbers."""

from __future__ import annotations

import numpy as np
from builtin_interfaces.msg import Duration, Time
from dyn_msgs.msg import JointEfforts
from trajectory_msgs.msg import JointTrajectory

from dyn_ros.adapters.joint_message import JointMessage
from dyn_ros.adapters.prediction import PredictionMessage


def test_vectors_are_filled_in_place() -> None:
    effort = JointMessage(JointEfforts, ["a", "b"])
    data = effort.fill(Time(), effort=np.zeros(2)).effort
    message = effort.fill(Time(sec=3), effort=np.array([1.0, 2.0]), terms=JointEfforts.TERM_GRAVITY)
    assert message.effort is data
    assert list(data) == [1.0, 2.0]
    assert message.header.stamp.sec == 3
    assert message.joint_names == ["a", "b"]
    assert message.terms == JointEfforts.TERM_GRAVITY


def test_a_matrix_goes_row_by_row() -> None:
    effort = JointMessage(JointEfforts, ["a"])
    columns_first = np.asfortranarray([[1.0, 2.0], [3.0, 4.0]])
    assert list(effort.fill(Time(), effort=columns_first).effort) == [1.0, 2.0, 3.0, 4.0]


def test_points_of_a_prediction_follow_its_stamp() -> None:
    prediction = PredictionMessage(JointTrajectory, ["a", "b"], steps=2, seconds=0.75)
    message = prediction.fill(
        Time(sec=5),
        positions=np.array([[1.0, 2.0], [3.0, 4.0]]),
        velocities=np.zeros((2, 2)),
        accelerations=np.ones((2, 2)),
    )
    assert [list(point.positions) for point in message.points] == [[1.0, 2.0], [3.0, 4.0]]
    assert [list(point.accelerations) for point in message.points] == [[1.0, 1.0], [1.0, 1.0]]
    times = [point.time_from_start for point in message.points]
    assert times == [Duration(nanosec=750_000_000), Duration(sec=1, nanosec=500_000_000)]
    assert message.header.stamp.sec == 5
