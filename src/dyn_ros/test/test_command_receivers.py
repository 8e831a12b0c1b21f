# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Nobody is commanded before it is known for which joints, as far as it can say."""

from __future__ import annotations

from functools import partial
from time import sleep
from typing import Any

import numpy as np
import pytest
from forward_controller_stand_in import ForwardControllerStandIn
from forward_rig import (
    CONTROLLED,
    HELD,
    ON_THE_WAY,
    OTHER,
    OTHERWISE,
    POSITION,
    Rig,
    close_to,
    gravity_by_pinocchio,
)
from rcl_interfaces.msg import Log, ParameterValue
from rcl_interfaces.srv import GetParameters
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from ros_helpers import Ros, until
from std_msgs.msg import Float64MultiArray

from dyn_ros.inputs.joint_states import JointStateInput
from dyn_ros.outputs import command_subscribers as command_receivers
from dyn_ros.outputs.command_subscribers import CommandReceivers
from dyn_ros.outputs.effort_commands import EffortCommands

MUTE = {"start_parameter_services": False, "interface": ""}  # says nothing itself


def answer_late(ros: Ros, name: str, joints: list[str], delays: list[float]) -> None:
    """Answer for a controller what it is asked, one after another, each after so many s."""
    words = {
        "joints": ParameterValue(type=9, string_array_value=joints),
        "interface_name": ParameterValue(type=4, string_value="effort"),
        "hardware_compensates_gravity": ParameterValue(type=1, bool_value=False),
    }

    def answer(request: Any, response: Any) -> Any:
        sleep(delays[list(words).index(request.names[0])])
        response.values = [words[name] for name in request.names]
        return response

    class Answers(Node):
        def __init__(self, **options: Any) -> None:
            super().__init__("answers", **options)
            self.create_service(GetParameters, f"/{name}/get_parameters", answer)

    ros.elsewhere().create(Answers)


@pytest.mark.wiring
def test_no_command_is_sent_to_a_controller_that_has_not_said_its_order_yet(
    ros: Ros, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_receivers, "ANSWER", 5.0)
    monkeypatch.setattr(command_receivers, "MOMENT", 5.0)
    rig = Rig(ros, apart=True, **HELD)
    rig.hold()
    answer_late(ros, OTHER, CONTROLLED[::-1], [0.5, 0.5, 0.5])
    rig.start_controller({**MUTE, "mute": True, "cli_args": OTHERWISE}, apart=True)
    until(lambda: rig.node.part(CommandReceivers).others(tuple(CONTROLLED)))
    assert rig.controller.received <= ON_THE_WAY


def test_a_controller_of_which_only_the_order_is_known_is_not_sent_another(ros: Ros) -> None:
    """It got commands until it had answered what else it was asked."""
    rig = Rig(ros, apart=True, **HELD)
    rig.hold()
    commands = rig.node.part(EffortCommands)
    answer_late(ros, OTHER, CONTROLLED[::-1], [0.0, 4.0, 4.0])
    rig.start_controller({**MUTE, "mute": True, "cli_args": OTHERWISE}, apart=True)
    until(lambda: rig.node.part(CommandReceivers).others(tuple(CONTROLLED)))
    before = rig.controller.received
    until(lambda: "with different joints" in commands.waits_for)
    assert rig.controller.received <= before + ON_THE_WAY


def test_newcomers_that_do_not_answer_stop_commands_for_a_moment_at_most(
    ros: Ros, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long they take, or however many come one after another."""
    rig = Rig(ros, **HELD)
    rig.hold()
    monkeypatch.setattr(command_receivers, "ANSWER", 1000.0)
    mute = Node(OTHER, context=ros.elsewhere().context)  # nobody spins it
    mute.create_subscription(Float64MultiArray, "effort_controller/commands", print, 10)
    receivers = rig.node.part(CommandReceivers)
    until(lambda: f"/{OTHER}" in receivers._questions)
    before = rig.controller.received
    until(lambda: rig.controller.received > before + 100)
    assert receivers.has_newcomer
    mute.destroy_node()


@pytest.mark.parametrize("killed", [False, True])
def test_who_listens_gets_no_commands_in_place_of_a_controller(
    ros: Ros, killed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor the controller that comes back, in the order that a driver without parameters gets."""
    monkeypatch.setattr(command_receivers, "MOMENT", 5.0)
    rig = Rig(ros, {"mute": True}, apart=True, **HELD)
    words = ["--ros-args", "-r", "__node:=broadcaster"]
    states = partial(ForwardControllerStandIn, CONTROLLED, POSITION, cli_args=words)
    ros.elsewhere().create(states)
    ros.collect(Float64MultiArray, "effort_controller/commands")  # as `ros2 topic echo`
    rig.hold()
    rig.elsewhere.stop()
    if not killed:
        rig.elsewhere.leave()
        rig.told("who took them has gone, and '/tester' does not say")
    joints = CONTROLLED[::-1]
    answer_late(ros, "effort_controller", joints, [0.3, 0.3, 0.3])
    rig.start_controller({**MUTE, "joints": joints, "mute": True}, apart=True)
    until(lambda: rig.node.part(CommandReceivers).others(tuple(CONTROLLED)))
    assert rig.controller.received <= ON_THE_WAY
    until(lambda: rig.controller.hardware == close_to(gravity_by_pinocchio(joints)))


@pytest.mark.wiring
@pytest.mark.parametrize("parameters", [False, True])
def test_a_recorder_does_not_stop_commands(
    ros: Ros, parameters: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `ros2 topic echo` and `ros2 bag record`, beside a controller that reported its joints."""
    monkeypatch.setattr(command_receivers, "ANSWER", 1000.0)
    monkeypatch.setattr(command_receivers, "MOMENT", 1000.0)
    rig = Rig(ros, apart=True, **HELD)
    rig.hold()
    if rig.node.part(JointStateInput).publisher is None:
        pytest.skip("the middleware does not tell who publishes joint states, as of jazzy")
    receivers = rig.node.part(CommandReceivers)
    strange, waited = receivers.strange, []
    monkeypatch.setattr(receivers, "strange", lambda: waited.append(strange()) or waited[-1])
    options = {"context": ros.elsewhere().context, "start_parameter_services": parameters}
    recorder = Node("recorder", **options)
    recorder.create_subscription(Float64MultiArray, "effort_controller/commands", print, 10)
    until(lambda: "/recorder" in receivers._questions)
    before = rig.controller.received
    until(lambda: rig.controller.received > before + 20)
    assert waited
    assert sum(waited) <= 5
    recorder.destroy_node()


def test_a_controller_that_answers_late_is_understood(
    ros: Ros, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Later than it is asked again: the answers to older questions count too.

    Nothing is commanded before, for it can answer: other joints got the efforts.
    """
    monkeypatch.setattr(command_receivers, "PATIENCE", 0.1)
    answer_late(ros, "effort_controller", CONTROLLED, [1.2, 1.2, 1.2])
    rig = Rig(ros, MUTE, **HELD)
    receivers = rig.node.part(CommandReceivers)
    until(lambda: "no answer from" in rig.node.part(EffortCommands).waits_for)
    until(lambda: [x.receiver.compensates for x in receivers._questions.values()] == [False], 15.0)
    rig.hold()
    weak = np.abs(gravity_by_pinocchio()) < 1e-9
    assert np.abs(np.array(rig.controller.given)[:, weak]).max() < 1e-9


def test_who_listens_without_parameters_is_not_waited_for(ros: Ros) -> None:
    """As `ros2 topic echo`: the motors of a driver of which nobody can be asked are commanded."""
    lasting = QoSProfile(depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    log = ros.collect(Log, "/rosout", lasting)
    rig = Rig(ros, MUTE, **HELD)
    until(lambda: rig.controller.given)
    assert rig.node.part(CommandReceivers).settled
    until(lambda: any("active for robot" in entry.msg for entry in list(log)))
    assert not any("no answer from" in entry.msg for entry in list(log))
