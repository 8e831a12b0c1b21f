"""The Makefile's choices, and what the packages and requirement files have to agree on."""

from __future__ import annotations

import ast
import os
import re
import signal
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
OF_MAKE = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
OF_ROS = ("AMENT_PREFIX_PATH", "ROS_DISTRO", "ROS_SOURCE")


def environment_without(*names: str) -> dict[str, str]:
    """What a make that is no child of `make test` inherits, less some variables."""
    return {name: value for name, value in os.environ.items() if name not in (*OF_MAKE, *names)}


def chosen_ros(folder: Path, rclpy_works: bool, **environment: str) -> str:
    """What `make help` says it uses, with a python3 that can or cannot import rclpy."""
    python = folder / "python3"
    python.write_text(f"#!/bin/sh\nexit {0 if rclpy_works else 1}\n")
    python.chmod(0o700)
    environment = {**environment_without(*OF_ROS), **environment}
    environment["PATH"] = f"{folder}:{environment['PATH']}"
    run = subprocess.run(
        ["make", "help"], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return re.search(r"ROS 2 (\w+ from \w+)", run.stdout)[1]


def test_wheels_where_no_ros_is_sourced(tmp_path: Path) -> None:
    assert chosen_ros(tmp_path, rclpy_works=True) == "kilted from wheels"
    assert chosen_ros(tmp_path, rclpy_works=True, ROS_DISTRO="jazzy") == "jazzy from wheels"


def test_sourced_ros_is_used(tmp_path: Path) -> None:
    sourced = {"ROS_DISTRO": "rolling", "AMENT_PREFIX_PATH": "/opt/ros/rolling"}
    assert chosen_ros(tmp_path, rclpy_works=True, **sourced) == "rolling from sourced"


def test_sourced_ros_that_does_not_work_is_not_used(tmp_path: Path) -> None:
    sourced = {"ROS_DISTRO": "kilted", "AMENT_PREFIX_PATH": "/opt/ros/kilted"}
    assert chosen_ros(tmp_path, rclpy_works=False, **sourced) == "kilted from wheels"


def test_wheels_on_request_beside_a_sourced_ros(tmp_path: Path) -> None:
    sourced = {"ROS_DISTRO": "kilted", "AMENT_PREFIX_PATH": "/opt/ros/kilted"}
    chosen = chosen_ros(tmp_path, rclpy_works=True, ROS_SOURCE="wheels", **sourced)
    assert chosen == "kilted from wheels"


def test_own_wheels_sourced_are_no_other_ros(tmp_path: Path) -> None:
    own = {"ROS_DISTRO": "kilted", "AMENT_PREFIX_PATH": str((ROOT / ".venv").resolve() / "kilted")}
    assert chosen_ros(tmp_path, rclpy_works=True, **own) == "kilted from wheels"


def test_unknown_distribution_is_refused_in_words() -> None:
    environment = {**environment_without(*OF_ROS), "ROS_DISTRO": "foxy"}
    run = subprocess.run(
        ["make", "setup"], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert run.returncode != 0
    assert "ROS 2 foxy is not sourced and requirements/foxy.txt does not exist" in run.stderr


@pytest.mark.parametrize("package", ["dyn_core", "dyn_ros"])
def test_setup_and_package_agree(package: str) -> None:
    folder = ROOT / "src" / package
    [call] = (
        node
        for node in ast.walk(ast.parse((folder / "setup.py").read_text()))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "setup"
    )
    setup = {word.arg: word.value for word in call.keywords}
    manifest = ET.parse(folder / "package.xml")
    for field in ("name", "version", "maintainer", "license"):
        assert ast.literal_eval(setup[field]) == manifest.findtext(field)


def test_every_requirement_is_pinned_once() -> None:
    common = [ROOT / "requirements" / f"{x}.txt" for x in ("setuptools", "run", "build", "dev")]
    for distribution in ("kilted", "jazzy"):
        files = [*common, ROOT / "requirements" / f"{distribution}.txt"]
        lines = [line for file in files for line in file.read_text().splitlines()]
        pins = [line for line in lines if line and not line.startswith("#")]
        names = [re.fullmatch(r"([\w-]+)==[\w.]+(;.*)?", pin)[1].lower() for pin in pins]
        assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("stop", "whom"),
    [(signal.SIGINT, "process group"), (signal.SIGTERM, "make")],
)
def test_stopped_demo_ends_with_status_0(stop: signal.Signals, whom: str) -> None:
    """Ctrl-C reaches the whole process group, a service manager make alone."""
    demo = subprocess.Popen(
        ["make", "demo"],
        cwd=ROOT,
        env=environment_without(),
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert demo.stdout.readline()
        (os.killpg if whom == "process group" else os.kill)(demo.pid, stop)
        output, _ = demo.communicate(timeout=30)
        assert demo.returncode == 0, output
    finally:
        if demo.poll() is None:
            os.killpg(demo.pid, signal.SIGKILL)
