# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Whole nodes around an arm by Pinocchio whose motors keep the last command."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from called import Called
from dyn_msgs.msg import JointEfforts
from plant import Plant
from rclpy.parameter import Parameter
from ros_helpers import UR5, until
from sensor_msgs.msg import JointState

from dyn_ros.nodes.computed_torque import ComputedTorqueNode
from dyn_ros.nodes.gravity_compensation import GravityCompensation

SHARED = "share/example-robot-data/robots/xarm_description/urdf/xarm7.urdf"
XARM = next(x / SHARED for x in Path(pin.__file__).parents if (x / SHARED).is_file())
PLACES = {
    "ur5": [0.2, -1.0, 1.2, -0.6, 0.3, 0.2],
    "xarm7": [0.2, -0.4, 0.1, 0.9, 0.2, 0.8, 0.1],
}


def without_friction(name: str) -> str:
    """Return the URDF of an arm, with neither damping nor dry friction."""
    text = (UR5 if name == "ur5" else XARM).read_text()
    return re.sub('(damping|friction)="[^"]*"', r'\1="0"', text)


def plant(called: Called, name: str, kind: Any = ComputedTorqueNode, **options: Any) -> Plant:
    return Plant(called, kind, without_friction(name), PLACES[name], **options)


def swing(arm: Plant, seconds: float = 0.8) -> None:
    """Let the first three joints move, by 0.6 rad at most."""
    way = np.zeros(len(arm.q))
    way[:3] = 0.6, 0.3, -0.3
    arm.follow((seconds, arm.q + way))


def test_a_trajectory_is_followed_to_its_end(called: Called) -> None:
    """0.5 rad within a second, and the arm is where it shall be."""
    arm = plant(called, "ur5")
    goal = arm.q + 0.5
    arm.follow((1.0, goal))
    assert arm.run(0.5)[-1] > 0.5
    arm.run(0.7)
    assert arm.q == pytest.approx(goal, abs=0.01)


def test_a_stream_of_setpoints_with_their_velocities_is_followed(called: Called) -> None:
    """As a planner sends them; the arm lags by nothing but their rate."""
    arm = plant(called, "ur5")
    start, errors = arm.q, []
    for t in np.arange(0.0, 2.0, 0.02):
        wanted = start + 0.5 * (1.0 - np.cos(2.0 * t))
        arm.follow((0.0, wanted, np.full(6, np.sin(2.0 * t)), np.full(6, 2.0 * np.cos(2.0 * t))))
        arm.run(0.02)
        errors.append(np.abs(arm.q - wanted).max())
    assert max(errors) < 0.1
    assert not any("refused" in line for line in arm.logged())


@pytest.mark.parametrize("include", [False, True])
def test_friction_that_joints_do_not_have_is_compensated_only_where_asked(
    called: Called, include: bool
) -> None:
    """Feedback, scaled by inertia, takes nothing out of a light wrist: 1 N m drove one to 15 rad/s.

    0.1 s after the motion began.
    """
    asked = {"include_friction": True} if include else {}
    arm = plant(called, "xarm7", described=XARM.read_text(), **asked)
    arm.follow((1.0, arm.q + 0.3))
    speed = arm.run(0.1 if include else 1.5).max()
    assert speed > 5.0 if include else speed < 0.6


@pytest.mark.quick("ur5")
@pytest.mark.parametrize("name", PLACES)
def test_states_that_jump_now_and_then_do_not_stop_commands(called: Called, name: str) -> None:
    arm = plant(called, name, GravityCompensation)
    states: list[JointState] = []

    def fault(state: JointState) -> JointState:
        states.append(state)
        state.position[2] += float(len(states) % 50 == 0)
        return state

    arm.fault, before = fault, len(arm.commands)
    assert arm.run(4.0).max() < 0.01
    assert len(arm.commands) - before == len(states) - len(states) // 50


@pytest.mark.quick("ur5")
@pytest.mark.parametrize("name", PLACES)
def test_a_description_that_cannot_be_compared_in_motion_is_refused(
    called: Called, name: str
) -> None:
    """Of 10 kg too much in each link; the same text is compared once the arm rests."""
    arm = plant(called, name)
    wrong = without_friction(name).replace('mass value="', 'mass value="1')
    swing(arm, 2.0)
    arm.run(1.0)
    arm.describe(wrong)
    assert arm.run(2.0).max() < 1.0
    assert "the arm moves, and a changed" in arm.logged()[-1]
    arm.describe(wrong)
    arm.run(0.2)
    assert "its motor holds the resting arm with" in arm.logged()[-1]
    arm.describe(without_friction(name).replace('velocity="3', 'velocity="2'))
    arm.run(0.2)
    assert "using the new robot_description" in arm.logged()[-1]


@pytest.mark.parametrize(("name", "gap"), [("ur5", 0.0), ("ur5", 0.15), ("xarm7", 0.0)])
def test_gravity_is_held_once_an_arm_in_motion_is_damped(
    called: Called, name: str, gap: float
) -> None:
    """With or without joint states; gravity of where it had been drove arms to 7 and 60 rad/s."""
    arm = plant(called, name, friction=0.3, **{"shutdown.command": "hold_gravity"})
    swing(arm)
    arm.run(0.3)
    arm.fault = (lambda _: None) if gap else arm.fault
    arm.run(gap)
    arm.node.trigger_deactivate()
    assert arm.run(0.7 - gap)[300:].max() < 0.5  # so long after the loss


@pytest.mark.parametrize(
    ("name", "friction", "most"),
    [("ur5", 0.0, 0.2), ("ur5", 0.5, 0.3), ("xarm7", 0.1, 0.4), ("xarm7", 0.5, 0.5)],
)
def test_an_arm_whose_states_stop_in_a_motion_is_braked_by_its_model(
    called: Called, name: str, friction: float, most: float
) -> None:
    """By its last velocity alone: at 3 to 7 rad/s after 0.6 s."""
    arm = plant(called, name, friction=friction)
    swing(arm)
    arm.run(0.3)
    arm.fault = lambda _: None
    speeds = arm.run(0.6)
    assert speeds[400:].max() < most


SPOILT: dict[str, Callable[[JointState], None]] = {
    "a position is NaN": lambda state: state.position.__setitem__(3, np.nan),
    "a position cannot be": lambda state: state.position.__setitem__(3, 1e6),
    "a velocity is NaN": lambda state: state.velocity.__setitem__(3, np.nan),
    "velocities are absent": lambda state: setattr(state, "velocity", []),
    "velocities are of two joints": lambda state: setattr(state, "velocity", state.velocity[:2]),
}


@pytest.mark.quick("xarm7")
@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_an_arm_is_braked_by_positions_of_states_that_are_refused(
    called: Called, spoil: Callable[[JointState], None], name: str
) -> None:
    """By their mean velocities since the fault it was driven: an xArm7 at 1 to 5 rad/s."""
    arm = plant(called, name, friction=0.2)
    swing(arm)
    arm.run(0.3)

    def fault(state: JointState) -> JointState:
        spoil(state)
        return state

    arm.fault = fault
    assert arm.run(1.0)[800:].max() < 0.25


def without(state: JointState, joint: int) -> JointState:
    """Return a state that lacks a joint."""
    names = list(state.name)
    left = JointState(header=state.header, name=names[:joint] + names[joint + 1 :])
    for field in ("position", "velocity", "effort"):
        numbers = list(getattr(state, field))
        setattr(left, field, numbers[:joint] + numbers[joint + 1 :])
    return left


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("absent", [False, True])
def test_an_arm_is_braked_by_its_model_where_one_joint_is_lost(
    called: Called, absent: bool, name: str
) -> None:
    """The shoulder's position is NaN, or its state is absent: arms fell at 4 to 24 rad/s."""
    arm = plant(called, name, friction=0.2)
    swing(arm)
    arm.run(0.3)

    def fault(state: JointState) -> JointState:
        state.position[1] = np.nan
        return without(state, 1) if absent else state

    arm.fault = fault
    assert arm.run(0.6)[400:].max() < (3.5 if absent else 0.7)


def test_losses_are_as_documented(called: Called) -> None:
    """A moment: held, damped, followed again. For good: zero effort after 2.3 s."""
    arm = plant(called, "ur5", friction=0.5)
    swing(arm)
    arm.run(0.3)
    arm.fault = lambda _: None
    speeds = arm.run(0.15)
    arm.fault = lambda state: state
    assert max(speeds.max(), arm.run(1.5).max()) < 1.7
    assert arm.v == pytest.approx(0.0 * arm.v, abs=0.05)
    arm.fault = lambda _: None
    arm.run(2.2)
    assert arm.effort.any()
    arm.run(0.2)
    assert not arm.effort.any()


def test_an_arm_is_not_let_down_while_its_states_come_again_and_again(called: Called) -> None:
    """They never settle: after damp.duration it fell by 2.8 rad. Outputs but commands wait."""
    arm = plant(called, "ur5", GravityCompensation)
    torques = called.collect(JointEfforts, "gravity_compensation/gravity_torque")
    begin, place = called.clock.now(), arm.q
    arm.fault = lambda state: state if (called.clock.now() - begin) % 0.3 < 0.15 else None
    arm.run(4.0)
    assert np.abs(arm.q - place).max() < 0.01
    assert len(torques) < 100


def test_a_shutdown_in_a_motion_brakes_the_arm_then_lets_it_sink(called: Called) -> None:
    arm = plant(called, "ur5", friction=0.5)
    swing(arm)
    arm.run(0.3)
    arm.node.trigger_deactivate()
    assert arm.run(1.0)[500:].max() < 0.05
    arm.run(0.9)
    assert arm.effort.any()
    arm.run(0.2)
    assert not arm.effort.any()


@pytest.mark.quick("ur5-2.0")
@pytest.mark.parametrize("kind", [GravityCompensation, ComputedTorqueNode])
@pytest.mark.parametrize(("name", "fast"), [("ur5", 2.0), ("ur5", 0.5), ("xarm7", 2.0)])
def test_an_arm_that_falls_is_damped_before_it_is_followed(
    called: Called, name: str, fast: float, kind: Any
) -> None:
    """Commands began at 3.5 rad/s with gravity alone, and ended at overspeed.

    Positions from before it fell made it seem slow; gains waited 0.3 s for the rate of states.
    """
    arm = plant(called, name, kind, friction=1e4)
    arm.node.trigger_deactivate()
    arm.run(2.2)
    arm.friction = 0.3
    until(lambda: arm.run(0.004).max() > fast)
    arm.node.trigger_activate()
    speeds = arm.run(0.8)
    assert arm.node.active
    assert speeds.max() < 1.3 * fast + 0.7
    assert speeds[400:].max() < 0.6


@pytest.mark.parametrize("kind", [GravityCompensation, ComputedTorqueNode])
def test_payloads_do_not_change_in_motion(called: Called, kind: Any) -> None:
    """3 kg that were not there: the arm fell with 20 rad/s; with feedback it had 3 rad/s."""
    arm = plant(called, "ur5", kind, friction=0.3)
    arm.push[1] = 20.0
    until(lambda: arm.run(0.004).max() > 0.3)
    arm.push[1] = 0.0
    payload = Parameter("payloads", value=["{name: x, frame: tool0, mass: 1.0}"])
    reason = arm.node.set_parameters_atomically([payload]).reason
    assert "change it at rest" in reason
    assert arm.run(1.0).max() < 1.0
    assert arm.node.active


def test_a_payload_by_which_an_arm_drifts_can_be_taken_back(called: Called) -> None:
    """It was accepted at rest, and its end refused because the arm moved; another still is."""
    arm = plant(called, "xarm7", GravityCompensation, friction=0.5)

    def carry(*payloads: str) -> str:
        change = Parameter("payloads", Parameter.Type.STRING_ARRAY, list(payloads))
        return str(arm.node.set_parameters_atomically([change]).reason)

    assert not carry("{name: x, frame: link7, mass: 0.3}")
    until(lambda: arm.run(0.004).max() > 0.2)
    assert "change it at rest" in carry("{name: x, frame: link7, mass: 0.1}")
    assert not carry()
    speeds = arm.run(1.5)
    assert speeds[-1] < 0.1
    assert arm.node.active


@pytest.mark.parametrize("share", [0.0, -1.0])
@pytest.mark.parametrize("name", PLACES)
def test_velocities_that_would_not_brake_a_motion_end_it(
    called: Called, name: str, share: float
) -> None:
    """Zeros that a driver fills in, and signs exchanged: arms of light wrists were at 25 rad/s."""
    arm = plant(called, name, friction=0.2)
    swing(arm)
    arm.run(0.2)

    def fault(state: JointState) -> JointState:
        state.velocity = [share * x for x in state.velocity]
        return state

    arm.fault = fault
    speeds = arm.run(2.0)
    assert arm.node.active
    assert any("its positions move otherwise" in line for line in arm.logged())
    assert speeds.max() < 3.0
    assert speeds[1000:].max() < 1.0


@pytest.mark.parametrize("moves", [False, True])
def test_a_lower_effort_limit_leaves_a_reserve_for_motion(called: Called, moves: bool) -> None:
    """2 % more than gravity held an arm at rest, and lost it in the next motion."""
    arm = plant(called, "ur5")
    if moves:
        swing(arm)
        arm.run(0.3)
    scale = 1.02 * float(np.max(np.abs(arm.gravity()) / arm.limit))
    lower = Parameter("limits.effort_scale", value=scale)
    reason = arm.node.set_parameters_atomically([lower]).reason
    assert "leave 20% for motion" in reason
    assert arm.run(1.0).max() < 1.7


def test_an_arm_is_damped_by_measured_velocities_where_two_publishers_disagree(
    called: Called,
) -> None:
    """A step between them after a gap is a plausible motion: it was braked, at 6 to 64 rad/s."""
    arm, count = plant(called, "xarm7", GravityCompensation, friction=0.1), 0

    def disagree(state: JointState) -> JointState | None:
        nonlocal count
        count += 1
        if count % 2:
            state.position = [x + 0.3 for x in state.position]
        return state if count % 61 > 14 else None

    arm.fault = disagree
    assert arm.run(0.6).max() < 3.0  # gravity of other positions accelerates it
    assert arm.run(0.4).max() < 2.5  # damped since a conflict is known
    assert arm.node.active


@pytest.mark.quick("0.5-xarm7")
@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("far", [0.5, 0.8])
def test_positions_that_jumped_do_not_become_plausible_with_time(
    called: Called, far: float, name: str
) -> None:
    """Of one encoder, within 0.1 s: arms had 2 to 9 rad/s; a jump back drove one to 40 rad/s."""
    arm = plant(called, name, friction=0.2)

    def fault(state: JointState) -> JointState:
        state.position[1] += far
        return state

    arm.fault = fault
    assert arm.run(0.09).max() < 0.01
    arm.fault = lambda state: state
    assert arm.run(0.2).max() < 0.01
    arm.fault = fault
    assert arm.run(1.0).max() < 0.1


@pytest.mark.parametrize("name", PLACES)
def test_an_encoder_that_stands_still_for_a_moment_catches_up(called: Called, name: str) -> None:
    """For 0.1 s in a motion: its position jumps, and does not jump back."""
    arm = plant(called, name, GravityCompensation, friction=0.2, rate=1000.0)
    arm.push[0] = 10.0
    until(lambda: arm.run(0.004).max() > 0.8)
    arm.push[0], stuck = 0.0, arm.q[0]

    def fault(state: JointState) -> JointState:
        state.position[0] = stuck
        return state

    arm.fault = fault
    arm.run(0.1)
    arm.fault, before = lambda state: state, len(arm.commands)
    assert arm.run(1.0).max() < 1.0
    assert len(arm.commands) > before + 200
    assert arm.effort == pytest.approx(arm.gravity(), abs=0.1)
