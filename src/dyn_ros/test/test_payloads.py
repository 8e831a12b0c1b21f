# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What a robot carries enters every computation, beside Pinocchio's numbers for the same body."""

from __future__ import annotations

import re
from math import inf, nan
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from bench import HORIZONTAL, NAMES, STATE_NODES, Bench, Ur5, by_pinocchio, runge_kutta
from called import Called
from dyn_msgs.msg import JointAccelerations
from dyn_msgs.msg import Payload as PayloadMessage
from dyn_msgs.srv import ClearPayload, SetPayload
from geometry_msgs.msg import Inertia, Vector3
from rclpy.parameter import Parameter
from ros_helpers import arm, until
from trajectory_msgs.msg import JointTrajectory

from dyn_ros.inputs.payload_messages import message_of, read_payloads, text_of


def payload(name: str, frame: str, **fields: Any) -> PayloadMessage:
    """Return a body of 1.5 kg, 1 dm ahead of a frame."""
    usual = {"m": 1.5, "com": Vector3(x=0.1, z=0.05), "ixx": 0.02, "iyy": 0.03, "izz": 0.03}
    inertia = Inertia(**{**usual, **fields})
    return PayloadMessage(name=name, frame_id=frame, inertia=inertia)


def carry(bench: Ur5, frame: str) -> None:
    """Let Pinocchio's robot carry what `payload` returns."""
    place = bench.model.frames[bench.model.getFrameId(frame)]
    body = pin.Inertia(1.5, np.array([0.1, 0.0, 0.05]), np.diag([0.02, 0.03, 0.03]))
    bench.model.appendBodyToJoint(place.parentJoint, body, place.placement)
    bench.data = bench.model.createData()


def set_payloads(ros: Called, node: str, *payloads: PayloadMessage) -> Any:
    return ros.call(SetPayload, f"{node}/set_payload", payloads=list(payloads))


def clear_payloads(ros: Called, node: str, *names: str) -> Any:
    return ros.call(ClearPayload, f"{node}/clear_payload", names=list(names))


@pytest.mark.parametrize(("name", "topic", "kind", "field"), STATE_NODES)
def test_payloads_enter_what_nodes_compute(
    called: Called, name: str, topic: str, kind: Any, field: str
) -> None:
    """Two at once, one of them removed again; the numbers are those of the robot that has them."""
    bench = Ur5(called, name, {topic: kind})

    def computed() -> Any:
        answer = bench.answer_on(topic, bench.send(bench.names, **bench.fields))
        return pytest.approx(np.array(getattr(answer, field)), abs=1e-9)

    bare = by_pinocchio(bench, topic)
    two = payload("tool", "tool0"), payload("camera", "forearm_link")
    assert set_payloads(called, name, *two).success
    carry(bench, "tool0")
    only_tool = by_pinocchio(bench, topic)
    carry(bench, "forearm_link")
    assert by_pinocchio(bench, topic) == computed()
    assert clear_payloads(called, name, "camera").success
    assert only_tool == computed()
    assert clear_payloads(called, name).success
    assert bare == computed()


def test_predictions_know_of_payloads(called: Called) -> None:
    outputs = {"prediction": JointTrajectory, "acceleration": JointAccelerations}
    bench = Ur5(called, "forward_dynamics", outputs, prediction_duration=0.01)
    assert set_payloads(called, "forward_dynamics", payload("tool", "tool0")).success
    carry(bench, "tool0")
    stamp = bench.send(bench.names, **bench.fields)
    point = bench.answer_on("prediction", stamp).points[0]
    accelerated = lambda q, v: pin.aba(bench.model, bench.data, q, v, bench.effort)  # noqa: E731
    _, v = runge_kutta(bench.model, accelerated, bench.q, bench.v, 0.01)
    assert point.velocities == pytest.approx(v)


def test_commands_ramp_to_a_payload_and_nothing_is_compiled(called: Called) -> None:
    bench = Bench(called, robot_description=arm(), **{"ramp.duration": 1.0})
    bench.connect()
    last = lambda: list(bench.commands[-1].data)  # noqa: E731
    until(lambda: bench.send(NAMES, [0.0, 0.0]) and last() == pytest.approx(HORIZONTAL))
    kernels = len(bench.node.model.kernels)
    heavy = payload("box", "lower", m=2.0, com=Vector3(x=1.0))
    assert set_payloads(called, "gravity_compensation", heavy).success
    before = len(bench.commands)
    wanted = [HORIZONTAL[0] - 2.0 * 9.81 * 2.0, HORIZONTAL[1] - 2.0 * 9.81]
    until(lambda: bench.send(NAMES, [0.0, 0.0]) and last() == pytest.approx(wanted))
    steps = np.diff([command.data[0] for command in bench.commands[before - 1 :]])
    assert np.abs(steps).max() < 0.2 * 2.0 * 9.81 * 2.0
    assert len(bench.node.model.kernels) == kernels


def test_a_payload_replaces_the_one_of_its_name(called: Called) -> None:
    bench = Bench(called, robot_description=arm(), joint_state_timeout=3.0)
    until(lambda: bench.node.active)
    set_payloads(called, "gravity_compensation", payload("box", "lower"), payload("cap", "upper"))
    response = set_payloads(called, "gravity_compensation", payload("box", "lower", m=3.0))
    assert {body.name: body.inertia.m for body in response.payloads} == {"cap": 1.5, "box": 3.0}
    status = bench.report("no usable joint state")
    until(lambda: "3 kg" in bench.values()["payloads"])
    assert "box" in bench.values()["payloads"]
    assert status


BAD = [
    (payload("", "lower"), "has no name or no frame"),
    (payload("box", ""), "has no name or no frame"),
    (payload("box", "gripper"), "fixed to 'gripper', which 'arm' does not have"),
    (payload("box", "base"), "fixed to 'base', which does not move"),
    (payload("box", "lower", m=0.0), "the mass is 0 kg; it must be positive"),
    (payload("box", "lower", m=-1.0), "must be positive"),
    (payload("box", "lower", m=nan), "not finite"),
    (payload("box", "lower", com=Vector3(x=inf)), "not finite"),
    (payload("box", "lower", ixx=9.0), "must not exceed the sum of the other two"),
    (payload("box", "lower", ixy=5.0), "none may be negative"),
]


def test_a_payload_that_cannot_be_is_refused_and_nothing_changes(called: Called) -> None:
    bench = Bench(called, robot_description=arm())
    bench.connect()
    first = set_payloads(called, "gravity_compensation", payload("cap", "upper"))
    for bad, word in BAD:
        response = set_payloads(called, "gravity_compensation", payload("good", "lower"), bad)
        assert not response.success
        assert word in response.message
        assert response.payloads == first.payloads
    twice = set_payloads(called, "gravity_compensation", *[payload("box", "lower")] * 2)
    assert "payload 'box' is given twice" in twice.message
    unknown = clear_payloads(called, "gravity_compensation", "cap", "bolt")
    assert not unknown.success
    assert "no payload 'bolt' (attached: 'cap'); nothing changed" in unknown.message
    assert unknown.payloads == first.payloads


def test_payloads_that_take_long_to_read_are_refused(called: Called) -> None:
    """The node commands efforts meanwhile: 10 MB kept it busy for minutes."""
    bench = Bench(called, robot_description=arm())
    bench.connect()
    for several, word in (
        ([payload("x" * 10_000_000, "lower")], "takes 10000"),
        ([payload(str(i), "lower") for i in range(20_000)], "20000 payloads are too many"),
    ):
        response = set_payloads(called, "gravity_compensation", *several)
        assert not response.success
        assert word in response.message
        assert len(response.message) < 500
        assert list(bench.answer(NAMES, [0.0, 0.0]).effort) == pytest.approx(HORIZONTAL)


def test_a_payload_as_parameter(called: Called) -> None:
    """In a parameter file; com and inertia may be left out; what is no payload is refused."""
    text = "{name: box, frame: lower, mass: 2, com: [1, 0, 0]}"
    bench = Bench(called, robot_description=arm(), payloads=[text])
    bench.connect()
    wanted = [HORIZONTAL[0] - 2.0 * 9.81 * 2.0, HORIZONTAL[1] - 2.0 * 9.81]
    assert list(bench.answer(NAMES, [0.0, 0.0]).effort) == pytest.approx(wanted)
    result = bench.node.set_parameters([Parameter("payloads", value=["box"])])[0]
    assert "is not a payload" in result.reason


def test_points_of_any_mass_and_place_are_payloads(called: Called) -> None:
    """Moments about the centre of mass are zero but for rounding, which may be negative."""
    bench = Bench(called, robot_description=arm())
    bench.connect()
    for mass in (0.7, 1.9, 2.5, 5.0):
        for k in range(1, 20):
            text = f"{{name: box, frame: lower, mass: {mass}, com: [0, 0, {0.01 * k}]}}"
            assert bench.node.set_parameters([Parameter("payloads", value=[text])])[0].successful


def test_a_description_without_the_frame_of_a_payload_is_refused(called: Called) -> None:
    bench = Bench(called)
    bench.describe(arm())
    bench.connect()
    set_payloads(called, "gravity_compensation", payload("box", "lower"))
    bench.describe(arm(name="other").replace('"lower"', '"hand"').replace("hand=", "lower="))
    bench.report("payload 'box' is fixed to 'lower', which 'other' does not have")
    assert bench.node.robot_name == "arm"
    clear_payloads(called, "gravity_compensation")


def test_payload_texts_and_messages_are_inverse() -> None:
    message = payload("tool", "tool0", ixy=0.001, iyz=-0.002, ixz=0.003)
    again = message_of(read_payloads([text_of(message)])[0])
    assert (again.name, again.frame_id) == ("tool", "tool0")
    for field in ("m", "ixx", "ixy", "ixz", "iyy", "iyz", "izz"):
        assert getattr(again.inertia, field) == pytest.approx(getattr(message.inertia, field))
    assert again.inertia.com.x == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{name: a, frame: tool0}", "it lacks mass"),
        ("{name: a, frame: tool0, mass: heavy}", "mass must be numbers"),
        ("{name: a, frame: tool0, mass: true}", "mass must be numbers"),
        ("{name: a, frame: tool0, mass: [1]}", "mass must be numbers"),
        ("{name: a, frame: tool0, mass: 1, com: [0, 0]}", "com has 2 numbers, it should have 3"),
        ("{name: a, frame: tool0, mass: 1, com: 5}", "com must be numbers"),
        ("{name: a, frame: tool0, mass: 1, inertias: [0]}", "unknown: inertias"),
        ("[1, 2]", "it has no fields"),
        ("{name: a", "it is neither JSON nor YAML"),
        ("[" * 2000, "it is neither JSON nor YAML"),
        ('{"name": "\\ud800", "frame": "tool0", "mass": 1}', "characters that cannot be printed"),
        ("{name: a, frame: tool0, mass: 1.0e-320}", "give at least 1e-09"),
        ("{name: a, frame: tool0, mass: 1e308}", "beyond 1e+06"),
        ("{name: a, frame: tool0, mass: 1, com: [0, 0, 1e160]}", "beyond 1e+06"),
    ],
)
def test_what_is_no_payload_is_refused_in_plain_words(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)) as refusal:
        read_payloads([text])
    assert "Error" not in str(refusal.value)
