# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joint states that are frozen, of another time, of two robots or of none are refused."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import pytest
from bench import HORIZONTAL, NAMES, Bench
from builtin_interfaces.msg import Time
from called import Called
from diagnostic_msgs.msg import DiagnosticStatus
from ros_helpers import Ros, arm, joint_state, until, values_of

import dyn_core
from dyn_ros.inputs.joint_state_publishers import Conflict
from dyn_ros.inputs.joint_state_reader import JointStateReader
from dyn_ros.inputs.joint_states import JointStateInput
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import time_message
from dyn_ros.safety.plausible_limits import Plausible

SECOND = 1_000_000_000
REST = {"velocity": [0.0, 0.0]}


class Driver(Bench):
    """A driver with its own idea of the time, s before or after that of the node."""

    def __init__(self, ros: Ros | Called, **parameters: Any) -> None:
        super().__init__(
            ros,
            robot_description=arm(),
            **{"joint_state_timeout": 0.5, "stamps": "required", **parameters},
        )
        self.offset = 0.0
        self.stamp: Time | None = None  # of all messages
        until(lambda: self.node.active)

    def send(self, names: list[str], position: list[float], **fields: Any) -> int:
        now = self.ros.tester.get_clock().now().nanoseconds + round(self.offset * SECOND)
        message = joint_state(names, position, **fields)
        message.header.stamp = self.stamp or time_message(now)
        self._states.publish(message)
        return True

    def refused(self, reason: str, **fields: Any) -> int:
        """Send a state; return how many have been refused for a reason."""
        self.send(NAMES, fields.pop("position", [0.0, 0.0]), **fields)
        return self.node.part(JointStateInput).statistics.reasons[reason]


@pytest.mark.parametrize(
    ("offset", "word"), [(-3600.0, "s old by its stamp"), (5.0, "s in the future by its stamp")]
)
def test_a_stamp_of_another_time(called: Called, offset: float, word: str) -> None:
    driver = Driver(called)
    driver.connect_to("gravity_torque", NAMES)
    driver.offset = offset
    until(lambda: driver.refused("stamp age") > 3)
    status = driver.report(word)
    assert status.level >= DiagnosticStatus.WARN
    assert "compare the clocks" in status.message
    age = float(values_of(status)["stamp_age_s"])
    assert age == pytest.approx(-offset, abs=2.0)
    driver.report("no usable joint state on /joint_states for 0.5 s")


def test_a_state_without_a_stamp(called: Called) -> None:
    driver = Driver(called)
    driver.stamp = Time()
    until(lambda: driver.refused("stamp age") > 3)
    assert not driver.received["gravity_torque"]
    driver.report("has no stamp")
    driver.set_parameter("stamps", "ignored")
    until(lambda: driver.send(NAMES, [0.0, 0.0]) and driver.received["gravity_torque"])


@pytest.mark.parametrize("stamps", ["required", "ignored"])
def test_a_frozen_driver(called: Called, stamps: str) -> None:
    driver = Driver(called, stamps=stamps, joint_state_timeout=30.0)
    driver.connect_to("gravity_torque", NAMES)
    driver.stamp = called.tester.get_clock().now().to_msg()
    driver.send(NAMES, [0.0, 0.0])
    count = len(driver.received["gravity_torque"])
    if stamps == "ignored":
        until(lambda: driver.send(NAMES, [0, 0]) and len(driver.torques) > count + 3)
        assert not driver.refused("stamp unchanged")
    else:
        until(lambda: driver.refused("stamp unchanged"))
        assert driver.node.active


def test_two_publishers_whose_poses_alternate(called: Called) -> None:
    driver = Driver(called)
    driver.connect_to("gravity_torque", NAMES)
    other = [0.7, 0.0]
    reasons = driver.node.part(JointStateInput).statistics.reasons

    def both() -> int:
        driver.send(NAMES, [0.0, 0.0])
        driver.send(NAMES, other)
        return reasons["publishers disagree"]

    until(both)
    assert reasons["position jump"] > 10
    expected = pytest.approx(HORIZONTAL)
    assert all(list(message.effort) == expected for message in driver.torques), "of the other"
    until(lambda: both() and driver.commands and not any(driver.commands[-1].data))
    text = driver.report("jump back and forth (1 publishers)").message
    assert "position of joint 'first'" in text


def test_a_robot_that_was_put_elsewhere_is_no_second_publisher(called: Called) -> None:
    driver = Driver(called)
    driver.connect_to("gravity_torque", NAMES)
    count = len(driver.torques)
    for _ in range(100):
        driver.send(NAMES, [np.pi / 2, 0.0])
        called.clock.sleep(0.01)
    assert len(driver.torques) == count, "it commands by where it was"
    driver.node.trigger_deactivate()
    driver.node.trigger_activate()
    count = len(driver.torques)
    until(lambda: driver.send(NAMES, [np.pi / 2, 0.0]) and len(driver.torques) > count + 5)
    assert list(driver.torques[-1].effort) == pytest.approx([0.0, 0.0], abs=1e-9)
    assert not driver.refused("publishers disagree")


def test_jumps_in_a_row_are_one_and_a_conflict_ends() -> None:
    conflict = Conflict()
    for _ in range(300):
        conflict.jump("x")
    assert not conflict.accept()
    for k in range(100):
        conflict.jump("x")
        assert conflict.accept() is (k > 23)
    count = next(k for k in range(300) if not conflict.accept())
    assert 50 < count < 150


@pytest.mark.parametrize("share", [0.01, 0.05, 0.1])
def test_states_between_those_that_jump_now_and_then_are_trusted(share: float) -> None:
    """Five within 2 s were a conflict once, and an arm with 99 % of good states was let down."""
    random, conflict = np.random.default_rng(3), Conflict()
    for _ in range(20_000):
        if random.random() < share:
            conflict.jump("x")
        else:
            assert not conflict.accept()


def reader() -> JointStateReader:
    model = dyn_core.Model.from_urdf(arm())
    state = JointStateReader(model.dof_names, needs_velocity=True)
    state.needs_effort = True
    state.most_age = SECOND
    state.expect(Plausible.of(model, np.arange(2)))
    return state


@pytest.mark.parametrize(
    ("field", "values", "reason"),
    [
        ("position", [0.0, 90.0], "implausible"),  # degrees, where 3 rad is the limit
        ("velocity", [0.0, 1e160], "implausible"),
        ("velocity", [0.0, -19.0], ""),  # ten times the limit of 2 rad/s is 20
        ("effort", [0.0, 1001.0], "implausible"),
        ("effort", [0.0, -999.0], ""),
        ("effort", [np.nan, 0.0], "not finite"),
        ("velocity", [np.inf, 0.0], "not finite"),
    ],
)
def test_impossible_readings_of_sensors_are_refused(
    field: str, values: list[float], reason: str
) -> None:
    zeros = [0.0, 0.0]
    fields = {"position": zeros, "velocity": zeros, "effort": zeros, field: values}
    message = joint_state(NAMES, **fields, time=1)
    if not reason:
        assert reader().read(message)
        return
    with pytest.raises(InputRefusedError, match=f"{field} of joint") as refusal:
        reader().read(message)
    assert refusal.value.reason == reason


@pytest.mark.parametrize(("measured", "taken"), [(-21.0, -20.0), (1e160, 20.0), (1.5, 1.5)])
def test_a_joint_that_is_too_fast_to_be_true_is_not_overlooked(
    measured: float, taken: float
) -> None:
    """Where velocities are no inputs: a light wrist goes that fast within milliseconds."""
    state = reader()
    state.needs_velocity = state.needs_effort = False
    state.watches_motors = True
    state.read(joint_state(NAMES, [0.0, 0.0], velocity=[0.0, measured], time=1))
    assert list(state.known_velocity) == [0.0, taken]
    state.read(joint_state(NAMES, [0.0, 0.0], velocity=[0.0, np.nan], time=2))
    np.testing.assert_equal(state.known_velocity, [0.0, np.nan])


def test_a_position_goes_no_faster_than_its_joint() -> None:
    """Three times 2 rad/s, and 0.02 rad: 0.62 rad within 0.1 s; after a gap it may be anywhere."""
    state = reader()
    zeros = {"velocity": [0.0, 0.0], "effort": [0.0, 0.0]}

    def at(position: float, milliseconds: int) -> Any:
        message = joint_state(NAMES, [position, 0.0], **zeros)
        message.header.stamp = Time(sec=10, nanosec=milliseconds * 1_000_000)
        return message

    state.read(at(0.0, 0))
    state.read(at(0.61, 100))
    with pytest.raises(InputRefusedError, match=r"'first' jumped by 0\.63.* 0\.1 s") as refusal:
        state.read(at(-0.02, 200))
    assert refusal.value.reason == "position jump"
    late = at(-2.0, 0)
    late.header.stamp.sec = 12
    assert state.read(late)


@pytest.mark.parametrize(
    ("begin", "measured", "believed"),
    [(1.0, 1.0, True), (0.0, 0.0, False), (-1.0, -1.0, False), (0.0, 1.0, False)],
)
@pytest.mark.parametrize("speed", [10.0, 25.0])
def test_a_joint_that_is_too_fast_does_not_jump(
    speed: float, begin: float, measured: float, believed: bool
) -> None:
    """Its velocity agrees; a falling arm with a limit of 0.6 rad/s was braked no more, at 5.

    But a driver may derive velocities from positions that jump: 0.3 rad drove a KR 6 to 29 rad/s.
    """
    state = reader()
    state.needs_velocity = state.needs_effort = False
    state.watches_motors, state.commanded = True, tuple(NAMES)
    for k in range(4):
        where = {"velocity": [(measured if k else begin) * speed, 0.0], "time": 1}
        message = joint_state(NAMES, [8e-3 * speed * k, 0.0], **where)
        message.header.stamp.nanosec = 8_000_000 * k
        with nullcontext() if believed or not k else pytest.raises(InputRefusedError, match="jump"):
            state.read(message, 1.0 + 8e-3 * k)


@pytest.mark.parametrize(("speed", "believed"), [(3.0, True), (0.0, False)])
def test_joints_that_are_read_in_turn_and_repeated_do_not_jump(
    speed: float, believed: bool
) -> None:
    """Each reading seemed to be a step within 2 ms; a PX150 was let down, and reached 23 rad/s."""
    state = reader()
    state.needs_velocity = state.needs_effort = False
    state.watches_motors, state.commanded = True, tuple(NAMES)
    for k in range(24 if believed else 9):  # the second one is read at 62 Hz
        place = [1e-3 * k, 0.048 * (k // 8)]
        message = joint_state(NAMES, place, velocity=[0.5, speed], time=1)
        message.header.stamp.nanosec = 2_000_000 * k
        jumps = not believed and k == 8
        with pytest.raises(InputRefusedError, match="jump") if jumps else nullcontext():
            state.read(message, 1.0 + 2e-3 * k)


def test_a_joint_may_have_moved_while_the_others_came_alone() -> None:
    """0.2 rad within 0.05 s; whole states were refused as jumps, and the arm was damped."""
    state = reader()
    state.needs_velocity = state.needs_effort = False
    for milliseconds in range(0, 60, 5):
        whole = milliseconds in (0, 55)
        message = joint_state(NAMES[not whole :], [4e-3 * milliseconds, 0.0][not whole :], time=1)
        message.header.stamp.nanosec = milliseconds * 1_000_000
        assert state.read(message)


def test_a_position_that_jumps_again_is_believed_where_it_could_be() -> None:
    """From zeros of one message to 0.1 rad off; it was refused without end, as far off as zeros."""
    state = reader()
    state.needs_velocity = state.needs_effort = False
    state.commanded = tuple(NAMES)

    def read(position: float, milliseconds: int) -> bool:
        message = joint_state(NAMES, [position, 0.0], time=1)
        message.header.stamp.nanosec = milliseconds * 1_000_000
        with suppress(InputRefusedError):
            return state.read(message)
        return False

    assert read(1.0, 0)
    assert not read(0.0, 1)
    assert any(read(1.1, 2 + k) for k in range(30))


def test_a_joint_that_jumps_does_not_hide_the_others() -> None:
    """Damping of a whole arm ended with a wrist that was too fast to be believed."""
    state = reader()
    state.needs_velocity = state.needs_effort = False
    state.watches_motors = True
    state.read(joint_state(NAMES, [0.0, 0.0], time=1), 1.0)
    message = joint_state(NAMES, [0.01, 1.0], time=1)
    message.header.stamp.nanosec = 10_000_000
    with pytest.raises(InputRefusedError, match="times its velocity limit"):
        state.read(message, 1.01)
    assert list(state.seen.position) == [0.01, 0.0]


def test_joints_without_a_velocity_limit_do_not_show_units_to_be_right() -> None:
    """Degrees of theirs drove an arm whose other joints showed that: 25 rad/s."""
    state = reader()
    state.needs_velocity = state.needs_effort = False
    state.watches_motors = True
    assert state.plausible is not None
    speed = np.array([inf, state.plausible.speed[1]])
    state.expect(replace(state.plausible, speed=speed))
    state.read(joint_state(NAMES, [0.02, 0.05], velocity=[0.1, 0.1], time=1), 1.0)
    message = joint_state(NAMES, [1.2, 2.9], velocity=[5.7, 5.7], time=1)
    message.header.stamp.nanosec = 4_000_000
    with pytest.raises(InputRefusedError, match="times its velocity limit"):
        state.read(message, 1.004)
    assert list(state.seen.position) == [0.02, 0.05]
    assert list(state.seen.known_velocity) == [0.1, 0.1]


def test_efforts_beside_positions_that_jump_are_not_the_robots() -> None:
    """Of another publisher's names in another order: zero effort let the arm fall."""
    state = reader()
    state.needs_velocity = state.needs_effort = False
    state.watches_motors = True
    state.read(joint_state(NAMES, [0.0, 1.0], effort=[1.0, 2.0], time=1), 1.0)
    message = joint_state(NAMES, [1.0, 0.0], effort=[2.0, 1.0], time=1)
    message.header.stamp.nanosec = 1_000_000
    with pytest.raises(InputRefusedError, match="times its velocity limit"):
        state.read(message, 1.001)
    assert list(state.known_effort) == [1.0, 2.0]


def test_a_joint_without_end_may_turn_over() -> None:
    model = dyn_core.Model.from_urdf(arm(type="continuous"))
    state = JointStateReader(model.dof_names, needs_velocity=False)
    state.most_age = SECOND
    state.expect(Plausible.of(model, np.arange(2)))
    state.read(joint_state(NAMES, [0.0, 3.14], time=1))
    message = joint_state(NAMES, [0.0, -3.14], time=1)
    message.header.stamp.nanosec = 1_000_000
    assert state.read(message)
