# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Messages about joints are made once, and their fields filled again and again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from builtin_interfaces.msg import Duration, Time
from dyn_msgs.msg import Centroidal, ExternalEfforts, JointAccelerations, JointEfforts, MassMatrix
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from dyn_ros.messages.joint_message import CommandMessage, JointMessage, StampedMessage
from dyn_ros.messages.joint_order import find_all_joints, find_joints
from dyn_ros.messages.prediction import PredictionMessage
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import NANOSECONDS


def sent(message: Any, kind: Any) -> Any:
    """Return a message as subscribers get it."""
    return deserialize_message(serialize_message(message), kind)


def filled(message: JointMessage, kind: Any, stamp: int = 0, **fields: Any) -> Any:
    return sent(message.fill(stamp, **fields), kind)


@pytest.mark.parametrize("order", ["C", "F"])
def test_an_array_that_changes_is_copied_each_time(order: Any) -> None:
    """It is the same object; another one may come between, or one of another size."""
    effort = JointMessage(JointEfforts, ["a"])
    same, other = np.ones((2, 2), order=order), np.zeros(4)
    for k in range(6):
        same[:] = [[k, k + 1.0], [k + 2.0, k + 3.0]]
        given = other if k == 2 else np.ones(1) if k == 4 else same
        message = filled(effort, JointEfforts, effort=given, terms=k // 3)
        assert list(message.effort) == list(given.ravel())
        assert message.terms == k // 3


def test_what_is_no_number_or_has_another_size_is_written_too() -> None:
    state = JointMessage(JointState, ["a"], names_field="name")
    filled(state, JointState, position=np.ones(1))
    message = filled(state, JointState, name=["b", "c"], position=np.array([2.0, 3.0]))
    assert (message.name, list(message.position)) == (["b", "c"], [2.0, 3.0])


@pytest.mark.parametrize("kind", [ExternalEfforts, JointAccelerations, JointEfforts, MassMatrix])
def test_a_filled_message_has_all_that_was_given(kind: Any) -> None:
    random = np.random.default_rng(1)
    prepared, plain = JointMessage(kind, ["ab", "c"]), kind(joint_names=["ab", "c"])
    for _ in range(5):
        fields = {}
        for name, text in kind.get_fields_and_field_types().items():
            if text == "sequence<double>":
                fields[name] = random.normal(size=4)
            elif text == "sequence<boolean>":
                fields[name] = random.integers(0, 2, 2).astype(bool)
            elif text == "boolean":
                fields[name] = bool(random.integers(0, 2))
            elif text == "double":
                fields[name] = float(random.normal())
            elif text == "uint8":
                fields[name] = int(random.integers(0, 256))
        for name, value in fields.items():
            setattr(plain, name, value.tolist() if isinstance(value, np.ndarray) else value)
        assert filled(prepared, kind, **fields) == plain


def test_arrays_fill_vectors_of_three_named_numbers() -> None:
    random, prepared = np.random.default_rng(2), StampedMessage(Centroidal, [])
    for frame in ("world", "world", "odom"):
        velocity, momentum = random.normal(size=3), random.normal(size=6)
        fields = {
            "header.frame_id": frame,
            "velocity": velocity,
            "mass": np.float64(random.normal()),
            "linear_momentum": momentum[:3],
            "angular_momentum": momentum[3:],
            "kinetic_energy": np.array(random.normal()),
        }
        found = sent(prepared.fill(3 * NANOSECONDS + 5, **fields), Centroidal)
        assert (found.header.frame_id, found.header.stamp) == (frame, Time(sec=3, nanosec=5))
        assert xyz(found.velocity) == velocity.tolist()
        assert xyz(found.linear_momentum) + xyz(found.angular_momentum) == momentum.tolist()
        assert (found.mass, found.kinetic_energy) == (fields["mass"], fields["kinetic_energy"])


def xyz(vector: Any) -> list[float]:
    return [vector.x, vector.y, vector.z]


def test_points_of_a_prediction_follow_its_stamp() -> None:
    prediction = PredictionMessage(JointTrajectory, ["a", "b"], steps=2, seconds=0.75)
    data = prediction.fill(
        5 * NANOSECONDS,
        positions=np.array([[1.0, 2.0], [3.0, 4.0]]),
        velocities=np.zeros((2, 2)),
        accelerations=np.ones((2, 2)),
    )
    message = sent(data, JointTrajectory)
    assert [list(point.positions) for point in message.points] == [[1.0, 2.0], [3.0, 4.0]]
    assert [list(point.accelerations) for point in message.points] == [[1.0, 1.0], [1.0, 1.0]]
    times = [point.time_from_start for point in message.points]
    assert times == [Duration(nanosec=750_000_000), Duration(sec=1, nanosec=500_000_000)]
    assert message.header.stamp.sec == 5


def test_commands_have_the_controllers_order() -> None:
    command = CommandMessage(["a", "b", "c"], ["c", "a"])
    chosen = command.select(np.array([1.0, 2.0, 3.0]))
    assert list(command.fill(chosen).data) == [3.0, 1.0]
    assert CommandMessage(["a", "b"]).joint_names == ("a", "b")


@pytest.mark.parametrize("joints", [["a", "x"], ["a", "a"]])
def test_wrong_command_joints_are_refused(joints: list[str]) -> None:
    with pytest.raises(ValueError, match=r"'x' is not in the model|name every joint once"):
        CommandMessage(["a", "b"], joints)


def test_any_order_and_unknown_joints() -> None:
    found = find_joints(["a", "b", "c"], ["c", "gripper", "a"])
    assert (list(found.indices), list(found.joints), found.in_order) == ([2, 0], [0, 2], False)
    assert find_joints(["a", "b", "c"], ["a", "b", "c"]).in_order


@pytest.mark.parametrize(
    ("names", "reason", "word"),
    [
        (["a"], "missing joint", "'b'"),
        ([], "missing joint", "'a', 'b'"),
        (["a", "b", "a"], "duplicate joint", "'a' is named twice"),
        (["a", "b", "x"], "unknown joint", "'x' is not in the model"),
    ],
)
def test_refusals_name_the_joint(names: list[str], reason: str, word: str) -> None:
    with pytest.raises(InputRefusedError, match=word) as refusal:
        find_all_joints(["a", "b"], names)
    assert refusal.value.reason == reason


def test_a_refusal_quotes_ten_names_and_no_long_ones() -> None:
    with pytest.raises(InputRefusedError) as refusal:
        find_all_joints([f"joint{i}" for i in range(1000)], [f"other{i}" for i in range(100_000)])
    assert "and 990 more" in str(refusal.value)
    assert len(str(refusal.value)) < 1000
    with pytest.raises(InputRefusedError) as refusal:
        find_all_joints(["a"], ["x" * 1_000_000])
    assert len(str(refusal.value)) < 300
