# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Nodes of one process receive a topic once, whatever becomes of each of them."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
from bench import ANY_TIME, NAMES
from dyn_msgs.msg import ExternalEfforts, JointEfforts, MassMatrix
from ros_helpers import Ros, arm, joint_state, until, wait_for
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from dyn_ros.base.description_interface import description_qos
from dyn_ros.nodes.gravity_compensation import GravityCompensation
from dyn_ros.nodes.mass_matrix import MassMatrix as Matrix
from dyn_ros.parts.joint_state_input import JointStateInput
from dyn_ros.registry import node_class

SETTLED = {"settle_count": 1, "settle_duration": 0.0, "joint_state_timeout": 10.0, **ANY_TIME}

PROCESS_OF_TWO = """
import gc, rclpy
from rclpy.node import Node
from dyn_ros.nodes.gravity_compensation import GravityCompensation
from dyn_ros.nodes.mass_matrix import MassMatrix
from dyn_ros.runtime import spin
from dyn_ros.signals import StopRequest
rclpy.init()
signals = iter([False, False, True])
Stop = type("Stop", (StopRequest,), {"__bool__": lambda self: next(signals)})
spin([GravityCompensation(), MassMatrix()], Stop())
print([type(x).__name__ for x in gc.get_objects() if issubclass(type(x), Node)])
"""


class Pair:
    """Two nodes of a process, and a driver."""

    def __init__(self, ros: Ros, **parameters: Any) -> None:
        common = {"robot_description": arm(), **SETTLED}
        self.ros = ros
        self.gravity = ros.create(GravityCompensation, **common)
        self.mass = ros.create(Matrix, **common, **parameters)
        ros.share_topics()
        self.torques = ros.collect(JointEfforts, "gravity_compensation/gravity_torque")
        self.matrices = ros.collect(MassMatrix, "mass_matrix/mass_matrix")
        self.publisher = ros.tester.create_publisher(JointState, "joint_states", 10)
        self._time = 0
        ros.start()
        for node in (self.gravity, self.mass):
            node.trigger_configure()
            node.trigger_activate()

    def subscriptions(self) -> int:
        return int(self.ros.tester.count_subscribers("joint_states"))

    def answered(self, messages: list[Any]) -> None:
        """Publish joint states until a new one is answered."""
        before = len(messages)

        def come() -> bool:
            self._time += 1
            self.publisher.publish(
                joint_state(NAMES, [0.0, 0.0], velocity=[0.0, 0.0], time=self._time)
            )
            return len(messages) > before

        until(come)


@pytest.mark.wiring
def test_nodes_share_a_subscription_and_no_fate(ros: Ros) -> None:
    pair = Pair(ros)
    pair.answered(pair.torques)
    pair.answered(pair.matrices)
    until(lambda: pair.subscriptions() == 1)
    pair.gravity.trigger_deactivate()
    pair.gravity.trigger_cleanup()  # it came first
    pair.answered(pair.matrices)
    pair.gravity.trigger_configure()
    pair.gravity.trigger_activate()
    pair.answered(pair.torques)
    assert pair.subscriptions() == 1
    for node in (pair.mass, pair.gravity):
        node.trigger_deactivate()
        node.trigger_cleanup()
    until(lambda: pair.subscriptions() == 0)


def test_a_node_with_another_qos_has_its_own(ros: Ros) -> None:
    override = {"qos_overrides./joint_states.subscription.reliability": "reliable"}
    pair = Pair(ros, **override)
    pair.answered(pair.torques)
    pair.answered(pair.matrices)
    until(lambda: pair.subscriptions() == 2)
    (reliable, *_), _ = sorted(
        (info.qos_profile.reliability, info.node_name)
        for info in ros.tester.get_subscriptions_info_by_topic("/joint_states")
    )
    assert reliable.name == "RELIABLE"


@pytest.mark.wiring
def test_a_description_is_received_once(ros: Ros) -> None:
    """All nodes get it, also a new one while they are active."""
    nodes = [ros.create(kind, autostart=True, **SETTLED) for kind in (GravityCompensation, Matrix)]
    ros.share_topics()
    ros.start()
    until(lambda: ros.tester.count_subscribers("robot_description") == 1)
    publisher = ros.tester.create_publisher(String, "robot_description", description_qos())
    publisher.publish(String(data=arm()))
    until(lambda: all(node.active for node in nodes))
    assert nodes[0].model is nodes[1].model
    publisher.publish(String(data=arm(name="other")))
    until(lambda: all(node.robot_name == "other" for node in nodes))
    assert ros.tester.count_subscribers("robot_description") == 1


def test_a_failing_node_does_not_take_the_topic_from_others(ros: Ros) -> None:
    """A sample that one refuses is another's."""
    pair = Pair(ros, **{"bad_input.unknown_joint": "skip"})
    pair.answered(pair.torques)
    before = len(pair.matrices)
    pair.publisher.publish(
        joint_state([*NAMES, "gripper"], [0.0] * 3, velocity=[0.0] * 3, time=999)
    )
    until(lambda: pair.torques[-1].header.stamp.sec == 999)
    assert [m for m in pair.matrices[before:] if m.header.stamp.sec == 999] == []


class Readers:
    """Nodes of a process that need different fields of joint states, and a driver."""

    KINDS = ("gravity_compensation", "nonlinear_effects", "mass_matrix", "external_torque")

    def __init__(self, ros: Ros, share: bool, **parameters: Any) -> None:
        common = {"robot_description": arm(), **SETTLED, **parameters}
        self.ros = ros
        self.nodes = {kind: ros.create(node_class(kind), **common) for kind in self.KINDS}
        if share:
            ros.share_topics()
        self.answers = {
            "gravity": ros.collect(JointEfforts, "gravity_compensation/gravity_torque"),
            "effects": ros.collect(JointEfforts, "nonlinear_effects/nonlinear_effects"),
            "external": ros.collect(ExternalEfforts, "external_torque/external_efforts"),
        }
        self._publisher = ros.tester.create_publisher(JointState, "joint_states", 10)
        self.time = 0
        ros.start()
        for node in self.nodes.values():
            node.trigger_configure()
            node.trigger_activate()
        until(lambda: self.send() or all(self.answers.values()), 30.0)

    def inputs(self, kind: str) -> JointStateInput:
        return self.nodes[kind].part(JointStateInput)

    def send(self, first: float = 0.1, **fields: Any) -> None:
        """Publish one state, and wait until all have it."""
        self.time += 1
        state = {"velocity": [0.2, first], "effort": [first, -0.3], **fields}
        came = {kind: self.came(kind) for kind in self.KINDS}
        message = joint_state(NAMES, [first, 0.4], time=self.time, **state)
        self._publisher.publish(message)
        wait_for(lambda: all(self.came(kind) > came[kind] for kind in self.KINDS), 2.0)

    def came(self, kind: str) -> int:
        """How many states a node has counted; between two callbacks."""
        inputs = self.inputs(kind)
        self.ros._spinner.call(inputs._sharing.settle)
        return inputs.statistics._in + inputs.statistics._interval_in

    def follow(self) -> list[str]:
        """Who takes what another has read."""
        return [kind for kind in self.KINDS if self.inputs(kind)._sharing.follows]


@pytest.mark.wiring
@pytest.mark.dds
def test_a_state_is_read_once_and_all_nodes_answer_the_same() -> None:
    """Numbers, counts and refusals are those of nodes that each read for themselves."""
    found = []
    for share in (True, False):
        ros = Ros()
        try:
            found.append(told_by(Readers(ros, share), share))
        finally:
            ros.close()
    assert found[0] == found[1]


def told_by(readers: Readers, share: bool) -> Any:
    """Counts and numbers after states of all kinds; most are read once if nodes `share`."""
    followers = [*Readers.KINDS[1:]] if share else []
    until(lambda: readers.send() or readers.follow() == followers)
    before = {kind: readers.came(kind) for kind in Readers.KINDS}
    for k in range(5):
        readers.send(0.1 + 0.001 * k)
    readers.send(0.11, velocity=[float("nan"), 0.0])
    readers.send(0.11, velocity=[])
    readers.send(0.111)
    readers.time -= 1  # a stamp that comes again
    for k in range(4):
        readers.send(0.112 + 0.001 * k)
    assert len({readers.inputs(kind).reader.nanoseconds for kind in Readers.KINDS}) == 1
    told = {}
    for kind, node in readers.nodes.items():
        statistics = readers.inputs(kind).statistics
        numbers = {} if node.silent else node.results
        results = {str(key): value.tolist() for key, value in numbers.items()}
        told[kind] = dict(statistics.reasons), readers.came(kind) - before[kind], results
    until(lambda: readers.send(0.115) or readers.follow() == followers)  # all are quick again
    return told


def test_who_led_leaves_and_nobody_misses_a_state(ros: Ros) -> None:
    readers = Readers(ros, share=True)
    until(lambda: readers.send() or len(readers.follow()) == 3)
    readers.send()
    before = {kind: readers.came(kind) for kind in Readers.KINDS[1:]}
    newest = {readers.inputs(kind)._freshness._last for kind in Readers.KINDS}
    assert newest == {readers.inputs("gravity_compensation").last}  # none will time out
    readers.nodes["gravity_compensation"].trigger_deactivate()
    assert not readers.follow()
    for _ in range(4):
        readers.send()
    assert {kind: readers.came(kind) - n for kind, n in before.items()} == dict.fromkeys(before, 4)
    assert all(not readers.inputs(kind).statistics.reasons for kind in before)


def test_no_node_outlives_rclpy(ros: Ros) -> None:
    """Python would destroy it at its very end, in any order, and may crash."""
    command = [sys.executable, "-c", PROCESS_OF_TWO]
    domain = {"ROS_DOMAIN_ID": str(ros.domain)}
    ended = subprocess.run(command, env=os.environ | domain, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[-1] == "[]"
