# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The check of joint states does with arrays what a check of one number after the other does."""

from __future__ import annotations

import numpy as np
import pytest
from sensor_msgs.msg import JointState

from dyn_ros.inputs import joint_state_reader
from dyn_ros.inputs.joint_state_check import (
    CAME,
    EFFORT,
    JUMP_ROW,
    NEEDS_EFFORT,
    NEEDS_VELOCITY,
    POSITION,
    REPEATS,
    REPORTED,
    UNTIMELY_RESULT,
    VELOCITY,
    WATCHES,
    JointColumns,
)
from dyn_ros.inputs.joint_state_reader import JointStateReader
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import NANOSECONDS, time_message
from dyn_ros.safety.plausible_limits import MARGIN, Plausible

NAMES = ["a", "elbow", "wrist_3"]
SENT = ["wrist_3", "gripper", "a", "elbow"]  # in another order, with one that the model lacks
PERIOD = 1_000_000  # ns
BAD = (np.nan, np.inf, -np.inf, 1e6, 1e160)
FIELDS = ("position", "velocity", "effort")


class OneByOne(JointColumns):
    """The same check in loops over joints."""

    def take(self, now, stamp, clock, most_age, options, fields) -> int:
        state, stamps, values, good = self._state, self._stamps, self._values, self.good
        before = max(int(stamps[j]) for j in self.joints)
        if clock != 0 and abs(clock - stamp) > most_age:
            return UNTIMELY_RESULT
        if stamp < before or (stamp == before and stamp != 0 and not options & REPEATS):
            return UNTIMELY_RESULT
        elapsed, fault = stamp - before, 0
        for i, (j, k) in enumerate(zip(self.joints, self._places[0], strict=True)):
            for row, field in enumerate(fields):
                values[row, i] = field[k] if len(field) == len(self.names) else np.nan
            if i in self._unread:
                values[EFFORT, i] = 0.0
            for row in range(3):
                good[row, i] = self._lower[row, i] <= values[row, i] <= self._upper[row, i]
                fault |= (not good[row, i]) << row
            step, turn = float(values[POSITION, i] - state[POSITION, j]), self._turn[i]
            if turn > 0.0 and good[POSITION, i]:
                step -= turn * int(step / turn + (0.5 if step > 0.0 else -0.5))
            reach = self._speed[i] * (max(elapsed, 1) / NANOSECONDS) + MARGIN
            timed = stamp != 0 and elapsed <= most_age and state[CAME, j] > -np.inf
            good[JUMP_ROW, i] = not (timed and abs(step) > reach)
            fault |= (not good[JUMP_ROW, i]) << JUMP_ROW
        for need, row in ((NEEDS_VELOCITY, VELOCITY), (NEEDS_EFFORT, EFFORT)):
            if not options & need:
                fault &= ~(1 << row)
        if fault:
            return fault
        for i, j in enumerate(self.joints):
            state[POSITION, j] = values[POSITION, i]
            for need, row in ((NEEDS_VELOCITY, VELOCITY), (NEEDS_EFFORT, EFFORT)):
                if options & need:
                    state[row, j] = values[row, i]
            if options & WATCHES:
                speed, most = values[VELOCITY, i], self._upper[VELOCITY, i]
                state[REPORTED, j] = min(max(speed, -most), most) if np.isfinite(speed) else np.nan
                state[REPORTED + 1, j] = values[EFFORT, i] if good[EFFORT, i] else np.nan
            state[CAME, j], stamps[j] = now, stamp
        return 0


class Both:
    """A reader with arrays and one that takes one number after the other."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **asked: bool) -> None:
        self.time = NANOSECONDS
        self.readers = [JointStateReader(NAMES, needs_velocity=False) for _ in range(2)]
        bound = np.full(3, 10.0)
        turning = np.array([False, True, False])
        for reader in self.readers:
            reader.clock = lambda: self.time
            reader.most_age = NANOSECONDS // 10
            reader.expect(Plausible(-bound, bound, bound, bound, bound, turning))
            for name, value in asked.items():
                setattr(reader, name, value)
        self._monkeypatch = monkeypatch

    def read(self, message: JointState) -> str:
        """Let both read a message; return why it was refused, empty if it was taken."""
        told = []
        for reader in self.readers:
            with self._monkeypatch.context() as patch:
                if reader is self.readers[1]:
                    patch.setattr(joint_state_reader, "JointColumns", OneByOne)
                try:
                    reader.read(message, self.time / NANOSECONDS)
                    told.append("")
                except InputRefusedError as refusal:
                    told.append(refusal.reason)
        assert told[0] == told[1]
        first, second = self.readers
        for states in ((first, second), (first.seen, second.seen)):
            assert states[0]._state.tobytes() == states[1]._state.tobytes()
            assert states[0].stamps.tobytes() == states[1].stamps.tobytes()
        assert first.nanoseconds == second.nanoseconds
        return told[0]


def _number(state: JointState, random: np.random.Generator) -> None:
    field = getattr(state, str(random.choice(FIELDS)))
    field[int(random.integers(0, 4))] = float(random.choice(BAD))


def _absent(state: JointState, random: np.random.Generator) -> None:
    setattr(state, str(random.choice(FIELDS)), [])


def _longer(state: JointState, random: np.random.Generator) -> None:
    getattr(state, str(random.choice(FIELDS))).append(0.5)


def _some(state: JointState, random: np.random.Generator) -> None:
    for field in ("name", *FIELDS):
        setattr(state, field, list(getattr(state, field))[:2])


def _names(state: JointState, random: np.random.Generator) -> None:
    state.name = [*SENT[:3], str(random.choice(["other", "a", "elbox"]))]


def _turn(state: JointState, random: np.random.Generator) -> None:
    state.position[3] += 2.0 * np.pi


def _leap(state: JointState, random: np.random.Generator) -> None:
    state.position[int(random.integers(0, 4))] += 0.5


def _far(state: JointState, random: np.random.Generator) -> None:
    state.position[2] = 1e4


def _stamp(state: JointState, random: np.random.Generator) -> None:
    stamp = state.header.stamp.sec * NANOSECONDS + state.header.stamp.nanosec
    late = int(random.choice([-stamp, -5 * NANOSECONDS, -PERIOD, 5 * NANOSECONDS]))
    state.header.stamp = time_message(max(0, stamp + late))


ODD = {
    x.__name__: x for x in (_number, _absent, _longer, _some, _names, _turn, _leap, _far, _stamp)
}


@pytest.mark.parametrize("watches", [False, True])
@pytest.mark.parametrize("needs", [(), ("needs_velocity",), ("needs_velocity", "needs_effort")])
def test_arrays_and_loops_take_and_refuse_the_same(
    needs: tuple[str, ...], watches: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(len(needs) + 3 * watches)
    both = Both(monkeypatch, watches_motors=watches, **dict.fromkeys(needs, True))
    position, reasons = random.normal(size=4), set()
    for _ in range(600):
        both.time += PERIOD
        position = position + 0.004 * random.normal(size=4)
        state = JointState(name=SENT, position=position)
        state.velocity, state.effort = random.normal(size=(2, 4)).tolist()
        state.header.stamp = time_message(both.time - int(random.integers(0, PERIOD // 2)))
        if random.uniform() < 0.3:
            ODD[str(random.choice(list(ODD)))](state, random)
        reasons.add(both.read(state))
    assert {"", "not finite", "implausible", "position jump", "stamp age"} <= reasons
    assert (needs != ()) == ("velocity absent" in reasons)


def test_what_is_asked_of_messages_may_change_between_two(monkeypatch: pytest.MonkeyPatch) -> None:
    both = Both(monkeypatch)
    for k in range(4):
        both.time += PERIOD
        state = JointState(name=SENT, position=[0.1] * 4, velocity=[0.5] * 4, effort=[2.0] * 4)
        state.header.stamp = time_message(both.time)
        for reader in both.readers:
            reader.needs_velocity, reader.watches_motors = k > 0, k > 1
        assert both.read(state) == ""
        reader = both.readers[0]
        assert reader.velocity.any() == (k > 0)
        assert (reader.measured_effort is not None) == (k > 1)
