# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joint states that are read in place give what those give that are deserialized, or are refused.

Thousands of messages, most of them good, go through both ways in turn; then damaged ones.
"""

from __future__ import annotations

import struct
from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest
from dyn_msgs.msg import JointEfforts
from malformed import damage
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from dyn_ros.adapters.cdr import UnknownEncodingError, layout
from dyn_ros.adapters.joint_state import JointStateReader
from dyn_ros.adapters.plausible import Plausible
from dyn_ros.adapters.refusal import InputRefusedError
from dyn_ros.adapters.stamp import NANOSECONDS

NAMES = ["a", "elbow", "wrist_3"]
SENT = ["wrist_3", "gripper", "a", "elbow"]  # in another order, with one that nobody knows
PERIOD = 1_000_000  # ns
BAD = (np.nan, np.inf, -np.inf, 1e6, 1e160)


class Both:
    """A reader that reads every message in full, and one that does so where it has to."""

    def __init__(self, **asked: bool) -> None:
        self.time = NANOSECONDS
        self.full, self.quick = (JointStateReader(NAMES, needs_velocity=False) for _ in range(2))
        bound = np.full(3, 10.0)
        turning = np.array([False, True, False])
        for reader in (self.full, self.quick):
            reader.clock = lambda: self.time
            reader.most_age = NANOSECONDS // 10
            reader.expect(Plausible(-bound, bound, bound, bound, bound, turning))
            for name, value in asked.items():
                setattr(reader, name, value)
        self.taken = 0  # in place

    def read(self, data: bytes) -> str:
        """Let both read a message; return why it was refused, or that it is none."""
        told = []
        if self.quick.read_quickly(data, self.time / NANOSECONDS):
            self.taken += 1
            told.append("")
        else:
            told.append(self._in_full(self.quick, data))
        told.append(self._in_full(self.full, data))
        assert told[0] == told[1]
        return told[0]

    def _in_full(self, reader: JointStateReader, data: bytes) -> str:
        try:
            message = deserialize_message(data, JointState)
        except RuntimeError:
            return "no message"
        try:
            read = reader.read(message, self.time / NANOSECONDS)
            if read and reader is self.quick and len(message.name) == len(SENT):
                reader.remember(data, message)
        except InputRefusedError as refusal:
            return str(refusal)
        return ""

    def compare(self) -> None:
        """All that the readers know is the same, bit by bit."""
        for name in ("position", "velocity", "effort"):
            theirs, ours = (getattr(x, name) for x in (self.full, self.quick))
            assert theirs.tobytes() == ours.tobytes()
        for name in ("measured_velocity", "measured_effort"):
            theirs, ours = (getattr(x, name) for x in (self.full, self.quick))
            assert (theirs is None) == (ours is None)
            assert theirs is None or theirs.tobytes() == ours.tobytes()
        assert self.full.nanoseconds == self.quick.nanoseconds
        assert self.full.late(self.time / NANOSECONDS - 0.05) == self.quick.late(
            self.time / NANOSECONDS - 0.05
        )


def messages(random: np.random.Generator, both: Both, count: int) -> Any:
    """Joint states of a robot that moves; one in ten is odd in some way."""
    position = random.normal(size=4)
    for k in range(count):
        both.time += PERIOD
        position = position + 0.004 * random.normal(size=4)
        state = JointState(name=SENT, position=position)
        state.velocity, state.effort = random.normal(size=(2, 4)).tolist()
        stamp = both.time - int(random.integers(0, PERIOD // 2))
        what = random.choice(list(ODD)) if random.uniform() < 0.1 else ""
        stamp = ODD[what](state, random, stamp) if what else stamp
        state.header.stamp.sec, state.header.stamp.nanosec = divmod(stamp, NANOSECONDS)
        yield k, what, serialize_message(state)


def _number(state: JointState, random: np.random.Generator, stamp: int) -> int:
    field = getattr(state, str(random.choice(["position", "velocity", "effort"])))
    field[int(random.integers(0, 4))] = float(random.choice(BAD))
    return stamp


def _fields(state: JointState, random: np.random.Generator, stamp: int) -> int:
    setattr(state, str(random.choice(["position", "velocity", "effort"])), [])
    return stamp


def _lengths(state: JointState, random: np.random.Generator, stamp: int) -> int:
    getattr(state, str(random.choice(["position", "velocity", "effort"]))).append(0.5)
    return stamp


def _order(state: JointState, random: np.random.Generator, stamp: int) -> int:
    state.name = [str(x) for x in random.permutation(SENT)]
    return stamp


def _names(state: JointState, random: np.random.Generator, stamp: int) -> int:
    state.name = [*SENT[:3], str(random.choice(["other", "a", "elbox"]))]
    return stamp


def _frame(state: JointState, random: np.random.Generator, stamp: int) -> int:
    state.header.frame_id = "somewhere"[: int(random.integers(0, 9))]
    return stamp


def _turn(state: JointState, random: np.random.Generator, stamp: int) -> int:
    state.position[3] += 2.0 * np.pi
    return stamp


def _stamp(state: JointState, random: np.random.Generator, stamp: int) -> int:
    del state
    return max(0, stamp + int(random.choice([-stamp, -5 * NANOSECONDS, -PERIOD, 5 * NANOSECONDS])))


ODD = {x.__name__: x for x in (_number, _fields, _lengths, _order, _names, _frame, _turn, _stamp)}


@pytest.mark.parametrize("watches", [False, True])
@pytest.mark.parametrize("needs", [(), ("needs_velocity",), ("needs_velocity", "needs_effort")])
def test_both_ways_give_the_same(needs: tuple[str, ...], watches: bool) -> None:
    random = np.random.default_rng(len(needs) + 3 * watches)
    both = Both(watches_motors=watches, merges=True, **dict.fromkeys(needs, True))
    refused: Counter[str] = Counter()
    for _, what, data in messages(random, both, 1500):
        if both.read(data):
            refused[what] += 1
        both.compare()
    assert both.taken > 900  # most of them are good, and taken in place
    assert min(refused["_number"], refused["_stamp"]) > 2


def test_a_new_question_is_answered_from_the_next_message_on() -> None:
    """What is asked of messages may change between two of them."""
    both = Both(merges=True)
    random = np.random.default_rng(3)
    for k, _, data in messages(random, both, 300):
        both.read(data)
        both.compare()
        if k == 100:
            both.full.needs_velocity = both.quick.needs_velocity = True
        if k == 200:
            both.full.watches_motors = both.quick.watches_motors = True
    assert both.quick.velocity.any()
    assert both.quick.measured_effort is not None


@pytest.mark.parametrize("led_by", [("watches_motors",), ("needs_velocity", "needs_effort")])
@pytest.mark.parametrize("needs", [(), ("needs_velocity",), ("needs_velocity", "needs_effort")])
def test_who_follows_has_the_numbers_that_it_would_have_read(
    needs: tuple[str, ...], led_by: tuple[str, ...]
) -> None:
    """Whichever rows a leader has them in."""
    random = np.random.default_rng(len(needs))
    leader, follower = (Both(merges=True, **dict.fromkeys(x, True)) for x in (led_by, needs))
    followed, rows = 0, None
    for _, what, data in messages(random, leader, 200):
        follower.time = leader.time
        leader.read(data)
        if rows is not None and not what:
            follower.quick.follow(leader.quick, rows)
            assert not follower._in_full(follower.full, data)
            followed += 1
        else:
            follower.read(data)
        follower.compare()
        rows = None if what else follower.quick.rows_of(leader.quick)
    assert followed > 100


@pytest.mark.parametrize("seed", range(3))
def test_damaged_messages_are_read_alike_or_by_nobody(seed: int) -> None:
    """Cut, lengthened, shifted, with other lengths, names, numbers, order of bytes and options."""
    random, refused = Random(seed), 0
    for _ in range(15):
        both = Both(merges=True, watches_motors=seed > 0, needs_velocity=seed > 1)
        for k in range(100):
            both.time += PERIOD
            state = JointState(name=SENT, position=[0.1, 0.2, 0.3, 0.4], velocity=[0.5] * 4)
            state.effort = [5.0, 6.0, 7.0, 8.0]
            state.header.stamp.sec, state.header.stamp.nanosec = divmod(both.time, NANOSECONDS)
            data = serialize_message(state)
            refused += bool(both.read(damage(data, random) if k % 2 else data))
            both.compare()
    assert refused > 200


def test_options_of_the_encoding_say_something() -> None:
    """Their last bits are the number of bytes added behind the end (XTypes 1.3)."""
    both = Both()
    state = JointState(name=SENT, position=[0.1, 0.2, 0.3, 0.4])
    for options in (0, 0, 1):
        both.time += PERIOD
        state.header.stamp.sec, state.header.stamp.nanosec = divmod(both.time, NANOSECONDS)
        data = bytearray(serialize_message(state))
        data[2:4] = 0, options
        both.read(bytes(data))
        both.compare()
    assert both.taken == 1


def test_a_joint_whose_stamp_is_newer_keeps_the_time_from_going_back_for_one_way_alone() -> None:
    """Two publishers, of which one begins anew with an older stamp."""
    both = Both(merges=True)
    start, told = both.time, []
    both.time += 100 * PERIOD
    for names, late in ((SENT, 0), (SENT, 1), (SENT[3:], 60), (SENT[:3], -10), (SENT, 40)):
        state = JointState(name=names, position=[0.1] * len(names))
        stamp = start + (100 + late) * PERIOD
        state.header.stamp.sec, state.header.stamp.nanosec = divmod(stamp, NANOSECONDS)
        told.append(both.read(serialize_message(state)))
        both.compare()
    assert [bool(text) for text in told] == [False, False, False, True, True]


def test_padding_may_differ() -> None:
    both = Both()
    state = JointState(name=SENT, position=[0.1, 0.2, 0.3, 0.4])
    for _ in range(50):
        both.time += PERIOD
        state.header.stamp.sec, state.header.stamp.nanosec = divmod(both.time, NANOSECONDS)
        data = bytearray(serialize_message(state))
        for i in layout(JointState, bytes(data)).padding:
            data[i] = int(np.random.default_rng(i + both.time).integers(0, 256))
        data[2:4] = bytes(2)
        assert both.read(bytes(data)) == ""
    assert both.taken == 49


def swapped(kind: Any, data: bytes) -> bytes:
    """Return a message of numbers, names and their counts in the other order of bytes."""
    found = layout(kind, data)
    result = bytearray(data[: found.end])
    result[1] ^= 1
    wide = {(p.start + i * w, w) for p in found.places.values()
            for w in [np.dtype(p.kind).itemsize] for i in range(p.size)}  # fmt: skip
    wide |= {(at, 4) for at in counts(data, found)}
    for at, width in wide:
        result[at : at + width] = result[at : at + width][::-1]
    return bytes(result)


def counts(data: bytes, found: Any) -> list[int]:
    """Return where a JointState has the lengths of texts and sequences."""
    at = [12]
    (length,) = struct.unpack_from("<I", data, 12)
    here = 16 + length
    here += -here % 4
    at.append(here)
    (names,) = struct.unpack_from("<I", data, here)
    here += 4
    for _ in range(names):
        here += -here % 4
        at.append(here)
        here += 4 + struct.unpack_from("<I", data, here)[0]
    at.append(here + -here % 4)
    return at + [found.places[field].end for field in ("position", "velocity")]


def test_the_other_order_of_bytes_is_read_too() -> None:
    both = Both(needs_velocity=True)
    state = JointState(name=SENT, position=[0.1, 0.2, 0.3, 0.4], velocity=[1.0, 2.0, 3.0, 4.0])
    state.effort = [5.0, 6.0, 7.0, 8.0]
    for k in range(5):
        both.time += PERIOD
        state.header.stamp.sec, state.header.stamp.nanosec = divmod(both.time, NANOSECONDS)
        data = swapped(JointState, serialize_message(state))
        assert both.read(data) == ""
        both.compare()
        assert list(both.quick.velocity) == [3.0, 4.0, 1.0], k
    assert both.taken == 0  # each in full


@pytest.mark.parametrize("kind", [JointState, JointEfforts, Float64MultiArray])
def test_other_encodings_are_not_guessed(kind: Any) -> None:
    data = serialize_message(kind())
    for encoding in (2, 3, 6, 7, 8, 9, 10, 11, 0x4001):
        with pytest.raises(UnknownEncodingError):
            layout(kind, struct.pack(">H", encoding) + data[2:])
    for length in range(layout(kind, data).end):
        with pytest.raises(UnknownEncodingError):
            layout(kind, data[:length])
