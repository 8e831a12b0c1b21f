# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joint states that still come, but no longer show the position of the arm."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from called import Called
from plant import Plant
from ros_helpers import until
from sensor_msgs.msg import JointState
from test_plant import PLACES, plant, swing, without_friction

from dyn_ros.inputs.joint_state_reader import JointStateReader
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import time_message
from dyn_ros.nodes.gravity_compensation import GravityCompensation
from dyn_ros.safety.overspeed import Standstill
from dyn_ros.safety.plausible_limits import Plausible


def freeze(arm: Plant, *fields: str) -> None:
    """Let the driver repeat these fields of its last state, and zero velocity if that is none."""
    last: list[JointState] = []
    arm.fault = lambda state: last.append(deepcopy(state)) or state
    arm.run(0.01)

    def fault(state: JointState) -> JointState:
        state.velocity = [0.0] * len(state.velocity)
        for field in fields:
            setattr(state, field, getattr(last[-1], field))
        return state

    arm.fault = fault


def in_degrees(state: JointState, *fields: str) -> JointState:
    """Return a state whose positions, or these fields, a driver gives in degrees."""
    for field in fields or ("position",):
        setattr(state, field, np.rad2deg(getattr(state, field)).tolist())
    return state


@pytest.mark.quick("ur5-0.3", "xarm7")
@pytest.mark.parametrize(("name", "friction"), [("ur5", 0.0), ("ur5", 0.3), ("xarm7", 0.3)])
@pytest.mark.parametrize("fields", [("position",), ("position", "velocity", "effort")])
def test_positions_that_freeze_in_a_motion_are_a_loss(
    called: Called, name: str, friction: float, fields: Any
) -> None:
    """Feedback of an error that only grows: both arms were at 8 rad/s after 0.2 s, then faster."""
    arm = plant(called, name, friction=friction)
    swing(arm)
    arm.run(0.3)
    freeze(arm, *fields)
    assert arm.run(0.5)[300:].max() < 0.7
    assert any("exactly the same in each message" in line for line in arm.logged())


@pytest.mark.quick("ur5")
@pytest.mark.parametrize("name", PLACES)
def test_an_arm_at_rest_is_not_driven_by_positions_in_degrees(called: Called, name: str) -> None:
    """After 0.1 s these counted as where the arm is: 7 and 14 rad/s within 0.5 s."""
    arm = plant(called, name, GravityCompensation)
    arm.fault = in_degrees
    assert arm.run(1.2).max() < 0.01
    arm.fault = lambda state: state
    assert arm.run(1.0).max() < 0.05
    assert arm.node.active


@pytest.mark.parametrize("limit", ["3.15", "0"])
@pytest.mark.parametrize("after", [0.0, 0.05, 4.0])
def test_a_new_description_does_not_make_positions_plausible_that_jumped(
    called: Called, after: float, limit: str
) -> None:
    """So long after; arms had 4 to 7 rad/s, or were commanded anew after the shutdown command."""
    arm = plant(called, "ur5", GravityCompensation, friction=100.0)
    changed = re.sub('velocity="[^"]*"', f'velocity="{limit}"', without_friction("ur5"))

    def fault(state: JointState) -> JointState:
        state.position[1] += 0.8
        return state

    if after:
        arm.fault = fault
        arm.run(after)
    arm.describe(changed)
    arm.fault, before = fault, len(arm.commands)
    arm.run(0.2)
    assert any("using the new robot_description" in line for line in arm.logged())
    arm.friction *= after > 1.0  # as brakes, of an arm that is commanded no more
    assert arm.run(1.0).max() < 0.1
    assert (len(arm.commands) == before) is (after > 1.0)
    arm.node.trigger_deactivate()
    arm.node.trigger_activate()
    arm.run(1.0)
    assert len(arm.commands) > before + 200


@pytest.mark.parametrize("name", PLACES)
def test_positions_that_change_to_degrees_in_a_motion_are_a_loss(called: Called, name: str) -> None:
    """Joints near zero seemed plausible: 14 rad/s after 0.5 s."""
    arm = plant(called, name, friction=0.3)
    swing(arm)
    arm.run(0.3)
    arm.fault = lambda state: in_degrees(state, "position", "velocity")
    assert arm.run(0.5)[300:].max() < 0.7


@pytest.mark.parametrize("name", PLACES)
def test_an_arm_in_motion_is_followed_after_a_moment_of_wrong_positions(
    called: Called, name: str
) -> None:
    arm = plant(called, name, GravityCompensation, friction=0.3)
    arm.push[1] = 0.2 * arm.limit[1]
    until(lambda: arm.run(0.004).max() > 0.8)
    arm.push[1] = 0.0
    arm.fault = in_degrees
    arm.run(0.15)
    arm.fault = lambda state: state
    arm.run(1.5)
    assert any("resumed" in line for line in arm.logged())
    assert arm.run(1.0).max() < 0.5


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("right", [0.0, 0.05])
def test_of_positions_after_a_gap_those_count_that_are_nearer_to_the_ones_before(
    called: Called, right: float, name: str
) -> None:
    """For 20 ms they were wrong, at once or later: a Bravo 7 that rested reached 15 rad/s."""
    slow = re.sub('velocity="[^"]*"', 'velocity="0.5"', without_friction(name))
    arm = plant(called, name, friction=0.2, described=slow)

    def wrong(state: JointState) -> JointState:
        state.position = [x + 0.3 for x in state.position]
        return state

    faults = ((lambda _: None, 0.15), (lambda state: state, right), (wrong, 0.02))
    for arm.fault, seconds in faults:
        assert arm.run(seconds).max(initial=0.0) < 0.5
    arm.fault = lambda state: state
    assert arm.run(1.0).max() < 0.5
    assert arm.node.active
    assert arm.effort == pytest.approx(arm.gravity(), abs=0.2)  # friction bears the rest


@pytest.mark.quick("ur5")
@pytest.mark.parametrize("name", PLACES)
def test_bursts_of_states_lower_the_gains(called: Called, name: str) -> None:
    """20 states each 80 ms: gains of 250 Hz drove the arms to 15 and 32 rad/s."""
    arm = plant(called, name, friction=0.3)
    swing(arm)
    arm.run(0.3)
    kept: list[JointState] = []

    def fault(state: JointState) -> None:
        kept.append(state)
        if len(kept) == 20:
            for x in kept:
                arm._states.publish(x)
            kept.clear()

    arm.fault = fault
    speeds = arm.run(2.0)
    assert speeds.max() < 2.0
    assert speeds[1500:].max() < 0.6


@pytest.mark.quick("ur5")
@pytest.mark.parametrize("name", PLACES)
def test_late_states_lower_the_gains(called: Called, name: str) -> None:
    """By 96 ms: gains of 250 Hz drove the arms to 23 and 72 rad/s."""
    arm = plant(called, name, friction=0.3)
    kept: list[JointState] = []

    def fault(state: JointState) -> JointState | None:
        kept.append(state)
        return kept[-25] if len(kept) > 24 else None

    arm.fault = fault
    arm.run(0.6)
    swing(arm)
    speeds = arm.run(3.0)
    assert speeds.max() < 2.0
    assert speeds[2500:].max() < 0.1


def message(position: float, time: float) -> JointState:
    """Return the state of one joint."""
    state = JointState(name=["a"], position=[position], velocity=[0.0], effort=[0.0])
    state.header.stamp = time_message(round(1e9 * time))
    return state


@pytest.mark.parametrize("timeout", [2 * 10**7, 10**8, 10**9])
@pytest.mark.parametrize("commands", [False, True])
@pytest.mark.parametrize("stamped", [False, True])
def test_a_robot_put_elsewhere_is_believed_unless_it_is_commanded(
    commands: bool, stamped: bool, timeout: int
) -> None:
    """A simulation that begins anew, where stamps continue; activation makes up for it."""
    wide, turns = np.full(1, 100.0), np.zeros(1, dtype=bool)
    reader = JointStateReader(["a"], needs_velocity=False)
    reader.most_age = timeout
    reader.expect(Plausible(-wide, wide, wide, wide, np.full(1, 9.0), turns))
    reader.commanded = ("a",) if commands else ()

    def read(position: float, time: float) -> bool:
        try:
            return reader.read(message(position, time if stamped else 0.0), time)
        except InputRefusedError:
            return False

    assert read(0.0, 1.0)
    assert read(0.01, 1.01)
    taken = [read(3.0 + 0.01 * k, 1.02 + 0.01 * k) for k in range(50)]
    assert any(taken) != commands
    assert not commands or read(0.05, 1.53)
    reader.forget()
    assert read(3.0, 1.6)


def positions(kind: str) -> np.ndarray:
    """Return positions of two joints at 250 Hz that come to rest after 0.5 s."""
    time = np.arange(0.0, 2.0, 0.004)
    speed = np.where(time < 0.5, 1.0, 0.0)
    if kind == "braked":
        speed = np.clip((0.55 - time) / 0.05, 0.0, 1.0)
    if kind == "slow":
        speed = 0.1 * speed
    way = np.cumsum(0.004 * speed)
    if kind == "coarse":
        way = np.round(way / 0.002) * 0.002
    if kind == "noisy":
        way = way + np.random.default_rng(1).normal(scale=1e-5, size=len(way))
    return np.stack([way, way], axis=1)


@pytest.mark.parametrize(
    ("kind", "found"),
    [("frozen", True), ("coarse", True), ("braked", False), ("slow", False), ("noisy", False)],
)
@pytest.mark.parametrize("alone", [False, True])
def test_only_positions_that_stop_dead_are_sudden(kind: str, found: bool, alone: bool) -> None:
    """A joint alone may have met an obstacle, unless its velocity continues."""
    check, both = Standstill(), np.ones(2, dtype=bool)
    way = positions(kind) * [1.0, 0.0 if alone else -0.5]
    velocity = np.array([1.0 if alone else np.nan, np.nan])
    sudden = [check.is_sudden(q, velocity, 0.004 * k, both) for k, q in enumerate(way)]
    assert any(sudden) == found
    assert not any(sudden[:125])
    assert not found or all(sudden[130:])


def test_a_joint_at_an_obstacle_whose_velocity_is_filtered_is_used_again() -> None:
    """The first velocity after it has stopped is that of before."""
    check, both = Standstill(), np.ones(2, dtype=bool)
    way = positions("frozen") * [1.0, 0.0]
    sudden = []
    for k, q in enumerate(way):
        velocity = np.array([np.exp(-max(0.0, 0.004 * k - 0.5) / 0.01), 0.0])
        sudden.append(check.is_sudden(q, velocity, 0.004 * k, both))
    assert sudden[126]
    assert not any(sudden[132:])


@pytest.mark.parametrize("gap", [0.11, 0.2, 0.25])
def test_an_arm_that_stopped_in_a_gap_may_stand_still(gap: float) -> None:
    check, both, velocity = Standstill(), np.ones(2, dtype=bool), np.full(2, np.nan)
    for k in range(150):
        time = 0.004 * k
        assert not check.is_sudden(np.full(2, min(time, 0.6)), velocity, time, both)
    for k in range(100):
        time = 0.6 + gap + 0.004 * k
        assert not check.is_sudden(np.full(2, 0.7), velocity, time, both)


def test_a_gripper_may_stop_dead() -> None:
    """Its fingers are not commanded by the node that commands the arm."""
    check, arm = Standstill(), np.zeros(2, dtype=bool)
    velocity = np.full(2, np.nan)
    way = positions("frozen")
    assert not any(check.is_sudden(q, velocity, 0.004 * k, arm) for k, q in enumerate(way))
    check, alone = Standstill(), np.array([True, False])
    assert not any(check.is_sudden(q, 0.0 * q, 0.004 * k, alone) for k, q in enumerate(way))
