# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The command line: how commands take robots and quantities, and what they print."""

from __future__ import annotations

import errno
import io
import os
import re
import subprocess
import sys
import warnings
from contextlib import redirect_stderr
from pathlib import Path

import pytest
from robots import OWN_ARM as ARM
from test_urdf import PENDULUM, swap

import dyn_core
from dyn_core import LOCAL_WORLD_ALIGNED, Contact, ModelError, cli, frame_jacobian, rnea
from dyn_core.cli.quantity_arguments import requests_named
from dyn_core.cli.robot_arguments import check_picture, check_writable
from dyn_core.compiler.ir.operation_count import count
from dyn_core.compiler.pipeline import program
from dyn_core.compiler.runtime import code_cache as cache
from dyn_core.dynamics.constrained_dynamics import constrained_forward_dynamics
from dyn_core.export import load_object
from dyn_core.identification.urdf_writer import write_urdf
from dyn_core.model.model import Model
from dyn_core.readers.xacro import XacroFile, xacro_arguments


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> object:
    """What a command ends with: a status, or the words of an error, whose status is 2."""
    output = io.StringIO()
    monkeypatch.setattr(sys, "argv", ["dyn-core", *map(str, arguments)])
    with pytest.raises(SystemExit) as end, redirect_stderr(output):
        cli.main()
    return output.getvalue() if end.value.code == cli.REFUSED_STATUS else end.value.code


def test_codegen_writes_the_files_of_a_project(tmp_path: Path, monkeypatch, capsys) -> None:
    out = tmp_path / "new" / "gen"
    command = ("codegen", ARM, "--functions", "rnea, gravity", "--lang", "c", "--out", out)
    assert run(monkeypatch, *command) == 0
    written = sorted(path.name for path in out.iterdir())
    assert written == [
        "CMakeLists.txt", "test_ur5_dynamics.c", "ur5_dynamics.c", "ur5_dynamics.h",
    ]  # fmt: skip
    assert sorted(capsys.readouterr().out.split()) == [str(out / name) for name in written]
    header = (out / "ur5_dynamics.h").read_text()
    assert "void ur5_rnea(const double q[6], const double v[6], const double a[6]" in header
    assert "void ur5_generalized_gravity(const double q[6], double g[6]);" in header


def test_codegen_of_an_object(tmp_path: Path, monkeypatch) -> None:
    options = ("--lang", "object", "--inputs", "gravity, payload(tool0)", "--out", tmp_path)
    assert run(monkeypatch, "codegen", ARM, "--functions", "gravity", *options) == 0
    loaded = load_object(tmp_path / "libur5_dynamics.so", description=ARM.read_text())
    [gravity] = loaded.functions.values()
    assert [x.name for x in gravity.inputs] == ["q", "gravity", "payload[tool0]"]
    output = run(monkeypatch, "codegen", ARM, "--functions", "gravity", *options[2:])
    assert "--inputs is for machine code: add --lang object" in str(output)
    output = run(monkeypatch, "codegen", ARM, "--functions", "gravity", *options, "--real", "float")
    assert "--real is for C: add --lang c" in str(output)


def test_codegen_for_casadi_and_of_a_floating_robot_in_floats(
    tmp_path: Path, monkeypatch, capsys
) -> None:
    command = ("codegen", ARM, "--functions", "gravity", "--out", tmp_path)
    assert run(monkeypatch, *command, "--lang", "casadi") == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "libur5_casadi.so")
    output = run(monkeypatch, *command, "--target", "aarch64")
    assert "--target is for machine code: add --lang object or --lang casadi" in str(output)
    assert run(monkeypatch, *command, "--root-joint", "free_flyer", "--real", "float") == 0
    header = (tmp_path / "ur5_dynamics.h").read_text()
    assert "void ur5_generalized_gravity(const float q[13], float g[12]);" in header


@pytest.mark.thorough
def test_codegen_of_formulas(tmp_path: Path, monkeypatch) -> None:
    command = ("codegen", ARM, "--functions", "crba", "--lang", "latex", "--out", tmp_path)
    assert run(monkeypatch, *command) == 0
    assert r"M_{6,6} &= " in (tmp_path / "ur5_dynamics.tex").read_text()
    too_long = run(monkeypatch, *command[:3], "rnea", *command[4:])
    assert "is too long for LaTeX" in str(too_long)


@pytest.mark.parametrize(
    ("robot", "functions", "words"),
    [
        ("nowhere.urdf", "rnea", "dyn-core: cannot read the URDF file 'nowhere.urdf'"),
        (ARM, "torque", "dyn-core: no quantity 'torque'; is 'static_torque' meant?"),
        (ARM, "", "dyn-core: give each quantity once, at least one of them"),
        (ARM, "frame_jacobian", "dyn-core: frame_jacobian: missing a required argument: 'frame'"),
    ],
)
def test_what_cannot_be_generated_is_reported(
    tmp_path, monkeypatch, robot, functions, words
) -> None:
    options = ("--functions", functions, "--out", tmp_path / "gen")
    assert str(run(monkeypatch, "codegen", robot, *options)).startswith(words)
    assert not (tmp_path / "gen").exists()


def test_count_prints_the_cost_of_functions(monkeypatch, capsys) -> None:
    assert run(monkeypatch, "count", ARM, "--functions", "rnea,crba") == 0
    titles, *rows = (line.split() for line in capsys.readouterr().out.splitlines())
    table = {name: dict(zip(titles, map(int, numbers), strict=True)) for name, *numbers in rows}
    model = dyn_core.Model.from_urdf(ARM)
    for name, quantity in (("rnea", dyn_core.rnea), ("crba", dyn_core.crba)):
        found = count(program(model, [quantity.request()]))
        size = table[name].pop("bytes")
        assert table[name] == found
        assert found["total"] == sum([*found.values()][:-1])
        assert size > 4 * found["total"]
    assert str(run(monkeypatch, "count", ARM, "--functions", "torque")).startswith("dyn-core: no q")


def test_cache_lists_and_clears(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.setenv(cache.FOLDER_VARIABLE, str(tmp_path))
    dyn_core.compile(dyn_core.Model.from_urdf(ARM), ["gravity"])
    (entry,) = cache.entries()
    assert run(monkeypatch, "cache", "list") == 0
    output = capsys.readouterr().out
    assert entry.name in output
    assert f"{tmp_path}: 1 file, {entry.size} of" in output
    assert run(monkeypatch, "cache", "clear") == 0
    assert capsys.readouterr().out == f"1 file removed from {tmp_path}\n"
    assert cache.entries() == []
    monkeypatch.setenv(cache.FOLDER_VARIABLE, "")
    assert run(monkeypatch, "cache", "list") == 0
    assert "switched off" in capsys.readouterr().out


def test_without_typer_the_error_names_what_to_install(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "typer", None)
    for name in ("app", "cache", "codegen", "count", "robot"):
        monkeypatch.delitem(sys.modules, f"dyn_core.cli.{name}", raising=False)
    output = str(run(monkeypatch, "cache", "list"))
    assert re.search(r"pip install (rich )?typer \(the extra 'cli' of dyn-suite\)", output)


def test_files_that_cannot_be_written_are_reported_before_the_work(
    tmp_path: Path, monkeypatch
) -> None:
    """Nothing is left of the attempt, and a file that is there stays as it is."""
    there, new = tmp_path / "there.csv", tmp_path / "new.csv"
    there.write_text("kept")
    check_writable("--out", there)
    check_writable("--out", new)
    assert there.read_text() == "kept"
    assert not new.exists()
    with pytest.raises(ModelError, match=r"--figure: 'a\.pdf' must end in \.png"):
        check_picture("--figure", Path("a.pdf"))

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ModelError, match=r"--out: cannot write '.*new.csv' \(Permission denied\)"):
        check_writable("--out", new)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--period", "1e9"], "1e+11 rows"),
        (["--rate", "1e12"], "choose a smaller --rate"),
        (["--harmonics", "100000"], "harmonics must be from 2 to 50"),
        (["--period", "nan"], "period above 0 s"),
    ],
)
def test_motions_beyond_reason_are_refused(
    tmp_path: Path, monkeypatch, options: list[str], words: str
) -> None:
    command = ("identify", "motion", ARM, "--no-collisions", "--out", tmp_path / "m.csv")
    assert words in run(monkeypatch, *command, *options)


def test_warnings_and_lack_of_memory_take_one_line_each(monkeypatch) -> None:
    def warn_and_fail(prog_name: str) -> None:
        for _ in range(3):
            warnings.warn("look here", UserWarning, stacklevel=2)
        raise MemoryError("cannot allocate 745 GiB")

    monkeypatch.setattr("dyn_core.cli.app.app", warn_and_fail)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        output = run(monkeypatch, "check")
    assert output.splitlines() == [
        "dyn-core: warning: look here",
        "dyn-core: there is not enough memory: cannot allocate 745 GiB",
    ]


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


def test_the_version_is_printed_and_shells_complete_commands(monkeypatch, capsys) -> None:
    assert run(monkeypatch, "--version") == 0
    assert capsys.readouterr().out.startswith("dyn-core")
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
