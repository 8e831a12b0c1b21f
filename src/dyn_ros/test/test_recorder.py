# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joint states as a recording."""

from __future__ import annotations

from ros_helpers import joint_state

from dyn_ros.inputs.recorder import Recorder


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
