# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What `make` chooses and leaves."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[1]
OF_MAKE = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
OF_ROS = ("AMENT_PREFIX_PATH", "ROS_DISTRO", "ROS_SOURCE")


def environment_without(*names: str) -> dict[str, str]:
    """What a make that is no child of `make test` inherits, less some variables."""
    return {name: value for name, value in os.environ.items() if name not in (*OF_MAKE, *names)}


def chosen_ros(folder: Path, rclpy_works: bool, **environment: str) -> str:
    """What `make help` says it uses, where rclpy can or cannot be imported."""
    (folder / "rclpy.py").write_text("" if rclpy_works else "raise ImportError\n")
    environment = {**environment_without(*OF_ROS), **environment, "PYTHONPATH": str(folder)}
    run = subprocess.run(
        ["make", "help"], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return re.search(r"ROS 2 (\w+ from \w+)", run.stdout)[1]


OWN = str((ROOT / ".venv").resolve() / "kilted")
SOURCED = "/opt/ros/kilted"


@pytest.mark.parametrize(
    ("works", "environment", "chosen"),
    [
        (True, {}, "kilted from wheels"),
        (True, {"ROS_DISTRO": "jazzy"}, "jazzy from wheels"),
        (True, {"ROS_DISTRO": "rolling", "AMENT_PREFIX_PATH": SOURCED}, "rolling from sourced"),
        (False, {"ROS_DISTRO": "kilted", "AMENT_PREFIX_PATH": SOURCED}, "kilted from wheels"),
        (True, {"ROS_SOURCE": "wheels", "AMENT_PREFIX_PATH": SOURCED}, "kilted from wheels"),
        (True, {"ROS_DISTRO": "kilted", "AMENT_PREFIX_PATH": OWN}, "kilted from wheels"),
    ],
)
def test_a_ros_that_is_sourced_and_works_is_used_and_wheels_else(
    tmp_path: Path, works: bool, environment: dict[str, str], chosen: str
) -> None:
    """Unless wheels are asked for; those of this checkout are no other ROS."""
    assert chosen_ros(tmp_path, works, **environment) == chosen


def test_unknown_distribution_is_refused_in_words() -> None:
    environment = {**environment_without(*OF_ROS), "ROS_DISTRO": "foxy"}
    run = subprocess.run(
        ["make", "setup"], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert run.returncode != 0
    assert "ROS 2 foxy is not sourced and requirements/foxy.txt does not exist" in run.stderr


@pytest.mark.dds
@pytest.mark.parametrize(
    ("stop", "whom"),
    [(signal.SIGINT, "process group"), (signal.SIGTERM, "make")],
)
def test_stopped_demo_ends_with_its_own_words(stop: signal.Signals, whom: str) -> None:
    """Ctrl-C reaches the whole process group, a service manager make alone.

    Whatever its children answer, make itself then ends with a failure and a message.
    """
    demo = subprocess.Popen(
        ["make", "demo"],
        cwd=ROOT,
        env=environment_without(),
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        seen = ""
        while "deviation" not in seen:
            seen = demo.stdout.readline()
            assert seen, "it ended before it was stopped"
        (os.killpg if whom == "process group" else os.kill)(demo.pid, stop)
        output, _ = demo.communicate(timeout=30)
        assert re.match(r"samples in \d+, samples out \d+, refused 0", output.splitlines()[-1])
        with pytest.raises(ProcessLookupError):  # the group is empty
            os.killpg(demo.pid, 0)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(demo.pid, signal.SIGKILL)


def test_help_names_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text()
    [targets] = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    run = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert re.findall(r"^  make ([\w-]+)\t", run.stdout, re.MULTILINE) == targets.split()


def host(folder: Path, *commands: str) -> dict[str, str]:
    """The environment of a machine that has no more than Python and some commands."""
    for command in ("bash", "env", "python3", *commands):
        (folder / command).symlink_to(Path(shutil.which(command)).absolute())
    return {**environment_without(*OF_ROS), "PATH": str(folder)}


def test_fresh_machine_gets_a_list_of_all_that_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    environment = host(tmp_path / "bin", "c++")
    environment["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    checkout = tmp_path / "a checkout"
    for folder in ("tools", "requirements"):
        shutil.copytree(ROOT / folder, checkout / folder)
    script = checkout / "tools" / "environment.py"
    run = subprocess.run([script, "workspace"], env=environment, capture_output=True, text=True)
    assert run.returncode != 0
    assert run.stderr == "please install: apt install cmake gcc\n"


def test_nothing_is_run_without_an_environment(tmp_path: Path) -> None:
    """Another Python in PATH would be used instead, and installed into."""
    command = [ROOT / "tools" / "in_ros.sh", tmp_path / "venv", "--", "echo", "was run"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (1, "")
    assert f"no environment at {tmp_path}/venv: run `make setup`" in run.stderr


@pytest.mark.parametrize("verb", ["clean", "which"])
def test_a_question_about_a_verb_does_not_run_it(tmp_path: Path, verb: str) -> None:
    """`clean --help` removed everything."""
    checkout = tmp_path / "checkout"
    shutil.copytree(ROOT / "tools", checkout / "tools")
    (checkout / ".venv").symlink_to(tmp_path)
    run = subprocess.run(
        [checkout / "tools" / "environment.py", verb, "--help"],
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
    )
    assert run.returncode != 0
    assert "tools/environment.py clean " in run.stderr
    assert (checkout / ".venv").is_symlink()


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the tools, whose environments are of wheels and of no other checkout."""
    folder = tmp_path / "checkout"
    shutil.copytree(ROOT / "tools", folder / "tools")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("ROS_SOURCE", "wheels")
    monkeypatch.setenv("ROS_DISTRO", "kilted")
    return folder


def test_clean_waits_for_who_makes_the_environment(checkout: Path) -> None:
    tool = load_tool("environment", root=checkout)
    state = tool.Environment().state
    with tool.locked(tool.Environment()):
        cleaning = subprocess.Popen([checkout / "tools" / "environment.py", "clean"])
        with pytest.raises(subprocess.TimeoutExpired):
            cleaning.wait(1.0)
        assert state.exists()
    assert cleaning.wait(10.0) == 0
    assert not state.exists()


def test_a_step_is_taken_again_once_its_inputs_change(tmp_path: Path) -> None:
    pins, stamp = tmp_path / "pins.txt", tmp_path / "stamp"
    environment = load_tool("environment", root=tmp_path)
    pins.write_text("numpy==1\n")
    assert not environment.is_current(stamp, environment.contents([pins]))
    stamp.write_text(environment.contents([pins]))
    os.utime(pins)
    assert environment.is_current(stamp, environment.contents([pins]))
    pins.write_text("numpy==2\n")
    assert not environment.is_current(stamp, environment.contents([pins]))


def test_packages_are_built_again_for_new_files_and_other_messages(tmp_path: Path) -> None:
    tool = load_tool("environment", root=tmp_path)
    package = tmp_path / "src" / "package"

    def write(path: str, text: str = "") -> str:
        (package / path).parent.mkdir(parents=True, exist_ok=True)
        (package / path).write_text(text)
        return tool.build_inputs()

    first = write("launch/robot.launch.py", "a = 1")
    assert write("launch/robot.launch.py", "a = 2") == first  # linked
    assert write("launch/__pycache__/robot.launch.pyc") == first
    assert write("package/node.py") == first
    assert write("package/registry.py", "NODES = {}") != first  # an executable for each
    first = tool.build_inputs()
    second = write("config/robots/arm.urdf")
    assert second != first
    assert write("msg/Effort.msg", "float64 x") != write("msg/Effort.msg", "float64 y")


def test_sourced_ros_keeps_the_packages_that_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = load_tool("environment", root=tmp_path)
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements" / "run.txt").write_text("# what\nPyYAML==6\nruamel-yaml==1; x\n")
    monkeypatch.setattr(tool, "installed_packages", lambda environment: {"pyyaml"})
    installed = tool.missing_pins(SimpleNamespace(sourced=True), "run")
    assert "ruamel-yaml==1; x" in installed
    assert "PyYAML==6" not in installed


def load_tool(tool: str, root: Path) -> ModuleType:
    """A script of tools/ as a module that takes `root` for the checkout."""
    spec = importlib.util.spec_from_file_location(tool, ROOT / "tools" / f"{tool}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.ROOT = root
    return module


def test_summary_counts_by_package(tmp_path: Path) -> None:
    skipped = ("", "test.w", "skipped")  # before its tests are known, so in both reports
    reports = {
        "parallel": [
            ("src.dyn_core.test.x", "test_a", ""),
            ("src.dyn_controllers.test.v", "test_d", ""),
            ("test.y", "test_b", ""),
            skipped,
        ],
        "serial": [("src.dyn_ros.test.z", "test_c", "failure"), skipped],
    }
    (tmp_path / "kilted").mkdir()
    (tmp_path / "kilted" / "times").write_text("set-up 1 s\nwith tests 2 s\n")
    for name, cases in reports.items():
        suite = ET.Element("testsuite")
        for where, test, outcome in cases:
            case = ET.SubElement(suite, "testcase", classname=where, name=test, time="1.6")
            if outcome:
                ET.SubElement(case, outcome)
        ET.ElementTree(suite).write(tmp_path / "kilted" / f"{name}.xml")
    command = [sys.executable, ROOT / "tools" / "summarize_tests.py", tmp_path]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert [line.split() for line in run.stdout.splitlines()[2:]] == [
        ["dyn_core", "1", "0", "0", "2", "s"],
        ["dyn_controllers", "1", "0", "0", "2", "s"],
        ["dyn_ros", "0", "1", "0", "2", "s"],
        ["system", "1", "0", "1", "3", "s"],
        ["set-up", "1", "s,", "with", "tests", "2", "s"],
        [],
        ["what", "takes", "longest,", "in", "all", "runs", "together:"],
        *(
            [time, "s", name]
            for time, name in (("3", "w"), ("2", "v"), ("2", "x"), ("2", "y"), ("2", "z"))
        ),
        [],
        ["3", "passed,", "1", "failed,", "1", "skipped"],
    ]
    (tmp_path / "kilted" / "serial.xml").unlink()
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "3 passed, 1 failed, 1 skipped"
