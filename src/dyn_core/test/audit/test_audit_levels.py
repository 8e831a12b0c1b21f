# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What is a warning, what only a note, and what of it fails a build."""

from __future__ import annotations

import json
import re
import warnings
from dataclasses import replace

import command_line
import pytest
from audited import ACROSS, ALONG, BOX, BY_NAME, FAST, LENGTH, LIMIT, MASS, inertial, urdf
from robots import OWN_ARM

from dyn_core import audit
from dyn_core.audit import CHECKS, Level, Line

MESH = '<visual><geometry><mesh filename="nowhere.stl"/></geometry></visual>'
SOUND = (ALONG, ACROSS, ACROSS)
MARKER = (
    '<link name="marker"><visual><geometry><sphere radius="0.03"/></geometry></visual></link>'
    '<joint name="marked" type="fixed"><parent link="upper"/><child link="marker"/></joint>'
)
REACHES_PAST_ITS_ORIGIN = inertial(com="0.05 0 0", moments=(2e-3, 0.0112, 0.0112))
"""A link of 0.18 m, whose spread along it is 1.02 m c^2: by chance as if about the origin."""
ROD = 1.03 * MASS * (LENGTH / 2) ** 2
"""Of a slender rod with its origin at 0.29 of its length from its middle; its mesh shows it."""
COLLISION = BOX.replace("visual", "collision")


def lines_of(tmp_path, text: str, check: str) -> dict[str, Line]:
    """The gravest line of a check about each subject."""
    file = tmp_path / "arm.urdf"
    file.write_text(text)
    lines = sorted(BY_NAME[check](audit.read_robot(file, FAST)).lines, key=lambda x: x.level)
    return {line.subject: line for line in lines}


@pytest.mark.parametrize(
    ("check", "text", "about", "words"),
    [
        (
            "shape inertia",
            urdf(first=inertial(moments=tuple(1.8 * x for x in SOUND)) + BOX),
            "upper",
            "off",
        ),
        ("structure", urdf().replace("200", "1e5"), "shoulder", "placeholder"),
        ("structure", urdf(limit=LIMIT.replace('"3"', '"1000"')), "shoulder", "placeholder"),
        ("missing inertia", urdf(tip=MARKER), "", "links with a shape but no mass: marker"),
        ("centre of mass", urdf(first=inertial(com="0.2 0.08 0") + BOX), "upper", "outside"),
        ("centre of mass", urdf(second=inertial(1e-3, "-0.2 0 0") + BOX), "lower", "outside"),
        ("structure", urdf(first=inertial() + BOX + COLLISION), "", "no shape for collisions"),
        ("inertia frame", urdf(first=REACHES_PAST_ITS_ORIGIN), "upper", "would be explained"),
        (
            "inertia frame",
            urdf(first=inertial(moments=(ALONG, ROD, ROD)) + MESH),
            "upper",
            "would be explained",
        ),
        ("payload headroom", urdf(limit=LIMIT.replace("200", "40")), "shoulder", "reserve"),
    ],
)
def test_what_is_no_evidence_of_a_mistake_is_a_note(tmp_path, check, text, about, words) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(text)
    lines = BY_NAME[check](audit.read_robot(file, FAST)).lines
    (line,) = [line for line in lines if line.subject == about and words in line.found]
    assert line.level is Level.NOTE


def test_one_effort_limit_for_all_hinges_is_a_note() -> None:
    """Those of the UR5 are 150 and 28 N m; an exporter writes the same number everywhere."""
    text = OWN_ARM.read_text()
    for effort, expected in ((None, False), ("30", True)):
        changed = text if effort is None else re.sub(r'effort="[^"]*"', f'effort="{effort}"', text)
        lines = BY_NAME["structure"](audit.read_robot(changed, FAST)).lines
        found = [line for line in lines if "hinges have the effort limit" in line.found]
        assert [line.level for line in found] == [Level.NOTE] * expected


def test_a_base_that_stands_on_the_ground_may_be_a_point(tmp_path) -> None:
    """No joint bears it: the base of the lite6 has moments of 1e-18 of its mass."""
    text = urdf().replace(
        '<link name="base"/>',
        f'<link name="base">{inertial(1.0, "0 0 0", (1e-18,) * 3)}</link>',
    )
    assert "base" not in lines_of(tmp_path, text, "possible inertia")
    in_the_air = urdf(first=inertial(1.0, "0 0 0", (1e-18,) * 3))
    assert lines_of(tmp_path, in_the_air, "possible inertia")["upper"].level is Level.WARNING


@pytest.mark.parametrize(("suffix", "level"), [(".glb", Level.NOTE), (".stl", Level.WARNING)])
def test_axes_of_a_gltf_mesh_are_no_evidence(tmp_path, suffix: str, level: Level) -> None:
    """glTF has y up; some readers turn it, RViz does not."""
    trimesh = pytest.importorskip("trimesh")
    box = trimesh.creation.box((LENGTH, 0.1, 0.1))
    box.apply_translation((LENGTH / 2, 0.0, 0.0))
    box.export(tmp_path / f"box{suffix}")
    mesh = f'<visual><geometry><mesh filename="box{suffix}"/></geometry></visual>'
    text = urdf(first=inertial(com=f"0 {LENGTH / 2} 0") + mesh)
    assert lines_of(tmp_path, text, "centre of mass")["upper"].level is level


@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize(("times", "is_found"), [(7.0, False), (9.0, True)])
def test_a_hull_heavier_than_steel_is_a_warning(
    tmp_path, times: float, is_found: bool, is_open: bool
) -> None:
    """A mesh of 4 l: 28 kg are possible, 36 kg are not. The moments fit the mass."""
    trimesh = pytest.importorskip("trimesh")
    box = trimesh.creation.box((LENGTH, 0.1, 0.1))
    box.apply_translation((LENGTH / 2, 0.0, 0.0))
    box.update_faces([not is_open] + [True] * 11)
    box.export(tmp_path / "open.stl")
    mesh = '<visual><geometry><mesh filename="open.stl"/></geometry></visual>'
    heavy = inertial(times * MASS, moments=(times * ALONG, times * ACROSS, times * ACROSS))
    line = lines_of(tmp_path, urdf(first=heavy + mesh), "shape inertia").get("upper")
    assert (line is not None and "solid steel" in line.found) == is_found
    assert not is_found or line.level is Level.WARNING


def test_a_hollow_shell_with_a_motor_inside_is_no_warning(tmp_path) -> None:
    """A closed mesh of two walls: its matter is a tenth of its hull, which holds the motor too."""
    trimesh = pytest.importorskip("trimesh")
    outer, inner = (trimesh.creation.box((x * LENGTH, x * 0.1, x * 0.1)) for x in (1.0, 0.96))
    inner.invert()
    shell = trimesh.util.concatenate([outer, inner])
    shell.apply_translation((LENGTH / 2, 0.0, 0.0))
    shell.export(tmp_path / "shell.stl")
    mesh = '<visual><geometry><mesh filename="shell.stl"/></geometry></visual>'
    heavy = inertial(4.0 * MASS, moments=(4.0 * ALONG, 4.0 * ACROSS, 4.0 * ACROSS))
    line = lines_of(tmp_path, urdf(first=heavy + mesh), "shape inertia").get("upper")
    assert line is None or "steel" not in line.found


def test_light_fingers_on_a_heavy_arm_are_no_warning(tmp_path) -> None:
    """cond(M) is large, but scaled to a unit diagonal no digits are lost."""
    light = inertial(4e-4, moments=(ALONG * 1e-4, 5e-6, 5e-6)) + BOX
    lines = lines_of(tmp_path, urdf(second=light), "mass matrix")
    assert lines[""].level is Level.NOTE
    assert "beyond 1000" in lines[""].found


@pytest.mark.parametrize(("fail_on", "status"), [("warning", 1), ("error", 0)])
def test_exit_status_follows_what_was_asked_for(tmp_path, monkeypatch, fail_on, status) -> None:
    assert run(monkeypatch, tmp_path, "--fail-on", fail_on) == status


def test_known_findings_do_not_count_and_new_ones_do(tmp_path, monkeypatch, capsys) -> None:
    known = tmp_path / "known.txt"
    assert (
        run(monkeypatch, tmp_path, "--allow", known) == 2
    )  # a name that is misspelt hides nothing
    assert not known.exists()
    assert run(monkeypatch, tmp_path, "--allow", known, "--write-allowed") == 0
    assert "centre of mass: upper" in known.read_text()
    assert run(monkeypatch, tmp_path, "--allow", known) == 0
    known.write_text("# none any more\n")
    assert run(monkeypatch, tmp_path, "--allow", known) == 1
    known.write_text("centre of mass: upper\ncentre of mass: gone\n")
    capsys.readouterr()
    assert run(monkeypatch, tmp_path, "--allow", known) == 0
    assert "there is no finding 'centre of mass: gone' any more" in capsys.readouterr().err
    known.write_text("centre of mss: upper\n")
    assert run(monkeypatch, tmp_path, "--allow", known) == 2
    assert "'centre of mss: upper'" in capsys.readouterr().err
    known.write_bytes(b"\xff\xfe\x00")
    assert run(monkeypatch, tmp_path, "--allow", known) == 2
    assert run(monkeypatch, tmp_path, "--fail-on", "rain") == 2


def run(monkeypatch, tmp_path, *options) -> int:
    """The exit status for an arm with one warning."""
    file = tmp_path / "arm.urdf"
    file.write_text(urdf(first=inertial(com=f"{-LENGTH / 2} 0 0") + BOX))
    words = ("check", file, "--integrators", "runge_kutta_4", "--json", *options)
    return command_line.run(monkeypatch, *words)


def test_json_names_levels_after_what_is_allowed(tmp_path, monkeypatch, capsys) -> None:
    known = tmp_path / "known.txt"
    known.write_text("centre of mass: upper\n")
    assert run(monkeypatch, tmp_path, "--allow", known) == 0
    report = json.loads(capsys.readouterr().out)
    (check,) = [x for x in report["checks"] if x["check"] == "centre of mass"]
    assert any("(known)" in line["found"] for line in check["lines"])


def test_what_has_nothing_to_check_is_not_called_fine() -> None:
    """A robot without any mass: no check says that 0 of 0 are well, and none fails."""
    report = audit.check_robot(audit.read_robot(WEIGHTLESS, FAST))
    lines = [line for outcome in report.outcomes for line in outcome.lines]
    assert not [line.found for line in lines if "0 of 0" in line.found]
    found = {outcome.name: outcome for outcome in report.outcomes}
    for name in ("possible inertia", "shape inertia", "centre of mass"):
        assert found[name].level is Level.NOTE
        assert "nothing to check" in found[name].lines[0].found
    assert found["total mass"].level is Level.ERROR


POINT_MASS = inertial(com="0.2 0 0", moments=(0.0, 0.0, 0.0))
DEGENERATE = {
    "massless": "",
    "no mass": inertial(0.0, moments=(0.0, 0.0, 0.0)),
    "no mass but moments": inertial(0.0),
    "point": POINT_MASS,
    "point at the origin": inertial(com="0 0 0", moments=(0.0, 0.0, 0.0)),
    "centre of mass at the origin": inertial(com="0 0 0"),
    "flat shape": inertial() + BOX.replace("0.1 0.1", "0.1 0"),
    "line": inertial() + BOX.replace("0.1 0.1", "0 0"),
    "shape of a point mass": POINT_MASS + BOX,
}


@pytest.mark.quick("revolute")
@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic"])
@pytest.mark.parametrize("link", DEGENERATE.values(), ids=DEGENERATE)
def test_no_check_divides_by_zero_in_a_degenerate_robot(tmp_path, link: str, kind: str) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(urdf(link, link).replace("revolute", kind))
    robot = audit.read_robot(file, replace(FAST, samples=3, swing=0.02))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lines = [line for check in CHECKS for line in check(robot).lines]
    assert not [line for line in lines if "could not be computed" in line.found]


WEIGHTLESS = """<robot name="weightless"><link name="base"/>
<link name="arm"><visual><geometry><box size="1 1 1"/></geometry></visual></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
