# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""An arm that has lost its payload is held and damped without it."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from called import Called
from diagnostic_msgs.msg import DiagnosticArray
from plant import Plant
from rclpy.parameter import Parameter
from ros_helpers import until
from test_plant import plant, without_friction

BOX = pin.Inertia(3.0, np.array([0.0, 0.0, 0.1]), np.zeros((3, 3)))
PAYLOAD = "{name: box, frame: wrist_3_link, mass: 3.0, com: [0.0, 0.0, 0.1]}"
WITHOUT = "of the weight of payload 'box'"


@pytest.fixture
def declared(request: pytest.FixtureRequest) -> float:
    """Friction of all joints that the description declares, N m."""
    return getattr(request, "param", 0.0)


@pytest.fixture
def carrying(called: Called, declared: float) -> Plant:
    """Return a UR5 that holds a payload by computed torque, and knows it."""
    urdf = without_friction("ur5")
    known = urdf.replace('friction="0"', f'friction="{declared:g}"')
    assert (known != urdf) == bool(declared)
    arm = plant(called, "ur5", described=known, friction=declared or 0.2)
    arm.model.inertias[6] = arm.model.inertias[6] + BOX
    arm.run(1.5)
    carried = Parameter("payloads", value=[PAYLOAD])
    assert not arm.node.set_parameters_atomically([carried]).reason
    arm.run(1.0)
    return arm


def drop(arm: Plant) -> None:
    """Let it go, and let the arm come to rest again."""
    arm.model.inertias[6] = arm.model.inertias[6] - BOX
    assert arm.run(2.0)[-1] < 0.01


def lose(arm: Plant, seconds: float) -> np.ndarray:
    """Return the speeds while no states come, and in the second after."""
    good = arm.fault
    arm.fault = lambda state: None
    speeds = arm.run(seconds)
    arm.fault = good
    return np.append(speeds, arm.run(1.0))


@pytest.mark.parametrize("declared", [0.0, 8.0], indirect=True)
def test_a_loss_of_states_does_not_throw_an_arm_that_has_lost_its_payload(carrying: Plant) -> None:
    """It had 11 rad/s; and a TM5 whose joints declare friction, which hides the loss, 88."""
    drop(carrying)
    assert lose(carrying, 0.4).max() < 0.1
    assert carrying.node.active


def test_a_deactivation_does_not_throw_it_either(carrying: Plant) -> None:
    drop(carrying)
    carrying.node.trigger_deactivate()
    assert carrying.run(0.9).max() < 0.1


def test_a_payload_that_is_lost_on_the_way_is_noticed_in_slow_motion(carrying: Plant) -> None:
    """It had 31 rad/s."""
    carrying.follow((4.0, carrying.q + 0.3))
    carrying.run(1.0)
    carrying.model.inertias[6] = carrying.model.inertias[6] - BOX
    before = carrying.run(2.0)
    assert 0.05 < before[-1] < 0.3
    assert lose(carrying, 0.3).max() < 1.5 * before[-1] + 0.1


@pytest.mark.parametrize("tool", [5.0, 0.5])
def test_an_arm_keeps_the_tool_that_is_a_payload_too(carrying: Plant, tool: float) -> None:
    """A heavy one, from which the object was a small part, or a light one."""
    mount = f"{{name: tool, frame: wrist_3_link, mass: {tool}, com: [0.0, 0.0, 0.05]}}"
    flange = pin.Inertia(tool, np.array([0.0, 0.0, 0.05]), np.zeros((3, 3)))
    carrying.model.inertias[6] = carrying.model.inertias[6] + flange
    carrying.run(1.5)
    carried = Parameter("payloads", value=[PAYLOAD, mount])
    assert not carrying.node.set_parameters_atomically([carried]).reason
    carrying.run(1.0)
    assert lose(carrying, 0.4).max() < 0.1
    drop(carrying)
    assert lose(carrying, 0.4).max() < 0.2


def test_a_payload_that_is_carried_is_held(called: Called, carrying: Plant) -> None:
    """At rest, and in motions whose accelerations take more effort than the payload."""
    reports = called.collect(DiagnosticArray, "/diagnostics", 10)
    assert lose(carrying, 0.4).max() < 0.1
    for k in range(8):
        carrying.follow((0.5, carrying.q + 0.1 * (-1.0) ** k))
        carrying.run(0.45)
    carrying.run(1.0)
    assert not any(WITHOUT in status.message for x in reports for status in x.status)
    assert lose(carrying, 0.3).max() < 0.5


@pytest.mark.parametrize(
    ("declared", "way", "elbow_friction"),
    [(0.0, [0.0, 0.0], 15.0), (0.0, [0.8, 2.2], 0.1), (2.0, [0.8, 2.2], 0.1)],
    ids=["ahead", "at elbow", "some is declared"],
    indirect=["declared"],
)
def test_a_lowered_arm_that_friction_holds_carries_its_payload(
    called: Called, carrying: Plant, way: list[float], elbow_friction: float
) -> None:
    """No description declares it, or less of it: the wrist of an EC66 was let down at 6 rad/s.

    A payload near the elbow loads the shoulder only: a TIAGo Pro, whose lift sticks, had 16 rad/s.
    """
    carrying.follow((4.0, carrying.q + np.array([0.0, 0.0, *way, 0.0, 0.0])))
    carrying.run(5.0)
    carrying.friction = np.array([15.0, 15.0, elbow_friction, 0.1, 0.1, 0.1])
    reports = called.collect(DiagnosticArray, "/diagnostics", 10)
    carrying.follow((2.0, carrying.q + np.array([0.0, 0.4, 0.0, 0.0, 0.0, 0.0])))
    carrying.run(3.2)
    assert len(reports) > 1
    assert not any(WITHOUT in status.message for x in reports for status in x.status)


def test_a_payload_that_is_not_there_is_reported_until_it_is_cleared(
    called: Called, carrying: Plant
) -> None:
    reports = called.collect(DiagnosticArray, "/diagnostics", 1)

    def warned() -> bool:
        carrying.run(0.1)
        return any(WITHOUT in status.message for x in reports[-1:] for status in x.status)

    drop(carrying)
    until(warned)
    cleared = Parameter("payloads", Parameter.Type.STRING_ARRAY, [])
    assert not carrying.node.set_parameters_atomically([cleared]).reason
    until(lambda: not warned())
    carrying.run(2.0)
    assert lose(carrying, 0.4).max() < 0.1
