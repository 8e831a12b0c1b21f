# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joint states as a recording, and those that a motion cannot continue without."""

from __future__ import annotations

from math import nan
from pathlib import Path

import pytest
from called import Called
from ros_helpers import arm, joint_state, until
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from dyn_ros.inputs.recorder import Recorder
from dyn_ros.nodes.identification import MAX_STATE_AGE_S, IdentificationNode, Stage


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


@pytest.mark.parametrize(("other", "there"), [("grip", 0.0), ("second", nan)])
def test_a_motion_stops_where_one_joint_is_lost_while_others_come(
    called: Called, tmp_path: Path, other: str, there: float
) -> None:
    """A gripper's publisher hid that the arm's had ended, and the motion continued."""
    node = called.create(
        IdentificationNode,
        robot_description=arm(),
        autostart=True,
        output=str(tmp_path),
        duration=3.0,
    )
    states = called.tester.create_publisher(JointState, "joint_states", 10)
    trajectories = called.collect(JointTrajectory, "/identification/joint_trajectory")

    def send(names: list[str], position: list[float]) -> None:
        states.publish(joint_state(names, position=position))

    until(lambda: send(["first", "second"], [0.0, 0.0]) or node._unread)
    assert called.call(Trigger, "/identification/start").success
    until(lambda: send(["first", "second"], [0.0, 0.0]) or node._stage is Stage.PLAYING)
    begun = called.clock.now()
    until(lambda: send(["first", other], [0.0, there]) or node._stage is Stage.FAILED)
    assert called.clock.now() - begun < MAX_STATE_AGE_S + 0.5
    assert "no position of joint 'second'" in node._said
    assert len(trajectories) == 2
