# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""How commands begin, and in which order of joints, without ROS."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from called import Called
from plant import Plant
from sensor_msgs.msg import JointState
from test_plant import PLACES, without_friction

from dyn_ros.nodes.gravity_compensation import GravityCompensation
from dyn_ros.safety.beginning import (
    AT_REST,
    OVERRIDE,
    Beginning,
    DisagreementError,
    NotBegunError,
    first_command,
    shortage,
)
from dyn_ros.safety.command_subscriber import (
    Subscriber,
    compensates_gravity,
    order_of_commands,
)
from dyn_ros.safety.overspeed import VelocityGuard

NAMES = ("pan", "lift", "elbow")
GRAVITY = np.array([0.0, -38.9, -15.4])
LIMIT = np.array([150.0, 150.0, 150.0])
UNKNOWN = np.full(3, np.nan)
PUSH = np.array([6.0, 0.0, 0.0])


def beginning(**changes: Any) -> Beginning:
    """Return what is known of an arm that motors hold, whose efforts are declared."""
    known = Beginning(NAMES, GRAVITY, LIMIT, 0.95 * GRAVITY, None, False, False, available=LIMIT)
    return replace(known, **{"meaning": "total", **changes})


# The first command ---------------------------------------------------------------------------


def test_commands_begin_at_what_the_motors_give_or_at_gravity_if_that_agrees() -> None:
    assert list(first_command(beginning())) == list(GRAVITY)
    accepted = beginning(measured=0.5 * GRAVITY, accepted=True)
    assert list(first_command(accepted)) == list(0.5 * GRAVITY)
    light = 0.1 * GRAVITY  # within the noise
    noisy = beginning(gravity=light, measured=light + np.array([1.0, -1.0, 1.0]))
    assert list(first_command(noisy)) == list(light)


class NoisyPlant(Plant):
    """Its sensors of effort have a noise of 2 % of the limits."""

    random = np.random.default_rng(1)

    def state(self) -> JointState:
        message = super().state()
        noise = 0.02 * self.limit * self.random.normal(size=len(self.limit))
        message.effort = list(message.effort + noise)
        return message


def test_commands_do_not_begin_at_the_noise_of_efforts(called: Called) -> None:
    """By a single state the wrists of a TM14 moved at 14 rad/s, under gravity compensation."""
    arm = NoisyPlant(
        called, GravityCompensation, without_friction("ur5"), PLACES["ur5"], friction=0.2
    )
    arm.run(3.0)
    assert arm.commands
    assert arm.q == pytest.approx(PLACES["ur5"], abs=0.01)


def test_without_measured_efforts_they_begin_at_what_was_sent_last() -> None:
    sent = np.array([0.0, -38.0, -11.0])
    assert list(first_command(beginning(measured=UNKNOWN, sent=sent))) == list(sent)
    assert list(first_command(beginning(meaning="other", sent=sent))) == list(sent)


@pytest.mark.parametrize(("source", "share"), [("zero", 0.0), ("gravity", 1.0)])
def test_unknown_motor_efforts_come_from_a_parameter(source: str, share: float) -> None:
    assert list(first_command(beginning(measured=UNKNOWN, source=source))) == list(share * GRAVITY)


@pytest.mark.parametrize("known", [[0, 1, 2], [0, 1]])
def test_efforts_that_are_known_are_compared_where_commands_begin_at_gravity(
    known: list[int],
) -> None:
    """The masses were twice those of the arm: it reached 8 rad/s."""
    measured = UNKNOWN.copy()
    measured[known] = 0.5 * GRAVITY[known]
    held = beginning(measured=measured, source="gravity")
    with pytest.raises(DisagreementError, match=r"'lift' needs -38\.9 by the model"):
        first_command(held)
    for fits in ({"measured": 2.0 * measured}, {"accepted": True}, {"meaning": "unknown"}):
        assert list(first_command(replace(held, **fits))) == list(GRAVITY)


@pytest.mark.parametrize("unknown", [{"measured": UNKNOWN}, {"meaning": "other"}])
def test_unknown_motor_efforts_begin_no_commands(unknown: dict[str, Any]) -> None:
    with pytest.raises(NotBegunError, match="Set start_effort to gravity if motors hold"):
        first_command(beginning(**unknown))


@pytest.mark.parametrize("known", [{}, {"sent": GRAVITY}, {"vouched": True}])
def test_commands_do_not_begin_at_more_than_motors_can_give(known: dict[str, Any]) -> None:
    """Milliamperes, or a sensor's error: the first command would be all that they have."""
    currents = np.array([0.0, -240.0, -60.0])
    with pytest.raises(NotBegunError, match="'lift' is -240, but its effort limit is 150"):
        first_command(beginning(measured=currents, **known))
    unlimited = np.array([0.0, np.inf, 0.0])  # 0: not given
    more = beginning(measured=currents, gravity=currents, limit=unlimited, available=np.inf)
    assert list(first_command(more)) == list(currents)


def test_motors_that_give_nothing_while_gravity_is_large_stop_the_commands() -> None:
    """Either brakes hold the arm, or it holds itself and would be held twice."""
    words = r"'lift' has a measured effort of -3\.89 and a gravity effort of -38\.9"
    with pytest.raises(NotBegunError, match=words):
        first_command(beginning(measured=0.1 * GRAVITY))
    held = beginning(measured=0.1 * GRAVITY, source="zero")
    assert list(first_command(held)) == [0.0, 0.0, 0.0]


def test_motors_that_hold_gravity_contradict_hardware_that_holds_itself() -> None:
    with pytest.raises(NotBegunError, match="although hardware_compensates_gravity is true"):
        first_command(beginning(compensates=True, meaning="unknown"))
    assert not any(first_command(beginning(compensates=True, meaning="total")))  # as a Franka arm
    with pytest.raises(NotBegunError, match="measured_effort total"):
        first_command(beginning(compensates=True, meaning="total", measured=0.0 * GRAVITY))


WRONG = [
    {"measured": 0.5 * GRAVITY},  # efforts in other units
    {"measured": 1.6 * GRAVITY},
    {"measured": 3.0 * GRAVITY},
    {"gravity": 10.0 * GRAVITY},  # masses or gravity
    {"gravity": 1000.0 * GRAVITY},  # lengths in mm
    {"gravity": -GRAVITY},  # axes
    {"gravity": np.array([0.0, 14.1, -15.4])},  # one axis
    {"gravity": np.array([0.0, -38.9, 15.4])},
    {"gravity": GRAVITY + np.array([0.0, -9.81e3, -4e3])},  # a payload of 1000 kg
]


@pytest.mark.parametrize("meaning", ["total", "unknown"])
@pytest.mark.parametrize("vouched", [False, True])
@pytest.mark.parametrize("wrong", WRONG)
def test_commands_do_not_begin_where_motors_hold_the_arm_with_other_efforts(
    meaning: str, vouched: bool, wrong: dict[str, Any]
) -> None:
    with pytest.raises(DisagreementError, match=rf"joint '\w+' needs .* {OVERRIDE}"):
        first_command(beginning(meaning=meaning, vouched=vouched, **wrong))


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize(
    "unknowable",
    [
        {"source": "zero"},  # brakes or a stand hold it
        {"measured": UNKNOWN, "source": "gravity"},  # no sensors
        {"meaning": "other", "source": "gravity"},
        {"carried": True, "meaning": "total", "measured": 0.9 * GRAVITY, "gravity": GRAVITY / 3},
        {"friction": 1e6},
        {"measured": 0.01 * GRAVITY, "vouched": True},  # brakes of robot_sim
        {"measured": 0.01 * GRAVITY, "meaning": "total", "sent": GRAVITY},
        {"compensates": True, "meaning": "total", "gravity": GRAVITY},
    ],
)
def test_robots_that_motors_do_not_hold_or_whose_efforts_are_unknown_are_not_refused(
    wrong: dict[str, Any], unknowable: dict[str, Any]
) -> None:
    known = {"available": np.inf, **wrong, **unknowable}
    assert np.isfinite(first_command(beginning(**known))).all()


def test_undeclared_efforts_that_agree_let_commands_begin_at_gravity() -> None:
    undeclared = beginning(meaning="unknown")
    assert list(first_command(undeclared)) == list(GRAVITY)
    assert list(first_command(replace(undeclared, sent=GRAVITY))) == list(GRAVITY)
    for unknown in ({"resting": False}, {"measured": 0.5 * GRAVITY}):
        with pytest.raises(NotBegunError, match=r"set measured_effort to .*start_effort"):
            first_command(replace(undeclared, **unknown))
    with pytest.raises(NotBegunError, match="waiting") as wait:
        first_command(replace(undeclared, resting=None))
    assert wait.value.usual


def test_declared_efforts_of_a_moving_arm_are_taken_as_they_are() -> None:
    moving = beginning(measured=0.5 * GRAVITY, resting=False)
    assert list(first_command(moving)) == list(0.5 * GRAVITY)


@pytest.mark.parametrize("meaning", ["total", "unknown"])
@pytest.mark.parametrize("sent", [GRAVITY, None])
@pytest.mark.parametrize(
    ("source", "share"),
    [("measured", 1.0), ("gravity", 1.0), ("gravity", None), ("zero", 0.0), ("zero", None)],
)
def test_commands_do_not_begin_where_the_arm_needs_more_than_it_may_have(
    meaning: str, source: str, share: float | None, sent: Any
) -> None:
    """An arm on its brakes too: the first command releases them, and it would fall."""
    known = {"measured": UNKNOWN if share is None else share * GRAVITY, "sent": sent}
    weak = beginning(meaning=meaning, source=source, available=0.1 * LIMIT, **known)
    with pytest.raises(DisagreementError, match=r"'lift' needs an effort of -38\.9, and 15 is"):
        first_command(weak)
    first_command(replace(weak, accepted=True))
    for holdable in ({"compensates": True, "meaning": "total"}, {"carried": True}):
        first_command(replace(weak, measured=GRAVITY, **holdable))
    assert shortage(NAMES, GRAVITY, np.zeros(3), 0.0 * LIMIT)
    assert not shortage(NAMES, GRAVITY, np.full(3, 40.0), 0.0 * LIMIT)


def test_noise_offsets_and_declared_friction_are_no_disagreement() -> None:
    holding = beginning()
    random = np.random.default_rng(2)
    for _ in range(100):
        noise = random.uniform(-1.0, 1.0, 3) * (0.15 * np.abs(GRAVITY) + 0.02 * LIMIT)
        assert holding.disagreement(GRAVITY + noise) == ""
    assert "'pan'" in holding.disagreement(GRAVITY + PUSH)
    stiff = beginning(friction=PUSH)
    assert stiff.disagreement(GRAVITY + PUSH) == ""


def test_an_arm_rests_by_velocities_and_by_positions() -> None:
    guard = VelocityGuard(NAMES, np.full(3, 3.0), [])
    still, fast = np.zeros(3), np.array([0.0, 2.0 * AT_REST, 0.0])
    assert guard.rests(None) is None
    assert guard.rests(still)
    assert not guard.rests(fast)
    for k in range(200):
        guard.overspeed(still, 0.001 * k * fast, 1.0 + 0.001 * k, 0.001 * k)
    assert not guard.rests(still)  # a driver that fills in zeros


# Who takes the commands -----------------------------------------------------------------------


def test_the_order_is_that_of_the_controller() -> None:
    turned = NAMES[::-1]
    controller = Subscriber("/effort_controller", turned, "effort")
    listener = Subscriber("/recorder")
    assert order_of_commands([listener, controller], [], NAMES) == turned
    assert order_of_commands([controller], NAMES, NAMES) == turned


def test_without_a_report_of_the_subscriber_parameter_and_model_set_the_order() -> None:
    listener = [Subscriber("/recorder")]
    assert order_of_commands(listener, ["elbow", "pan"], NAMES) == ("elbow", "pan")
    assert order_of_commands(listener, [], NAMES) == NAMES


@pytest.mark.parametrize(
    ("subscribers", "asked", "words"),
    [
        ([Subscriber("/c", NAMES, "position")], [], "takes commands of position"),
        ([Subscriber("/c", (*NAMES, "finger"))], [], "joint 'finger'"),
        ([Subscriber("/c", NAMES)], ["pan"], "command_joints names 'pan'"),
        ([Subscriber("/c", ("pan", "pan"))], [], "for a joint twice"),
        ([Subscriber("/a", NAMES), Subscriber("/b", NAMES[::-1])], [], "/a and /b take the same"),
    ],
)
def test_what_does_not_fit_is_refused(
    subscribers: list[Subscriber], asked: list[str], words: str
) -> None:
    with pytest.raises(NotBegunError, match=words):
        order_of_commands(subscribers, asked, NAMES)


def test_the_report_of_the_robot_on_gravity_precedes_the_parameter() -> None:
    assert compensates_gravity([Subscriber("/robot_sim", compensates=False)], True) is False
    assert compensates_gravity([Subscriber("/c")], True) is True
    assert compensates_gravity([Subscriber("/c")], None) is None
