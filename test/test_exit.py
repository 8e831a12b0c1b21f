"""Processes end with status 0 on SIGINT and SIGTERM, and leave nothing behind."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from lifecycle_msgs.msg import State
from ros_helpers import arm
from ros_system.client import Client
from ros_system.processes import SIM_PARAMETERS, NodeProcess

Start = Callable[..., NodeProcess]
SIGNALS = [signal.SIGINT, signal.SIGTERM]
EXECUTABLES = ["gravity_compensation", "inverse_dynamics", "robot_sim", "composed"]


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("executable", EXECUTABLES)
def test_clean_exit_while_active(
    start: Start, client: Client, executable: str, number: int
) -> None:
    client.be_the_robot()
    client.describe(arm())
    with_sim = executable in ("robot_sim", "composed")
    process = start(executable, autostart=True, **(SIM_PARAMETERS if with_sim else {}))
    node = "gravity_compensation" if executable == "composed" else executable
    client.wait_for_state(node, State.PRIMARY_STATE_ACTIVE)
    files = process.shared_memory()
    assert files
    assert process.end(number) == 0, process.output()
    assert "Traceback" not in process.output()
    assert process.leftovers() == []
    client.ros.close()  # we share some of the files with it
    assert [name for name in files if Path(name).exists()] == []


@pytest.mark.parametrize("number", SIGNALS)
def test_clean_exit_while_waiting(start: Start, number: int) -> None:
    process = start("gravity_compensation", autostart=True, description_timeout=0.1)
    process.wait_for_output("still waiting")
    assert process.end(number) == 0, process.output()


def test_bad_parameter_is_a_worded_error(start: Start) -> None:
    process = start("gravity_compensation", shutdown_command="hold")
    assert process.wait() == 2
    assert "cannot start: parameter shutdown_command is 'hold'" in process.output()
    assert "Traceback" not in process.output()
