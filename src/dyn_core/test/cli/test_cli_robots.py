# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""How commands take robots and quantities: formats, standard input, options; what they print."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from test_cli import run
from test_urdf import PENDULUM, swap

from dyn_core import LOCAL_WORLD_ALIGNED, Contact, ModelError, cli, frame_jacobian, rnea
from dyn_core.cli.quantity_arguments import requests_named
from dyn_core.dynamics.constrained_dynamics import constrained_forward_dynamics
from dyn_core.identification.urdf_writer import write_urdf
from dyn_core.model.model import Model
from dyn_core.readers.xacro import XacroFile, xacro_arguments

SWING = """<mujoco model="swing"><worldbody><body name="arm"><joint name="hinge" axis="0 1 0"/>
<geom size="0.1" pos="0 0 -1"/><site name="tool" pos="0 0 -1"/></body></worldbody></mujoco>"""
COMMANDS = {
    "count": ("--functions", "frame_jacobian(tool)"),
    "check": ("--json",),
    "codegen": ("--functions", "rnea,frame_jacobian(tool, reference=WORLD)", "--out", "OUT"),
    "identify": ("--out", "OUT/motion.csv", "--no-collisions", "--rate", "10"),
}


@pytest.mark.quick("count", "codegen", "identify")
@pytest.mark.parametrize("command", COMMANDS)
def test_mjcf_is_read_and_standard_input(command: str, tmp_path: Path, monkeypatch, capfd) -> None:
    options = [word.replace("OUT", str(tmp_path)) for word in COMMANDS[command]]
    file = tmp_path / "swing.xml"
    file.write_text(SWING)
    verb = [command, "motion"] if command == "identify" else [command]
    status = run(monkeypatch, *verb, file, *options)
    output = capfd.readouterr().out
    assert status in (0, 1)
    assert {"count": "frame='tool'", "check": '"robot": "swing"'}.get(
        command, str(tmp_path)
    ) in output
    monkeypatch.setattr(sys, "stdin", io.StringIO(SWING))
    assert run(monkeypatch, *verb, "-", *options) == status
    assert len(capfd.readouterr().out) == pytest.approx(len(output), abs=80)
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert "no robot description on standard input" in str(run(monkeypatch, *verb, "-", *options))


def test_a_walk_of_mjcf_stands_in_a_keyframe(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(SWING))
    output = run(monkeypatch, "walk", "-", "--feet", "a,b", "--posture", "home")
    assert "'-' has no state 'home'; choose from qpos0" in str(output)


def test_a_urdf_with_settings_of_mujoco_is_a_urdf(tmp_path: Path, monkeypatch, capsys) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(PENDULUM.replace("</robot>", "<mujoco><compiler/></mujoco></robot>"))
    assert run(monkeypatch, "count", file, "--functions", "rnea") == 0
    file.write_text(swap("</robot>", "<blob/></robot>"))
    assert run(monkeypatch, "count", file, "--functions", "rnea", "--ignore", "blob, any") == 0


REQUESTS = {
    "rnea,frame_jacobian(tool0)": (rnea.request(), frame_jacobian.request("tool0")),
    "frame_jacobian('tool-0', reference=LOCAL_WORLD_ALIGNED)": (
        frame_jacobian.request("tool-0", reference=LOCAL_WORLD_ALIGNED),
    ),
    "constrained_forward_dynamics(constraints=(Contact(foot, kind=3),))": (
        constrained_forward_dynamics.request(constraints=(Contact("foot", kind=3),)),
    ),
    " rnea , ": (rnea.request(),),
}


@pytest.mark.parametrize("text", REQUESTS)
def test_quantities_are_named_with_their_options(text: str) -> None:
    assert requests_named(text) == REQUESTS[text]


@pytest.mark.parametrize(
    "text",
    ["rnea(", "rnea]", "rnea].x[0", "f'{1}'", "frame_jacobian(a.b)", "(lambda: 1)()", "x[0]", "-a",
     "((" * 400, "{}", "frame_jacobian(*a)", "rnea\0"],
)  # fmt: skip
def test_other_expressions_are_refused_and_nothing_is_run(text: str) -> None:
    with pytest.raises((ModelError, TypeError, ValueError), match="cannot read the functions"):
        requests_named(text)


@pytest.mark.thorough
def test_a_terminal_of_ascii_is_enough(tmp_path: Path) -> None:
    (tmp_path / "swing.xml").write_text(SWING)
    command = [sys.executable, "-m", "dyn_core.cli", "check", tmp_path / "swing.xml", "--verbose"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "TERM": "dumb"}
    found = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert found.returncode in (0, 1), found.stderr
    assert found.stdout.startswith("+ structure")


def test_the_version_is_printed(monkeypatch, capsys) -> None:
    assert run(monkeypatch, "--version") == 0
    assert capsys.readouterr().out.startswith("dyn-core")


def test_shells_complete_commands(monkeypatch, capsys) -> None:
    words = {"_DYN_CORE_COMPLETE": "complete_bash", "COMP_WORDS": "dyn-core co", "COMP_CWORD": "1"}
    for name, value in words.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "argv", ["dyn-core"])
    with pytest.raises(SystemExit):
        cli.main()
    assert capsys.readouterr().out.split() == ["codegen", "count"]


def test_identified_inertias_replace_a_quaternion(tmp_path: Path) -> None:
    turned = 'xyz="0.1 0 0" quat_xyzw="0 0 0.6 0.8"'
    text = PENDULUM.replace('xyz="0.1 0 0"', turned).replace("<robot", '<robot version="1.1"')
    model = Model.from_urdf(text)
    write_urdf(model, text, tmp_path / "new.urdf")
    new = Model.from_urdf(tmp_path / "new.urdf")
    assert list(new.inertias[1].parameters) == pytest.approx(list(model.inertias[1].parameters))


XACRO = (
    PENDULUM.replace("<robot", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"')
    .replace(
        '<link name="base">',
        '<xacro:arg name="side" default="left"/><link name="base">',
    )
    .replace('"bob"', '"$(arg side)_bob"')
    .replace('<mass value="2"/>', '<mass value="$(arg mass)"/>')
)
EVERY_COMMAND = (
    "check", "codegen", "count", "show", "verify", "walk", "identify motion", "identify fit",
    "identify log", "identify payload", "identify sweeps", "identify friction",
)  # fmt: skip


@pytest.fixture
def xacro_file(tmp_path: Path) -> Path:
    pytest.importorskip("xacro")
    file = tmp_path / "swing.urdf.xacro"
    file.write_text(XACRO)
    return file


@pytest.mark.quick("given1")
@pytest.mark.parametrize("given", [["mass:=3 side:=right"], ["mass:=3", "side:='right'"]])
def test_arguments_of_xacro_are_options(given: list[str], xacro_file: Path, monkeypatch, capsys):
    options = [word for words in given for word in ("--xacro-args", words)]
    asked = ("--functions", "frame_jacobian(right_bob)")
    assert run(monkeypatch, "count", xacro_file, *asked, *options) == 0
    assert "frame='right_bob'" in capsys.readouterr().out
    assert run(monkeypatch, "check", xacro_file, "--json", "--mass", "3", *options) in (0, 1)


def test_a_missing_argument_of_xacro_is_named_with_ways_to_give_it(xacro_file, monkeypatch) -> None:
    output = str(run(monkeypatch, "count", xacro_file))
    assert "substitution argument mass; give it a value" in output
    assert "--xacro-args mass:=VALUE" in output
    output = str(run(monkeypatch, "count", xacro_file, "--xacro-args", "mass=3"))
    assert "xacro_args has 'mass=3': write name:=value" in output
    with pytest.raises(ModelError, match=r"xacro_args is .* close the quote"):
        xacro_arguments("mass:='3")
    xacro_file.with_suffix("").write_text(PENDULUM)
    output = str(run(monkeypatch, "count", xacro_file.with_suffix(""), "--xacro-args", "mass:=3"))
    assert "swing.urdf' is no file whose name ends with .xacro" in output


@pytest.mark.parametrize("command", EVERY_COMMAND)
def test_every_command_that_reads_a_robot_takes_arguments_of_xacro(command, monkeypatch, capsys):
    run(monkeypatch, *command.split(), "--help")
    assert {"--xacro-args", "--ignore"} <= set(re.findall(r"--[a-z-]+", capsys.readouterr().out))


@pytest.mark.parametrize("name", ["--package-dir", "--package-dirs"])
@pytest.mark.parametrize("command", ["check", "show", "identify fit", "identify sweeps"])
def test_folders_of_packages_have_the_same_names_everywhere(command, name, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "200")
    run(monkeypatch, *command.split(), "--help")
    assert name in re.findall(r"--[a-z-]+", capsys.readouterr().out)


def test_a_robot_of_xacro_is_written_expanded(xacro_file: Path, tmp_path: Path) -> None:
    source = XacroFile(str(xacro_file), (("mass", "3"),))
    model = Model.from_urdf(source).with_friction("hinge", damping=0.5)
    write_urdf(model, source, tmp_path / "new.urdf")
    assert Model.from_urdf(tmp_path / "new.urdf").difference(model) == ""
