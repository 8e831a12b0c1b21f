# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joint states become arrays in the model's order, and recordings, or are refused with a word."""

from __future__ import annotations

from contextlib import suppress
from math import inf, nan

import numpy as np
import pytest
from ros_helpers import joint_state
from sensor_msgs.msg import JointState

from dyn_ros.inputs.joint_state_reader import JointStateReader
from dyn_ros.inputs.recorder import Recorder
from dyn_ros.messages.joint_message import JointMessage
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import NANOSECONDS, time_message


def reader(needs_velocity: bool = False) -> JointStateReader:
    return JointStateReader(["a", "b"], needs_velocity=needs_velocity)


def test_order_and_unknown_joints() -> None:
    state = reader(needs_velocity=True)
    state.read(joint_state(["b", "x", "a"], [2.0, nan, 1.0], velocity=[20.0, nan, 10.0]))
    assert list(state.position) == [1.0, 2.0]
    assert list(state.velocity) == [10.0, 20.0]


def test_absent_velocity_is_fine_where_it_is_not_needed() -> None:
    state = reader()
    state.read(joint_state(["a", "b"], [1.0, 2.0]))
    state.read(joint_state(["a", "b"], [1.0, 2.0], velocity=[nan, nan]))
    assert list(state.velocity) == [0.0, 0.0]


@pytest.mark.parametrize(
    ("message", "reason", "word"),
    [
        (joint_state(["a", "a"], [1.0, 2.0]), "duplicate joint", "'a' is named twice"),
        (joint_state(["a", "b"], [1.0], velocity=[0.0, 0.0]), "length mismatch", "has 1 .* 2"),
        (joint_state(["a", "b"], [], velocity=[0.0, 0.0]), "length mismatch", "position has 0"),
        (joint_state(["a", "b"], [1.0, 2.0]), "velocity absent", "velocity has 0"),
        (joint_state(["a", "b"], [1.0, nan], velocity=[0.0, 0.0]), "not finite", "'b' is nan"),
        (joint_state(["a", "b"], [inf, 1.0], velocity=[0.0, 0.0]), "not finite", "'a' is inf"),
        (joint_state(["b", "a"], [1.0, 2.0], velocity=[nan, 0.0]), "not finite", "velocity .*'b'"),
    ],
)
def test_refused_messages_change_nothing(message: object, reason: str, word: str) -> None:
    state = reader(needs_velocity=True)
    state.read(joint_state(["a", "b"], [5.0, 6.0], velocity=[7.0, 8.0]))
    with pytest.raises(InputRefusedError, match=word) as refusal:
        state.read(message)
    assert refusal.value.reason == reason
    assert list(state.position) == [5.0, 6.0]
    assert list(state.velocity) == [7.0, 8.0]


def test_efforts_of_refused_messages_are_measured_unless_these_come_late() -> None:
    """Commands that reach other joints may drive these so that positions are implausible."""
    state = reader(needs_velocity=False)
    state.watches_motors = True
    state.read(joint_state(["a", "b"], [5.0, 6.0], effort=[1.0, 2.0], time=10))
    for time, position, effort, expected in (
        (11, [nan, 6.0], [3.0, 4.0], [3.0, 4.0]),
        (12, [5.0], [5.0, 6.0], [5.0, 6.0]),
        (10, [5.0, 6.0], [7.0, 8.0], [5.0, 6.0]),
        (13, [nan, 6.0], [7.0, nan], [7.0, nan]),
    ):
        with pytest.raises(InputRefusedError):
            state.read(joint_state(["a", "b"], position, effort=effort, time=time))
        np.testing.assert_equal(state.known_effort, expected)
    assert list(state.position) == [5.0, 6.0]


def test_other_joints_of_refused_messages_are_seen_and_nothing_else_changes() -> None:
    """Also among messages of who publishes the other joint alone; a stamp counts once."""
    state = reader(needs_velocity=True)
    state.watches_motors = True
    state.read(joint_state(["a", "b"], [5.0, 6.0], velocity=[7.0, 8.0], time=1), now=1.0)
    assert state.seen is state
    for now in (2.0, 3.0):
        with pytest.raises(InputRefusedError, match="'b' is nan"):
            state.read(joint_state(["a", "b"], [5.1, nan], velocity=[nan, 8.1], time=2), now)
    assert list(state.seen.position) == [5.1, 6.0]
    np.testing.assert_equal(state.seen.known_velocity, [nan, 8.0])
    np.testing.assert_equal(state.newest_velocity, [nan, 8.1])
    assert (state.seen.late(2.0), state.seen.late(2.1)) == (["b"], ["a", "b"])
    state.read(joint_state(["b"], [6.2], velocity=[8.2], time=3), now=4.0)
    assert (list(state.position), state.late(2.0)) == ([5.0, 6.2], ["a"])
    assert list(state.newest_velocity) == [7.0, 8.2]
    assert (list(state.seen.position), state.seen.late(2.0)) == ([5.1, 6.2], [])
    np.testing.assert_equal(state.seen.known_velocity, [nan, 8.2])
    state.read(joint_state(["a"], [5.2], velocity=[7.2], time=3), now=4.0)
    assert state.seen is state


def test_time_running_backwards_is_refused_once() -> None:
    state = reader()
    state.read(joint_state(["a", "b"], [1.0, 1.0], time=100))
    with pytest.raises(InputRefusedError, match=r"99\.0+ s older") as refusal:
        state.read(joint_state(["a", "b"], [2.0, 2.0], time=1))
    assert refusal.value.reason == "time ran backwards"
    assert list(state.position) == [1.0, 1.0]
    state.read(joint_state(["a", "b"], [3.0, 3.0], time=2))  # a restarted simulation continues
    assert list(state.position) == [3.0, 3.0]


def test_a_message_that_another_one_has_overtaken_is_no_earlier_time() -> None:
    """Of a burst in any order none older than the newest is taken, nor does time go back to it."""
    state, ms = reader(), NANOSECONDS // 1000
    state.most_age = NANOSECONDS
    taken = []
    for time in (1003, 1001, 1002, 1005, 1004, 1006, 1003):
        message = joint_state(["a", "b"], [float(time), 0.0])
        message.header.stamp = time_message(time * ms)
        with suppress(InputRefusedError):
            state.read(message)
            taken.append(time)
    assert taken == [1003, 1005, 1006]


def test_what_is_written_is_read_back() -> None:
    writer = JointMessage(JointState, ["a", "b"], names_field="name")
    position, velocity, effort = np.random.default_rng(1).normal(size=(3, 2))
    fields = {"position": position, "velocity": velocity, "effort": effort}
    message = writer.fill(1_500_000_001, **fields)
    assert (message.header.stamp.sec, message.header.stamp.nanosec) == (1, 500_000_001)
    state = reader(needs_velocity=True)
    state.read(message)
    assert (state.position == position).all()
    assert (state.velocity == velocity).all()
    assert list(message.effort) == list(effort)


def test_ages_are_since_a_joint_came_and_its_stamp_at_that_time() -> None:
    """A stamp of another clock, or none, says no more than it may."""
    state = reader()
    second = NANOSECONDS
    state.read(joint_state(["a"], [1.0], time=5), now=100.0)
    state.read(joint_state(["b"], [1.0], time=7), now=102.0)
    assert state.ages(102.5, 8 * second, most=10.0) == pytest.approx([3.0, 1.0])
    assert state.ages(102.5, 8 * second, most=0.1) == pytest.approx([2.6, 0.6])
    assert state.ages(102.5, 900 * second, most=0.1) == pytest.approx([2.6, 0.6])
    assert state.ages(102.5, 0, most=0.1) == pytest.approx([2.5, 0.5])
    state = reader()
    state.read(joint_state(["a", "b"], [1.0, 1.0]), now=103.0)
    assert state.ages(103.5, 9 * second, most=0.1) == pytest.approx([0.5, 0.5])


def test_recorder_takes_any_order_and_keeps_room() -> None:
    recorder = Recorder(["first", "second"], rows=2)
    recorder.add(joint_state(["second", "first"], [2.0, 1.0], effort=[20.0, 10.0], time=1))
    recorder.add(joint_state(["gripper"], [9.0], time=2))
    recorder.add(joint_state(["first"], [3.0], time=3))
    recorder.add(joint_state(["first", "second"], [5.0, 6.0], time=4))
    recording = recorder.recording()
    assert recording.times.tolist() == [1.0, 3.0]
    assert recording.q[0].tolist() == [1.0, 2.0]
    assert recording.tau[0].tolist() == [10.0, 20.0]
    assert recording.q[1, 0] == 3.0
    assert recorder.lost == 1
