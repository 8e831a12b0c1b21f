# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""One list names the nodes, and every name in it can be run."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from importlib.metadata import distribution

import pytest

from dyn_ros import composed
from dyn_ros.arguments import refuse_own_arguments
from dyn_ros.registry import (
    NODES,
    PROGRAMS,
    USUAL_NODES,
    connections,
    node_class,
    refuse_competing,
)


def test_every_entry_is_an_executable() -> None:
    scripts = {
        script.name: script.value
        for script in distribution("dyn-suite-ros").entry_points
        if script.group == "console_scripts"
    }
    names = [*NODES, *PROGRAMS]
    assert scripts == {name: f"dyn_ros.executables:{name}" for name in names}
    load = f"from dyn_ros.executables import {', '.join(names)}"  # there it may hold signals back
    subprocess.run([sys.executable, "-c", load], check=True)


def test_other_names_are_no_executables() -> None:
    command = [sys.executable, "-c", "from dyn_ros.executables import teleport"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert "cannot import name 'teleport'" in run.stderr


@pytest.mark.parametrize("name", NODES)
def test_a_node_is_where_the_registry_has_it(name: str) -> None:
    assert node_class(name).__module__ == f"dyn_ros.nodes.{name}"


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_has_a_main(name: str) -> None:
    assert callable(import_module(PROGRAMS[name]).main)


def test_words_that_a_node_would_ignore_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    ros = ["--ros-args", "-p", "autostart:=true"]
    refuse_own_arguments("ik", "motion", ["ik", *ros])
    for words, status in ((["--autostart"], 2), (["--help"], 0)):
        with pytest.raises(SystemExit) as ended:
            refuse_own_arguments("ik", "motion", ["ik", *words, *ros])
        assert ended.value.code == status
    assert "ik: error: unrecognized arguments: --autostart" in capsys.readouterr().err


def test_two_nodes_must_not_command_one_robot(capsys: pytest.CaptureFixture[str]) -> None:
    for names in (USUAL_NODES, ["robot_sim", "computed_torque", "mass_matrix"]):
        refuse_competing(names)
    with pytest.raises(ValueError, match="gravity_compensation and computed_torque would"):
        refuse_competing(["gravity_compensation", "computed_torque"])
    with pytest.raises(SystemExit):
        composed.main(["composed", "--nodes", "robot_sim,gravity_compensation,computed_torque"])
    assert "choose one" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mass_matrix,ik, mass_matrix", "--nodes names 'mass_matrix' twice"),
        ("mass_matrix,teleport", "--nodes names 'teleport': choose among robot_sim, inverse"),
        ("mass matrix", "--nodes names 'mass matrix': choose among"),
        ("", "--nodes names no node: choose among"),
        (" , ", "--nodes names no node"),
    ],
)
def test_what_composed_cannot_run_is_refused(
    capsys: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    """The same node twice ran once, without a word."""
    with pytest.raises(SystemExit) as ended:
        composed.main(["composed", "--nodes", text])
    assert ended.value.code == 2
    assert words in " ".join(capsys.readouterr().err.split())


def test_nodes_that_run_together_are_connected() -> None:
    """Efforts go to the simulated robot, which takes no velocities; motion to who follows it."""
    assert connections(["robot_sim", "computed_torque", "ik"]) == [
        ("computed_torque:~/commands", "robot_sim/commands"),
        ("ik:~/joint_trajectory", "computed_torque/joint_trajectory"),
    ]
    assert connections(["ik"], "/velocities", "/controller/joint_trajectory") == [
        ("ik:~/commands", "/velocities"),
        ("ik:~/joint_trajectory", "/controller/joint_trajectory"),
    ]
    assert connections(["gravity_compensation", "ik"]) == []
