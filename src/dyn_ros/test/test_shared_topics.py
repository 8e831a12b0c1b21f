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
from dyn_msgs.msg import JointEfforts, MassMatrix
from ros_helpers import Ros, arm, joint_state, until
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.node.description import description_qos
from dyn_ros.nodes.gravity_compensation import GravityCompensation
from dyn_ros.nodes.mass_matrix import MassMatrix as Matrix

pytestmark = pytest.mark.usefixtures("settled_at_once")
SETTLED = {"joint_state_timeout": 10.0, **ANY_TIME}

PROCESS_OF_TWO = """
import gc, rclpy
from rclpy.node import Node
from dyn_ros.nodes.gravity_compensation import GravityCompensation
from dyn_ros.nodes.mass_matrix import MassMatrix
from dyn_ros.runtime import nodes_of, spin
from dyn_ros.process.signals import StopRequest
rclpy.init()
signals = iter([False, False, True])
Stop = type("Stop", (StopRequest,), {"__bool__": lambda self: next(signals)})
spin(list(nodes_of([GravityCompensation, MassMatrix])), Stop())
print([type(x).__name__ for x in gc.get_objects() if issubclass(type(x), Node)])
"""


class Pair:
    """Two nodes of a process, activated in this or the other order, and a driver."""

    def __init__(self, ros: Ros, order: int = 1, **parameters: Any) -> None:
        common = {"robot_description": arm(), **SETTLED}
        self.ros = ros
        ros.share_topics()
        self.gravity = ros.create(GravityCompensation, **common)
        self.mass = ros.create(Matrix, **common, **parameters)
        self.torques = ros.collect(JointEfforts, "gravity_compensation/gravity_torque")
        self.matrices = ros.collect(MassMatrix, "mass_matrix/mass_matrix")
        self.publisher = ros.tester.create_publisher(JointState, "joint_states", 10)
        self._time = 0
        ros.start()
        for node in (self.gravity, self.mass)[::order]:
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


@pytest.mark.parametrize("order", [1, -1])
def test_who_commands_is_served_first(ros: Ros, order: int) -> None:
    pair, served = Pair(ros, order), []
    for node in (pair.gravity, pair.mass):

        def take(reader: Any, name: str = node.NAME, by: Any = node.take_state) -> None:
            served.append(name)
            by(reader)

        node.take_state = take
    pair.answered(pair.matrices)
    ros._spinner.call(served.clear)  # between two states, not between two nodes
    until(lambda: pair.answered(pair.matrices) or len(served) > 10)
    pairs = set(zip(served[::2], served[1::2], strict=False))
    assert pairs == {("gravity_compensation", "mass_matrix")}


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
    ros.share_topics()
    nodes = [ros.create(kind, autostart=True, **SETTLED) for kind in (GravityCompensation, Matrix)]
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
    pair = Pair(ros)
    pair.answered(pair.matrices)

    def fail(joints: Any) -> None:
        raise InputRefusedError("result not finite", "no result")

    pair.gravity.take_state = fail  # it comes first
    pair.answered(pair.matrices)  # what was answered before has come too
    before = len(pair.torques)
    pair.answered(pair.matrices)
    assert pair.torques[before:] == []


def test_no_node_outlives_rclpy(ros: Ros) -> None:
    """Python would destroy it at its very end, in any order, and may crash."""
    command = [sys.executable, "-c", PROCESS_OF_TWO]
    domain = {"ROS_DOMAIN_ID": str(ros.domain)}
    ended = subprocess.run(command, env=os.environ | domain, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[-1] == "[]"
