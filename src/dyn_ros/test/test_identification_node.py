"""identification: an arm that is not what its description says plays a motion and is identified."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from ros_helpers import Ros, arm, joint_state, until
from std_msgs.msg import Float64MultiArray, String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from dyn_core import Model
from dyn_ros.adapters.recorder import Recorder
from dyn_ros.nodes.computed_torque import ComputedTorque
from dyn_ros.nodes.identification import Identification
from dyn_ros.nodes.robot_sim import RobotSim

MASS = 1.3  # kg, of the upper link; its description says 1


def activate(ros: Ros, name: str) -> None:
    for transition in (Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE):
        request = {"transition": Transition(id=transition)}
        assert ros.call(ChangeState, f"/{name}/change_state", 60.0, **request).success


def relay(ros: Ros, kind: Any, source: str, destination: str) -> None:
    """Hand messages on, as a remapping does."""
    publisher = ros.tester.create_publisher(kind, destination, 10)
    ros.tester.create_subscription(kind, source, publisher.publish, 10)


def test_parameters_of_a_simulated_arm_are_found(ros: Ros, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"output": str(tmp_path), "period": 3.0, "periods": 2,
                                "harmonics": 3, "share": 0.9, "approach_speed": 2.0}  # fmt: skip
    ros.create(
        RobotSim,
        robot_description=arm(mass=MASS),
        brakes_until_command=False,
        command_timeout=5.0,
    )
    ros.create(
        ComputedTorque,
        robot_description=arm(),
        natural_frequency=20.0,
        max_tracking_error=0.0,
        ramp_duration=0.0,
        joint_state_timeout=5.0,
    )
    node = ros.create(Identification, robot_description=arm(), **settings)
    relay(ros, Float64MultiArray, "computed_torque/commands", "robot_sim/commands")
    relay(
        ros, JointTrajectory, "identification/joint_trajectory", "computed_torque/joint_trajectory"
    )
    result = ros.collect(String, "/identification/result")
    ros.start()
    for name in ("robot_sim", "computed_torque", "identification"):
        activate(ros, name)
    until(lambda: len(node._position) >= 2)
    begun = ros.call(Trigger, "/identification/start")
    assert begun.success, begun.message
    again = ros.call(Trigger, "/identification/start")
    assert not again.success
    assert "still" in again.message
    said = json.loads(until(lambda: result, 60.0)[0].data)
    assert said["samples"] > 20
    found = Model.from_urdf(said["files"]["urdf"])
    moment = {name: model.inertias[1].first_moment[0] for name, model in
              (("found", found), ("true", Model.from_urdf(arm(mass=MASS))))}  # fmt: skip
    assert moment["found"] == pytest.approx(moment["true"], rel=0.1)
    assert Path(said["files"]["recording"]).exists()


def test_starting_without_what_is_needed_is_refused_in_words(ros: Ros, tmp_path: Path) -> None:
    ros.create(Identification, robot_description=arm())
    ros.start()
    activate(ros, "identification")
    answer = ros.call(Trigger, "/identification/start")
    assert not answer.success
    assert "parameter output" in answer.message


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
