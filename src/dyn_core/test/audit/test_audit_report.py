# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What an audit says: lines with a reason, a page, JSON, and the status of the command."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from audited import BOX, LENGTH, LIMIT, inertial, urdf
from command_line import run
from repository import in_repository

from dyn_core import audit
from dyn_core.audit import Level
from dyn_core.audit.html_report import page, picture
from dyn_core.audit.inertia_figure import scene
from dyn_core.audit.report import Table


def test_every_check_has_a_reason_and_a_remedy(read) -> None:
    robot = read(
        urdf(first=inertial(moments=(5.0, 1.0, 1.0)) + BOX, limit=LIMIT.replace("200", "1"))
    )
    report = audit.check_robot(robot)
    assert report.findings
    for result, line in report.findings:
        assert line.action, line
        assert result.why


def test_html_is_one_file_that_needs_no_other(read) -> None:
    text = page(
        audit.check_robot(read(urdf(first=inertial() + BOX.replace("visual", "collision"))))
    )
    assert text.count("<svg") >= 6
    assert not [part for part in ("<script", "<link", "<img", "@import") if part in text]
    assert 'src="http' not in text
    assert "shoulder" in text


PAGE = """
import sys
from pathlib import Path
from dyn_core import audit
from dyn_core.audit.html_report import page
settings = audit.Settings(samples=5, swing=0.1, integrators=("runge_kutta_4",))
sys.stdout.write(page(audit.check_file(sys.argv[1], settings)))
"""


@pytest.mark.thorough
def test_the_page_does_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(urdf(first=inertial(com="-0.2 0 0") + BOX))
    pages = [
        subprocess.run(
            [sys.executable, "-c", PAGE, str(file)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert b"<svg" in pages[0]
    assert pages[0] == pages[1]


@pytest.mark.parametrize("module", ["matplotlib", "mpl_toolkits.mplot3d"])
def test_a_page_without_the_library_of_pictures_has_all_findings(read, monkeypatch, module) -> None:
    report = audit.check_robot(read(urdf(first=inertial(com="-0.2 0 0") + BOX)))
    pytest.importorskip("mpl_toolkits.mplot3d")  # registers a projection that later tests need
    monkeypatch.setitem(sys.modules, module, None)
    text = page(report)
    assert "the sign of x reversed" in text
    assert f"needs the package &#x27;{module.partition('.')[0]}&#x27;" in text


def test_names_are_no_markup() -> None:
    name = "<script>alert(1)</script>"
    line = audit.Line(Level.ERROR, name, name, name, name)
    table = Table(name, (name,), ((name,),))
    outcome = audit.Outcome(name, name, name, name, (line, table))
    text = page(audit.AuditReport(name, name, (outcome,)))
    assert "<script" not in text
    assert text.count("&lt;script&gt;") > 10


@pytest.mark.thorough
def test_the_example_finds_its_own_mistake(monkeypatch, capsys, tmp_path: Path) -> None:
    example = in_repository("examples/audit.py")
    html = tmp_path / "page.html"
    monkeypatch.setattr(sys, "argv", ["audit.py", str(html)])
    runpy.run_path(str(example), run_name="__main__")
    sound, confused = capsys.readouterr().out.split("upper arm about its origin: ")
    assert "seems to be about the link's origin" not in sound
    assert "upper_arm_link: its inertia seems to be about the link's origin" in confused
    assert html.read_text().count("<svg") >= 6


def test_the_command_s_status_and_its_forms(tmp_path: Path, monkeypatch, capsys) -> None:
    file, html = tmp_path / "arm.urdf", tmp_path / "report.html"
    quick = ("--integrators", "runge_kutta_4")
    file.write_text(urdf())
    assert run(monkeypatch, "check", file, *quick, "--mass", 8, "--html", html) == 0
    assert "arm: 0 errors, 0 warnings" in capsys.readouterr().out
    assert html.read_text().startswith("<!doctype html>")
    assert run(monkeypatch, "check", file, *quick, "--mass", 9, "--json") == 1
    output = json.loads(capsys.readouterr().out)
    (check,) = [c for c in output["checks"] if c["check"] == "total mass"]
    assert (output["status"], output["findings"], check["level"]) == (1, 1, "warning")
    keys = {"found", "why", "action", "level", "subject", "effort", "joint"}
    assert set(check["lines"][0]) == keys


def test_findings_are_printed_although_the_page_cannot_be_written(
    tmp_path: Path, monkeypatch, capsys
) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(urdf(first=inertial(com="-0.2 0 0") + BOX))

    def full(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr("dyn_core.cli.check.page", full)
    quick = ("--integrators", "runge_kutta_4", "--html", tmp_path / "page.html")
    assert run(monkeypatch, "check", file, *quick) == 2
    output = capsys.readouterr()
    assert "the sign of x reversed" in output.out
    assert "No space left" in output.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--payload", "x"), "--payload must be a mass"),
        (("--payload", "nan"), "--payload must be a mass"),
        (("--payload", "hand:1"), "no frame 'hand'"),
        (("--mass", "-1"), "--mass must be a positive number"),
        (("--integrators", "euler"), "'euler' is unknown"),
        (("--trajectory", "nowhere.csv"), "cannot read the trajectory"),
        (("--srdf", "nowhere.srdf"), "nowhere.srdf"),
        (("--root-joint", "ball"), "root_joint 'ball' is unknown"),
        (("--html", "/nowhere/report.html"), "/nowhere/report.html"),
    ],
)
def test_what_cannot_be_audited_ends_with_status_2(
    tmp_path: Path, monkeypatch, capsys, options: tuple[str, ...], words: str
) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(urdf())
    quick = ("--integrators", "runge_kutta_4")
    assert (
        run(monkeypatch, "check", file, *(quick if options[0] != quick[0] else ()), *options) == 2
    )
    assert words in capsys.readouterr().err
    assert run(monkeypatch, "check", tmp_path / "nowhere.urdf") == 2
    file.write_text("<robot")
    assert run(monkeypatch, "check", file) == 2


def test_the_page_folds_what_is_fine_and_lists_findings_first(read) -> None:
    report = audit.check_robot(read(urdf(first=inertial(com="-0.2 0 0") + BOX)))
    text = page(report)
    opened = {o.name for o in report.outcomes if o.level > Level.NOTE}
    for k, outcome in enumerate(report.outcomes):
        (section,) = text.split(f'<section id="check{k}">')[1:]
        assert section.startswith("<details open>" if outcome.name in opened else "<details>")
    first, _, _ = text.partition("<nav>")
    assert "Findings, the most serious first" in first
    assert f'<a href="#check{[o.name for o in report.outcomes].index("centre of mass")}">' in first
    assert 'aria-label="Inertia ellipsoids and centres of mass"' in first  # never folded
    assert "Beyond the picture" not in first


def test_a_link_far_away_leaves_the_picture_to_the_robot(read) -> None:
    robot = read(urdf(first=inertial(com=f"{1e3 * LENGTH} 0 0") + BOX))
    assert "Beyond the picture: upper, " in picture(scene(robot, robot.model))
