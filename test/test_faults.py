# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Faults of a robot's computer: the arm is held, or its node reports the fault and continues."""

from __future__ import annotations

import mmap
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep

from lifecycle_msgs.msg import State
from rclpy.serialization import serialize_message
from ros_helpers import arm, joint_state
from ros_system import checks
from ros_system.client import ANY_TIME, COMPILATION_TIMEOUT, Client
from ros_system.processes import PATIENT, SIM_PARAMETERS, TO_SIM, NodeProcess
from sensor_msgs.msg import JointState

from dyn_ros.process.domain import bound_ports, ports_of

Start = Callable[..., NodeProcess]
HOLDING = {**SIM_PARAMETERS, "command_timeout": 0.0}  # latched, as a controller does
NAMES = ["first", "second"]
FLOOD = 10_000  # Hz
MOST_GROWTH = 16_384  # KiB that a process may take for queues while it is flooded


def memory(process: NodeProcess) -> int:
    """What a process holds, KiB."""
    return int(Path(f"/proc/{process.process.pid}/statm").read_text().split()[1]) * 4


def wait_for_all(client: Client, names: Iterable[str]) -> None:
    """Wait until nodes are active, also where their code is compiled first."""
    for name in names:
        client.wait_for_state(name, State.PRIMARY_STATE_ACTIVE, COMPILATION_TIMEOUT)


def test_a_node_takes_no_port_whose_memory_a_killed_process_left_to_another(
    start: Start, client: Client
) -> None:
    """Fast DDS would go on to write there, and the node would hear nothing of that process."""
    client.be_the_robot()
    client.describe(arm())
    ports = ports_of(client.ros.domain)
    free = [port for port in ports[11::2] if port not in set(bound_ports())][:2]
    with ExitStack() as stack:
        for port in free:
            file = Path(f"/dev/shm/fastdds_port{port}")
            file.write_bytes(b"1")
            with file.open("r+b") as opened:
                stack.enter_context(mmap.mmap(opened.fileno(), 0))
            file.unlink()  # as who finds it without an owner does
        start("gravity_compensation", autostart=True, **ANY_TIME, **PATIENT)
        client.wait_for_state("gravity_compensation", State.PRIMARY_STATE_ACTIVE)
        assert client.torque(NAMES, [0.1, 0.2]).effort
    assert not set(free) & set(bound_ports())


def test_every_process_may_be_killed_and_started_again(start: Start, client: Client) -> None:
    """Also the robot under a controller: it comes back elsewhere, and is held there."""
    commands = {
        "robot_sim": ((), HOLDING),
        "inverse_dynamics": ((), {}),
        "gravity_compensation": (("--ros-args", *TO_SIM), PATIENT),
    }

    def begin(name: str) -> NodeProcess:
        arguments, parameters = commands[name]
        return start(name, *arguments, autostart=True, **parameters)

    processes = {name: begin(name) for name in commands}
    wait_for_all(client, commands)
    checks.check_arm_is_held(client, seconds=1.0)
    for name, process in processes.items():
        process.kill()
        client.state = None
        begin(name)
        client.wait_for_state(name, State.PRIMARY_STATE_ACTIVE)
        checks.check_arm_is_held(client, seconds=0.5)
    checks.check_services_agree_with_pinocchio(client)


def test_an_arm_is_held_while_processes_stand_still_or_get_no_time(
    start: Start, client: Client
) -> None:
    """A robot whose states stop and return; a controller that does not run; others that compute."""
    # States settle about when damping of usual length would let the arm sink.
    quick = {"autostart": True, "joint_state_timeout": 0.3, "damp.duration": 6.0}
    processes = [
        start("robot_sim", autostart=True, **HOLDING),
        start("gravity_compensation", "--ros-args", *TO_SIM, **quick),
    ]
    wait_for_all(client, ["robot_sim", "gravity_compensation"])
    checks.check_arm_is_held(client, seconds=2.0)  # after 1 s the brakes are off
    held = client.position()
    for process in processes:
        process.process.send_signal(signal.SIGSTOP)
        sleep(1.0)
        process.process.send_signal(signal.SIGCONT)
        client.state = None
        checks.check_arm_is_held(client, seconds=1.0)
        assert client.deviation_from(held) < checks.LARGEST_DRIFT
    with busy(2):
        sleep(2.0)
    client.state = None
    assert client.deviation_from(held) < checks.LARGEST_DRIFT
    assert any(client.state.effort)
    assert "no usable joint state" in processes[1].output()


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Processes that take all the time that they get."""
    command = [sys.executable, "-c", "while True: pass"]
    processes = [subprocess.Popen(command) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_a_flood_of_joint_states_is_survived(start: Start, client: Client) -> None:
    """Services are answered meanwhile, and the last state is not lost in a queue of old ones."""
    client.be_the_robot()
    client.describe(arm())
    process = start("gravity_compensation", autostart=True, **PATIENT, **ANY_TIME)
    expected = client.torque(NAMES, [0.3, -0.7])
    publisher = client.ros.tester.create_publisher(JointState, "joint_states", 10)
    client.wait(publisher.get_subscription_count)
    stop, sent, before = Event(), [], memory(process)

    def flood() -> None:
        begin = monotonic()
        while not stop.is_set():
            while len(sent) < FLOOD * (monotonic() - begin) and not stop.is_set():
                client._stamp += 1
                state = joint_state(NAMES, [0.1, 0.2], time=client._stamp)
                publisher.publish(serialize_message(state))
                sent.append(client._stamp)
            sleep(0.0005)

    thread = Thread(target=flood)
    thread.start()
    sleep(1.0)
    assert client.lifecycle_state("gravity_compensation") == State.PRIMARY_STATE_ACTIVE
    stop.set()
    thread.join()
    assert list(client.torque(NAMES, [0.3, -0.7]).effort) == list(expected.effort)
    assert memory(process) - before < MOST_GROWTH
