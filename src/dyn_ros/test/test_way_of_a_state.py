# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""From a joint state to a torque: a short way, the newest state first, who commands first."""

from __future__ import annotations

import sys
from pathlib import Path
from time import sleep, time_ns
from typing import Any

import pytest
from bench import NAMES, Bench
from dyn_msgs.msg import MassMatrix
from rclpy.serialization import serialize_message
from ros_helpers import Ros, arm, joint_state, until
from sensor_msgs.msg import JointState

from dyn_ros.adapters.stamp import NANOSECONDS
from dyn_ros.base.newest import NewestFirst, publisher_of
from dyn_ros.parts.command_receivers import CommandReceivers
from dyn_ros.parts.joint_state_input import JointStateInput
from dyn_ros.registry import node_class

MOST_CALLS, MOST_FILES = 40, 12
PATIENT = {"joint_state_timeout": 30.0, "bad_input.stamp_age": "ignore"}
PACKAGES = ("/dyn_ros/", "/dyn_core/")


def calls_of(callback: Any, *arguments: Any) -> list[str]:
    """The files of all functions of the suite that a callback calls, in their order."""
    files: list[str] = []

    def note(frame: Any, event: str, _: Any) -> None:
        file = frame.f_code.co_filename
        if (
            event == "call"
            and any(package in file for package in PACKAGES)
            and "/test/" not in file
        ):
            files.append(Path(file).name)

    sys.setprofile(note)
    try:
        callback(*arguments)
    finally:
        sys.setprofile(None)
    return files


@pytest.mark.wiring
def test_a_state_takes_few_calls(ros: Ros) -> None:
    """With velocities, efforts and all that is checked, to a command and a torque."""
    bench = Bench(ros, robot_description=arm(), **{"bad_input.stamp_age": "skip"})
    until(lambda: bench.node.active)
    rest = {"position": [0.0, 0.0], "velocity": [0.0, 0.0], "effort": [0.0, 0.0]}

    def serialized() -> bytes:
        state = joint_state(NAMES, **rest)
        state.header.stamp.sec, state.header.stamp.nanosec = divmod(time_ns(), NANOSECONDS)
        return bytes(serialize_message(state))

    def send() -> None:
        bench._states.publish(serialized())

    receivers = bench.node.part(CommandReceivers)
    until(lambda: send() or (bench.torques and bench.commands and not receivers.has_newcomer))
    ros._spinner.close()  # from here on it is this thread that calls
    receive = NewestFirst(JointState, bench.node.part(JointStateInput)._receive, hurry=True)
    before = len(bench.commands)
    info = {"received_timestamp": 0, "publication_sequence_number": 1, "publisher_gid": b"x"}
    # A state may be the one at which all that takes its time is looked after too.
    files = min((calls_of(receive, serialized(), info) for _ in range(4)), key=len)
    until(lambda: len(bench.commands) >= before + 2)
    assert len(files) <= MOST_CALLS, " ".join(files)
    assert len(set(files)) <= MOST_FILES, sorted(set(files))


def keep_busy(node: Any, seconds: float = 0.3) -> None:
    """Let a node do something else for a while, from soon on."""
    begun: list[bool] = []

    def work() -> None:
        timer.cancel()
        begun.append(True)
        sleep(seconds)

    timer = node.create_timer(0.001, work)
    until(lambda: begun)


def test_under_overload_the_newest_state_is_answered(ros: Ros) -> None:
    """Of those that wait in the queue, the others are counted as overtaken, and none as lost."""
    bench = Bench(ros, robot_description=arm())
    bench.connect(NAMES)
    bench.answer(NAMES, [0.1, 0.1])
    statistics = bench.node.part(JointStateInput).statistics
    keep_busy(bench.node)
    stamps = []
    for k in range(6):
        stamps.append(bench.send(NAMES, [0.1 + 0.001 * k, 0.1]))
        sleep(0.005)
    bench.answer_on("gravity_torque", stamps[-1])
    answered = {torque.header.stamp.sec for torque in bench.torques}
    assert len(answered & set(stamps)) <= 2  # the one whose turn it was, perhaps
    assert statistics.overtaken >= 4
    assert statistics._interval_lost + statistics._lost == 0


def test_two_publishers_do_not_overtake_each_other(ros: Ros) -> None:
    """Each publishes its joint; the newest of both are taken."""
    bench = Bench(ros, robot_description=arm())
    bench.connect(NAMES)
    others = ros.tester.create_publisher(JointState, "joint_states", 10)
    state = bench.node.part(JointStateInput)
    before = state.statistics.overtaken
    until(lambda: bench._states.get_subscription_count() and others.get_subscription_count())
    bench.answer(NAMES, [0.1, 0.1])
    sleep(0.1)
    keep_busy(bench.node)
    for k in range(4):
        last = bench.send(["first"], [0.1 + 0.001 * k])
        others.publish(joint_state(["second"], [0.2 + 0.001 * k], time=last))
        sleep(0.005)
    until(lambda: list(state.reader.position) == pytest.approx([0.103, 0.203]))
    assert state.statistics.overtaken >= before + 4


def test_joints_tell_publishers_apart_where_nobody_says_who_they_are() -> None:
    """As in jazzy. Names are of one length in CDR, which pads them."""

    def who(name: str, position: float, stamp: int) -> Any:
        state = joint_state([name], [position], velocity=[position], time=stamp)
        return publisher_of(JointState, bytes(serialize_message(state)), {})

    assert who("first", 0.1, 1) == who("first", -3.0, 70)
    assert who("first", 0.1, 1) != who("second", 0.1, 1)


def test_what_nobody_listens_to_is_not_computed(ros: Ros) -> None:
    """Joint states are checked and counted all the same; who comes later gets an answer."""
    node = ros.create(node_class("mass_matrix"), robot_description=arm(), autostart=True, **PATIENT)
    states = ros.tester.create_publisher(JointState, "joint_states", 10)
    ros.start()
    statistics, stamps = node.part(JointStateInput).statistics, iter(range(1, 10_000))

    def send() -> None:
        states.publish(joint_state(NAMES, [0.0, 1.0], velocity=[0.0, 0.0], time=next(stamps)))

    until(lambda: node.active)
    before = node.results["mass_matrix"].copy()
    until(lambda: send() or statistics._interval_out + statistics._out > 5)
    assert (node.results["mass_matrix"] == before).all()
    matrices = ros.collect(MassMatrix, "mass_matrix/mass_matrix")
    until(lambda: send() or matrices)
    assert not (node.results["mass_matrix"] == before).all()


@pytest.fixture(params=[False, True])
def both(ros: Ros, request: pytest.FixtureRequest) -> tuple[Any, Any]:
    """A node that commands and one that does not share their topics, activated in either order."""
    names = ["gravity_compensation", "mass_matrix"]
    values = {"robot_description": arm(), "joint_state_timeout": 30.0}
    values["bad_input.stamp_age"] = "ignore"
    nodes = {name: ros.create(node_class(name), **values) for name in names}
    ros.share_topics()
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
