# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Nobody is commanded before it is known for which joints, as far as it can say."""

from __future__ import annotations

from time import sleep
from typing import Any

import numpy as np
import pytest
from forward_rig import CONTROLLED, HELD, ON_THE_WAY, Rig, gravity_by_pinocchio
from rcl_interfaces.msg import Log, ParameterValue
from rcl_interfaces.srv import GetParameters
from rclpy.qos import DurabilityPolicy, QoSProfile
from ros_helpers import Ros, until

from dyn_ros.parts import command_receivers
from dyn_ros.parts.command_receivers import CommandReceivers
from dyn_ros.parts.effort_commands import EffortCommands


def test_no_command_is_sent_to_a_controller_that_has_not_said_its_order_yet(
    ros: Ros, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_receivers, "ANSWER", 5.0)
    rig = Rig(ros, apart=True, **HELD)
    rig.hold()
    joints = ParameterValue(type=9, string_array_value=CONTROLLED[::-1])

    def answer(request: Any, response: Any) -> Any:
        sleep(0.5)
        response.values = [joints] if request.names == ["joints"] else []
        return response

    ros.tester.create_service(GetParameters, "other_controller/get_parameters", answer)
    rules = ["__node:=other_controller", "~/commands:=/effort_controller/commands"]
    words = ["--ros-args", *(word for rule in rules for word in ("-r", rule))]
    late = {"start_parameter_services": False, "interface": "", "mute": True, "cli_args": words}
    rig.start_controller(late, apart=True)
    until(lambda: rig.node.part(CommandReceivers).differ(tuple(CONTROLLED)))
    assert rig.controller.received <= ON_THE_WAY


def test_a_controller_that_answers_late_is_understood(
    ros: Ros, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Later than it is asked again: the answers to older questions count too.

    Nothing is commanded before, for it can answer: other joints got the efforts.
    """
    monkeypatch.setattr(command_receivers, "PATIENCE", 0.1)
    words = {
        "joints": ParameterValue(type=9, string_array_value=CONTROLLED),
        "interface_name": ParameterValue(type=4, string_value="effort"),
        "hardware_compensates_gravity": ParameterValue(type=1, bool_value=False),
    }

    def answer(request: Any, response: Any) -> Any:
        sleep(1.2)
        response.values = [words[name] for name in request.names]
        return response

    ros.tester.create_service(GetParameters, "effort_controller/get_parameters", answer)
    rig = Rig(ros, {"start_parameter_services": False, "interface": ""}, **HELD)
    receivers = rig.node.part(CommandReceivers)
    until(lambda: "has parameters, and does not say" in rig.node.part(EffortCommands).waits_for)
    until(lambda: [x.receiver.compensates for x in receivers._questions.values()] == [False], 15.0)
    rig.hold()
    weak = np.abs(gravity_by_pinocchio()) < 1e-9
    assert np.abs(np.array(rig.controller.given)[:, weak]).max() < 1e-9


def test_who_listens_without_parameters_is_not_waited_for(ros: Ros) -> None:
    """As `ros2 topic echo`: the motors of a driver of which nobody can be asked are commanded."""
    lasting = QoSProfile(depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    log = ros.collect(Log, "/rosout", lasting)
    rig = Rig(ros, {"start_parameter_services": False, "interface": ""}, **HELD)
    until(lambda: rig.controller.given)
    assert rig.node.part(CommandReceivers).settled
    until(lambda: any("active for robot" in entry.msg for entry in list(log)))
    assert not any("does not say" in entry.msg for entry in list(log))
