# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joint states read from bytes are those that rclpy reads."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from bench import NAMES as NAMES_OF_ARM
from bench import Bench
from builtin_interfaces.msg import Time
from called import Called
from malformed import damage
from rclpy.serialization import deserialize_message, serialize_message
from ros_helpers import arm, until
from sensor_msgs.msg import JointState
from std_msgs.msg import Header

from dyn_ros.inputs.joint_state_bytes import JointStateBytes

NAMES = ([], ["a"], ["shoulder", "x", "Ellbögen"], [f"joint_{k}" for k in range(38)])
FRAMES = ("", "w", "base_link")


def state(frame: str, names: list[str], sizes: tuple[int, int, int], first: float) -> JointState:
    numbers = [[first + k / 7.0 for k in range(size)] for size in sizes]
    stamp = Time(sec=int(first), nanosec=int(first) + 5)
    header = Header(frame_id=frame, stamp=stamp)
    position, velocity, effort = numbers
    return JointState(
        header=header, name=names, position=position, velocity=velocity, effort=effort
    )


@pytest.mark.parametrize("names", NAMES, ids=len)
def test_every_layout_is_read_as_rclpy_reads_it(names: list[str]) -> None:
    """Any frame, any number of each field, from the first message on and again."""
    reader, n = JointStateBytes(), len(names)
    for frame, *sizes in product(FRAMES, (0, 1, n), (0, 1, n), (0, 1, n)):
        for first in (1.0, -3.0 + 2**31, 7.0):
            data = serialize_message(state(frame, names, (*sizes,), min(first, 2.0**31 - 1)))
            assert reader.read(data) == as_rclpy(data)


def test_publishers_may_alternate() -> None:
    reader = JointStateBytes()
    for k in range(40):
        names = [f"joint_{k % 20}", "other"]  # more than are remembered
        data = serialize_message(state("", names, (2, 2, 0), float(k)))
        assert reader.read(data) == as_rclpy(data)


def test_names_that_begin_alike_are_different() -> None:
    reader = JointStateBytes()
    for names in (["a"], ["a", "b"], ["a", "bc"], ["a", "b"], ["a"]):
        data = serialize_message(state("", names, (len(names),) * 3, 1.0))
        assert reader.read(data).name == names


def test_damaged_data_are_refused_as_rclpy_refuses_them() -> None:
    """Bytes are changed, left out or added; a good message with these names comes before."""
    reader, random = JointStateBytes(), Random(5)
    good = serialize_message(state("base", ["a", "bc"], (2, 2, 2), 1.0))
    damages = [damage(good, random) for _ in range(500)]
    for data in (x for bad in damages for x in (good, bad)):
        expected = as_rclpy(data)
        assert repr(reader.read(data)) == repr(expected)


def test_a_message_is_read_once_for_all_nodes() -> None:
    reader = JointStateBytes()
    data = serialize_message(state("", ["a"], (1, 1, 1), 1.0))
    assert reader.read(data) is reader.read(data)
    reader.read(data).position[0] = 7.0
    assert reader.read(data).position[0] == 7.0
    assert reader.read(bytearray(data)).position[0] == 1.0


def test_a_damaged_joint_state_ends_no_node(called: Called) -> None:
    """The next one is answered."""
    bench = Bench(called, robot_description=arm())
    until(lambda: bench.send(NAMES_OF_ARM, [0.0, 0.0]) and bench.torques)
    for length in range(0, 60, 7):
        bench._states.publish(serialize_message(state("", NAMES_OF_ARM, (2, 2, 2), 1.0))[:length])
    count = len(bench.torques)
    until(lambda: bench.send(NAMES_OF_ARM, [0.0, 0.0]) and len(bench.torques) > count)


def as_rclpy(data: bytes) -> JointState | None:
    try:
        return deserialize_message(data, JointState)
    except RuntimeError:
        return None
