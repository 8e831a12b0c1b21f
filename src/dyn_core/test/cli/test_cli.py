# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The command line ``dyn-core``."""

from __future__ import annotations

import errno
import io
import re
import sys
import warnings
from contextlib import redirect_stderr
from pathlib import Path

import pytest
from robots import OWN_ARM as ARM

import dyn_core
from dyn_core import cli
from dyn_core.cli.robot_arguments import check_picture, check_writable
from dyn_core.compiler.ir.operation_count import count
from dyn_core.compiler.pipeline import program
from dyn_core.compiler.runtime import code_cache as cache
from dyn_core.errors import ModelError
from dyn_core.export import load_object


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


def test_codegen_for_casadi(tmp_path: Path, monkeypatch, capsys) -> None:
    command = ("codegen", ARM, "--functions", "gravity", "--out", tmp_path)
    assert run(monkeypatch, *command, "--lang", "casadi") == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "libur5_casadi.so")
    output = run(monkeypatch, *command, "--target", "aarch64")
    assert "--target is for machine code: add --lang object or --lang casadi" in str(output)


@pytest.mark.thorough
def test_codegen_of_formulas(tmp_path: Path, monkeypatch) -> None:
    command = ("codegen", ARM, "--functions", "crba", "--lang", "latex", "--out", tmp_path)
    assert run(monkeypatch, *command) == 0
    assert r"M_{6,6} &= " in (tmp_path / "ur5_dynamics.tex").read_text()
    too_long = run(monkeypatch, *command[:3], "rnea", *command[4:])
    assert "is too long for LaTeX" in str(too_long)


def test_codegen_of_a_floating_robot_in_floats(tmp_path: Path, monkeypatch) -> None:
    options = ("--root-joint", "free_flyer", "--real", "float", "--out", tmp_path)
    assert run(monkeypatch, "codegen", ARM, "--functions", "gravity", *options) == 0
    header = (tmp_path / "ur5_dynamics.h").read_text()
    assert "void ur5_generalized_gravity(const float q[13], float g[12]);" in header


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
