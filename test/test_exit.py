# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Processes end with status 0 on SIGINT and SIGTERM, and leave nothing behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

import pytest
from ament_index_python.packages import get_package_prefix
from lifecycle_msgs.msg import State
from robots import ROBOT_FILES, example_robots
from ros_helpers import Ros, arm, until
from ros_system.client import ANY_TIME, START_TIMEOUT, Client
from ros_system.processes import SIM_PARAMETERS, NodeProcess, data_files, listen_to_signals
from std_msgs.msg import Float64MultiArray

from dyn_ros.nodes.computed_torque import ComputedTorqueNode
from dyn_ros.nodes.gravity_compensation import GravityCompensation
from dyn_ros.process.signals import LAUNCHER_VARIABLE
from dyn_ros.registry import PROGRAMS

Start = Callable[..., NodeProcess]
SIGNALS = [signal.SIGINT, signal.SIGTERM]
EXECUTABLES = ["gravity_compensation", "inverse_dynamics", "robot_sim", "composed"]


@pytest.mark.wiring("gravity_compensation-2")
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


@pytest.mark.parametrize("kind", [GravityCompensation, ComputedTorqueNode])
def test_a_node_leaves_dds_also_while_a_thread_refers_to_it(kind: type) -> None:
    before = data_files(os.getpid())
    ros = Ros()
    node = ros.create(kind, robot_description=arm())
    node.trigger_configure()
    assert node.configured
    assert data_files(os.getpid()) > before
    ros.close()
    assert node is not None  # as the thread that prepares a description would keep it
    assert data_files(os.getpid()) <= before


TAKEN_DOWN = """
import sys
from dyn_ros.executables import run_executable

class Object:
    def __del__(self):
        print("taken down")

kept = Object()
sys.exit(run_executable("gravity_compensation"))
"""


def test_no_time_goes_into_taking_python_down(start: Start) -> None:
    """Seconds with the objects of seven nodes on a busy machine; a launch kills after five."""
    process = start(sys.executable, "-c", TAKEN_DOWN, autostart=True)
    process.wait_for_output("waiting for a robot description")
    assert process.end() == 0, process.output()
    assert "taken down" not in process.output()


STUCK = """
import ctypes, sys
from dyn_ros.process import deadline
from dyn_ros.executables import run_executable
from dyn_ros.nodes.inverse_dynamics import InverseDynamicsNode

InverseDynamicsNode.destroy_node = lambda node: ctypes.PyDLL(None).sleep(600)
deadline.MAX_SHUTDOWN_S = 0.5
sys.exit(run_executable("inverse_dynamics"))
"""


def test_no_end_waits_for_dds_that_hangs_with_the_lock_of_python(start: Start) -> None:
    """Fast DDS does where nodes end at the same moment, and a launch killed them after 15 s."""
    process = start(sys.executable, "-c", STUCK, autostart=True)
    process.wait_for_output("waiting for a robot description")
    assert process.end() == 0, process.output()
    assert "DDS shutdown timed out" in process.output()


LAUNCH = f"""
import os, subprocess, sys
os.environ["{LAUNCHER_VARIABLE}"] = str(os.getpid())
subprocess.run([sys.executable, "-m", "dyn_ros.executables", *sys.argv[1:]])
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_node_ends_with_its_launch_whatever_ends_that(start: Start, number: int) -> None:
    waiting = {"autostart": True}
    launch = start(sys.executable, "-c", LAUNCH, "inverse_dynamics", **waiting)
    launch.wait_for_output("waiting for a robot description", START_TIMEOUT)
    launch.process.send_signal(number)
    assert launch.wait() == -number
    until(lambda: launch.leftovers() == [])
    assert "Traceback" not in launch.output()


def test_a_node_that_starts_after_the_end_of_its_launch_ends(start: Start) -> None:
    launch = start(sys.executable, "-c", "")
    assert launch.wait() == 0
    process = start("inverse_dynamics", environment={LAUNCHER_VARIABLE: str(launch.process.pid)})
    assert process.wait(START_TIMEOUT) == 0, process.output()


def test_more_signals_while_it_ends_change_nothing(start: Start) -> None:
    """A launch loses its patience after 5 s; Python no longer handles signals near its end."""
    process = start("inverse_dynamics", autostart=True)
    process.wait_for_output("waiting for a robot description")
    process.process.send_signal(signal.SIGINT)
    deadline = monotonic() + START_TIMEOUT
    while process.process.poll() is None and monotonic() < deadline:
        process.process.send_signal(signal.SIGTERM)
        sleep(0.001)
    assert process.wait() == 0, process.output()


@pytest.mark.wiring
def test_bad_parameter_is_a_worded_error(start: Start) -> None:
    process = start("gravity_compensation", **{"shutdown.command": "hold"})
    assert process.wait(START_TIMEOUT) == 2
    assert "cannot start: parameter shutdown.command is 'hold'" in process.output()
    assert "Traceback" not in process.output()


BAD_ARGUMENTS = [
    ("robot_sim", "--log-level loud", "Couldn't parse log level: '--log-level loud'"),
    ("robot_sim", "-r __ns:=/left-arm", "Couldn't parse remap rule: '-r __ns:=/left-arm'"),
    ("robot_sim", "--bogus", "ROS 2 knows no argument ['--bogus']"),
    ("robot_sim", f"-r __ns:=/{'n' * 240}", "the name of a node, topic or service is too long"),
    ("robot_sim", f"-r __ns:=/{'n' * 9999}", "the name of a node, topic or service is too long"),
    ("composed", "--params-file /nowhere", "Couldn't parse params file: '--params-file /nowhere'"),
    ("view", "--bogus", "ROS 2 knows no argument ['--bogus']"),
]


@pytest.mark.parametrize(("executable", "words", "meaning"), BAD_ARGUMENTS)
def test_bad_arguments_of_ros_are_worded_errors(
    start: Start, executable: str, words: str, meaning: str
) -> None:
    process = start(executable, "--ros-args", *words.split())
    assert process.wait(START_TIMEOUT) == 2
    assert f"cannot start: {meaning}" in process.output()
    assert "Traceback" not in process.output()


@pytest.mark.parametrize(
    ("enclave", "meaning"), [("", "robot_sim' does not exist"), ("robot_sim", "")]
)
def test_keys_that_are_missing_are_worded_errors(
    start: Start, tmp_path: Path, enclave: str, meaning: str
) -> None:
    """With SROS 2: a node without keys does not start unprotected."""
    (tmp_path / "enclaves" / enclave).mkdir(parents=True)
    security = {"ENABLE": "true", "STRATEGY": "Enforce", "KEYSTORE": str(tmp_path)}
    environment = {f"ROS_SECURITY_{name}": value for name, value in security.items()}
    process = start("robot_sim", "--ros-args", "--enclave", "/robot_sim", environment=environment)
    assert process.wait(START_TIMEOUT) == 2
    assert "cannot start: " in process.output()
    assert meaning in process.output()
    assert "Traceback" not in process.output()


def test_a_node_waits_with_its_end_until_the_last_ramp_is_over(
    start: Start, client: Client
) -> None:
    client.be_the_robot()
    client.describe(arm())
    commands = client.ros.collect(Float64MultiArray, "gravity_compensation/commands")
    held = {"hardware_compensates_gravity": False, "start_effort": "zero", **ANY_TIME}
    held["command_subscriber"] = "/tester"
    ramp = {"shutdown.command": "ramp_to_zero", "ramp.duration": 1.0, **held}
    process = start("gravity_compensation", autostart=True, joint_state_timeout=10.0, **ramp)
    client.torque(["first", "second"], [0.0, 0.0])
    client.wait(lambda: client.torque(["first", "second"], [0.0, 0.0]) and full(commands))
    before = len(commands)
    assert process.end() == 0, process.output()
    client.wait(lambda: not any(commands[-1].data))
    efforts = [command.data[0] for command in commands[before:]]
    assert len(efforts) > 10
    assert efforts == sorted(efforts)  # from -19.6 N m up


def test_the_process_that_reads_descriptions_ends_with_the_node(
    start: Start, client: Client
) -> None:
    client.be_the_robot()
    client.describe(arm())
    process = start("gravity_compensation", autostart=True, joint_state_timeout=10.0)
    client.wait_for_state("gravity_compensation", State.PRIMARY_STATE_ACTIVE)
    client.describe(arm(mass=2))
    process.wait_for_output("using the new robot_description")
    assert any("model_process" in command for command in process.leftovers())
    process.kill()
    client.wait(lambda: process.leftovers() == [])


def full(commands: list[Float64MultiArray]) -> bool:
    """Whether the commands have ramped up."""
    return bool(commands) and commands[-1].data[0] < -19.6


WATCHED = """
import os, runpy, signal, sys

path, moment, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
del sys.argv[:1], sys.argv[1:3]
FIRST = ("dyn_ros:<module>", "dyn_ros.executables:<module>")  # the second holds signals back

def place(frame):
    return f"{frame.f_globals.get('__name__')}:{frame.f_code.co_name}"

def on_call(frame, event, argument):
    if place(frame) == moment:
        sys.settrace(None)
        os.remove(sys.argv[-1])
        os.kill(os.getpid(), number)
    return on_line if "/dyn_ros/dyn_ros/" in frame.f_code.co_filename else None

def on_line(frame, event, argument):
    held = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    for number in (signal.SIGINT, signal.SIGTERM):
        pythons = signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler)
        if pythons and number not in held and place(frame) not in FIRST:
            print(f"{number.name} would end Python in {place(frame)}", flush=True)
    return on_line

sys.settrace(on_call)
runpy.run_path(path, run_name="__main__")
"""
"""Runs an executable that sends itself a signal when it comes to a function, and removes a file.

Before that it names each line of ours in which a signal would end Python.
"""
MOMENTS = [
    ("gravity_compensation", "dyn_ros.registry:<module>", signal.SIGINT),
    ("composed", "dyn_ros.registry:node_class", signal.SIGTERM),
    ("gravity_compensation", "rclpy:<module>", signal.SIGINT),
    ("composed", "dyn_ros.runtime:run", signal.SIGINT),
    ("gravity_compensation", "dyn_ros.process.signals:__bool__", signal.SIGTERM),
    ("composed", "rclpy:init", signal.SIGINT),
]
FILE_GONE = re.compile(r"\[ERROR\] \[[0-9.]+\] \[rcl\]: Failed to parse global arguments\n")
"""What rcl prints by itself if the file goes in the moment in which rclpy.init begins."""


def start_until(
    executable: str, moment: str, number: int, parameters: Path
) -> subprocess.CompletedProcess[str]:
    """Run an executable that gets a signal at this moment of its start."""
    parameters.write_text("/**: {ros__parameters: {max_tracking_error: 0.3}}")
    path = Path(get_package_prefix("dyn_ros"), "lib", "dyn_ros", executable)
    words = [str(path), moment, str(int(number)), "--ros-args", "--params-file", str(parameters)]
    return subprocess.run(
        [sys.executable, "-c", WATCHED, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, timeout=START_TIMEOUT, preexec_fn=listen_to_signals,
    )  # fmt: skip


@pytest.mark.quick("rclpy:init")
@pytest.mark.parametrize(("executable", "moment", "number"), MOMENTS)
def test_a_signal_at_any_moment_of_the_start_ends_a_node_quietly(
    executable: str, moment: str, number: int, tmp_path: Path
) -> None:
    """A launch that is interrupted too removes the file of parameters that it had written."""
    parameters = tmp_path / "parameters.yaml"
    run = start_until(executable, moment, number, parameters)
    assert FILE_GONE.sub("", run.stdout) == ""
    assert run.returncode == 0
    assert not parameters.exists()  # so that the moment has come


@pytest.mark.thorough
@pytest.mark.parametrize("executable", PROGRAMS)
def test_programs_hold_signals_back_until_they_handle_them(executable: str, tmp_path: Path) -> None:
    handled = "dyn_ros.process.signals:__init__"
    run = start_until(executable, handled, signal.SIGKILL, tmp_path / "parameters.yaml")
    assert run.stdout == ""
    assert run.returncode == -signal.SIGKILL


@pytest.mark.parametrize("number", SIGNALS)
def test_clean_exit_while_a_robot_is_compiled(start: Start, number: int) -> None:
    """The process waits for no compiler that cannot be interrupted, nor for the nodes behind it."""
    talos = example_robots() / ROBOT_FILES["talos"]
    arguments = ("--nodes", "robot_sim,centroidal,external_torque,mass_matrix")
    uncached = {"DYN_CORE_CACHE": ""}
    process = start(
        "composed", *arguments, environment=uncached, autostart=True, urdf_file=str(talos)
    )
    sleep(4.0)  # it imports, then compiles for longer than a test may wait
    assert process.end(number) == 0, process.output()
    assert "Traceback" not in process.output()
    assert process.leftovers() == []
