# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Nodes at 1 kHz beside relays that compute nothing: `make bench-ros`.

A driver in C sends joint states to each in turn, in blocks of half a second, so that all ratios
are taken in one run: ROS_BENCH_ROUNDS (12) blocks for each of STARTS. All have real-time priority
where that is allowed.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from ament_index_python.packages import get_packages_with_prefixes
from ros_service import service_times

from dyn_ros.process.domain import DomainReservation, isolate

HERE = Path(__file__).parent
ROUNDS = int(os.environ.get("ROS_BENCH_ROUNDS", "12"))
BLOCK = 500  # ms
ATTEMPTS = 6  # half blocks at each rate, of which the best counts
STARTS = 5  # of all processes: where memory and processors put one stays as it is until it ends
RATE = 1000.0  # Hz
PRIORITY = 20
SEVEN = (
    "gravity_compensation",
    "nonlinear_effects",
    "mass_matrix",
    "forward_dynamics",
    "external_torque",
    "centroidal",
    "inverse_dynamics",
)
TOPICS = {  # of the seven nodes, and their messages
    "gravity_compensation/gravity_torque": "dyn_msgs,JointEfforts",
    "nonlinear_effects/nonlinear_effects": "dyn_msgs,JointEfforts",
    "nonlinear_effects/coriolis": "dyn_msgs,JointEfforts",
    "mass_matrix/mass_matrix": "dyn_msgs,MassMatrix",
    "forward_dynamics/acceleration": "dyn_msgs,JointAccelerations",
    "forward_dynamics/prediction": "trajectory_msgs,JointTrajectory",
    "forward_dynamics/prediction_error": "dyn_msgs,PredictionError",
    "external_torque/external_efforts": "dyn_msgs,ExternalEfforts",
    "centroidal/centroidal": "dyn_msgs,Centroidal",
    "centroidal/markers": "visualization_msgs,MarkerArray",
}
GOALS = {  # by what is measured: of times and CPU a sample, as ratios to the rclpy relay's
    "gravity_compensation": {"median": 1.3, "cpu": 1.5},
    "composed, all subscribed": {"cpu": 3.5},
}
RATIOS = ("median", "p99", "block_p99", "cpu")
RUN = """import ctypes, sys
words = [word.encode() for word in sys.argv[1:]]
sys.exit(ctypes.CDLL(sys.argv[1]).main(len(words), (ctypes.c_char_p * len(words))(*words)))"""
"""Libraries of ROS 2's wheels need symbols of Python, so that it loads and runs the driver."""
RATES = [round(1000.0 * 1.2**k) for k in range(14)]  # Hz
LOSS = 0.001  # part that may get lost at the highest rate
PARAMETERS = {
    "autostart": True,
    "command_subscriber": "/c_driver",
    "hardware_compensates_gravity": False,
    "measured_effort": "other",
    "start_effort": "gravity",
    "joint_state_timeout": 60.0,
}
Row = dict[str, Any]


def measure(repetitions: int) -> list[Row]:
    """A row for each node and relay, for the highest rates, and for services."""
    del repetitions
    with DomainReservation() as reservation, tempfile.TemporaryDirectory() as folder:
        isolate(os.environ, reservation.domain)
        driver = build(Path(folder))
        rows = latencies(driver, Path(folder))
        rows += [highest_rate(driver, Path(folder), joints) for joints in (7, 38)]
        return rows + services(Path(folder))


def build(folder: Path) -> list[str]:
    """Compile the driver; return how it is run."""
    compiler = shutil.which("gcc") or shutil.which("cc") or sys.exit("a C compiler is needed")
    prefixes = {Path(prefix) for prefix in get_packages_with_prefixes().values()}
    includes = [f"-I{x}" for p in prefixes for x in (p / "include").glob("*") if x.is_dir()]
    libraries = [f"-L{p / 'lib'}" for p in prefixes]
    types = [
        f"-l{x}_msgs__rosidl_{y}_c" for x in ("sensor", "std") for y in ("typesupport", "generator")
    ]
    target = folder / "ros_driver.so"
    subprocess.run(
        [
            compiler, "-std=gnu11", "-O2", "-shared", "-fPIC", *includes,
            str(HERE / "ros_driver.c"), "-o", str(target),
            *libraries, "-lrcl", "-lrmw", "-lrcutils", "-lrosidl_runtime_c", *types,
            "-lpthread", "-ldl", "-lm",
        ],
        check=True,
    )  # fmt: skip
    return [sys.executable, "-c", RUN, str(target)]


def real_time() -> list[str]:
    """Words before a command that give it real-time priority, where that is allowed."""
    words = ["chrt", "-f", str(PRIORITY)]
    allowed = shutil.which("chrt") and subprocess.run([*words, "true"], capture_output=True)
    return words if allowed and allowed.returncode == 0 else []


def chain(joints: int) -> str:
    """The URDF of an arm of so many links, half a kilogram each."""
    links = ['<link name="link0"/>']
    for k in range(1, joints + 1):
        axis = "0 1 0" if k % 2 else "1 0 0"
        links.append(
            f'<link name="link{k}"><inertial><origin xyz="0.05 0.01 0.1"/><mass value="0.5"/>'
            '<inertia ixx="0.01" iyy="0.01" izz="0.005" ixy="0" ixz="0" iyz="0"/></inertial></link>'
            f'<joint name="joint{k}" type="revolute"><parent link="link{k - 1}"/>'
            f'<child link="link{k}"/><origin xyz="0 0 0.2"/><axis xyz="{axis}"/>'
            '<limit lower="-3" upper="3" velocity="3" effort="300"/></joint>'
        )
    return f'<robot name="chain{joints}">{"".join(links)}</robot>'


@contextmanager
def process(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command with real-time priority where allowed; end it at last."""
    running = subprocess.Popen([*real_time(), *command], **options)
    try:
        yield running
    finally:
        running.terminate()
        try:
            running.wait(15)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


class Field:
    """The processes that are measured in one run, and where each takes and gives messages."""

    def __init__(self, folder: Path, joints: int) -> None:
        self._folder, self._joints = folder, joints
        self._stack = ExitStack()
        self.labels: list[str] = []
        self.targets: list[str] = []

    def __enter__(self) -> Field:
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    def add(self, label: str, command: Sequence[str], commands: str = "commands") -> str:
        """Run what takes joint_states in a namespace of its own, whose name is returned."""
        space = f"/bench{len(self.labels)}"
        filled = [word.replace("NAMESPACE", space) for word in command]
        running = self._stack.enter_context(process(filled))
        self.labels.append(label)
        self.targets.append(f"{space}/joint_states,{space}/{commands},{running.pid}")
        return space

    def node(self, label: str, *words: str, **parameters: Any) -> str:
        """Run an executable of the suite."""
        path = self._folder / f"{len(self.labels)}_{self._joints}.yaml"
        values = {**PARAMETERS, "robot_description": chain(self._joints), **parameters}
        path.write_text(yaml.safe_dump({"/**": {"ros__parameters": values}}))
        rules = ["--ros-args", "-r", "__ns:=NAMESPACE", "--params-file", str(path)]
        command = [sys.executable, "-m", "dyn_ros.executables", *words, *rules]
        return self.add(label, command, "gravity_compensation/commands")

    def relay(self, label: str) -> None:
        """Run the relay in rclpy."""
        self.add(label, [sys.executable, str(HERE / "ros_relay.py"), "relay", "NAMESPACE"])

    def relays(self, driver: Sequence[str]) -> None:
        """Run both relays."""
        self.relay("rclpy relay")
        self.add("C relay on rcl", [*driver, "relay", "NAMESPACE"])

    def listen(self, driver: Sequence[str], space: str, topics: Sequence[str]) -> None:
        """Subscribe to topics of a namespace, in C."""
        words = [f"{space}/{topic},{TOPICS[topic]}" for topic in topics]
        self._stack.enter_context(process([*driver, "listen", *words]))

    def drive(self, driver: Sequence[str], rate: float, block: int, rounds: int) -> list[list[Row]]:
        """Send joint states; return the blocks of each target."""
        joints = ",".join(f"joint{k}" for k in range(1, self._joints + 1))
        words = [joints, str(rate), str(block), str(rounds)]
        command = [*real_time(), *driver, "drive", *words, *self.targets]
        run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
        blocks: list[list[Row]] = [[] for _ in self.targets]
        for line in run.stdout.splitlines():
            found = json.loads(line)
            blocks[found["target"]].append(found)
        return blocks


def latencies(driver: Sequence[str], folder: Path) -> list[Row]:
    """Times from a joint state to its command, and CPU, beside the rclpy relay's."""
    blocks: dict[str, list[Row]] = {}
    for _ in range(STARTS):
        with Field(folder, 7) as field:
            field.relays(driver)
            single = field.node("gravity_compensation", "gravity_compensation")
            seven = ("composed", "--nodes", ",".join(SEVEN))
            everything = field.node("composed, all subscribed", *seven)
            field.node("composed, commands subscribed", *seven)
            field.relay("rclpy relay, another")  # its ratios differ from 1 by chance
            field.listen(driver, single, ["gravity_compensation/gravity_torque"])
            field.listen(driver, everything, list(TOPICS))
            found = field.drive(driver, RATE, BLOCK, ROUNDS)
            for label, some in zip(field.labels, found, strict=True):
                blocks.setdefault(label, []).extend(some)
    rows = [summary(label, some) for label, some in blocks.items()]
    relay = rows[0]
    for row in rows:
        row["real_time"] = bool(real_time())
        row["ratio"] = {key: row[key] / relay[key] for key in RATIOS}
        row["goal"] = GOALS.get(row["label"], {})
    return rows


def summary(label: str, blocks: Sequence[Row]) -> Row:
    """Median and p99 of the times (us), the median of the blocks' p99, CPU a sample (us), losses.

    Blocks in which something got lost have no times: the command that answers a state is unknown.
    If that is every block, the times are infinite.
    """
    times = np.array([us for block in blocks for us in block["us"]])
    sent = sum(block["sent"] for block in blocks)
    tails = [np.percentile(block["us"], 99) for block in blocks if block["us"]]
    cpu = [block["cpu_ns"] / block["sent"] / 1e3 for block in blocks]
    return {
        "kind": "latency",
        "label": label,
        "median": float(np.median(times)) if len(times) else np.inf,
        "p99": float(np.percentile(times, 99)) if len(times) else np.inf,
        "block_p99": float(np.median(tails)) if tails else np.inf,
        "cpu": statistics.median(cpu),
        "sent": sent,
        "lost": sent - sum(block["got"] for block in blocks),
    }


def highest_rate(driver: Sequence[str], folder: Path, joints: int) -> Row:
    """The highest rate without loss in one of ATTEMPTS half blocks, beside the rclpy relay's.

    In the others something else may have had the processors.
    """
    with Field(folder, joints) as field:
        field.relays(driver)
        field.node("gravity_compensation", "gravity_compensation")
        best = dict.fromkeys(field.labels, 0.0)
        for rate in RATES:
            found = field.drive(driver, rate, BLOCK // 2, ATTEMPTS)
            for label, blocks in zip(field.labels, found, strict=True):
                if any(block["sent"] - block["got"] <= LOSS * block["sent"] for block in blocks):
                    best[label] = rate
            if rate > 1.5 * max(best["rclpy relay"], best["gravity_compensation"]):
                break
    if not best["rclpy relay"]:
        sys.exit(f"the relay lost joint states at {RATES[0]:g} Hz: this computer is too busy")
    ratio = best["gravity_compensation"] / best["rclpy relay"]
    return {"kind": "rate", "joints": joints, "hz": best, "ratio": ratio, "goal": 1.0}


def services(folder: Path) -> list[Row]:
    """Round trips of inverse_dynamics beside an empty service of its type: medians of STARTS."""
    found = [_round_trips(folder) for _ in range(STARTS)]
    rows = []
    for k, goal in {1: 1.15, 1000: 1.5}.items():
        ours, empty = (statistics.median(x) for x in zip(*(one[k] for one in found), strict=True))
        ratio = statistics.median(one[k][0] / one[k][1] for one in found)
        us = {"ours": ours, "empty": empty}
        rows.append({"kind": "service", "states": k, "us": us, "ratio": ratio, "goal": goal})
    return rows


def _round_trips(folder: Path) -> dict[int, tuple[float, float]]:
    """By states of a call: us of ours and of the empty one."""
    with Field(folder, 7) as field:
        ours = field.node("inverse_dynamics", "inverse_dynamics")
        relay = [sys.executable, str(HERE / "ros_relay.py"), "service", "NAMESPACE"]
        empty = field.add("empty", relay)
        joints = [f"joint{k}" for k in range(1, 8)]
        return service_times(f"{ours}/inverse_dynamics", empty, joints)
