# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Identification: motions that keep a robot's shapes apart, and the bar that long work shows."""

from __future__ import annotations

import json
from types import SimpleNamespace

import command_line
import numpy as np
import pytest
from rich.console import Console

from dyn_core import Model
from dyn_core.cli import progress
from dyn_core.errors import ModelError
from dyn_core.geometry import CollisionChecker
from dyn_core.identification import BaseParameters, Parameters, excitation, self_collision

LINK = """
<link name="{name}">
  <inertial><origin xyz="0.25 0 0"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
  {shape}
</link>"""
SHAPE = '<collision><origin xyz="{x} 0 0"/><geometry>{solid}</geometry></collision>'
JOINT = """
<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>
  <origin xyz="{x} 0 0"/><axis xyz="0 0 1"/>
  <limit lower="-3" upper="3" velocity="2" effort="100"/></joint>"""


def folding(base: str = '<box size="0.6 0.6 0.6"/>', tip: str = '<sphere radius="0.05"/>') -> str:
    """An arm of two links in a plane, whose tip can fold back into its base."""
    parts = [
        LINK.format(name="base", shape=SHAPE.format(x=0, solid=base) if base else ""),
        LINK.format(name="upper", shape=""),
        LINK.format(name="lower", shape=SHAPE.format(x=0.5, solid=tip) if tip else ""),
        JOINT.format(name="shoulder", parent="base", child="upper", x=0),
        JOINT.format(name="elbow", parent="upper", child="lower", x=0.5),
    ]
    return f'<robot name="folding">{"".join(parts)}</robot>'


def touches(checker: CollisionChecker, states: np.ndarray) -> bool:
    """Whether the robot does so anywhere."""

    def at(q: np.ndarray) -> bool:
        checker.update(q)
        return checker.collides()

    return any(map(at, states))


def test_a_motion_that_would_touch_the_robot_itself_does_not() -> None:
    model = Model.from_urdf(folding())
    found = self_collision(model, folding())
    assert found.note == "self-collision: 1 pairs of shapes are checked"
    base = BaseParameters.of(Parameters(model))
    for seed in range(3):
        free = excitation(base, period=30.0, iterations=0, seed=seed)
        if touches(found.checker, free.sampled(1000)[0]):
            break
    else:
        pytest.fail("no motion touches: the robot tests nothing")
    apart = excitation(base, 30.0, iterations=0, seed=seed, checker=found.checker)
    assert not touches(found.checker, apart.sampled(997)[0])
    everywhere = SimpleNamespace(update=lambda q: None, collides=lambda: True)
    with pytest.raises(ModelError, match="collides"):
        excitation(base, iterations=0, checker=everywhere)


def test_the_reason_for_no_check_is_reported() -> None:
    model = Model.from_urdf(folding())
    none = self_collision(model, folding(base="", tip=""))
    assert none.checker is None
    assert "it has no collision shapes" in none.note
    one = self_collision(model, folding(base=""))
    assert "no two can touch" in one.note
    lost = self_collision(model, folding(tip='<mesh filename="package://nowhere/tip.stl"/>'))
    assert lost.checker is None
    assert "nowhere" in lost.note
    wide = self_collision(model, folding(tip='<sphere radius="2"/>'))
    assert "0 pairs" in wide.note
    assert "base_0 and lower_0" in wide.note


def test_pairs_that_an_srdf_disables_are_not_checked() -> None:
    pair = '<disable_collisions link1="base" link2="lower" reason="far"/>'
    srdf = f'<robot name="folding">{pair}</robot>'
    assert self_collision(Model.from_urdf(folding()), folding(), srdf=srdf).checker is None


@pytest.mark.parametrize("limit", ["velocity", "lower"])
def test_a_joint_without_room_is_named(limit: str) -> None:
    text = folding().replace({"velocity": 'velocity="2"', "lower": 'lower="-3"'}[limit],
                             {"velocity": 'velocity="0"', "lower": 'lower="3"'}[limit])  # fmt: skip
    base = BaseParameters.of(Parameters(Model.from_urdf(text)))
    with pytest.raises(ModelError, match="joint 'shoulder' cannot move"):
        excitation(base, iterations=0)


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Plan a motion of the folding arm on the command line; exit status, output, and bars."""
    monkeypatch.setattr("dyn_core.cli.identify.excitation", _quick)
    robot = tmp_path / "robot.urdf"
    robot.write_text(folding())

    def planned(*options: str):
        status = command_line.run(monkeypatch, "identify", "motion", robot, *options)
        return status, *capsys.readouterr()

    return planned


def _quick(*arguments, **options):
    return excitation(*arguments, **{**options, "iterations": 1})


def test_the_command_line_reports_whether_it_checks(run, tmp_path) -> None:
    out = str(tmp_path / "motion.csv")
    status, printed, bars = run("--out", out)
    assert (status, bars) == (0, "")  # no terminal, no bar
    assert "1 pairs of shapes are checked" in printed
    status, printed, _ = run("--out", out, "--no-collisions", "--json")
    assert (
        json.loads(printed)["self_collision"] == "self-collision is not checked (--no-collisions)"
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--out", "/nowhere/motion.csv"], "no folder for '/nowhere/motion.csv'"),
        (["--out", "{}"], "is a folder"),
        (["--out", "{}/robot.urdf"], "is the robot itself"),
        (["--out", "{}/motion.csv", "--rate", "0"], "--rate must be above 0"),
        (["--out", "{}/motion.csv", "--period", "0", "--json"], "period"),
        (["--out", "{}/motion.csv", "--srdf", "{}/none.srdf"], "none.srdf"),
    ],
)
def test_what_cannot_be_planned_or_written_ends_with_status_2(run, tmp_path, options, words):
    status, printed, why = run(*(x.format(tmp_path) for x in options))
    assert (status, printed) == (2, "")
    assert words in why
    assert "Traceback" not in why


def test_a_terminal_is_shown_a_bar_unless_it_asked_for_json(run, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(
        progress, "Console", lambda stderr: Console(stderr=stderr, force_terminal=True)
    )
    out = str(tmp_path / "motion.csv")
    assert "planning a motion of folding" in run("--out", out)[2]
    assert run("--out", out, "--json")[2] == ""
