# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The executables as processes of their own, over DDS."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from lifecycle_msgs.msg import State
from ros_helpers import Ros
from ros_system import checks
from ros_system.client import Client
from ros_system.processes import PATIENT, SIM_PARAMETERS, TO_SIM, NodeProcess
from std_msgs.msg import Float64MultiArray

EXAMPLES = Path(__file__).parents[1] / "examples"
Start = Callable[..., NodeProcess]


@pytest.mark.wiring
def test_arm_is_held_and_falls_when_the_node_is_deactivated(start: Start, client: Client) -> None:
    start("robot_sim", autostart=True, **SIM_PARAMETERS)
    start("gravity_compensation", "--ros-args", *TO_SIM, autostart=True, **PATIENT)
    checks.check_arm_is_held(client, seconds=3.0)
    checks.check_arm_falls_without_node(client)
    checks.check_no_sample_is_refused(client)


def test_examples_ask_running_nodes(start: Start, client: Client) -> None:
    """One asks for efforts; the other has the words of the command `ros2`."""
    start("robot_sim", autostart=True, **SIM_PARAMETERS)
    start("inverse_dynamics", autostart=True)
    client.wait_for_state("inverse_dynamics", State.PRIMARY_STATE_ACTIVE)
    environment = {**os.environ, "ROS_DOMAIN_ID": str(client.ros.domain)}

    def answer(example: str, *words: str) -> str:
        run = [sys.executable, EXAMPLES / f"{example}.py", *words]
        done = subprocess.run(run, env=environment, capture_output=True, text=True, timeout=30.0)
        assert done.returncode == 0, done.stderr
        return done.stdout

    names = [line.split()[0] for line in answer("ros_inverse_dynamics").splitlines()]
    client.position()
    assert names == list(client.state.name)
    node, without = "/inverse_dynamics", "ros_without_cli"
    payload = "{payloads: [{name: tool, frame_id: tool0, inertia: {m: 1, com: {z: 0.1}}}]}"
    assert "success: true" in answer(without, "service", "call", f"{node}/set_payload", payload)
    moon = "[0.0, 0.0, -1.6]"
    assert "successful: true" in answer(without, "param", "set", node, "gravity", moon)
    assert "success: true" in answer(without, "lifecycle", "set", node, "deactivate")


@pytest.mark.wiring
def test_everything_in_one_process(start: Start, client: Client) -> None:
    process = start("composed", autostart=True, **SIM_PARAMETERS, **PATIENT)
    checks.check_arm_is_held(client, seconds=1.0)
    checks.check_services_agree_with_pinocchio(client)
    checks.check_arm_falls_without_node(client)
    assert process.end() == 0


def test_a_users_remap_wins_in_one_process(start: Start, client: Client) -> None:
    """Commands go to the simulator only as long as the user does not send them elsewhere."""
    rule = "gravity_compensation:~/commands:=/relay/commands"
    held = {"hardware_compensates_gravity": False, "start_effort": "zero"}  # not declared there
    held["command_subscriber"] = "/tester"
    process = {**SIM_PARAMETERS, **PATIENT, **held}
    start("composed", "--ros-args", "-r", rule, autostart=True, **process)
    commands = client.ros.collect(Float64MultiArray, "/relay/commands")
    client.wait(lambda: commands)
    assert client.ros.tester.count_publishers("/robot_sim/commands") == 0


def test_two_robots_in_two_namespaces(ros: Ros, start: Start) -> None:
    """Each is held by its own nodes: one falls once its node is deactivated, the other stays."""
    left, right = (Client(Ros(ros.reservation, namespace)) for namespace in ("left", "right"))
    try:
        for client in (left, right):
            namespace = client.ros.tester.get_namespace()
            arguments = ("--ros-args", "-r", f"__ns:={namespace}")
            start("composed", *arguments, autostart=True, **SIM_PARAMETERS, **PATIENT)
        for client in (left, right):
            checks.check_arm_is_held(client, seconds=1.0)
        held = right.position()
        checks.check_arm_falls_without_node(left)
        assert right.deviation_from(held) < checks.LARGEST_DRIFT
        assert any(right.state.effort)
        statuses = {status.name for status in right.statuses}  # /diagnostics is for all
        assert {f"/{x}/gravity_compensation: dynamics" for x in ("left", "right")} <= statuses
    finally:
        left.ros.close()
        right.ros.close()
