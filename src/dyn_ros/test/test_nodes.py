# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What the nodes do with joint states and descriptions, over real topics and services."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bench import HORIZONTAL, NAMES, Bench
from called import Called
from diagnostic_msgs.msg import DiagnosticStatus
from dyn_msgs.msg import JointEfforts
from rclpy.serialization import deserialize_message, serialize_message
from ros_helpers import Ros, arm, clock, joint_state, until, values_of
from sensor_msgs.msg import JointState

import dyn_core
from dyn_ros.inputs.joint_states import JointStateInput
from dyn_ros.kernels.robot import load_model
from dyn_ros.messages.stamp import time_message
from dyn_ros.node import description, dynamics_node


def test_a_description_that_comes_to_an_active_node_is_read_elsewhere(
    called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(called)
    bench.describe(arm())
    bench.connect()
    monkeypatch.setattr(dynamics_node, "load_compiled", lambda *arguments: 1 / 0)
    bench.describe(arm(mass=3, name="heavy"))
    until(lambda: bench.node.robot_name == "heavy")


def test_of_descriptions_that_change_quickly_the_newest_is_prepared(
    ros: Ros, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others would wait behind each other, for minutes."""
    bench = Bench(ros)
    bench.describe(arm())
    bench.connect()
    prepared: list[str] = []
    prepare = bench.node.load_model

    def slowly(description: str, values: dict[str, Any]) -> Any:
        prepared.append(description)
        clock().sleep(0.5)
        return prepare(description, values)

    monkeypatch.setattr(bench.node, "load_model", slowly)
    for k in range(60):
        bench.node.offer_description(arm(name=f"arm_{k}"))
    until(lambda: bench.node.robot_name == "arm_59")
    assert len(prepared) <= 2  # the one that was under way, perhaps


def test_coriolis_is_announced(called: Called) -> None:
    bench = Bench(called, robot_description=arm())
    bench.connect()
    bench.set_parameter("include_coriolis", True)
    bench.torques.clear()
    moving = [0.4, 0.9], [2.0, -3.0]
    until(lambda: bench.send(NAMES, moving[0], velocity=moving[1]) and bench.torques)
    torque = bench.torques[-1]
    expected = dyn_core.nonlinear_effects(load_model(arm()), *np.array(moving))
    assert list(torque.effort) == pytest.approx(list(expected))
    assert torque.terms == JointEfforts.TERM_GRAVITY | JointEfforts.TERM_CORIOLIS
    bench.send(NAMES, moving[0])
    assert bench.report("velocity has 0 numbers").level == DiagnosticStatus.WARN


def test_hardware_that_compensates_gets_no_commands(called: Called) -> None:
    bench = Bench(called, robot_description=arm(), hardware_compensates_gravity=True)
    bench.connect()
    bench.answer(NAMES, [0.0, 0.0])
    bench.node.trigger_deactivate()
    assert values_of(bench.report("not active"))["commands"] == "off"
    assert bench.commands == []


def test_commands_stay_within_the_effort_limits(called: Called) -> None:
    """Of an arm that stands on a bench: another one would not be begun."""
    bench = Bench(called, robot_description=arm(effort=10), accept_effort_disagreement=True)
    bench.connect()
    most = pytest.approx([-10.0, HORIZONTAL[1]])
    until(lambda: bench.send(NAMES, [0.0, 0.0]) and list(bench.commands[-1].data) == most)
    assert list(bench.torques[-1].effort) == pytest.approx(HORIZONTAL)
    status = bench.report("joint 'first' needs -19.620 but its effort limit is 10.000")
    assert status.level == DiagnosticStatus.WARN


@pytest.mark.wiring
def test_a_late_description_is_waited_for(ros: Ros, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(description, "TIMEOUT_S", 1.5)
    bench = Bench(ros)
    assert bench.report("waiting for robot_description").level == DiagnosticStatus.WARN
    status = bench.report("no robot_description on /robot_description yet: start")
    assert status.level == DiagnosticStatus.ERROR
    assert "start robot_state_publisher" in status.message
    bench.describe(arm())
    bench.connect()
    assert list(bench.torques[-1].effort) == pytest.approx(HORIZONTAL)


def test_a_broken_description_is_waited_out(called: Called) -> None:
    bench = Bench(called)
    bench.describe(arm(mass="-1"))
    bench.report("link 'upper'")
    assert not bench.node.configured
    bench.describe(arm())
    bench.connect()


def test_a_broken_new_description_leaves_the_old_one_working(called: Called) -> None:
    bench = Bench(called)
    bench.describe(arm())
    bench.connect()
    bench.describe(arm(mass="nan"))
    status = bench.report("robot_description refused, the old one stays in use")
    assert status.level == DiagnosticStatus.WARN
    assert "'upper'" in status.message
    assert list(bench.answer(NAMES, [0.0, 0.0]).effort) == pytest.approx(HORIZONTAL)


MOST_CALLS, MOST_FILES = 48, 8
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
