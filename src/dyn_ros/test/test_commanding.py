# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""How commands begin, and in which order of joints, without ROS."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dyn_ros.safety.beginning import Beginning, NotBegunError, first_command
from dyn_ros.safety.command_subscriber import (
    Subscriber,
    compensates_gravity,
    order_of_commands,
)

NAMES = ("pan", "lift", "elbow")
GRAVITY = np.array([0.0, -40.0, -12.0])


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
    with pytest.raises(NotBegunError, match="Set start_effort to gravity if motors hold"):
        first_command(beginning(**unknown))


@pytest.mark.parametrize("known", [{}, {"sent": GRAVITY}, {"vouched": True}])
def test_commands_do_not_begin_at_more_than_motors_can_give(known: dict[str, Any]) -> None:
    """Milliamperes, or a sensor's error: the first command would be all that they have."""
    currents = np.array([0.0, -240.0, -60.0])
    with pytest.raises(NotBegunError, match="'lift' is -240, but its effort limit is 150"):
        first_command(beginning(measured=currents, **known))
    unlimited = np.array([0.0, np.inf, 0.0])  # 0: not given
    more = beginning(measured=currents, gravity=currents, limit=unlimited)
    assert list(first_command(more)) == list(currents)


def test_motors_that_give_nothing_while_gravity_is_large_stop_the_commands() -> None:
    """Either brakes hold the arm, or it holds itself and would be held twice."""
    with pytest.raises(
        NotBegunError, match="'lift' has a measured effort of -4 and a gravity effort of -40"
    ):
        first_command(beginning(measured=0.1 * GRAVITY))
    held = beginning(measured=0.1 * GRAVITY, source="zero")
    assert list(first_command(held)) == [0.0, 0.0, 0.0]


def test_motors_that_hold_gravity_contradict_hardware_that_holds_itself() -> None:
    with pytest.raises(NotBegunError, match="although hardware_compensates_gravity is true"):
        first_command(beginning(compensates=True, meaning="unknown"))
    assert not any(first_command(beginning(compensates=True, meaning="total")))  # as a Franka arm
    with pytest.raises(NotBegunError, match="measured_effort total"):
        first_command(beginning(compensates=True, meaning="total", measured=0.0 * GRAVITY))


# Who takes the commands -----------------------------------------------------------------------


def test_the_order_is_that_of_the_controller() -> None:
    turned = NAMES[::-1]
    controller = Subscriber("/effort_controller", turned, "effort")
    listener = Subscriber("/recorder")
    assert order_of_commands([listener, controller], [], NAMES) == turned
    assert order_of_commands([controller], NAMES, NAMES) == turned


def test_without_a_word_of_the_subscriber_parameter_and_model_say_the_order() -> None:
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


def test_who_adds_gravity_is_said_by_the_robot_before_the_parameter() -> None:
    assert compensates_gravity([Subscriber("/robot_sim", compensates=False)], True) is False
    assert compensates_gravity([Subscriber("/c")], True) is True
    assert compensates_gravity([Subscriber("/c")], None) is None
