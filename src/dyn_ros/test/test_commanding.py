# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""How commands begin, hold, damp and end, without ROS."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dyn_ros.commanding.beginning import Beginning, NotBegunError, first_command
from dyn_ros.commanding.receiver import (
    Receiver,
    compensates_gravity,
    order_of_commands,
    silent,
)
from dyn_ros.commanding.stream import CommandShaper, CommandStream, Durations, Phase

NAMES = ("pan", "lift", "elbow")
GRAVITY = np.array([0.0, -40.0, -12.0])
STEP = 0.005  # s


def beginning(**changes: Any) -> Beginning:
    known = Beginning(
        NAMES,
        GRAVITY,
        limit=np.array([150.0, 150.0, 150.0]),
        measured=0.95 * GRAVITY,
        sent=None,
        compensates=False,
        vouched=False,
        meaning="total",
    )
    return replace(known, **changes)


# The first command ---------------------------------------------------------------------------


def test_commands_begin_at_what_the_motors_give() -> None:
    assert list(first_command(beginning())) == list(0.95 * GRAVITY)


def test_without_measured_efforts_they_begin_at_what_was_sent_last() -> None:
    sent = np.array([0.0, -38.0, -11.0])
    assert list(first_command(beginning(measured=None, sent=sent))) == list(sent)
    assert list(first_command(beginning(meaning="other", sent=sent))) == list(sent)


@pytest.mark.parametrize(("source", "share"), [("zero", 0.0), ("gravity", 1.0)])
def test_where_nobody_knows_the_motors_a_parameter_says(source: str, share: float) -> None:
    assert list(first_command(beginning(measured=None, source=source))) == list(share * GRAVITY)


@pytest.mark.parametrize("unknown", [{"measured": None}, {"meaning": "other"}])
def test_where_nobody_knows_nothing_is_commanded(unknown: dict[str, Any]) -> None:
    with pytest.raises(NotBegunError, match="set start_effort to gravity if motors hold"):
        first_command(beginning(**unknown))


@pytest.mark.parametrize("known", [{}, {"sent": GRAVITY}, {"vouched": True}])
def test_commands_do_not_begin_at_more_than_motors_can_give(known: dict[str, Any]) -> None:
    """Milliamperes, or a sensor's error: the first command would be all that they have."""
    currents = np.array([0.0, -240.0, -60.0])
    with pytest.raises(NotBegunError, match="'lift' gives -240, but its effort limit is 150"):
        first_command(beginning(measured=currents, **known))
    unlimited = np.array([0.0, np.inf, 0.0])  # 0: not given
    more = beginning(measured=currents, gravity=currents, limit=unlimited)
    assert list(first_command(more)) == list(currents)


def test_motors_that_give_nothing_while_gravity_is_large_stop_the_commands() -> None:
    """Either brakes hold the arm, or it holds itself and would be held twice."""
    with pytest.raises(NotBegunError, match="at joint 'lift' where gravity takes -40"):
        first_command(beginning(measured=0.1 * GRAVITY))
    held = beginning(measured=0.1 * GRAVITY, source="zero")
    assert list(first_command(held)) == [0.0, 0.0, 0.0]


def test_motors_that_hold_gravity_contradict_hardware_that_holds_itself() -> None:
    with pytest.raises(NotBegunError, match="although hardware_compensates_gravity is true"):
        first_command(beginning(compensates=True, meaning="unknown"))
    assert not any(first_command(beginning(compensates=True, meaning="total")))  # as a Franka arm
    with pytest.raises(NotBegunError, match="measured_effort total"):
        first_command(beginning(compensates=True, meaning="total", measured=0.0 * GRAVITY))


@pytest.mark.parametrize(
    "fine",
    [
        {"vouched": True},  # robot_sim with its brakes on
        {"gravity": 0.01 * GRAVITY},  # an arm that hangs down: nothing can be told
        {"meaning": "other"},  # currents
    ],
)
def test_nothing_is_concluded_from_efforts_that_say_nothing(fine: dict[str, Any]) -> None:
    known = beginning(measured=0.0 * GRAVITY, sent=None, **fine)
    if known.meaning == "other":
        known = replace(known, source="gravity")
    first_command(known)


# Who takes the commands -----------------------------------------------------------------------


def test_the_order_is_that_of_the_controller() -> None:
    turned = NAMES[::-1]
    controller = Receiver("/effort_controller", turned, "effort")
    listener = Receiver("/recorder")
    assert order_of_commands([listener, controller], [], NAMES) == turned
    assert order_of_commands([controller], NAMES, NAMES) == turned
    assert silent([listener, controller]) == []


def test_a_controller_of_fewer_joints_gets_as_many_numbers() -> None:
    """An arm-only controller under an arm with a gripper."""
    arm = Receiver("/arm_controller", NAMES, "effort")
    assert order_of_commands([arm], [], (*NAMES, "finger")) == NAMES


def test_without_a_word_of_the_receiver_parameter_and_model_say_the_order() -> None:
    listener = [Receiver("/recorder")]
    assert order_of_commands(listener, ["elbow", "pan"], NAMES) == ("elbow", "pan")
    assert order_of_commands(listener, [], NAMES) == NAMES
    assert silent(listener) == ["/recorder"]


@pytest.mark.parametrize(
    ("receivers", "asked", "words"),
    [
        ([Receiver("/c", NAMES, "position")], [], "takes commands of position"),
        ([Receiver("/c", (*NAMES, "finger"))], [], "joint 'finger'"),
        ([Receiver("/c", NAMES)], ["pan"], "command_joints names 'pan'"),
        ([Receiver("/c", ("pan", "pan"))], [], "for a joint twice"),
        ([Receiver("/a", NAMES), Receiver("/b", NAMES[::-1])], [], "/a and /b take the same"),
    ],
)
def test_what_does_not_fit_is_refused(
    receivers: list[Receiver], asked: list[str], words: str
) -> None:
    with pytest.raises(NotBegunError, match=words):
        order_of_commands(receivers, asked, NAMES)


def test_who_adds_gravity_is_said_by_the_robot_before_the_parameter() -> None:
    assert compensates_gravity([Receiver("/robot_sim", compensates=False)], True) is False
    assert compensates_gravity([Receiver("/c")], True) is True
    assert compensates_gravity([Receiver("/c")], None) is None


# The stream -----------------------------------------------------------------------------------


def stream(**durations: float) -> CommandStream:
    result = CommandStream(CommandShaper(NAMES), Durations(**durations))
    result.begin(0.9 * GRAVITY, now=0.0)
    return result


def test_a_stream_begins_where_it_is_told_and_ramps() -> None:
    commands = stream(ramp=0.1)
    assert list(commands.follow(GRAVITY, 0.0)) == list(0.9 * GRAVITY)
    assert list(commands.follow(GRAVITY, 0.05)) == pytest.approx(list(0.95 * GRAVITY))
    assert list(commands.follow(GRAVITY, 0.15)) == pytest.approx(list(GRAVITY))


def test_the_rate_of_a_command_counts_from_when_the_one_before_was_sent() -> None:
    """Their process may be interrupted in between: then two leave it right after each other."""
    commands = stream(ramp=0.0)
    commands.shaper.most_rate = 10.0
    commands.follow(0.9 * GRAVITY, 0.0)
    commands.sent = 0.0
    first = commands.follow(GRAVITY, 0.001).copy()
    commands.sent = 0.006
    second = commands.follow(GRAVITY, 0.0063).copy()
    assert np.abs(second - first).max() == pytest.approx(10.0 * 0.0003)


def test_efforts_limited_in_their_rate_keep_their_direction() -> None:
    """Of axes almost parallel, each driven as far as it may go, one would push the other away.

    The robot's acceleration is linear in the efforts: on the way it is between what it was and what
    is wanted, in all joints.
    """
    commands = stream(ramp=0.0)
    commands.shaper.most_rate = np.array([1000.0, 100.0, np.inf])
    begin = commands.follow(0.9 * GRAVITY, 0.0).copy()
    wanted = begin + np.array([8.0, -4.0, 2.0])
    mass = np.array([[1.0, 0.99, 0.2], [0.99, 1.0, 0.2], [0.2, 0.2, 0.5]])
    whole = np.linalg.solve(mass, wanted - begin)
    for k in range(1, 5):
        command = commands.follow(wanted, 0.01 * k)
        assert np.linalg.solve(mass, command - begin) == pytest.approx(0.25 * k * whole)
    assert list(command) == list(wanted)
    assert list(commands.follow(begin, 0.04)) == list(wanted)  # in no time


def test_a_gap_is_held_by_gravity_then_damped_then_zero() -> None:
    commands = stream(ramp=0.0, hold=0.1, damp=1.0)
    commands.follow(3.0 * GRAVITY, 0.0)  # of a motion
    assert list(commands.hold(0.1, GRAVITY)) == list(GRAVITY)
    moved = 0.9 * GRAVITY
    commands.hold(0.12, moved)
    assert list(commands.tick(0.15, None)) == list(moved)  # type: ignore[arg-type]
    assert not commands.due_to_damp(0.19)
    assert commands.due_to_damp(0.21)
    commands.damp(0.21, GRAVITY)
    assert list(commands.hold(0.21, moved)) == list(moved)  # damping goes on
    sent = [commands.tick(0.21 + i * STEP, None).copy() for i in range(201)]  # type: ignore
    assert list(sent[90]) == pytest.approx(list(GRAVITY))  # the first half
    assert sent[150][1] == pytest.approx(0.5 * GRAVITY[1], rel=0.02)
    assert list(sent[200]) == [0.0, 0.0, 0.0]
    assert commands.phase is Phase.WAITING
    assert commands.tick(2.0, None) is None


@pytest.mark.parametrize("before", ["following", "ramping", "ramping from a motion"])
def test_holding_keeps_no_effort_of_a_motion_and_is_as_fast_as_the_rate(before: str) -> None:
    """An arm that accelerated went on so for as long as it was held."""
    commands = stream(ramp=60.0 if before != "following" else 0.0)
    commands.shaper.most_rate = rate = 500.0
    motion = GRAVITY + np.array([80.0, -60.0, 0.0])
    if before == "ramping from a motion":
        commands.begin(motion, 0.0)
        commands.follow(GRAVITY, 0.01)
    else:
        for k in range(100):
            commands.follow(motion, 0.01 * k)
    sent = [commands.shaper.command.copy()]
    for k in range(1, 41):
        sent.append(commands.hold(1.0 + STEP * k, GRAVITY).copy())
    assert np.abs(np.diff(sent[1:], axis=0)).max() <= rate * STEP * (1.0 + 1e-9)
    assert list(sent[-1]) == list(GRAVITY)


def test_a_moment_of_holding_is_no_ramp_but_one_under_way_begins_anew() -> None:
    """As after one state with a number that is none."""
    commands = stream(ramp=0.5)
    commands.shaper.most_rate = 500.0
    motion = GRAVITY + 20.0
    for k in range(200):
        commands.follow(motion, STEP * k)
    held = commands.hold(1.0, GRAVITY).copy()
    assert np.abs(commands.follow(motion, 1.005) - held).max() == pytest.approx(500.0 * STEP)
    commands.ramp()  # of a payload
    held = commands.hold(1.01, GRAVITY).copy()
    assert np.abs(commands.follow(2.0 * motion, 1.015) - held).max() < 0.011 * np.abs(held).max()


def test_what_is_refused_again_and_again_is_held_by_gravity() -> None:
    """As efforts beyond a limit, sample by sample."""
    commands = stream(ramp=0.0)
    commands.shaper.limit, commands.shaper.most_rate = 60.0, 500.0
    for k in range(200):
        commands.follow(GRAVITY - 20.0, STEP * k)
    for k in range(200, 240):
        commands.follow(GRAVITY - 50.0, STEP * k, clamp=False)
        held = commands.hold(STEP * k, GRAVITY)
    assert list(held) == list(GRAVITY)


def test_a_good_state_ends_holding_and_damping() -> None:
    commands = stream(ramp=0.5)
    before = commands.follow(GRAVITY, 0.0).copy()
    commands.damp(0.0, 0.5 * GRAVITY)
    commands.tick(0.1, None)
    assert commands.phase is Phase.DAMPING
    damped = commands.shaper.command.copy()
    assert list(commands.follow(GRAVITY, 0.11)) == list(damped) != list(before)
    assert commands.phase is Phase.FOLLOWING


def test_damping_takes_energy_out_of_coupled_joints_in_its_time() -> None:
    """M dv/dt = u - g = -M v / T, so that v decays alike in all joints, ill-conditioned or not."""
    commands = stream(ramp=0.0, damp=100.0, damping_time=0.1)
    mass = np.array([[4.0, 1.9, 0.1], [1.9, 1.0, 0.05], [0.1, 0.05, 0.004]])
    velocity = np.array([1.0, -2.0, 3.0])
    start = velocity.copy()
    commands.damp(0.0, GRAVITY, mass)
    for i in range(1, 201):
        command = commands.tick(0.001 * i, velocity)
        velocity = velocity + 0.001 * np.linalg.solve(mass, command - GRAVITY)  # type: ignore
    assert velocity / start == pytest.approx(np.full(3, np.exp(-2.0)), rel=0.02)


@pytest.mark.parametrize("duration", [0.05, 0.3, 2.0])
def test_damping_ends_without_a_step_while_the_robot_sinks(duration: float) -> None:
    """It leaned on damping alone, and 60 N m of an arm ended in one command."""
    commands = stream(ramp=0.0, damp=duration, damping_time=0.1)
    commands.begin(GRAVITY, 0.0)
    commands.damp(0.0, GRAVITY, np.eye(3))
    sinking = 0.1 * GRAVITY  # rad/s, at which damping is as large as gravity
    sent = [commands.tick(now, -sinking).copy() for now in np.arange(0.001, duration, 0.001)]
    last = commands.tick(duration + 0.001, -sinking)
    steps = np.abs(np.diff([*sent, last], axis=0)).max()
    assert not any(last)
    assert np.abs(sent).max() > 40.0
    assert steps <= 0.001 * 2.5 * np.abs(sent).max() / min(0.1, duration / 2.0)


def test_a_slow_ramp_takes_nothing_of_the_damping_away() -> None:
    """An arm that runs away while it is being taken over, say."""
    commands, same = stream(ramp=60.0), stream(ramp=0.0)
    for some in (commands, same):
        some.shaper.limit = 150.0
        some.follow(GRAVITY, 0.0)
        some.damp(0.0, 0.0 * GRAVITY)
    commands.ramp()  # a parameter changes meanwhile
    velocity = np.array([1.0, -2.0, 3.0])
    braking = commands.tick(STEP, velocity)
    assert list(braking) == list(same.tick(STEP, velocity))  # type: ignore[arg-type]
    assert (braking * velocity < 0.0).all()


def test_zero_is_zero_and_the_next_command_ramps_from_there() -> None:
    commands = stream(ramp=0.1)
    commands.follow(GRAVITY, 0.0)
    assert not any(commands.zero())
    assert np.abs(commands.follow(GRAVITY, 0.01)).max() < 0.2 * 40.0
