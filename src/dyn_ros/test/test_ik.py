# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The node ik between a robot that follows its commands and a publisher of targets."""

from __future__ import annotations

from functools import partial

import numpy as np
import pinocchio as pin
import pytest
from called import Called
from forward_controller_stand_in import UPDATE_PERIOD, ForwardControllerStandIn
from ik_rig import MOST, START, Rig, moved
from rclpy.duration import Duration
from rclpy.parameter import Parameter
from ros_helpers import UR5, clock, until

from dyn_ros.inputs import target_input
from dyn_ros.node.report import key
from dyn_ros.outputs.command_subscribers import ENDS_IN_MOTION, CommandSubscribers


@pytest.mark.parametrize("interface", ["joint_trajectory", "velocity"])
def test_a_tool_reaches_its_target_straight_and_within_limits(
    called: Called, interface: str
) -> None:
    """To 1 mm and 1 mrad, by Pinocchio's forward kinematics; targets come at 1 kHz."""
    rig = Rig(called, interface, joint_state_timeout=3.0, reference_timeout=3.0)
    goal = moved(rig.begun, 0.1, 0.1, -0.1, 0.3)
    message = rig.target(goal)
    end = clock().now() + 60.0

    def there() -> bool:
        error = pin.log3(rig.place().rotation.T @ goal.rotation)
        return bool(rig.away(goal) < 1e-3 and np.linalg.norm(error) < 1e-3)

    while not there() and clock().now() < end:
        rig.ask(message, 0.001)
    assert there(), (rig.away(goal), rig.values())
    way = np.array([rig.place(q).translation for q, _ in rig.commanded]) - rig.begun.translation
    line = (goal.translation - rig.begun.translation) / np.sqrt(0.03)
    aside = way - np.outer(way @ line, line)
    assert np.abs(aside).max() < 0.01
    speeds = np.array([v for _, v in rig.commanded])
    assert 0.3 < np.abs(speeds).max() < np.pi + 1e-9
    if interface == "joint_trajectory":
        assert np.abs(np.diff(speeds, axis=0)).max() < 0.1 * MOST + 1e-6  # of the longest step


@pytest.mark.parametrize("chosen", ["", "/tester"])
@pytest.mark.parametrize("interface", ["joint_trajectory", "joint_positions"])
def test_points_with_velocities_are_for_a_controller_that_accepts_them(
    called: Called, interface: str, chosen: str
) -> None:
    """joint_trajectory_controller rejects them by default, and jumped to the point at rest."""
    called.tester.declare_parameter(ENDS_IN_MOTION, False)
    rig = Rig(called, interface, command_subscriber=chosen)
    message = rig.target(moved(rig.begun, 0.1, 0.0, 0.0))
    if interface == "joint_positions":
        rig.go(message, lambda: rig.away(rig.begun) > 0.01)
        return
    rig.go(message, lambda: "rejects points with velocities" in rig.values()["message"])
    assert not rig.commanded
    rig.node.stop()
    assert not rig.final_count()
    called.tester.set_parameters([Parameter(ENDS_IN_MOTION, value=True)])
    rig.go(message, lambda: rig.away(rig.begun) > 0.01)


def test_ik_waits_until_its_controller_has_said_what_it_accepts(called: Called) -> None:
    rig = Rig(called)
    part = rig.node.part(CommandSubscribers)
    until(lambda: part.known and not any(x.open for x in part.known.values()))
    next(iter(part.known.values())).open[ENDS_IN_MOTION] = []
    message = rig.target(moved(rig.begun, 0.1, 0.0, 0.0))
    rig.go(message, lambda: f"to report {ENDS_IN_MOTION}" in rig.values()["message"])
    assert not rig.commanded
    rig.go(message, lambda: rig.away(rig.begun) > 0.01)


def test_mock_hardware_that_waits_for_commands_is_not_frozen(called: Called) -> None:
    """Its positions have no noise, and are published more often than ik sends commands."""
    rig = Rig(called)
    rig._noise = 0.0
    called.tester.create_timer(0.001, rig._say)
    rig.go(rig.target(moved(rig.begun, 0.1, 0.1, -0.1)), lambda: rig.away(rig.begun) > 0.1)
    assert not any("exactly the same" in x.msg for x in rig.log)
    rig.follows = False
    far = rig.target(moved(rig.begun, -0.1, -0.1, 0.1))
    rig.go(far, lambda: any("exactly the same" in x.msg for x in rig.log))


def test_stamps_that_jump_ahead_make_no_step(called: Called) -> None:
    """They made one of the motion of that time: a Jaco's of 0.04 rad."""
    rig = Rig(called)
    message = rig.target(moved(rig.begun, 0.2, 0.2, -0.2))
    for rig.ahead in (Duration(), Duration(seconds=0.05)):
        count = len(rig.commanded) + 40
        rig.go(message, lambda count=count: len(rig.commanded) > count)
    positions, speeds = (np.array(x) for x in zip(*rig.commanded, strict=True))
    steps = np.abs(np.diff(positions, axis=0))
    assert (steps <= 1.01 * UPDATE_PERIOD * np.abs(speeds[1:]) + 1e-9).all()
    assert np.abs(speeds).max() > 0.2


def test_out_of_reach_the_arm_stretches_and_stays_calm(
    called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(target_input, "MAX_TARGET_JUMP_M", np.inf)
    rig = Rig(called, joint_state_timeout=3.0, reference_timeout=3.0)
    far = rig.target(pin.SE3(rig.begun.rotation, np.array([100.0, 0.0, 0.3])))
    rig.go(far, lambda: rig.place().translation[0] > 0.7)
    rig.go(far, lambda: len(rig.commanded) > 50 and np.abs(rig.commanded[-1][1]).max() < 0.02)
    before = rig.q.copy()
    count = len(rig.commanded)
    rig.go(far, lambda: len(rig.commanded) > count + 100)
    speeds = np.array([v for _, v in rig.commanded[count:]])
    assert np.abs(speeds).max() < 0.05
    assert np.abs(rig.q - before).max() < 0.05
    limit = rig.model.upperPositionLimit
    assert (np.abs(rig.q) < limit).all()


def test_bad_targets_are_refused_in_words_and_nothing_moves(called: Called) -> None:
    rig = Rig(called)
    good = moved(rig.begun, 0.05, 0.0, 0.0)
    nan, blank, old = rig.target(good), rig.target(good), rig.target(good)
    nan.pose.position.y = float("nan")
    blank.pose.orientation.w = blank.pose.orientation.x = 0.0
    blank.pose.orientation.y = blank.pose.orientation.z = 0.0
    old.header.stamp.sec = 5
    far = rig.target(moved(rig.begun, 100.0, 0.0, 0.0))
    cases = [
        (nan, "not finite", "the position of the pose in frame 'base_link'"),
        (blank, "no orientation", "send a quaternion of length 1"),
        (far, "target jump", "more than 1 m: send targets in between"),
        (rig.target(good, "moon"), "unknown frame", "'moon', which 'ur5' does not have"),
        (rig.target(good, ""), "no frame", "header.frame_id is empty"),
        (old, "target stale", "old by its stamp"),
    ]
    for message, reason, words in cases:
        rig.go(message, lambda reason=reason: key("targets_refused", reason) in rig.values())
        rig.ask(message)
        until(lambda words=words: words in rig.values()["message"])
    assert rig.commanded == []
    rig.go(rig.target(good), lambda: rig.away(good) < 1e-3)


def test_a_target_before_the_first_joint_state_is_refused(called: Called) -> None:
    rig = Rig(called, says=False, joint_state_timeout=60.0)
    words = "targets_refused_no_joint_state"
    rig.go(rig.target(rig.begun), lambda: words in rig.values())


def test_a_target_in_a_frame_that_moves_is_taken_where_that_was(called: Called) -> None:
    rig = Rig(called, reference_timeout=0.0)
    ahead = pin.SE3(np.eye(3), np.array([0.0, 0.0, 0.05]))
    goal = rig.begun * ahead
    rig.ask(rig.target(ahead, "tool0"))
    until(lambda: rig.away(goal) < 1e-3)
    clock().sleep(0.3)
    assert rig.away(goal) < 1e-3


def test_without_further_targets_the_robot_brakes_and_gets_no_more_commands(called: Called) -> None:
    rig = Rig(called, reference_timeout=0.2, tool_speed=[0.1, 2.0])
    goal = rig.target(moved(rig.begun, 0.0, 0.4, 0.0))
    rig.go(goal, lambda: rig.away(rig.begun) > 0.05)
    until(lambda: rig.commanded and not rig.commanded[-1][1].any())
    values = rig.values()
    assert values["targets_refused_target_stale"] == "1"
    assert "was not reached" in values["message"]
    assert values["commands"] == "waiting"
    assert rig.away(rig.begun) < 0.2
    count = rig.final_count()
    clock().sleep(0.2)
    assert len(rig.commanded) == count
    rig.go(goal, lambda: len(rig.commanded) > count + 10)  # commands continue


@pytest.mark.parametrize("interface", ["joint_trajectory", "velocity"])
@pytest.mark.parametrize("end", ["silence", "deactivation"])
def test_what_ends_a_motion_ends_it_at_rest(called: Called, interface: str, end: str) -> None:
    """Joint states that stop, or deactivation: no joint decelerates more than it may."""
    patience = {"joint_state_timeout": 60.0} if end == "deactivation" else {}
    rig = Rig(called, interface, reference_timeout=0.0, **patience)
    rig.go(rig.target(moved(rig.begun, 0.0, 0.3, 0.2)), lambda: rig.away(rig.begun) > 0.05)
    rig.says = False
    before = len(rig.commanded)
    if end == "deactivation":
        before = rig.final_count()
        rig.node.trigger_deactivate()
    until(lambda: rig.commanded[before:] and not rig.commanded[-1][1].any())
    assert not rig.v.any()
    speeds = np.array([v for _, v in rig.commanded[before:]])
    assert len(speeds) > 5, "it stood at once"
    ways = speeds[0] / np.linalg.norm(speeds[0])
    aside = speeds - np.outer(speeds @ ways, ways)
    if end == "deactivation":
        assert np.abs(aside).max() < 1e-9, "it left its way"
    count = rig.final_count()
    clock().sleep(0.1)
    assert len(rig.commanded) == count


def test_a_robot_that_does_not_follow_is_left_alone(called: Called) -> None:
    rig = Rig(called, max_tracking_error=0.1)
    rig.follows = False
    rig.go(rig.target(moved(rig.begun, 0.0, 0.4, 0.2)), lambda: not rig.node.active)
    assert "max_tracking_error is 0.1" in rig.values()["message"]


def test_another_description_ends_the_motion(called: Called) -> None:
    """The target was for the robot before; the next one is reached with the new kinematics."""
    patient = {"joint_state_timeout": 3.0, "reference_timeout": 0.0}
    rig = Rig(called, robot_description="", **patient)
    rig.ask(rig.target(moved(rig.begun, 0.0, 0.4, 0.1)))
    until(lambda: rig.away(rig.begun) > 0.05)
    longer = UR5.read_text().replace('xyz="0 0.0823 0"', 'xyz="0 0.2823 0"')
    assert longer != UR5.read_text()
    rig.describe(longer)
    before = rig.model
    rig.model = pin.buildModelFromXML(longer)
    rig.data = rig.model.createData()
    until(lambda: rig.values()["commands"] == "waiting", 20.0)
    assert not rig.v.any()
    assert rig.node.active
    count = rig.final_count()
    clock().sleep(0.5)
    assert len(rig.commanded) == count
    goal = moved(rig.place(), 0.0, -0.05, 0.0)
    rig.go(rig.target(goal), lambda: rig.away(goal) < 1e-3)
    rig.model, rig.data = before, before.createData()
    assert rig.away(goal) > 0.1


def test_an_effort_controller_gets_no_velocities(called: Called) -> None:
    rig = Rig(called, "joint_trajectory", command_interface="velocity")
    name = ["--ros-args", "-r", "__node:=velocity_controller"]
    create = partial(ForwardControllerStandIn, rig.names, START, cli_args=name)
    stand_in = called.create(create)
    words = "takes commands of effort, not of velocity"
    rig.go(rig.target(moved(rig.begun, 0.1, 0.0, 0.0)), lambda: words in rig.values()["message"])
    assert stand_in.received == 0


def test_a_target_that_comes_while_it_brakes_makes_no_step(called: Called) -> None:
    """Time since the last target counted twice: positions stepped by 0.06 rad in one command."""
    rig = Rig(called, reference_timeout=0.1)
    goal = rig.target(rig.begun * pin.SE3(np.eye(3), np.array([0.0, 0.1, -0.2])))
    rig.go(goal, lambda: rig.commanded and np.abs(rig.commanded[-1][1]).max() > 0.5)
    clock().sleep(0.15)
    assert np.abs(rig.commanded[-1][1]).max() > 0.01, "it still brakes"
    rig.ask(goal, 0.1)
    steps = np.abs(np.diff([q for q, _ in rig.commanded], axis=0))
    assert steps.max() < 0.01
