# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""No motor keeps the last efforts for ever, whatever comes between them and their end."""

from __future__ import annotations

import re
from itertools import count
from math import nan
from typing import Any

import numpy as np
import pytest
from bench import HORIZONTAL, NAMES, Bench
from called import Called
from rclpy.parameter import Parameter
from ros_helpers import UR5, arm, clock, until

import dyn_core
from dyn_ros.inputs.joint_states import JointStateInput
from dyn_ros.messages.refusal import InputRefusedError

ZERO = [0.0, 0.0]
DAMPED = {"shutdown.command": "damp", "damp.duration": 3.0}


def begun(ros: Called, **parameters: Any) -> Bench:
    """A bench whose arm is held at zero."""
    bench = Bench(ros, **{"hold.duration": 0.1, "damp.duration": 0.4, **parameters})
    bench.describe(arm())
    bench.connect()
    until(lambda: bench.send(NAMES, ZERO) and now(bench) == pytest.approx(HORIZONTAL))
    return bench


def now(bench: Bench) -> list[float]:
    return list(bench.commands[-1].data) if bench.commands else []


def test_no_command_is_nan_where_a_joint_has_no_effort_limit(called: Called) -> None:
    """0 times infinite is NaN."""
    unlimited = re.sub(r"<limit[^>]*/>", "", arm().replace("revolute", "continuous"))
    bench = Bench(called, robot_description=unlimited, **{"limits.effort_scale": 0.0})
    bench.connect()
    until(lambda: bench.send(NAMES, ZERO) and len(bench.commands) > 3)
    assert np.isfinite([command.data for command in bench.commands]).all()
    assert np.isinf(bench.node.model.effort_limit).all()


@pytest.mark.usefixtures("no_plausible_limits")
def test_states_that_give_no_result_are_no_usable_ones(called: Called) -> None:
    """Skipped for ever they would leave the last efforts for ever."""
    bench = begun(called, joint_state_timeout=0.3)
    until(lambda: bench.send(NAMES, [1e308, 1e308]) and now(bench) == ZERO)


@pytest.mark.parametrize(
    "then", ["states continue", "activated again", "other joints", "other joints later"]
)
def test_nothing_keeps_damping_from_its_end(called: Called, then: str) -> None:
    bench = begun(called, **DAMPED)
    if then == "other joints":
        bench.describe(arm(first="shoulder", name="other"))
        bench.report("missing: 'first'")
    bench.node.trigger_deactivate()
    assert bench.node.busy
    if then == "activated again":
        bench.node.trigger_activate()
    if then == "other joints later":
        bench.describe(arm(first="shoulder", name="other"))
    until(lambda: (then != "states continue" or bench.send(NAMES, ZERO)) and now(bench) == ZERO)
    assert {len(command.data) for command in bench.commands} == {2}
    if then.startswith("other joints"):
        until(lambda: bench.node.robot_name == "other")


def test_a_shutdown_command_holds_an_arm_at_its_present_position(called: Called) -> None:
    """Gravity of where it was drove the wrist of an arm without friction to 9 rad/s in a second."""
    bench = begun(called, **{**DAMPED, "damp.duration": 60.0})
    bench.node.trigger_deactivate()
    moved = np.cos(0.5) * np.array(HORIZONTAL)
    until(lambda: bench.send(NAMES, [0.5, 0.0]) and now(bench) == pytest.approx(moved))


def test_the_efforts_that_hold_an_arm_are_not_taken_away(called: Called) -> None:
    """Also while states are missing, and without measured efforts."""
    bench = begun(called, **{"joint_state_timeout": 0.5, "hold.duration": 60.0})
    for missing in (False, True):
        if missing:
            bench.report("no usable joint state")
        until(lambda: now(bench) == pytest.approx(HORIZONTAL))
        (result,) = bench.node.set_parameters([Parameter("limits.effort_scale", value=0.1)])
        assert "'first' needs an effort of -19.62, and 10 is available" in result.reason


@pytest.mark.parametrize("end", ["shutdown", "deactivate, cleanup"])
def test_an_arm_is_damped_whatever_ends_the_work(called: Called, end: str) -> None:
    """Interfaces close after the last command; a configure that comes too early is refused."""
    bench = begun(called, **DAMPED)
    node, before = bench.node, len(bench.commands)
    for transition in end.split(", "):
        getattr(node, f"trigger_{transition}")()
    assert node.busy
    if end != "shutdown":
        node.trigger_configure()
        bench.report("the shutdown command of the last activation is still running")
    until(lambda: now(bench) == ZERO)
    efforts = np.array([command.data[0] for command in bench.commands[before:]])
    assert np.abs(np.diff(efforts, prepend=HORIZONTAL[0])).max() < 0.2 * abs(HORIZONTAL[0])
    until(lambda: not node.configured)
    if end != "shutdown":
        node.trigger_configure()
        assert node.configured


@pytest.mark.parametrize(("measured", "damped"), [(1e160, False), (1e160, True), (9.0, True)])
def test_a_velocity_that_cannot_be_moves_no_motor(
    called: Called, measured: float, damped: bool
) -> None:
    """A joint at rest, whose sensor is broken: damping would drive it with all that it has."""
    bench = begun(called, **{**DAMPED, "damp.duration": 60.0})  # half of it holds gravity
    broken = {"velocity": [0.0, measured]}
    before = len(bench.commands)
    bench.send(NAMES, ZERO, **broken)
    if damped:
        bench.node.trigger_deactivate()
    end = clock().now() + 1.0
    until(lambda: bench.send(NAMES, ZERO, **broken) and len(bench.commands) > before + 50)
    until(lambda: bench.send(NAMES, ZERO, **broken) and clock().now() > end)
    assert bench.node.active is not damped
    efforts = np.array([command.data for command in bench.commands[before:]])
    np.testing.assert_allclose(efforts, np.tile(HORIZONTAL, (len(efforts), 1)))
    if not damped:
        bench.report("no plausible velocities")


BESIDE_FREE = 0.318  # kg m^2, half of the inertia at the first joint where the second is free
OLD = 0.25  # least part of a velocity that is believed where its stamp is of another clock


def test_joints_whose_states_come_are_damped_where_others_have_stopped(called: Called) -> None:
    """Of several drivers one ends, as that of a gripper: the arm fell as if all had."""
    bench = begun(called, joint_state_timeout=0.3, **{"damp.duration": 60.0})
    reader = bench.node.part(JointStateInput).reader
    until(
        lambda: bench.send(NAMES, ZERO, velocity=ZERO) and np.isfinite(reader.known_velocity).all()
    )
    speed, damping_time = 0.1, 0.1  # rad/s, s
    damping = BESIDE_FREE * speed / damping_time
    places = (speed * k for k in range(800))  # one a second, by stamps

    def damped() -> bool:
        bench.send(NAMES[:1], [next(places)], velocity=[speed])
        first, second = now(bench)
        gravity = HORIZONTAL[0] / HORIZONTAL[1] * second  # of a straight arm
        return OLD * damping < gravity - first <= damping

    until(damped)


@pytest.mark.usefixtures("no_plausible_limits", "never_settled")
def test_an_arm_is_held_by_states_that_settle_and_overspeed_is_noticed(
    called: Called,
) -> None:
    """Where they were when states had stopped is not where its joints are by now."""
    bench = begun(called, joint_state_timeout=0.3, **{"damp.duration": 60.0})
    bench.report("no usable joint state")
    moved = np.cos(0.5) * np.array(HORIZONTAL)
    until(lambda: bench.send(NAMES, [0.5, 0.0]) and now(bench) == pytest.approx(moved))
    fast = {"velocity": [-9.0, 0.0]}
    falling = ([0.5 - 9.0 * k, 0.0] for k in count())
    until(lambda: bench.send(NAMES, next(falling), **fast) and not bench.node.active)
    bench.report("joint 'first' at overspeed")


@pytest.mark.usefixtures("never_settled")
def test_what_is_absent_while_states_settle_lets_nothing_fall(called: Called) -> None:
    """As odometry, which is back a moment later; the reaction to it is zero efforts."""
    bench = begun(called, joint_state_timeout=0.3, **{"damp.duration": 60.0})
    bench.report("no usable joint state")

    def refuse() -> None:
        raise InputRefusedError("free joint stale", "no odometry")

    bench.node._refusals, before = [refuse], len(bench.commands)
    until(lambda: bench.send(NAMES, ZERO) and len(bench.commands) > before + 50)
    assert {tuple(command.data) for command in bench.commands[before:]} == {tuple(HORIZONTAL)}


@pytest.mark.usefixtures("never_settled")
def test_a_joint_whose_states_come_again_is_not_damped_by_its_way_meanwhile(called: Called) -> None:
    """It was taken for the way of one window: of another driver's joint, a blow."""
    bench = begun(called, joint_state_timeout=0.3, **{"damp.duration": 60.0})
    reader = bench.node.part(JointStateInput).reader
    bench.report("no usable joint state")
    until(lambda: bench.send(NAMES, ZERO) and not reader.late(clock().now() - 0.1))
    until(lambda: bench.send(NAMES[:1], ZERO[:1]) and reader.late(clock().now() - 0.5))
    count = len(bench.commands)
    until(lambda: bench.send(NAMES[:1], ZERO[:1]) and len(bench.commands) > count + 20)
    second = np.cos(0.5) * HORIZONTAL[1]
    moved = pytest.approx([HORIZONTAL[0] - HORIZONTAL[1] + second, second])
    until(lambda: bench.send(NAMES, [0.0, 0.5]) and now(bench) == moved)
    until(lambda: bench.send(NAMES, [0.0, 0.5]) and len(bench.commands) > count + 80)
    for command in bench.commands[count:]:
        assert list(command.data) in (pytest.approx(HORIZONTAL), moved)


def test_a_new_description_does_not_take_gravity_from_an_arm_that_is_held(called: Called) -> None:
    bench = begun(called, **{"shutdown.command": "hold_gravity"})
    bench.describe(arm(mass=1, name="renamed"))
    until(lambda: bench.node.robot_name == "renamed")
    bench.node.trigger_deactivate()
    before = len(bench.commands)
    until(lambda: len(bench.commands) >= before)
    assert now(bench) == pytest.approx(HORIZONTAL)


def test_a_joint_without_effort_is_refused_at_the_start(called: Called) -> None:
    bench = Bench(called, robot_description=arm(effort=0))
    until(lambda: bench.node.active)
    until(lambda: bench.send(NAMES, ZERO) and bench.torques)
    status = bench.report(
        "no commands: joint 'first', 'second': effort limit is 0 in the description"
    )
    for remedy in ("set the limit in the description", "name the joint in passive_joints"):
        assert remedy in status.message
    assert not bench.commands


def test_a_joint_without_effort_is_refused_in_live_changes(called: Called) -> None:
    """All joints kept their last efforts, and the process did not end."""
    bench = begun(called, **{"shutdown.command": "damp"})
    bench.describe(arm(effort=0, name="weak"))
    bench.report("the old one stays in use: joint 'first', 'second': effort limit is 0")
    (result,) = bench.node.set_parameters([Parameter("limits.effort_scale", value=0.0)])
    assert not result.successful
    assert "effort limit is 0 by limits.effort_scale" in result.reason
    moved = np.cos(0.5) * np.array(HORIZONTAL)
    until(lambda: bench.send(NAMES, [0.5, 0.0]) and now(bench) == pytest.approx(moved))
    bench.node.trigger_deactivate()
    until(lambda: not bench.node.busy)
    assert now(bench) == ZERO


def test_a_description_in_which_the_arm_stands_far_outside_limits_is_refused(
    called: Called,
) -> None:
    """All states were implausible by it, and an arm at rest was let down: a UR5 at 17 rad/s."""
    bench = begun(called)
    bench.describe(arm(name="other").replace('lower="-3"', 'lower="2.9"'))
    bench.report("the old one stays in use: position of joint 'first' is 0, but its limits allow")
    assert bench.node.robot_name == "arm"


def test_a_rate_that_cannot_brake_is_refused(called: Called) -> None:
    """With it a moving arm kept its efforts, whatever was commanded."""
    bench = begun(called)
    for rate in (0.001, 99.0):
        (result,) = bench.node.set_parameters([Parameter("limits.effort_rate", value=rate)])
        assert not result.successful
        assert "too long to brake the arm: give at least 100, or 0" in result.reason
    assert bench.node.set_parameters([Parameter("limits.effort_rate", value=100.0)])[0].successful


@pytest.mark.usefixtures("no_plausible_limits")
@pytest.mark.parametrize("before", ["overspeed", "the delay of the comparison"])
def test_zero_is_sent_at_overspeed_by_commands_at_other_joints(called: Called, before: str) -> None:
    """Damping would go to other joints too; the efforts that come back say so, soon or later."""
    bench = begun(called, **{**DAMPED, "damp.duration": 60.0})
    turn = 2.0 * np.pi  # in each second, so that gravity stays the same
    falling = ([-turn * k, 0.0] for k in count(1))
    fast = {"velocity": [-turn, 0.0]}
    turned = before != "overspeed"  # whether measured efforts show the wrong order

    def fall() -> bool:
        efforts = now(bench)[::-1] if turned else now(bench)
        return bool(bench.send(NAMES, next(falling), **fast, effort=efforts))

    until(lambda: fall() and not bench.node.active)
    if turned:
        bench.report("the commands in another order")
        assert not bench.node.busy
    else:
        bench.report("joint 'first' at overspeed")
        assert bench.node.busy
        turned = True
    until(lambda: fall() and not bench.node.busy)
    until(lambda: now(bench) == ZERO)


@pytest.mark.parametrize(
    "there", [[nan, 0.0], [99.0, 0.0], [0.0]], ids=["NaN", "implausible", "length"]
)
def test_refused_states_show_too_that_commands_reach_other_joints(
    called: Called, there: list[float]
) -> None:
    """An arm that is driven so fast that its states are implausible was driven on until a gap."""
    bench = begun(called, **{"shutdown.command": "hold_gravity"})
    efforts = now(bench)[::-1]
    until(lambda: bench.send(NAMES, there, effort=efforts) and not bench.node.active)
    bench.report("the commands in another order")
    until(lambda: now(bench) == ZERO)


@pytest.mark.parametrize("speed", [9.0, 0.2])
def test_wrists_that_get_each_others_commands_count_if_they_are_fast(
    called: Called, speed: float
) -> None:
    """By all efforts of a heavy arm they hardly differ; measured friction may look like that."""
    bench = Bench(called, robot_description=UR5.read_text(), **{"shutdown.command": "hold_gravity"})
    until(lambda: bench.node.active)
    names, rest = list(bench.node.model.dof_names), [0.3, -1.0, 1.2, -0.6, 0.2, 0.4]
    efforts = dyn_core.generalized_gravity(bench.node.model, np.array(rest)).tolist()
    until(lambda: bench.send(names, rest) and now(bench) == pytest.approx(efforts))
    efforts[3:5] = efforts[4:2:-1]
    assert 0.0 < abs(efforts[3] - efforts[4]) < 0.1 * max(map(abs, efforts))
    motion = {"velocity": [0.0, 0.0, 0.0, speed, 0.0, 0.0], "effort": efforts}
    there = [[nan, *rest[1:]], rest]
    for k in range(40):
        bench.send(names, there[k % 10 > 0], **motion)
        clock().sleep(0.004)
    assert bench.node.active == (speed < 1.0)
    if speed > 1.0:
        bench.report("the commands in another order")
        assert not any(now(bench))


@pytest.mark.usefixtures("no_plausible_limits", "never_settled")
def test_an_arm_that_falls_in_a_gap_answered_by_zero_is_braked_before_states_settle(
    called: Called,
) -> None:
    gap = {"on_loss": "zero", "joint_state_timeout": 0.5}
    bench = begun(called, **{"damp.duration": 60.0}, **gap)
    until(lambda: now(bench) == ZERO)
    fast, falling = {"velocity": [-9.0, 0.0]}, ([-9.0 * k, 0.0] for k in count(1))
    until(lambda: bench.send(NAMES, next(falling), **fast) and not bench.node.active)
    bench.report("joint 'first' at overspeed")
    until(lambda: bench.send(NAMES, next(falling), **fast) and now(bench)[0] > 0.0)
