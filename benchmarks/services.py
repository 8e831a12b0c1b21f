# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Whether services of a composed process disturb its commands: 1 kHz with and without clients."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import rclpy
from ament_index_python.packages import get_package_prefix, get_package_share_directory
from dyn_msgs.msg import JointEfforts
from dyn_msgs.srv import ComputeGravity
from rclpy.executors import SingleThreadedExecutor

from dyn_ros.process.domain import DomainReservation, isolate

SECONDS = 10.0
CLIENTS = 4
UR5 = Path(get_package_share_directory("dyn_ros"), "config", "robots", "ur5.urdf")
COMPOSED = Path(get_package_prefix("dyn_ros"), "lib", "dyn_ros", "composed")
SERVICE = "inverse_dynamics/compute_gravity"
TOPIC = "gravity_compensation/gravity_torque"
PATIENCE = 60  # s
GOAL = {"share_of_rate": 0.95}


def measure(repetitions: int) -> dict[str, Any]:
    """Rate and longest gap of the topic without clients, then with some that ask all the time."""
    del repetitions
    with DomainReservation() as reservation, ExitStack() as stack:
        isolate(os.environ, reservation.domain)
        parameters = (f"urdf_file:={UR5}", "autostart:=true", "joint_state_timeout:=3.0")
        arguments = [word for x in parameters for word in ("-p", x)]
        stack.enter_context(_process(str(COMPOSED), "--ros-args", *arguments))
        rclpy.init()
        stack.callback(rclpy.try_shutdown)
        watcher = Watcher()
        stack.callback(watcher.node.destroy_node)
        watcher.wait()
        alone = watcher.watch(SECONDS)
        # Clients of a controller run on another computer as a rule: here they give way to it.
        ask = ["nice", "-n", "5", sys.executable, __file__]
        clients = [stack.enter_context(_process(*ask)) for _ in range(CLIENTS)]
        sleep(4.0)  # s, until they are there
        watcher.settle(alone["rate_hz"])
        asked = watcher.watch(SECONDS)
        for client in clients:
            client.terminate()
        calls = sum(int(client.communicate()[0] or 0) for client in clients)
    return {
        "goal": GOAL,
        "clients": CLIENTS,
        "calls": calls,
        "alone": alone,
        "asked": asked,
        "share_of_rate": asked["rate_hz"] / alone["rate_hz"],
    }


class Watcher:
    """Counts the messages of the topic."""

    def __init__(self) -> None:
        self.node = rclpy.create_node("watcher")
        self._times: list[float] = []
        self.node.create_subscription(
            JointEfforts, TOPIC, lambda _: self._times.append(monotonic()), 1000
        )
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)

    def wait(self) -> None:
        """Spin until the topic comes steadily."""
        self.watch(1.0)
        while len(self._times) < 100:
            self.watch(1.0)

    def settle(self, rate: float) -> None:
        """Wait until the simulator has caught up what it missed: it runs a tenth faster then."""
        for _ in range(PATIENCE):
            if self.watch(1.0)["rate_hz"] < 1.02 * rate:
                return

    def watch(self, seconds: float) -> dict[str, float]:
        """Return rate (Hz) and longest gap (ms) over some time."""
        self._times.clear()
        end = monotonic() + seconds
        while monotonic() < end:
            self._executor.spin_once(timeout_sec=0.1)
        times = self._times
        gaps = [after - before for before, after in pairwise(times)]
        rate = len(gaps) / sum(gaps) if gaps else 0.0
        return {"rate_hz": rate, "longest_gap_ms": 1e3 * max(gaps, default=seconds)}


@contextmanager
def _process(*command: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def ask() -> None:
    """Ask for gravity as fast as there are answers; print how often that was, once terminated."""
    rclpy.init()
    node = rclpy.create_node(f"client_{os.getpid()}")
    client = node.create_client(ComputeGravity, SERVICE)
    client.wait_for_service()
    names = [
        *("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint"),
        *("wrist_1_joint", "wrist_2_joint", "wrist_3_joint"),
    ]
    request = ComputeGravity.Request(joint_names=names, position=[0.1] * 6)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    count = 0
    try:
        while rclpy.ok():
            future = client.call_async(request)
            executor.spin_until_future_complete(future)
            count += future.done()
    except (KeyboardInterrupt, rclpy.executors.ExternalShutdownException):
        pass
    print(count)


if __name__ == "__main__":
    ask()
