# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joints by several publishers, locked, passive and mimic ones, beside Pinocchio's numbers."""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from bench import HORIZONTAL, NAMES, Bench, StateBench, Ur5
from called import Called
from diagnostic_msgs.msg import DiagnosticStatus
from dyn_msgs.msg import JointAccelerations, JointEfforts
from ros_helpers import UR5, arm, clock, joint_state, until
from sensor_msgs.msg import JointState

from dyn_ros.inputs.joint_state_reader import JointStateReader
from dyn_ros.inputs.joint_states import JointStateInput
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.node.report import Report
from dyn_ros.registry import node_class


def test_drivers_that_each_publish_their_joints(called: Called) -> None:
    """Arm and wrist come apart; each message is answered with the newest of both."""
    bench = Ur5(called, "nonlinear_effects", {"nonlinear_effects": JointEfforts}, connect=False)
    q, v = list(bench.q), list(bench.v)
    arm, wrist = slice(0, 4), slice(4, 6)
    first = bench.send(bench.names[arm], q[arm], velocity=v[arm])
    second = bench.send([*bench.names[wrist], "finger"], [*q[wrist], 0.0], velocity=[*v[wrist], 0])
    expected = pin.nonLinearEffects(bench.model, bench.data, bench.q, bench.v)
    answer = bench.answer_on("nonlinear_effects", second)
    assert answer.effort == pytest.approx(expected, abs=1e-9)
    q[4:6] = 0.3, -0.4
    third = bench.send(bench.names[wrist], q[wrist], velocity=v[wrist])
    expected = pin.nonLinearEffects(bench.model, bench.data, np.array(q), bench.v)
    answer = bench.answer_on("nonlinear_effects", third)
    assert answer.effort == pytest.approx(expected, abs=1e-9)
    stamps = [m.header.stamp.sec for m in bench.received["nonlinear_effects"]]
    assert first not in stamps  # the wrist was not known yet


def test_a_driver_that_stops_is_named(called: Called) -> None:
    bench = Bench(called, robot_description=arm(), joint_state_timeout=0.3)
    bench.connect()

    def both() -> Any:
        bench.send(["first"], [0.0])
        bench.send(["second"], [0.0])
        return bench.commands and list(bench.commands[-1].data) == pytest.approx(HORIZONTAL)

    until(both)
    word = "no usable joint state on /joint_states for 0.3 s of joint 'second', while others come"

    def reported() -> Any:
        bench.send(["first"], [0.0])
        clock().sleep(0.02)
        texts = [status.message for report in bench.reports for status in report.status]
        return any(word in text for text in texts)

    until(reported)
    until(lambda: list(bench.commands[-1].data) == [0.0, 0.0])


@pytest.mark.parametrize("alike", [True, False])
def test_several_publishers_of_the_same_joints_are_reported(called: Called, alike: bool) -> None:
    """In the same pose nothing contradicts; two with joints of their own are fine."""
    bench = Bench(called, robot_description=arm())
    bench.connect()
    other = called.tester.create_publisher(JointState, "joint_states", 10)
    names = (NAMES, NAMES) if alike else (["first"], ["second"])
    began = len(bench.reports)

    def reported() -> Any:
        bench.send(names[0], [0.0] * len(names[0]))
        other.publish(joint_state(names[1], [0.0] * len(names[1]), time=next(bench._stamps)))
        clock().sleep(0.01)
        texts = [x.message for report in bench.reports[began:] for x in report.status]
        found = [text for text in texts if "2 publishers" in text]
        return found or (not alike and len(bench.reports) > began + 5 and ["none"])

    found = until(reported)[0]
    if not alike:
        assert found == "none"
        return
    assert "'/tester'" in found
    assert "Let only one publisher report each joint" in found


def test_each_publisher_has_its_own_time() -> None:
    """Stamps of two drivers interleave; one whose own time goes back is refused."""
    reader = JointStateReader(["a", "b"], needs_velocity=False)
    reader.read(joint_state(["a"], [1.0], time=10))
    reader.read(joint_state(["b"], [2.0], time=9))
    assert reader.nanoseconds == 10_000_000_000
    with pytest.raises(InputRefusedError, match="older"):
        reader.read(joint_state(["b"], [2.0], time=8))
    assert list(reader.position) == [1.0, 2.0]


def test_a_message_about_other_joints_is_no_sample() -> None:
    reader = JointStateReader(["a", "b"], needs_velocity=False)
    assert not reader.read(joint_state(["x"], [1.0]))
    assert reader.late(0.0) == ["a", "b"]
    assert reader.read(joint_state(["a"], [1.0]), 5.0)
    assert reader.late(4.0) == ["b"]


LOCKED = ["wrist_3_joint", "elbow_joint"]
AT = [0.4, -1.1]


@pytest.mark.parametrize("published", [True, False])
def test_locked_joints(called: Called, published: bool) -> None:
    """The rest is a robot of four joints; that the locked ones are elsewhere is reported."""
    bench = Ur5(
        called,
        "nonlinear_effects",
        {"nonlinear_effects": JointEfforts},
        connect=False,
        locked_joints=[f"{name}={position}" for name, position in zip(LOCKED, AT, strict=True)],
    )
    full = bench.model
    q = pin.neutral(full)
    for name, position in zip(LOCKED, AT, strict=True):
        q[full.joints[full.getJointId(name)].idx_q] = position
    reduced = pin.buildReducedModel(full, [full.getJointId(name) for name in LOCKED], q)
    free = [name for name in bench.names if name not in LOCKED]
    assert list(reduced.names)[1:] == free
    keep = [bench.names.index(name) for name in free]
    names = bench.names if published else free
    which = list(range(6)) if published else keep
    fields = {"velocity": list(bench.v[which])}
    stamp = bench.send(names, list(bench.q[which]), **fields)
    answer = bench.answer_on("nonlinear_effects", stamp)
    assert answer.joint_names == free
    expected = pin.nonLinearEffects(reduced, reduced.createData(), bench.q[keep], bench.v[keep])
    assert answer.effort == pytest.approx(expected, abs=1e-9)
    bench.node.part(JointStateInput).report(report := Report())
    assert any("locked joint" in text for text in report.messages) == published


@pytest.mark.parametrize(
    ("parameters", "word"),
    [
        ({"locked_joints": ["elbow"]}, "locked_joints names 'elbow', which is no joint"),
        ({"locked_joints": ["first=up"]}, "give 'joint', or 'joint=position'"),
        ({"locked_joints": NAMES}, "has no moving joint"),
        ({"passive_joints": ["elbow"]}, "passive joint 'elbow' is not in the model"),
        (
            {"passive_joints": ["first"], "command_joints": NAMES},
            "'first' is one of passive_joints",
        ),
    ],
)
def test_what_cannot_be_locked_or_passive_is_refused(
    called: Called, parameters: dict[str, Any], word: str
) -> None:
    bench = Bench(called, robot_description=arm(), **parameters)
    assert bench.report(word).level == DiagnosticStatus.ERROR
    assert not bench.node.configured


def test_passive_joints_are_measured_but_not_driven(called: Called) -> None:
    bench = Bench(called, robot_description=arm(), passive_joints=["first"])
    bench.connect()
    torque = bench.answer(NAMES, [0.0, 0.0])
    assert list(torque.effort) == pytest.approx(HORIZONTAL)
    commanded = pytest.approx(HORIZONTAL[1:])
    until(lambda: bench.send(NAMES, [0.0, 0.0]) and list(bench.commands[-1].data) == commanded)


def test_efforts_of_passive_joints_are_not_read(called: Called) -> None:
    passive = "wrist_2_joint"
    bench = Ur5(
        called,
        "forward_dynamics",
        {"acceleration": JointAccelerations},
        connect=False,
        passive_joints=[passive],
    )
    index = bench.names.index(passive)
    effort = bench.effort.copy()
    effort[index] = nan
    stamp = bench.send(bench.names, **{**bench.fields, "effort": list(effort)})
    effort[index] = 0.0
    expected = pin.aba(bench.model, bench.data, bench.q, bench.v, effort)
    assert bench.answer_on("acceleration", stamp).acceleration == pytest.approx(expected)


MIMIC = '<mimic joint="shoulder_pan_joint" multiplier="-0.5" offset="0.2"/><limit'


def test_mimic_joints_follow(called: Called) -> None:
    """The wrist turns half as far back as the shoulder; what is published about it is ignored."""
    head, tail = UR5.read_text().split('<joint name="wrist_2_joint"')
    description = f'{head}<joint name="wrist_2_joint"{tail.replace("<limit", MIMIC, 1)}'
    bench = StateBench(
        called,
        node_class("nonlinear_effects"),
        {"nonlinear_effects": JointEfforts},
        robot_description=description,
    )
    until(lambda: bench.node.active)
    model = pin.buildModelFromXML(UR5.read_text())
    names = list(model.names)[1:]
    leader, follower = names.index("shoulder_pan_joint"), names.index("wrist_2_joint")
    q, v = np.random.default_rng(2).uniform(-1.0, 1.0, (2, 6))
    q[follower], v[follower] = -0.5 * q[leader] + 0.2, -0.5 * v[leader]
    effort = pin.rnea(model, model.createData(), q, v, np.zeros(6)).copy()
    effort[leader] += -0.5 * effort[follower]
    q[follower] = nan
    free = [i for i in range(6) if i != follower]
    stamp = bench.send(names, list(q), velocity=list(v))
    answer = bench.answer_on("nonlinear_effects", stamp)
    assert answer.joint_names == [names[i] for i in free]
    assert answer.effort == pytest.approx(effort[free], abs=1e-9)
