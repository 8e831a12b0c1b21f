# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A simulated arm held for minutes: `make bench-ros ENDURANCE=600` (seconds).

robot_sim and gravity_compensation run at 1 kHz, with real-time priority and locked memory where
these are allowed. What they say in their diagnostics, and the memory that they take, is printed at
the end; the first SETTLING s do not count. A bare relay takes the same joint states beside them: a
busy computer loses some of them on that way too, and the node may lose twice as many.
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from pathlib import Path
from subprocess import PIPE
from time import monotonic
from typing import Any

import numpy as np
import rclpy
from ament_index_python.packages import get_package_share_directory
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import SingleThreadedExecutor
from ros import process, real_time
from tables import judged, table

from dyn_ros.process.domain import DomainReservation, isolate

UR5 = Path(get_package_share_directory("dyn_ros"), "config", "robots", "ur5.urdf")
SIM, HOLDER = "robot_sim", "gravity_compensation"
SETTLING = 5.0  # s
PATIENCE = 120.0  # s until both are active: the first start compiles
MAX_GROWTH = 1.0  # MiB an hour
MAX_LOST = 1e-4  # of all joint states, beside twice as many as the relay loses
RELAY = Path(__file__).with_name("ros_relay.py")
MIB = 2.0**20
PARAMETERS = {
    SIM: {"urdf_file": str(UR5)},
    HOLDER: {"hardware_compensates_gravity": "false"},
}
USUAL = {"autostart": "true"}


class Watcher:
    """The newest diagnostics of both nodes, by key, each with its time (s)."""

    def __init__(self) -> None:
        self._node = rclpy.create_node("endurance")
        self._newest: dict[str, tuple[float, dict[str, str]]] = {}
        self._node.create_subscription(DiagnosticArray, "/diagnostics", self._take, 10)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self._node)

    def spin(self, seconds: float) -> None:
        """Listen for a while."""
        end = monotonic() + seconds
        while monotonic() < end:
            self._executor.spin_once(timeout_sec=0.1)

    def wait(self) -> None:
        """Listen until commands are sent. Raises TimeoutError."""
        end = monotonic() + PATIENCE
        while self.of(HOLDER).get("commands") != "active":
            if monotonic() > end:
                raise TimeoutError(f"no commands after {PATIENCE:g} s: {self._newest}")
            self.spin(0.2)

    def of(self, node: str) -> dict[str, str]:
        """The newest report of a node."""
        return self._newest.get(node, (0.0, {}))[1]

    def figures(self) -> dict[str, float]:
        """Counts as of now, and the times at which they were reported."""
        time, reported = self._newest[HOLDER]
        names = ("samples_in", "samples_lost", "samples_refused")
        counts = {name: float(reported[name]) for name in names}
        return {"time": time, "steps_lost": float(self.of(SIM)["steps_lost"]), **counts}

    def _take(self, message: Any) -> None:
        stamp = message.header.stamp
        for status in message.status:
            reported = {value.key: value.value for value in status.values}
            name = status.name.split(":")[0].strip("/")
            self._newest[name] = stamp.sec + 1e-9 * stamp.nanosec, reported


def resident(pid: int) -> float:
    """The memory that a process takes, MiB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / MIB


def measure(seconds: float) -> dict[str, Any]:
    """Hold the arm for some time; return what was lost, the simulator's rate, growth of memory."""
    with DomainReservation() as reservation, ExitStack() as stack:
        isolate(os.environ, reservation.domain)
        running = {}
        for node, values in PARAMETERS.items():
            words = [word for x in (USUAL | values).items() for word in ("-p", f"{x[0]}:={x[1]}")]
            words += ["-r", f"~/commands:={SIM}/commands"] if node == HOLDER else []
            command = [sys.executable, "-m", "dyn_ros.executables", node, "--ros-args", *words]
            running[node] = stack.enter_context(process(command))
        rclpy.init()
        stack.callback(rclpy.try_shutdown)
        watcher = Watcher()
        watcher.wait()
        rules = ["--ros-args", "-r", "joint_states:=/joint_states"]
        relay = stack.enter_context(
            process([sys.executable, str(RELAY), "counted", "/relay", *rules], stdout=PIPE)
        )
        watcher.spin(SETTLING)  # its start takes a processor from the nodes
        first, times, memory = watcher.figures(), [], []
        end = monotonic() + seconds
        while monotonic() < end:
            watcher.spin(min(1.0, max(0.0, end - monotonic())))
            times.append(monotonic())
            memory.append([resident(running[node].pid) for node in PARAMETERS])
        watcher.spin(1.1)  # until the last second is reported
        last = watcher.figures()
        relay.terminate()
        beside = [float(x) for x in relay.communicate()[0].split()]
    return summary({key: last[key] - first[key] for key in first}, times, memory, beside)


def summary(
    gained: dict[str, float], times: list[float], memory: list[list[float]], beside: list[float]
) -> dict[str, Any]:
    """Report of a run: the gained counts, and a straight line through the memory.

    `beside`: how many joint states the relay got, and how many it lost.
    """
    sent = gained["samples_in"] + gained["samples_lost"]
    per_hour = 3600.0 * np.polyfit(np.array(times) - times[0], np.array(memory), 1)[0]
    return {
        "seconds": gained["time"],
        "sent": sent,
        "rate": sent / gained["time"],
        "growth": dict(zip(PARAMETERS, per_hour.tolist(), strict=True)),
        **{key: gained[f"samples_{key}"] for key in ("lost", "refused")},
        "steps_lost": gained["steps_lost"],
        "lost by the relay": beside[1] / sum(beside),
    }


def in_words(row: dict[str, Any]) -> str:
    """The table."""
    relay = row["lost by the relay"]
    lines = [
        ("joint states", row["sent"]),
        ("lost, part of all", judged(row["lost"] / row["sent"], MAX_LOST + 2.0 * relay)),
        ("refused", row["refused"]),
        ("robot_sim, Hz", round(row["rate"], 2)),
        ("steps_lost", row["steps_lost"]),
    ]
    for node, growth in row["growth"].items():
        lines.append((f"memory of {node}, MiB an hour", judged(round(growth, 3), MAX_GROWTH)))
    priority = f"Real-time priority: {'yes' if real_time() else 'no'}."
    return f"{row['seconds']:.0f} s. {priority}\n\n" + table(("", "measured (goal)"), lines)


if __name__ == "__main__":
    print(in_words(measure(float(sys.argv[1]))))
