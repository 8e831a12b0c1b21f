# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""gravity_compensation drives a forward_command_controller, and what its motors give then."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from called import Called
from diagnostic_msgs.msg import DiagnosticStatus
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
from rcl_interfaces.msg import Log
from rclpy.node import Node
from rclpy.parameter import Parameter
from ros_helpers import UR5, Ros, clock, joint_state, reported, until, values_of
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from dyn_ros.nodes.gravity_compensation import GravityCompensation
from dyn_ros.outputs.command_subscribers import CommandSubscribers
from dyn_ros.outputs.competing_publishers import CompetingPublishers
from dyn_ros.outputs.effort_commands import EffortCommands
from dyn_ros.safety.effort_policy import Phase


@pytest.mark.wiring
def test_the_motors_get_gravity_in_the_controllers_order(ros: Ros) -> None:
    rig = Rig(ros, **HELD)
    rig.hold()
    assert rig.controller.dropped == rig.controller.errors == 0


def test_a_controller_of_fewer_joints_gets_as_many_numbers(called: Called) -> None:
    """Else the controller manager would deactivate it, and the last torque would stay."""
    fewer = CONTROLLED[:4]
    rig = Rig(
        called, {"joints": fewer, "position": POSITION[:4]}, locked_joints=CONTROLLED[4:], **HELD
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
    called: Called, controller: dict[str, Any], parameters: dict[str, Any], words: str
) -> None:
    rig = Rig(called, controller, **parameters)
    assert rig.wait_for_status(words).level == DiagnosticStatus.ERROR
    assert rig.controller.received == 0


@pytest.mark.parametrize(("killed", "listeners"), [(False, 0), (False, 1), (True, 0)])
@pytest.mark.parametrize("during", ["following", "damping", "shutdown"])
def test_commands_are_not_for_a_controller_that_comes_in_place_of_the_one_before(
    called: Called, during: str, killed: bool, listeners: int
) -> None:
    """Under the same name, for joints in another order, and with efforts of its own.

    Of one that was killed DDS knows for some time: its participant does nothing any more.
    """
    for _ in range(listeners):
        called.collect(Float64MultiArray, "effort_controller/commands")  # as `ros2 topic echo`
    begun = {"effort": gravity_by_pinocchio()}
    durations = {"damp.duration": 60.0, "hold.duration": 0.0}
    rig = Rig(called, begun, apart=True, hardware_compensates_gravity=False, **durations)
    rig.hold()
    if during == "shutdown":
        rig.node.trigger_deactivate()
    stream = rig.node.part(EffortCommands)._stream
    count = rig.node.part(CommandSubscribers).publisher.get_subscription_count
    rig.elsewhere.stop()
    if not killed:
        rig.elsewhere.leave()
        until(lambda: count() == listeners)
        clock().sleep(0.05)  # the next process takes longer to start
    if during != "following":
        until(lambda: stream.phase is (Phase.DAMPING if killed else Phase.WAITING))
    joints = CONTROLLED[::-1]
    gravity = gravity_by_pinocchio(joints)
    held = [0.9 * effort for effort in gravity]
    options = {"joints": joints, "position": POSITION[::-1], "effort": held, "mute": True}
    rig.start_controller(options, apart=True)
    until(lambda: count() == (2 if killed else 1) + listeners)
    until(lambda: not stream.ticking)
    assert rig.controller.received <= ON_THE_WAY
    if during == "shutdown":
        until(lambda: not rig.node.busy)
        return
    rig.controller.forget()
    rig.controller.hardware = held
    rig.controller.mute = False
    until(lambda: rig.controller.given)
    assert rig.controller.given[0] == pytest.approx(gravity, abs=0.05 * np.abs(gravity).max())
    until(lambda: rig.controller.hardware == close_to(gravity))


@pytest.mark.parametrize("state", [None, "active"])
@pytest.mark.parametrize("before", [False, True])
def test_a_controller_that_comes_back_gets_the_rest_of_a_shutdown(
    called: Called, before: bool, state: str | None
) -> None:
    """Once it has reported the same joints; it was taken for a stranger, and kept all efforts."""
    rig = Rig(called, apart=True, **{"damp.duration": 4.0}, **HELD)
    rig.hold()
    if state:
        rig.say_state(state)
    rig.elsewhere.stop()
    commands, known = rig.node.part(EffortCommands), rig.node.part(CommandSubscribers).known
    if not before:
        rig.node.trigger_deactivate()
    old, gravity = known["/effort_controller"], gravity_by_pinocchio()
    driver = called.tester.create_publisher(JointState, "joint_states", 10)

    def say() -> None:
        message = joint_state(CONTROLLED, POSITION, velocity=[0.0] * 6, effort=gravity)
        message.header.stamp = called.tester.get_clock().now().to_msg()
        driver.publish(message)

    called.tester.create_timer(0.005, say)
    rig.start_controller({"effort": gravity, "mute": True}, apart=True)
    rig.controller.alive = False
    until(lambda: known["/effort_controller"] is not old)
    if before:
        status = reported(rig.diagnostics, "waiting for a controller")
        assert values_of(status)["commands"] == "waiting"
        rig.node.trigger_deactivate()
    until(lambda: commands._stream.phase is Phase.DAMPING)
    sent = called.collect(Float64MultiArray, "effort_controller/commands")
    clock().sleep(0.5)
    assert not sent
    rig.controller.alive = True
    until(lambda: not rig.node.busy)
    assert len(rig.controller.given) > 100
    assert not any(rig.controller.hardware)


@pytest.mark.parametrize("during", ["following", "damping"])
def test_commands_are_not_for_a_controller_of_another_name_and_order(
    called: Called, during: str
) -> None:
    """It listens where one was killed of which DDS still knows."""
    begun = {"effort": gravity_by_pinocchio()}
    durations = {"damp.duration": 60.0, "hold.duration": 0.0}
    rig = Rig(called, begun, apart=True, hardware_compensates_gravity=False, **durations)
    rig.hold()
    rig.elsewhere.stop()
    stream, log = rig.node.part(EffortCommands)._stream, called.collect(Log, "/rosout")
    if during == "damping":
        until(lambda: stream.phase is Phase.DAMPING)
    joints = CONTROLLED[::-1]
    options = {"joints": joints, "position": POSITION[::-1], "mute": True, "cli_args": OTHERWISE}
    rig.start_controller(options, apart=True)
    subscribers = rig.node.part(CommandSubscribers)
    until(lambda: subscribers.others(tuple(CONTROLLED)))
    before = rig.controller.received  # until it had answered
    rig.controller.mute = False
    until(lambda: not stream.begun)
    rig.wait_for_status("take the same commands with different joints")
    assert rig.controller.received <= before + ON_THE_WAY
    if during == "damping":
        until(lambda: any("the motors keep the last" in entry.msg for entry in log))


def test_a_node_begins_once_another_that_commands_the_same_motors_has_ended(called: Called) -> None:
    """Their commands alternated, and one let the arm down that the other held."""
    rig = Rig(called, **{"shutdown.command": "none"}, **HELD)
    rig.hold()
    create, text = partial(GravityCompensation, cli_args=OTHERWISE), UR5.read_text()
    usual = {"autostart": True, "joint_state_timeout": 1.0, "robot_description": text}
    second = called.create(create, **usual, hardware_compensates_gravity=False).part(EffortCommands)
    rig.wait_for_status("commands the same motors: let its shutdown.command be none")
    assert not second._stream.begun
    rig.node.trigger_deactivate()
    before = len(rig.controller.given)
    until(lambda: second._stream.begun and len(rig.controller.given) > before + 100)
    gravity = np.tile(gravity_by_pinocchio(), (len(rig.controller.given) - before, 1))
    np.testing.assert_allclose(rig.controller.given[before:][: len(gravity)], gravity, atol=1e-9)


def command_too(called: Called, competing: CompetingPublishers, since: float) -> None:
    """Let another node command since a time, s."""
    other = called.create(partial(Node, OTHER))
    other.create_publisher(Float64MultiArray, "effort_controller/commands", 10)
    competing._heard[f"/{OTHER}"] = clock().now() + 60.0, since
    competing.look(clock().now())


@pytest.mark.parametrize("after", [False, True])
def test_a_shutdown_command_ends_where_another_node_has_begun_since(
    called: Called, after: bool
) -> None:
    """One that was active before may end just then too, and nothing would damp the arm."""
    rig = Rig(called, **{"damp.duration": 60.0}, **HELD)
    rig.hold()
    commands, competing = rig.node.part(EffortCommands), rig.node.part(CommandSubscribers).competing
    rig.node.trigger_deactivate()
    until(lambda: commands._stream.phase is Phase.DAMPING)
    begun = commands._stopped + (0.001 if after else -5.0)
    command_too(called, competing, begun)
    before = len(rig.controller.given)
    until(lambda: len(rig.controller.given) > before + 50)
    assert commands._stream.begun is not after


def test_a_node_whose_controller_has_left_comes_after_those_that_command_by_then(
    called: Called,
) -> None:
    rig = Rig(called, apart=True, **HELD)
    rig.hold()
    commands, competing = rig.node.part(EffortCommands), rig.node.part(CommandSubscribers).competing
    rig.elsewhere.leave()
    until(lambda: not commands._stream.begun)
    command_too(called, competing, clock().now())
    rig.start_controller({}, apart=True)
    rig.wait_for_status("commands the same motors")
    assert not commands._stream.begun
    assert rig.controller.received == 0


@pytest.mark.wiring
@pytest.mark.parametrize("parameters", [False, True])
def test_a_recorder_does_not_stop_commands(ros: Ros, parameters: bool) -> None:
    """As `ros2 topic echo` and `ros2 bag record`, which may not answer for long."""
    rig = Rig(ros, **HELD)
    rig.hold()
    subscribers = rig.node.part(CommandSubscribers)
    options = {"context": ros.context, "start_parameter_services": parameters}
    recorder = Node("recorder", **options)  # not spun
    recorder.create_subscription(Float64MultiArray, "effort_controller/commands", print, 10)
    until(lambda: "/recorder" in subscribers.known)
    count = rig.controller.received
    until(lambda: rig.controller.received > count + 50)
    assert "/recorder" in subscribers.known
    assert subscribers.audience[0].name == "/effort_controller"
    recorder.destroy_node()


def test_an_inactive_controller_keeps_the_commands_at_their_start(called: Called) -> None:
    rig = Rig(called, **HELD)
    watched = called.collect(
        Float64MultiArray, "effort_controller/commands"
    )  # as `ros2 topic echo`
    rig.hold()
    until(lambda: watched)
    rig.say_state("inactive")
    rig.wait_for_status("controller /effort_controller is inactive")
    clock().sleep(0.1)  # what was commanded before may be on its way
    received = rig.controller.received
    clock().sleep(0.2)
    assert rig.controller.received == received
    rig.controller.forget()
    rig.controller.hardware = held = [0.5 * effort for effort in gravity_by_pinocchio()]
    clock().sleep(0.1)  # so that its efforts have come back
    rig.node.set_parameters([Parameter("accept_effort_disagreement", value=True)])
    watched.clear()
    rig.say_state("active")
    rig.hold()
    assert list(watched[0].data) == pytest.approx(held)  # two may come in one cycle of the motors
