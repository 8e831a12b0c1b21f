# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Trajectories that are read in place give what those give that are deserialized, or are refused.

A thousand messages, most of them good, go through both ways.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from rclpy.serialization import deserialize_message, serialize_message
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from dyn_ros.messages import joint_trajectory
from dyn_ros.messages.joint_trajectory import JointTrajectoryReader
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import duration_message
from dyn_ros.messages.trajectory_cdr import UnknownEncodingError, UnlikeError, alike

NAMES = ["a", "elbow", "wrist_3"]
FIELDS = ("positions", "velocities", "accelerations", "effort")


@pytest.fixture(autouse=True)
def no_message_is_too_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint_trajectory, "MIN_RAW_BYTES", 0)


def trajectory(random: np.random.Generator, count: int, fields: tuple[str, ...]) -> JointTrajectory:
    message = JointTrajectory(joint_names=[str(x) for x in random.permutation(NAMES)])
    message.header.frame_id = "world"[: int(random.integers(0, 6))]
    for k in range(count):
        point = JointTrajectoryPoint(
            time_from_start=duration_message(0.1 * k + 0.01 * random.uniform())
        )
        for field in fields:
            setattr(point, field, random.normal(size=len(NAMES)))
        message.points.append(point)
    return message


def _number(message: JointTrajectory, point: Any, random: np.random.Generator) -> None:
    numbers = getattr(point, str(random.choice(FIELDS))) or point.positions
    numbers[int(random.integers(0, 3))] = float(random.choice([np.nan, np.inf]))


def _length(message: JointTrajectory, point: Any, random: np.random.Generator) -> None:
    getattr(point, str(random.choice(FIELDS))).append(0.5)


def _empty(message: JointTrajectory, point: Any, random: np.random.Generator) -> None:
    setattr(point, str(random.choice(FIELDS)), [])


def _all_longer(message: JointTrajectory, point: Any, random: np.random.Generator) -> None:
    for each in message.points:
        each.positions.append(0.5)


def _time(message: JointTrajectory, point: Any, random: np.random.Generator) -> None:
    point.time_from_start.sec = int(random.integers(-2, 1))


def _names(message: JointTrajectory, point: Any, random: np.random.Generator) -> None:
    message.joint_names = [*NAMES[:2], str(random.choice(["other", "a", "wrist_4"]))]


ODD = {x.__name__: x for x in (_number, _length, _empty, _all_longer, _time, _names)}

RAGGED = ("_length", "_empty")


def in_full(reader: JointTrajectoryReader, data: bytes) -> Any:
    try:
        return reader.read(deserialize_message(data, JointTrajectory))
    except InputRefusedError as refusal:
        return str(refusal)


def in_place(reader: JointTrajectoryReader, data: bytes) -> Any:
    try:
        found = reader.read_serialized(data)
    except InputRefusedError as refusal:
        return str(refusal)
    if found is None:
        return None
    message, read = found
    assert message.joint_names == deserialize_message(data, JointTrajectory).joint_names
    assert message.header == deserialize_message(data, JointTrajectory).header
    return read


def test_both_ways_give_the_same() -> None:
    random, reader = np.random.default_rng(5), JointTrajectoryReader(NAMES)
    seen: Counter[str] = Counter()
    for _ in range(1000):
        fields = tuple(x for x in FIELDS[1:] if random.uniform() < 0.6)
        message = trajectory(random, int(random.integers(0, 12)), ("positions", *fields))
        what = str(random.choice(list(ODD))) if random.uniform() < 0.3 and message.points else ""
        if what:
            ODD[what](message, random.choice(message.points), random)
        data = bytes(serialize_message(message))
        ours, theirs = in_place(reader, data), in_full(reader, data)
        if ours is None:
            seen["in full"] += 1
            continue
        seen[what or "good"] += 1
        if isinstance(theirs, str):
            ragged = what in RAGGED and "fields than those before it" in ours
            assert ragged or ours == theirs  # refused in the same words
            continue
        assert ours[0].tobytes() == theirs[0].tobytes()
        assert [x.tobytes() for x in ours[1]] == [x.tobytes() for x in theirs[1]]
    assert seen["good"] > 300
    assert all(seen[what] > 20 for what in ODD)


def test_a_point_unlike_the_others_is_named() -> None:
    """Also one whose place cannot be computed from those before it, and the last one."""
    reader = JointTrajectoryReader(NAMES)
    for odd in range(9):
        bad = trajectory(np.random.default_rng(3), 9, FIELDS)
        bad.points[odd].velocities = []
        number = max(odd, 1)  # the first is the one that others are like
        with pytest.raises(InputRefusedError, match=f"^point {number} has other fields"):
            reader.read_serialized(bytes(serialize_message(bad)))


@pytest.mark.parametrize("count", [1, 9])
def test_efforts_are_checked_but_not_used(count: int) -> None:
    """Who computed NaN for one field has no good numbers in others; the words say where."""
    reader = JointTrajectoryReader(NAMES)
    good = trajectory(np.random.default_rng(2), count, ("positions", "effort"))
    assert len(in_full(reader, serialize_message(good))[1]) == 1
    for wrong, words in ((np.nan, "effort of point 0 of joint"), (None, "has 2 numbers")):
        bad = deserialize_message(serialize_message(good), JointTrajectory)
        for point in bad.points:
            point.effort = point.effort[:2]
            if wrong is not None:
                point.effort.append(wrong)
        data = bytes(serialize_message(bad))
        assert words in in_full(reader, data)
        assert in_place(reader, data) == (in_full(reader, data) if count > 2 else None)


def test_what_is_cut_off_is_not_read() -> None:
    data = bytes(serialize_message(trajectory(np.random.default_rng(1), 9, FIELDS)))
    for length in range(0, len(data) - 3, 7):
        try:
            assert alike(JointTrajectory, data[:length]) is None
        except (UnknownEncodingError, UnlikeError):
            continue


def test_only_what_ends_with_messages_is_read() -> None:
    with pytest.raises(UnknownEncodingError, match="does not end with a sequence"):
        alike(Float64MultiArray, bytes(serialize_message(Float64MultiArray(data=[1.0]))))
