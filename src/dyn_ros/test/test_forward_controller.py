# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""gravity_compensation drives a forward_command_controller, and what its motors give then."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from time import sleep
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
import rclpy
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from forward_controller_stand_in import ForwardControllerStandIn
from rcl_interfaces.msg import ParameterValue
from rcl_interfaces.srv import GetParameters
from ros_helpers import UR5, Ros, until, values_of
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from dyn_ros.commanding.stream import Phase
from dyn_ros.nodes.computed_torque import ComputedTorqueNode
from dyn_ros.nodes.gravity_compensation import GravityCompensation
from dyn_ros.nodes.state_node import StateNode
from dyn_ros.parts import command_receivers
from dyn_ros.parts.command_receivers import CommandReceivers
from dyn_ros.parts.effort_commands import EffortCommands

JOINTS = ["wrist_3", "elbow", "shoulder_lift", "wrist_1", "shoulder_pan", "wrist_2"]
CONTROLLED = [f"{name}_joint" for name in JOINTS]  # the controller's order is no one else's
POSITION = [0.4, 1.2, -1.0, -0.6, 0.3, 0.2]  # rad


def gravity_by_pinocchio(names: Sequence[str] = CONTROLLED) -> list[float]:
    model = pin.buildModelFromXML(UR5.read_text())
    q = np.zeros(model.nq)
    q[[model.joints[model.getJointId(name)].idx_q for name in CONTROLLED]] = POSITION
    efforts = pin.computeGeneralizedGravity(model, model.createData(), q)
    return [float(efforts[model.joints[model.getJointId(name)].idx_v]) for name in names]


def close_to(efforts: list[float]) -> Any:
    return pytest.approx(efforts, rel=1e-9, abs=1e-9)


ON_THE_WAY = 10  # commands, at most, that reach a newcomer before DDS has told of it
HELD = {"hardware_compensates_gravity": False, "start_effort": "zero"}  # a new arm, on its brakes


class Rig:
    """The controller, and gravity_compensation that commands it."""

    def __init__(
        self,
        ros: Ros,
        controller: dict[str, Any] | None = None,
        kind: type[StateNode] = GravityCompensation,
        *,
        apart: bool = False,
        **parameters: Any,
    ) -> None:
        self.ros = ros
        self.start_controller(controller or {}, apart=apart)
        rule = "~/commands:=effort_controller/commands"
        self.node = ros.create(
            partial(kind, cli_args=["--ros-args", "-r", rule]),
            robot_description=UR5.read_text(),
            autostart=True,
            ramp_duration=0.2,
            joint_state_timeout=1.0,
            **parameters,
        )
        self.diagnostics = ros.collect(DiagnosticArray, "/diagnostics")
        self.manager = ros.tester.create_publisher(DiagnosticArray, "/diagnostics", 10)
        ros.start()

    def start_controller(self, options: dict[str, Any], *, apart: bool = False) -> None:
        """Start the controller, in a participant of its own if `apart`."""
        options = {"joints": CONTROLLED, "position": POSITION, **options}
        create = partial(ForwardControllerStandIn, **options)
        if apart:
            self.elsewhere = self.ros.elsewhere()
        self.controller = (self.elsewhere if apart else self.ros).create(create)

    def hold(self) -> None:
        """Wait until the hardware gives what gravity asks for, because it was commanded to."""
        controller = self.controller
        until(lambda: controller.given and controller.hardware == close_to(gravity_by_pinocchio()))

    def told(self, words: str) -> DiagnosticStatus:
        """Wait until diagnostics say something."""

        def found() -> DiagnosticStatus | None:
            statuses = (status for array in list(self.diagnostics) for status in array.status)
            return next((x for x in statuses if words in x.message), None)

        return until(found)

    def say_state(self, state: str, of: str = "controller_manager") -> None:
        """Say of the controller what a controller manager says in its diagnostics."""
        value = KeyValue(key="effort_controller.state", value=state)
        status = DiagnosticStatus(name=f"{of}: Controllers Activity", values=[value])
        self.manager.publish(DiagnosticArray(status=[status]))


def test_a_controller_of_another_robot_with_the_same_name_stops_nothing(ros: Ros) -> None:
    """Names in /diagnostics have no namespace."""
    rig = Rig(ros, **HELD)
    rig.hold()
    states = rig.node.part(CommandReceivers)._states
    for manager, state in (("controller_manager", "active"), ("other_manager", "inactive")):
        until(lambda m=manager, s=state: rig.say_state(s, of=m) or m in states)
    rig.told("whether /effort_controller is active is not known")
    rig.hold()
    rig.say_state("finalized", of="other_manager")
    count = len(rig.controller.given)
    until(lambda: len(rig.controller.given) > count + 20)
    assert rig.controller.hardware == close_to(gravity_by_pinocchio())


def test_the_motors_get_gravity_in_the_controllers_order(ros: Ros) -> None:
    rig = Rig(ros, **HELD)
    rig.hold()
    assert rig.controller.dropped == rig.controller.errors == 0


def test_a_node_that_ends_lets_the_arm_sink_and_leaves_no_torque_behind(ros: Ros) -> None:
    """The controller holds the last command for ever, so that the last one is zero, not at once."""
    rig = Rig(ros, damp_duration=0.4, **HELD)
    rig.hold()
    before = len(rig.controller.given)
    rig.node.trigger_deactivate()
    until(lambda: rig.controller.hardware == [0.0] * 6)
    steps = np.abs(np.diff(rig.controller.given[before:], axis=0)).max()
    assert steps < 0.5 * np.abs(gravity_by_pinocchio()).max()


def test_without_a_last_word_the_torque_stays(ros: Ros) -> None:
    """As after kill -9: the controller has no time-out."""
    rig = Rig(ros, shutdown_command="none", **HELD)
    rig.hold()
    rig.node.trigger_deactivate()
    sleep(0.5)  # a hundred updates
    assert rig.controller.hardware == close_to(gravity_by_pinocchio())


def test_nothing_that_the_controller_drops_is_ever_sent(ros: Ros) -> None:
    """Encoders that say NaN: the motors keep the last good efforts, then get zero."""
    rig = Rig(ros, **HELD)
    rig.hold()
    rig.controller.broken = True
    until(lambda: rig.controller.hardware == [0.0] * 6)
    rig.controller.broken = False
    rig.hold()
    assert rig.controller.dropped == rig.controller.errors == 0


def test_a_controller_of_other_joints_is_not_commanded(ros: Ros) -> None:
    """A name that the robot lacks is refused before a command of a wrong size could be sent."""
    rig = Rig(ros, command_joints=[*CONTROLLED, "finger_joint"], **HELD)
    until(lambda: "finger_joint" in rig.node._fault)
    assert rig.controller.received == 0


def test_a_controller_of_fewer_joints_gets_as_many_numbers(ros: Ros) -> None:
    """Else the controller manager would deactivate it, and the last torque would stay."""
    fewer = CONTROLLED[:4]
    rig = Rig(
        ros, {"joints": fewer, "position": POSITION[:4]}, locked_joints=CONTROLLED[4:], **HELD
    )
    until(lambda: rig.controller.received > 10 and any(rig.controller.hardware))
    assert rig.controller.errors == 0


@pytest.mark.parametrize(
    ("controller", "parameters", "words"),
    [
        ({"interface": "position"}, HELD, "takes commands of position, not of effort"),
        ({}, {**HELD, "command_joints": CONTROLLED[:5]}, "/effort_controller takes"),
        ({}, {"start_effort": "zero"}, "hardware_compensates_gravity is not set"),
        ({}, {"hardware_compensates_gravity": False}, "set start_effort to zero if brakes"),
    ],
)
def test_nothing_is_commanded_before_it_is_known_what(
    ros: Ros, controller: dict[str, Any], parameters: dict[str, Any], words: str
) -> None:
    rig = Rig(ros, controller, **parameters)
    assert rig.told(words).level == DiagnosticStatus.ERROR
    assert rig.controller.received == 0


def test_a_respawned_node_begins_at_what_the_motors_give(ros: Ros) -> None:
    """The controller has held the arm since the node before was killed: nothing may drop."""
    held = [0.97 * effort for effort in gravity_by_pinocchio()]
    rig = Rig(ros, {"effort": held}, hardware_compensates_gravity=False)
    rig.hold()
    gravity = np.array(gravity_by_pinocchio())
    loaded = np.abs(gravity) > 1e-3
    way = (np.array(rig.controller.given) - held)[:, loaded] / (gravity - held)[loaded]
    assert (way[0] >= -1e-9).all()
    assert (way[0] < 0.2).all()  # more than one command may come before it gives the first
    assert (np.diff(way, axis=0) >= -1e-9).all()


@pytest.mark.parametrize("killed", [False, True])
@pytest.mark.parametrize("during", ["following", "damping", "last word"])
def test_commands_are_not_for_a_controller_that_comes_in_place_of_the_one_before(
    ros: Ros, during: str, killed: bool
) -> None:
    """Under the same name, for joints in another order, and with efforts of its own.

    Of one that was killed DDS knows for some time: its participant does nothing any more.
    """
    begun = {"effort": gravity_by_pinocchio()}
    durations = {"damp_duration": 60.0, "hold_duration": 0.0}
    rig = Rig(ros, begun, apart=True, hardware_compensates_gravity=False, **durations)
    rig.hold()
    if during == "last word":
        rig.node.trigger_deactivate()
    stream = rig.node.part(EffortCommands)._stream
    count = rig.node.part(CommandReceivers).publisher.get_subscription_count
    rig.elsewhere.stop()
    if not killed:
        rig.elsewhere.close()
        until(lambda: count() == 0)
    if during != "following":
        until(lambda: stream.phase is (Phase.DAMPING if killed else Phase.WAITING))
    joints = CONTROLLED[::-1]
    gravity = gravity_by_pinocchio(joints)
    held = [0.9 * effort for effort in gravity]
    options = {"joints": joints, "position": POSITION[::-1], "effort": held, "mute": True}
    rig.start_controller(options, apart=True)
    until(lambda: count() == (2 if killed else 1))
    until(lambda: not stream.ticking)
    assert rig.controller.received <= ON_THE_WAY
    if during == "last word":
        until(lambda: not rig.node.busy)
        return
    rig.controller.forget()
    rig.controller.hardware = held
    rig.controller.mute = False
    until(lambda: rig.controller.given)
    assert rig.controller.given[0] == pytest.approx(held, abs=0.05 * np.abs(held).max())
    until(lambda: rig.controller.hardware == close_to(gravity))


@pytest.mark.parametrize("during", ["following", "damping"])
def test_commands_are_not_for_a_controller_of_another_name_and_order(ros: Ros, during: str) -> None:
    """It listens where one was killed of which DDS still knows."""
    begun = {"effort": gravity_by_pinocchio()}
    durations = {"damp_duration": 60.0, "hold_duration": 0.0}
    rig = Rig(ros, begun, apart=True, hardware_compensates_gravity=False, **durations)
    rig.hold()
    rig.elsewhere.stop()
    stream = rig.node.part(EffortCommands)._stream
    if during == "damping":
        until(lambda: stream.phase is Phase.DAMPING)
    joints = CONTROLLED[::-1]
    rules = ["__node:=other_controller", "~/commands:=/effort_controller/commands"]
    words = ["--ros-args", *(word for rule in rules for word in ("-r", rule))]
    options = {"joints": joints, "position": POSITION[::-1], "mute": True, "cli_args": words}
    rig.start_controller(options, apart=True)
    receivers = rig.node.part(CommandReceivers)
    until(lambda: receivers.differ(tuple(CONTROLLED)))
    before = rig.controller.received  # until it had answered
    rig.controller.mute = False
    until(lambda: not stream.begun)
    rig.told("take the same commands with different joints")
    assert rig.controller.received <= before + ON_THE_WAY


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


def test_a_controller_that_answers_late_is_understood(ros: Ros) -> None:
    """Later than it is asked again: the answers to older questions count too."""
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
    rig = Rig(ros, {"start_parameter_services": False, "interface": ""}, start_effort="zero")
    receivers = rig.node.part(CommandReceivers)
    until(lambda: [x.receiver.compensates for x in receivers._questions.values()] == [False], 15.0)
    rig.hold()


def test_commands_that_reach_other_joints_are_stopped(ros: Ros) -> None:
    """As bad_input.commands_misplaced says: a driver says nothing of its order, its efforts do."""
    held = gravity_by_pinocchio()
    rig = Rig(ros, {"interface": "", "effort": held}, hardware_compensates_gravity=False)
    status = rig.told("and the efforts that come back are those sent in another order")
    assert values_of(status)["commands go to"] == "(/effort_controller)"  # it does not say
    assert not rig.node.active
    until(lambda: rig.controller.hardware == [0.0] * 6)


def test_another_node_that_can_command_the_same_motors_is_told(ros: Ros) -> None:
    """Also one of the same name, as of a launch file that was started twice."""
    rig = Rig(ros, max_lost_samples=1.0, **HELD)  # no warning where the computer is busy
    rig.hold()
    topic = "effort_controller/commands"
    publisher = ros.tester.create_publisher(Float64MultiArray, topic, 10)
    assert rig.told("'/tester' can send commands").level == DiagnosticStatus.OK
    ros.tester.destroy_publisher(publisher)
    rig.diagnostics.clear()
    assert "can send" not in rig.told("working").message
    twin = rclpy.create_node(rig.node.get_name(), context=ros.context)
    twin.create_publisher(Float64MultiArray, topic, 10)
    rig.told(f"'/{rig.node.get_name()}' can send commands")
    twin.destroy_node()


def test_an_inactive_controller_keeps_the_commands_at_their_start(ros: Ros) -> None:
    rig = Rig(ros, **HELD)
    watched = ros.collect(Float64MultiArray, "effort_controller/commands")  # as `ros2 topic echo`
    rig.hold()
    until(lambda: watched)
    until(rig.manager.get_subscription_count)
    rig.say_state("inactive")
    rig.told("controller /effort_controller is inactive")
    sleep(0.1)  # what was commanded before may be on its way
    received = rig.controller.received
    sleep(0.2)
    assert rig.controller.received == received
    rig.controller.forget()
    rig.controller.hardware = held = [0.9 * effort for effort in gravity_by_pinocchio()]
    sleep(0.1)  # so that its efforts have come back
    watched.clear()
    rig.say_state("active")
    rig.hold()
    assert list(watched[0].data) == pytest.approx(held)  # two may come in one cycle of the motors


def test_a_motion_ends_where_the_robot_is_when_its_controller_becomes_inactive(ros: Ros) -> None:
    """Else the arm would catch up with all of it once the controller is active again."""
    rig = Rig(ros, kind=ComputedTorqueNode, **HELD)
    client = ros.action_client(FollowJointTrajectory, "computed_torque/follow_joint_trajectory")
    rig.hold()
    until(rig.manager.get_subscription_count)
    until(client.server_is_ready)
    target = JointTrajectoryPoint(positions=[x + 0.4 for x in POSITION], velocities=[0.0] * 6)
    target.time_from_start.sec = 20
    trajectory = JointTrajectory(joint_names=CONTROLLED, points=[target])
    sent = client.send_goal_async(FollowJointTrajectory.Goal(trajectory=trajectory))
    handle = until(lambda: sent.done() and sent.result())
    assert handle.accepted
    end = handle.get_result_async()
    rig.say_state("inactive")
    result = until(lambda: end.done() and end.result())
    assert result.status == GoalStatus.STATUS_ABORTED
    assert "controller /effort_controller is inactive" in result.result.error_string
    rig.say_state("active")
    rig.hold()  # at rest where the robot is, the law asks for gravity alone


def test_the_stand_in_refuses_a_wrong_size_and_keeps_the_last_efforts(ros: Ros) -> None:
    controller = ros.create(partial(ForwardControllerStandIn, ["first", "second"], [0.0, 0.0]))
    ros.start()
    commands = ros.tester.create_publisher(Float64MultiArray, "effort_controller/commands", 10)
    until(commands.get_subscription_count)
    commands.publish(Float64MultiArray(data=[1.0, 2.0]))
    until(lambda: controller.hardware == [1.0, 2.0])
    commands.publish(Float64MultiArray(data=[1.0, float("inf")]))
    until(lambda: controller.dropped == 1)
    commands.publish(Float64MultiArray(data=[3.0] * 3))
    until(lambda: controller.errors)
    assert controller.hardware == [1.0, 2.0]
