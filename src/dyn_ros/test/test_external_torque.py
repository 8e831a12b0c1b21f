# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""external_torque finds what acts on a robot: beside Pinocchio's numbers, and on the simulator."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from bench import NAMES, StateBench, Ur5
from called import Called
from diagnostic_msgs.msg import DiagnosticStatus
from dyn_msgs.msg import ExternalEfforts
from geometry_msgs.msg import WrenchStamped
from ros_helpers import Ros, arm, until

from dyn_ros.messages.geometry import frame_topic
from dyn_ros.nodes.external_torque import ExternalTorque

AT_ONCE = 1000.0  # rad/s; states come every second, so that the filter has settled between two
FRAME = "tool0"
OUTPUTS = {"external_efforts": ExternalEfforts, f"wrench/{FRAME}": WrenchStamped}
WRENCH = np.array([3.0, -20.0, 15.0, 1.0, -2.0, 0.5])


@pytest.mark.parametrize("compensated", [False, True])
def test_a_wrench_at_a_frame_is_found(called: Called, compensated: bool) -> None:
    """At rest the motors give g - J' f: the external efforts are J' f, and f explains them.

    Hardware that compensates gravity reports - J' f alone.
    """
    bench = Ur5(
        called,
        "external_torque",
        OUTPUTS,
        connect=False,
        wrench_frames=[FRAME],
        observer_bandwidth=AT_ONCE,
        measured_effort="without_gravity" if compensated else "total",
    )
    frame = bench.model.getFrameId(FRAME)
    J = pin.computeFrameJacobian(bench.model, bench.data, bench.q, frame, pin.LOCAL)
    expected = J.T @ WRENCH
    gravity = pin.computeGeneralizedGravity(bench.model, bench.data, bench.q)
    reported = np.zeros(6) if compensated else gravity
    still = {
        "position": list(bench.q),
        "velocity": [0.0] * 6,
        "effort": list(reported - expected),
    }
    bench.connect_to("external_efforts", bench.names, **still)
    stamp = bench.send(bench.names, **still)
    assert bench.answer_on("external_efforts", stamp).effort == pytest.approx(expected)
    found = bench.answer_on(f"wrench/{FRAME}", stamp)
    assert found.header.frame_id == FRAME
    force, torque = found.wrench.force, found.wrench.torque
    assert [force.x, force.y, force.z, torque.x, torque.y, torque.z] == pytest.approx(WRENCH)


def test_a_clock_that_goes_back_is_no_blow(called: Called) -> None:
    """As after a restarted simulation: the momentum of the old motion is forgotten."""
    bench = Ur5(called, "external_torque", {"external_efforts": ExternalEfforts})
    bench._stamps = itertools.count(5000)
    gravity = pin.computeGeneralizedGravity(bench.model, bench.data, bench.q)
    moving = {"position": list(bench.q), "velocity": [2.0] * 6, "effort": list(gravity)}
    bench.answer_on("external_efforts", bench.send(bench.names, **moving))
    bench._stamps = itertools.count(1000)
    still = {**moving, "velocity": [0.0] * 6}
    bench.send(bench.names, **still)  # refused once
    for _ in range(3):
        found = bench.answer_on("external_efforts", bench.send(bench.names, **still))
        assert found.effort == pytest.approx(np.zeros(6), abs=1e-9)


def test_what_happened_in_a_gap_of_joint_states_is_no_blow(called: Called) -> None:
    bench = planar(called, joint_state_timeout=60.0)
    moving = {"velocity": [2.0, 0.0], "effort": [-19.62, -4.905]}
    bench.connect_to("external_efforts", NAMES, **moving)
    still = {**moving, "velocity": [0.0, 0.0]}
    found = bench.answer_on("external_efforts", bench.send(NAMES, [0.0, 0.0], **still, time=900))
    assert found.effort == pytest.approx([0.0, 0.0], abs=1e-9)


def test_external_efforts_are_what_changes_the_momentum_beside_the_known_terms(
    called: Called,
) -> None:
    bench = Ur5(
        called, "external_torque", {"external_efforts": ExternalEfforts}, observer_bandwidth=AT_ONCE
    )
    momenta, drives = [], []
    random = np.random.default_rng(5)
    for q, v, effort in random.uniform(-1.0, 1.0, (2, 3, 6)):
        pin.computeAllTerms(bench.model, bench.data, q, v)
        M = pin.crba(bench.model, bench.data, q)
        M = np.triu(M) + np.triu(M, 1).T
        C = pin.computeCoriolisMatrix(bench.model, bench.data, q, v)
        momenta.append(M @ v)
        gravity = pin.computeGeneralizedGravity(bench.model, bench.data, q)
        drives.append(effort + C.T @ v - gravity)
        stamp = bench.send(
            bench.names, list(q), velocity=list(v), effort=list(effort)
        )  # one second apart
    expected = momenta[1] - momenta[0] - 0.5 * (drives[0] + drives[1])
    found = bench.answer_on("external_efforts", stamp)
    assert found.joint_names == bench.names
    assert found.effort == pytest.approx(expected, abs=1e-9)


def test_a_payload_that_becomes_known_in_motion_is_no_blow(called: Called) -> None:
    """The momentum of a moving arm jumps with its inertia; nothing has acted on it from outside."""
    bench = planar(called)
    moving = {"velocity": [2.0, 0.0], "effort": [-19.62, -4.905]}
    bench.connect_to("external_efforts", NAMES, **moving)
    bench.answer_on("external_efforts", bench.send(NAMES, [0.0, 0.0], **moving))
    heavy = "{name: tool, frame: lower, mass: 5.0, com: [0.5, 0, 0]}"
    bench.set_parameter("payloads", [heavy])
    reported = []
    for _ in range(3):
        found = bench.answer_on("external_efforts", bench.send(NAMES, [0.0, 0.0], **moving))
        reported.append(list(found.effort))
    assert reported[0] == pytest.approx([0.0, 0.0], abs=1e-9)  # as estimated before
    weight = [5.0 * 9.81 * 1.5, 5.0 * 9.81 * 0.5]  # of what the motors do not carry
    assert reported[1] == reported[2] == pytest.approx([-x for x in weight], abs=1e-9)


def planar(ros: Ros | Called, **parameters: Any) -> StateBench:
    return StateBench(
        ros,
        ExternalTorque,
        {"external_efforts": ExternalEfforts},
        robot_description=arm(),
        observer_bandwidth=AT_ONCE,
        **parameters,
    )


def test_contact_begins_and_ends_at_its_own_threshold(called: Called) -> None:
    bench = planar(called, contact_threshold=5.0)

    def felt(push: float) -> ExternalEfforts:
        """Answer to a push on the first joint; two states, for the observer looks at both."""
        for _ in range(2):
            stamp = bench.send(
                NAMES, [0.0, 0.0], velocity=[0.0, 0.0], effort=[-19.62 - push, -4.905]
            )
        return bench.answer_on("external_efforts", stamp)

    bench.connect_to("external_efforts", NAMES, velocity=[0.0, 0.0], effort=[-19.62, -4.905])
    reported = [felt(push) for push in (-4.0, -6.0, -4.0, -2.0, -4.0)]
    assert [message.contact for message in reported] == [False, True, True, False, False]
    assert [list(message.joint_contact) for message in reported[1:3]] == [[True, False]] * 2
    assert reported[1].effort == pytest.approx([-6.0, 0.0], abs=1e-9)


def test_every_frame_has_a_topic_of_its_own(called: Called) -> None:
    assert frame_topic("~/wrench", "2f-gripper/tip") == "~/wrench/_2f_gripper_tip"
    with pytest.raises(ValueError, match="'a/b', 'a-b' have the same topic"):
        called.create(ExternalTorque, wrench_frames=["a/b", "a-b"])


def test_an_unknown_frame_is_refused_by_name(called: Called) -> None:
    bench = planar(called, wrench_frames=["tool9"])
    status = bench.report("tool9")
    assert status.level == DiagnosticStatus.ERROR
    assert "KeyError" not in status.message


@pytest.mark.parametrize("plausible", [True, False])
def test_one_absurd_velocity_does_not_stay(
    called: Called, plausible: bool, request: pytest.FixtureRequest
) -> None:
    """It is refused, or else what is derived of it is, and the observer begins anew."""
    if not plausible:
        request.getfixturevalue("no_plausible_limits")
    bench = planar(called)
    still = {"velocity": [0.0, 0.0], "effort": [-19.62, -4.905]}
    bench.connect_to("external_efforts", NAMES, **still)
    for velocity in (1e160, 1e152, 1e308):
        bench.send(NAMES, [0.0, 0.0], **{**still, "velocity": [0.0, velocity]})
        for _ in range(3):
            found = bench.answer_on("external_efforts", bench.send(NAMES, [0.0, 0.0], **still))
        assert found.effort == pytest.approx([0.0, 0.0], abs=1e-9)
    reported = [
        number for message in bench.received["external_efforts"] for number in message.effort
    ]
    assert np.isfinite(reported).all()


def test_efforts_that_are_no_torques_are_refused(called: Called) -> None:
    """From motor currents 36 N m were estimated at a joint that nothing touched."""
    bench = planar(called, measured_effort="other")
    until(lambda: bench.node.active)
    bench.send(NAMES, [0.0, 0.0], velocity=[0.0, 0.0], effort=[-1.9, -0.5])
    bench.report("measured_effort is other")
    assert not bench.received["external_efforts"]


@pytest.mark.usefixtures("no_plausible_limits")
def test_an_estimate_that_is_not_finite_is_refused_and_begins_anew(called: Called) -> None:
    """Its terms are finite, their sum is not."""
    bench = planar(called)
    still = {"velocity": [0.0, 0.0], "effort": [-19.62, -4.905]}
    bench.connect_to("external_efforts", NAMES, **still)
    for _ in range(2):
        bench.send(NAMES, [0.0, 0.0], **{**still, "effort": [0.0, 1e308]})
    bench.report("the estimate of external efforts is not finite")
    for _ in range(3):
        found = bench.answer_on("external_efforts", bench.send(NAMES, [0.0, 0.0], **still))
        assert found.effort == pytest.approx([0.0, 0.0], abs=1e-9)
