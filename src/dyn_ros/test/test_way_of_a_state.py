# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""From a joint state to a torque: few calls and files, and the node that commands comes first."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from bench import NAMES, Bench
from called import Called
from dyn_msgs.msg import MassMatrix
from rclpy.serialization import deserialize_message, serialize_message
from ros_helpers import Ros, arm, clock, joint_state, until
from sensor_msgs.msg import JointState

from dyn_ros.inputs.joint_states import JointStateInput
from dyn_ros.messages.stamp import time_message
from dyn_ros.registry import node_class

MOST_CALLS, MOST_FILES = 48, 8
PATIENT = {"joint_state_timeout": 30.0, "stamps": "ignored"}
PACKAGES = ("/dyn_ros/", "/dyn_core/")
NOT_COUNTED = ("/test/", "/clock.py")  # a computer's clock is no function in Python


def calls_of(callback: Any, *arguments: Any) -> list[str]:
    """The files of all functions of the suite that a callback calls, in their order."""
    files: list[str] = []

    def note(frame: Any, event: str, _: Any) -> None:
        file = frame.f_code.co_filename
        of_suite = any(x in file for x in PACKAGES) and not any(x in file for x in NOT_COUNTED)
        if event == "call" and of_suite:
            files.append(Path(file).name)

    sys.setprofile(note)
    try:
        callback(*arguments)
    finally:
        sys.setprofile(None)
    return files


def test_a_state_takes_few_calls(called: Called) -> None:
    """With velocities, efforts and all that is checked, to a command and a torque."""
    bench = Bench(called, robot_description=arm(), stamps="required")
    until(lambda: bench.node.active)
    rest = {"position": [0.0, 0.0], "velocity": [0.0, 0.0], "effort": [0.0, 0.0]}

    def state() -> JointState:
        message = joint_state(NAMES, **rest)
        message.header.stamp = time_message(clock().since_1970())
        return deserialize_message(serialize_message(message), JointState)

    def send() -> None:
        bench._states.publish(state())

    until(lambda: send() or (bench.torques and bench.commands))
    receive = bench.node.part(JointStateInput).receive
    before = len(bench.commands)
    info = {"received_timestamp": 0, "publication_sequence_number": 1, "publisher_gid": b"x"}
    calls = []
    for _ in range(100):
        clock().sleep(0.001)
        calls.append(calls_of(receive, state(), info, clock().now()))
    assert len(bench.commands) == before + 100
    files = sorted(calls, key=len)[50]  # some find something else due, such as diagnostics
    assert len(files) <= MOST_CALLS, " ".join(files)
    assert len(set(files)) <= MOST_FILES, sorted(set(files))


def test_what_nobody_listens_to_is_not_computed(called: Called) -> None:
    """Joint states are checked and counted all the same; who comes later gets an answer."""
    node = called.create(
        node_class("mass_matrix"), robot_description=arm(), autostart=True, **PATIENT
    )
    states = called.tester.create_publisher(JointState, "joint_states", 10)
    called.start()
    statistics, stamps = node.part(JointStateInput).statistics, iter(range(1, 10_000))

    def send() -> None:
        states.publish(joint_state(NAMES, [0.0, 1.0], velocity=[0.0, 0.0], time=next(stamps)))

    until(lambda: node.active)
    before = node.results["mass_matrix"].copy()
    until(lambda: send() or statistics.results > 5)
    assert (node.results["mass_matrix"] == before).all()
    matrices = called.collect(MassMatrix, "mass_matrix/mass_matrix")
    until(lambda: send() or matrices)
    assert not (node.results["mass_matrix"] == before).all()


@pytest.fixture(params=[False, True])
def both(ros: Ros, request: pytest.FixtureRequest) -> tuple[Any, Any]:
    """A node that commands and one that does not share their topics, activated in either order."""
    names = ["gravity_compensation", "mass_matrix"]
    values = {"robot_description": arm(), "joint_state_timeout": 30.0}
    values["stamps"] = "ignored"
    ros.share_topics()
    nodes = {name: ros.create(node_class(name), **values) for name in names}
    ros.start()
    for name in names[:: -1 if request.param else 1]:
        nodes[name].trigger_configure()
        nodes[name].trigger_activate()
    return nodes[names[0]], nodes[names[1]]


def test_who_commands_is_served_first(ros: Ros, both: tuple[Any, Any]) -> None:
    order: list[str] = []
    matrices = ros.collect(MassMatrix, "mass_matrix/mass_matrix")
    for node in both:

        def take(reader: Any, name: str = node.NAME, by: Any = node.take_state) -> None:
            order.append(name)
            by(reader)

        node.take_state = take
    states = ros.tester.create_publisher(JointState, "joint_states", 10)
    time = iter(range(1, 10_000))

    def send() -> bool:
        rest = {"velocity": [0.0, 0.0], "effort": [0.0, 0.0]}
        states.publish(joint_state(NAMES, [0.0, 0.0], time=next(time), **rest))
        return bool(matrices)

    until(send)
    ros._spinner.call(order.clear)  # between two states, not between two nodes
    until(lambda: send() and len(order) > 10)
    pairs = list(zip(order[::2], order[1::2], strict=False))
    assert set(pairs) == {("gravity_compensation", "mass_matrix")}
