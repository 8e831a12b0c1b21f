# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What a forward_command_controller gets to hear, and above all what it never hears."""

from __future__ import annotations

from itertools import count
from math import nan
from typing import Any

import numpy as np
import pytest
from bench import HORIZONTAL, NAMES, Bench
from called import Called
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.parameter import Parameter
from ros_helpers import arm, clock, status_with, until

from dyn_ros.inputs.joint_state_settings import CHOICES

HEAVY = [HORIZONTAL[0] - 2 * 9.81 * 0.5, HORIZONTAL[1]]  # with an upper link of 3 kg


def last(bench: Bench) -> Any:
    return pytest.approx(list(until(lambda: bench.commands)[-1].data))


def quiet(bench: Bench) -> int:
    """Wait until no command has come for a while; return how many there are."""
    count = -1
    while count != len(bench.commands):
        count = len(bench.commands)
        clock().sleep(0.3)
    return count


def refused(bench: Bench, **other: str) -> DiagnosticStatus:
    """Describe another arm to an active node; return what it reports."""
    bench.describe(arm())
    bench.connect()
    bench.describe(arm(**other, name="other"))
    return bench.report("robot_description refused while active, the old one stays in use")


def test_other_joints_are_refused_until_deactivated(called: Called) -> None:
    bench = Bench(called)
    status = refused(bench, first="shoulder")
    assert status.level == DiagnosticStatus.WARN
    assert "(new: 'shoulder'; missing: 'first')" in status.message
    bench.answer(NAMES, [0.0, 0.0])
    assert {len(command.data) for command in bench.commands} == {2}
    assert bench.node.robot_name == "arm"
    bench.node.trigger_deactivate()
    assert bench.node.robot_name == "other"
    until(lambda: list(bench.commands[-1].data) == [0.0, 0.0])
    bench.node.trigger_activate()
    names = ["shoulder", "second"]
    until(lambda: bench.send(names, [0.0, 0.0]) and bench.torques[-1].joint_names == names)


def test_the_same_joints_are_swapped_in_and_the_commands_ramp(called: Called) -> None:
    bench = Bench(called, **{"ramp.duration": 1.0})
    bench.describe(arm())
    bench.connect()
    until(lambda: bench.send(NAMES, [0.0, 0.0]) and last(bench) == HORIZONTAL)
    bench.describe(arm(mass=3, name="heavy"))
    until(lambda: bench.send(NAMES, [0.0, 0.0]) and bench.node.robot_name == "heavy")
    before = len(bench.commands)
    until(lambda: bench.send(NAMES, [0.0, 0.0]) and last(bench) == HEAVY)
    ramp = [command.data[0] for command in bench.commands[before - 1 :]]
    assert list(bench.torques[-1].effort) == pytest.approx(HEAVY)  # the torque is what it is
    steps = np.diff([*ramp, HEAVY[0]])
    assert (steps <= 1e-9).all()
    assert np.abs(steps).max() < 0.2 * abs(HEAVY[0] - HORIZONTAL[0])  # 0.1 s counts at most
    assert len(ramp) > 5


def test_the_order_of_the_commands_stays_with_a_description_that_turns_it(called: Called) -> None:
    bench = Bench(called, command_joints=["second", "first"])
    bench.describe(arm())
    bench.connect()
    bench.describe(arm(mass=3, name="heavy"))
    until(lambda: bench.node.robot_name == "heavy")
    until(lambda: bench.send(NAMES, [0.0, 0.0]) and last(bench) == HEAVY[::-1])


@pytest.mark.parametrize("policy", ["skip", "hold", "zero"])
def test_nothing_is_sent_before_the_first_valid_joint_state(called: Called, policy: str) -> None:
    bench = Bench(called, robot_description=arm(), joint_state_timeout=0.1, on_loss=policy)
    bench.report("no usable joint state on /joint_states for 0.1 s")
    until(lambda: bench.node.count_subscribers("gravity_compensation/commands"))
    bench.send(NAMES, [nan, 0.0])
    bench.report("position of joint 'first' is nan")
    bench.node.trigger_deactivate()
    bench.report("configured, not active")
    assert bench.commands == []


def test_efforts_of_joints_that_are_not_commanded_may_be_unknown(called: Called) -> None:
    """A gripper without efforts turned every comparison of the arm's efforts off."""
    measured = {"command_joints": NAMES[1:], "start_effort": "measured", "measured_effort": "total"}
    bench = Bench(called, robot_description=arm(), **measured)
    until(lambda: bench.node.active)
    for effort in (3.0 * HORIZONTAL[1], HORIZONTAL[1]):
        state = {"velocity": [0.0, 0.0], "effort": [nan, effort]}
        until(lambda state=state: bench.send(NAMES, [0.0, 0.0], **state) and bench.torques)
        if effort != HORIZONTAL[1]:
            bench.report("joint 'second' needs")
            assert not bench.commands
    until(lambda: bench.send(NAMES, [0.0, 0.0], **state) and bench.commands)
    assert list(bench.commands[0].data) == pytest.approx([HORIZONTAL[1]])


def test_slow_joint_states_give_no_alternating_output(called: Called) -> None:
    bench = Bench(called, robot_description=arm(), joint_state_timeout=0.02)
    bench.connect()
    bench.report("no usable joint state")
    until(lambda: list(bench.commands[-1].data) == [0.0, 0.0])
    bench.commands.clear()
    bench.torques.clear()
    for _ in range(40):
        bench.send(NAMES, [0.0, 0.0])
        clock().sleep(0.05)
    assert bench.report("which is too slow for joint_state_timeout 0.02 s")
    assert bench.commands == []
    assert bench.torques == []


def test_a_timeout_shorter_than_the_time_between_joint_states_is_refused(called: Called) -> None:
    bench = Bench(called, robot_description=arm())
    bench.connect()
    for _ in range(10):
        bench.send(NAMES, [0.0, 0.0])
        clock().sleep(0.05)
    shorter = Parameter("joint_state_timeout", value=0.02)
    reason = bench.node.set_parameters([shorter])[0].reason
    assert (
        "joint_state_timeout is 0.02 s, but the next joint state comes when the last one" in reason
    )
    bench.set_parameter("joint_state_timeout", 0.2)


def test_hold_gravity_leaves_out_coriolis(called: Called) -> None:
    bench = Bench(
        called,
        robot_description=arm(),
        **{"shutdown.command": "hold_gravity"},
        include_coriolis=True,
    )
    until(lambda: bench.node.active)
    moving = {"velocity": [0.3, -0.3]}
    until(lambda: bench.send(NAMES, [0.0, 1.0], **moving) and bench.commands)
    quiet(bench)
    bench.node.trigger_deactivate()
    gravity = [-9.81 * (1.5 + 0.5 * np.cos(1.0)), -9.81 * 0.5 * np.cos(1.0)]
    until(lambda: list(bench.commands[-1].data) == pytest.approx(gravity))


@pytest.mark.parametrize("reaction", CHOICES)
def test_reactions_to_a_loss_of_joint_states(called: Called, reaction: str) -> None:
    durations = {"hold.duration": 60.0, "damp.duration": 60.0}
    loss = {"on_loss": reaction, "joint_state_timeout": 0.5}
    bench = Bench(called, robot_description=arm(), **loss, **durations)
    bench.connect_to("gravity_torque", NAMES)
    until(lambda: bench.send(NAMES, [0.0, 0.0]) and last(bench) == HORIZONTAL)
    bench.report("no usable joint state")
    if reaction in ("zero", "deactivate"):  # shutdown.command is zero
        until(lambda: last(bench) == [0.0, 0.0])
    elif reaction in ("hold", "damp"):
        before = len(bench.commands)
        until(lambda: len(bench.commands) > before + 2)  # again and again
    else:
        quiet(bench)
    if reaction not in ("zero", "deactivate"):
        assert last(bench) == HORIZONTAL  # gravity there
    assert bench.node.active == (reaction != "deactivate")


@pytest.mark.usefixtures("no_plausible_limits")
def test_an_arm_at_overspeed_is_damped_without_gravity(called: Called) -> None:
    """Gravity that is compensated twice would drive it."""
    bench = Bench(called, robot_description=arm(), **{"damp.duration": 60.0})
    bench.connect()
    until(lambda: bench.send(NAMES, [0.0, 0.0]) and last(bench) == HORIZONTAL)
    fast, rest = {"velocity": [-9.0, 0.0]}, {"velocity": [0.0, 0.0]}
    falling = ([-9.0 * k, 0.0] for k in count())
    until(lambda: bench.send(NAMES, next(falling), **fast) and not bench.node.active)
    assert bench.report("joint 'first' at overspeed: -9 where its velocity limit is 2")
    until(lambda: bench.send(NAMES, next(falling), **fast) and bench.commands[-1].data[0] > 0.0)
    here, zero = next(falling), pytest.approx([0.0, 0.0])
    until(lambda: bench.send(NAMES, here, **rest) and list(bench.commands[-1].data) == zero)
    bench.node.trigger_cleanup()


@pytest.mark.usefixtures("no_plausible_limits")
def test_an_arm_that_falls_before_commands_begin_is_waited_for(called: Called) -> None:
    """As one does whose node is restarted later than its motors hold: it is not activated again."""
    bench = Bench(called, robot_description=arm())
    bench.connect()
    bench.node.trigger_deactivate()
    bench.node.trigger_activate()
    before = quiet(bench)
    fast, falling = {"velocity": [-9.0, 0.0]}, ([-9.0 * k, 0.0] for k in count(1))
    words = "joint 'first' moves faster"
    until(lambda: bench.send(NAMES, next(falling), **fast) and status_with(bench.reports, words))
    assert bench.node.active
    assert len(bench.commands) == before
    until(lambda: bench.send(NAMES, [0.0, 0.0]) and last(bench) == HORIZONTAL)


def test_an_impossible_set_of_parameters_is_refused_as_a_whole(called: Called) -> None:
    bench = Bench(called, hardware_compensates_gravity=True)
    changes = [
        Parameter("limits.velocity_scale", value=7.0),
        Parameter("shutdown.command", value="hold_gravity"),
    ]
    result = bench.node.set_parameters_atomically(changes)
    assert not result.successful
    assert "hardware_compensates_gravity" in result.reason
    assert bench.node.get_parameter("limits.velocity_scale").value == 1.5
