# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""identification: an arm that is not what its description says plays a motion and is identified."""

from __future__ import annotations

import json
from math import isnan, nan
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import pytest
from bench import DIRECT
from ros_helpers import Ros, arm, joint_state, until
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from dyn_core import Model
from dyn_core.errors import ModelError
from dyn_core.identification import (
    BaseParameters,
    Excitation,
    Parameters,
    Recording,
    self_collision,
)
from dyn_ros.adapters.recorder import Recorder
from dyn_ros.base.description_interface import description_qos
from dyn_ros.nodes.computed_torque import ComputedTorqueNode
from dyn_ros.nodes.gravity_compensation import GravityCompensation
from dyn_ros.nodes.identification import FRESH, IdentificationNode, Stage, identified, planned
from dyn_ros.nodes.robot_sim import RobotSim
from dyn_ros.parts.command_receivers import CommandReceivers

MASS = 1.3  # kg, of the upper link; its description says 1


def relay(ros: Ros, kind: Any, source: str, destination: str) -> None:
    """Hand messages on, as a remapping does."""
    publisher = ros.tester.create_publisher(kind, destination, 10)
    ros.tester.create_subscription(kind, source, publisher.publish, 10)


def felt(model: Model) -> float:
    """A base parameter: the upper link's first moment, and the mass 1 m from the hinge."""
    return float(model.inertias[1].first_moment.x + model.inertias[2].mass)


def test_parameters_of_a_simulated_arm_are_found(ros: Ros, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"output": str(tmp_path), "period": 3.0, "periods": 2,
                                "harmonics": 3, "share": 0.9, "approach_speed": 2.0}  # fmt: skip
    slowly = {"autostart": True, "use_sim_time": True}  # late commands would be a model error
    patient = {**slowly, "joint_state_timeout": 5.0}
    sim = ros.create(
        RobotSim,
        robot_description=arm(mass=MASS),
        brakes_until_command=False,
        command_timeout=5.0,
        **slowly,
    )
    control = {**DIRECT, "natural_frequency": 10.0, "max_tracking_error": 0.0}
    torque = ros.create(ComputedTorqueNode, robot_description=arm(), **control, **patient)
    node = ros.create(IdentificationNode, robot_description=arm(), **slowly, **settings)
    relay(ros, Float64MultiArray, "computed_torque/commands", "robot_sim/commands")
    topic = "joint_trajectory"
    relay(ros, JointTrajectory, f"identification/{topic}", f"computed_torque/{topic}")
    result = ros.collect(String, "/identification/result")
    ros.start()
    until(lambda: sim.active and torque.active and node.active, 60.0)
    until(lambda: node._unread and torque.part(CommandReceivers).settled)
    begun = ros.call(Trigger, "/identification/start")
    assert begun.success, begun.message
    again = ros.call(Trigger, "/identification/start")
    assert not again.success
    assert "still" in again.message
    said = json.loads(until(lambda: result, 60.0)[0].data)
    assert said["samples"] > 10  # fewer than 50, as the clock of a busy machine has gaps
    found = Model.from_urdf(said["files"]["urdf"])
    assert felt(found) == pytest.approx(felt(Model.from_urdf(arm(mass=MASS))), rel=0.03)
    assert felt(found) != pytest.approx(felt(Model.from_urdf(arm())), rel=0.06)
    assert Path(said["files"]["recording"]).exists()


def test_starting_without_what_is_needed_is_refused_in_words(ros: Ros, tmp_path: Path) -> None:
    node = ros.create(IdentificationNode, robot_description=arm(), autostart=True)
    ros.start()
    until(lambda: node.active, 60.0)
    answer = ros.call(Trigger, "/identification/start")
    assert not answer.success
    assert "parameter output" in answer.message


QUICK: dict[str, Any] = {"period": 3.0, "periods": 2, "harmonics": 2, "self_collisions": False}


class Still:
    """The node, before a robot whose driver says again and again where it stands."""

    def __init__(self, ros: Ros, output: Path, **parameters: Any) -> None:
        self.ros, self.fields = ros, {"position": [0.0, 0.0]}
        values = {"output": str(output), **QUICK, **parameters}
        self.node = ros.create(IdentificationNode, autostart=True, **values)
        self.trajectories = ros.collect(JointTrajectory, "/identification/joint_trajectory")
        self.descriptions = ros.tester.create_publisher(
            String, "robot_description", description_qos()
        )
        states = ros.tester.create_publisher(JointState, "joint_states", 10)
        self.driver = ros.tester.create_timer(
            0.05, lambda: states.publish(joint_state(["first", "second"], **self.fields))
        )
        self.descriptions.publish(String(data=arm()))
        ros.start()
        until(lambda: self.node.active and self.known("second"), 60.0)

    def known(self, joint: str) -> Any:
        """Position and time of a joint's last state, that the node reads for it; None: nothing."""
        self.ros._spinner.call(self.node._read)
        return self.node._position.get(joint)

    def start(self) -> Any:
        return self.ros.call(Trigger, "/identification/start")


def test_a_motion_begins_only_where_the_robot_is_known_to_be(ros: Ros, tmp_path: Path) -> None:
    still = Still(ros, tmp_path)
    still.fields["position"] = [0.0, nan]
    until(lambda: isnan(still.known("second")[0]))
    assert "position of joint 'second' on joint_states is nan" in still.start().message
    still.driver.cancel()
    last = still.known("first")[1]
    until(lambda: monotonic() > last + FRESH)
    assert "is the robot driver running" in still.start().message


def test_a_folder_that_cannot_be_written_is_told_before_the_motion(
    ros: Ros, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    assert "nothing can be written" in Still(ros, tmp_path / "file").start().message


def test_another_description_ends_the_motion(ros: Ros, tmp_path: Path) -> None:
    """By a trajectory without points, for its controller to stop; nothing is identified then."""
    still = Still(ros, tmp_path)
    assert still.start().success
    until(lambda: still.trajectories, 60.0)
    assert still.trajectories[0].points
    still.descriptions.publish(String(data=arm(mass=2.0)))
    until(lambda: len(still.trajectories) == 2, 60.0)
    assert not still.trajectories[1].points
    assert still.node._stage is Stage.IDLE


def test_in_a_process_others_receive_for_it(ros: Ros, tmp_path: Path) -> None:
    """Nothing is read in the thread that answers services before it matters."""
    parameters = {"robot_description": arm(), "autostart": True}
    gravity = ros.create(GravityCompensation, **parameters)
    node = ros.create(IdentificationNode, output=str(tmp_path), **QUICK, **parameters)
    ros.share_topics(node)
    states = ros.tester.create_publisher(JointState, "joint_states", 10)
    ros.start()
    until(lambda: gravity.active and node.active, 60.0)

    def send() -> None:
        states.publish(joint_state(["first", "second"], position=[0.1, 0.2]))

    until(lambda: send() or len(node._unread) > 10)
    assert not node._position
    assert ros.tester.count_subscribers("joint_states") == 1
    begun = ros.call(Trigger, "/identification/start")
    assert begun.success, begun.message
    assert node._position["second"][0] == 0.2


def test_motions_without_end_are_refused() -> None:
    values = {"period": 600.0, "periods": 1000, "rate": 100.0}
    assert "600000 s and 6e+07 points" in IdentificationNode.impossible(values)
    assert not IdentificationNode.impossible({"period": 10.0, "periods": 6, "rate": 100.0})


def test_a_recording_is_kept_though_nothing_can_be_identified(tmp_path: Path) -> None:
    """In the folder that was asked for, whatever the robot is called."""
    description = arm().replace('name="arm"', 'name="../my arm"')
    base = BaseParameters.of(Parameters(Model.from_urdf(description)))
    times, rest = np.arange(0.0, 5.0, 0.01), np.zeros((500, 2))
    values = {"output": str(tmp_path / "out"), "cutoff": 5.0, "method": "weighted"}
    with pytest.raises(ModelError, match="; the recording is "):
        identified(base, Recording(times, rest, rest + 1.0), values, description)
    assert [x.name for x in (tmp_path / "out").iterdir()] == ["__my_arm_recording.csv"]


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


def test_planned_motion_keeps_shapes_apart_and_says_so() -> None:
    """The tip of an arm that can reach its own base."""
    shape = '<collision><origin xyz="{} 0 0"/><geometry>{}</geometry></collision>'
    box, tip = (
        shape.format(0, '<box size="1.2 1 1.2"/>'),
        shape.format(0.5, '<sphere radius="0.1"/>'),
    )
    description = arm().replace('<link name="base"/>', f'<link name="base">{box}</link>')
    description = description.replace('<link name="lower">', f'<link name="lower">{tip}')
    base = BaseParameters.of(Parameters(Model.from_urdf(description)))
    checker = self_collision(base.parameters.model, description).checker
    assert checker is not None

    def touches(motion: Excitation) -> bool:
        found = False
        for q in motion.sampled(500)[0]:
            checker.update(q)
            found |= checker.collides()
        return found

    values = {"period": 30.0, "harmonics": 2, "seed": 0, "share": 0.9, "self_collisions": True}
    motion, said = planned(base, values, description)
    assert "1 pairs of shapes are checked" in said
    assert not touches(motion)
    motion, said = planned(base, {**values, "self_collisions": False}, description)
    assert "not checked" in said
    assert touches(motion)
