# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The audit: each check finds a robot that is broken on purpose, and lets a sound one pass."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from audited import ACROSS, ALONG, BOX, BY_NAME, FAST, LENGTH, LIMIT, MASS, inertial, urdf
from random_trees import random_model
from robots import ROBOT_FILES, example_robots, load

from dyn_core import audit
from dyn_core.audit import CarriedMass, Level, Outcome, Robot
from dyn_core.audit.checks.energy_drift import INTEGRATORS
from dyn_core.audit.checks.sizing import RESERVE, efforts_along, largest_mass
from dyn_core.audit.described_links import links_of_urdf
from dyn_core.audit.report import Table
from dyn_core.audit.sizing_motion import from_rest_to_rest
from dyn_core.errors import ModelError


def outcome(robot: Robot, name: str) -> Outcome:
    return BY_NAME[name](robot)


def subjects(result: Outcome) -> set[str]:
    """What its findings are about."""
    return {line.subject for line in result.lines if line.level > Level.NOTE}


def test_a_sound_robot_has_no_findings(read) -> None:
    settings = replace(FAST, mass=8.0, payload=CarriedMass(1.0))
    report = audit.check_robot(read(urdf(), settings))
    assert [line.found for _, line in report.findings] == []
    assert report.status() == 0
    checked = {o.name for o in report.outcomes if o.level is Level.FINE}
    assert {"shape inertia", "passivity", "energy drift", "payload headroom"} <= checked


def test_a_package_that_is_not_installed_is_no_finding(read, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.spatial", None)
    report = audit.check_robot(read(urdf(), replace(FAST, mass=8.0)))
    assert report.status() == 0
    (line,) = next(o for o in report.outcomes if o.name == "centre of mass").lines
    assert "not checked: the hull of a shape needs the package 'scipy'" in line.found


@pytest.mark.parametrize(
    ("check", "text", "about"),
    [
        ("possible inertia", urdf(first=inertial(moments=(1e-9, 1e-9, 1e-9))), "upper"),
        ("shape inertia", urdf(first=inertial(moments=(0.02, 0.2, 0.2)) + BOX), "upper"),
        ("gravity torque", urdf(limit=LIMIT.replace("200", "10")), "zero"),
        ("mass matrix", urdf(second=""), ""),
        ("joint sizing", urdf(limit=LIMIT.replace("200", "25")), "shoulder"),
        ("payload headroom", urdf(limit=LIMIT.replace("200", "30")), "shoulder"),
    ],
)  # fmt: skip
def test_what_is_broken_is_found(read, check: str, text: str, about: str) -> None:
    assert subjects(outcome(read(text), check)) == {about}
    assert subjects(outcome(read(urdf()), check)) == set()


def about_origin(moments: tuple = (ALONG, ACROSS, ACROSS), com: float = LENGTH / 2) -> tuple:
    lever = MASS * com**2
    return (moments[0], moments[1] + lever, moments[2] + lever)


def test_without_shapes_a_long_lever_distinguishes_frames(read) -> None:
    compact, com = (0.01, 0.01, 0.01), "0.5 0 0"
    sound = read(urdf(first=inertial(com=com, moments=compact), second=inertial()))
    assert subjects(outcome(sound, "inertia frame")) == set()
    moments = about_origin(compact, 0.5)
    confused = read(urdf(first=inertial(com=com, moments=moments), second=inertial()))
    assert subjects(outcome(confused, "inertia frame")) == {"upper"}


def test_total_mass_against_the_scales(read) -> None:
    for mass, found in ((8.0, False), (8.3, False), (9.0, True), (7.0, True)):
        result = outcome(read(urdf(), replace(FAST, mass=mass)), "total mass")
        assert (result.level is Level.WARNING) is found
    assert outcome(read(urdf(first="", second="")), "total mass").level is Level.ERROR


def test_a_robot_that_no_model_can_be_made_of_is_audited_all_the_same(read) -> None:
    robot = read(urdf(first=inertial(moments=(-1.0, 1.0, 1.0))))
    assert robot.model is None
    report = audit.check_robot(robot)
    assert report.level is Level.ERROR
    assert "not checked" in report.outcome("skew symmetry").lines[0].found


def test_what_is_no_matter_of_inertia_is_refused(read) -> None:
    with pytest.raises(ModelError, match="lower limit 2"):
        read(urdf(limit='<limit lower="2" upper="1" velocity="1" effort="1"/>'))


def test_a_wrong_term_an_asymmetric_mass_matrix_and_a_lost_link_are_found(read) -> None:
    for name, field in (("skew symmetry", "C"), ("passivity", "M"), ("passivity", "g")):
        robot = read(urdf())
        assert outcome(robot, name).level is Level.FINE
        wrong = replace(robot.terms, **{field: 1.001 * getattr(robot.terms, field)})
        robot.__dict__["terms"] = wrong  # in place of what was computed
        assert outcome(robot, name).level is Level.ERROR
    robot = read(urdf())
    M = robot.terms.M.copy()
    M[:, 0, 1] += 1e-3
    robot.__dict__["terms"] = replace(robot.terms, M=M)
    assert outcome(robot, "mass matrix").level is Level.ERROR
    lost = replace(robot, links=robot.links[:-2], shapes={})
    assert outcome(robot, "gravity torque").level is Level.FINE
    assert outcome(lost, "gravity torque").level is Level.ERROR


@pytest.mark.parametrize("name", ["panda", "hyq"])
def test_gravity_by_hand_of_real_robots_with_merged_links(name: str) -> None:
    file, model = example_robots() / ROBOT_FILES[name], load(name).model
    robot = Robot(name, model, links_of_urdf(file, model), FAST)
    assert outcome(robot, "gravity torque").level is Level.FINE


@pytest.mark.thorough
def test_terms_of_every_joint_type() -> None:
    """Of a random tree with one joint of each kind, mimic joints too."""
    report = audit.check(random_model(7), FAST)
    for name in ("skew symmetry", "passivity"):
        assert report.outcome(name).level is Level.FINE, name
    assert report.outcome("gravity torque").level is not Level.ERROR


@pytest.mark.quick("semi_implicit_euler", "variational")
@pytest.mark.parametrize("name", INTEGRATORS)
def test_energy_of_a_free_swing(read, name: str) -> None:
    robot = read(urdf(), replace(FAST, swing=4.0, integrators=(name,)))
    drifts = {"explicit_euler": 1, "semi_implicit_euler": -1, "implicit_euler": -1}
    result = outcome(robot, "energy drift")
    (table,) = [item for item in result.items if isinstance(item, Table)]
    drift = table.rows[0][2]
    assert np.sign(drift) * (abs(drift) > 0.1) == drifts.get(name, 0)
    found = "no integrator that was tried keeps the energy"  # of those that were asked for
    assert any(found in line.found for line in result.lines) is (name in drifts)


def test_payload_is_what_statics_leave(read) -> None:
    assert largest_mass(np.array([3.0, -1.0]), np.array([2.0, 0.0]), np.array([7.0, 7.0])) == 2.0
    assert largest_mass(np.array([-3.0]), np.array([2.0]), np.array([7.0])) == 5.0
    assert largest_mass(np.array([8.0]), np.array([2.0]), np.array([7.0])) == 0.0
    robot = read(urdf(), replace(FAST, payload=CarriedMass(40.0)))
    assert subjects(outcome(robot, "payload headroom")) == {"shoulder", "elbow"}
    with pytest.raises(ModelError, match="no frame 'hand' in 'arm'"):
        _ = read(urdf(), replace(FAST, payload=CarriedMass(1.0, "hand"))).loaded


def test_a_payload_that_no_limited_joint_feels_has_no_largest_mass(read) -> None:
    robot = read(urdf().replace('<axis xyz="0 1 0"/>', '<axis xyz="0 0 1"/>'), FAST)
    found = [line.found for line in outcome(robot, "payload headroom").lines]
    assert "weight at 'tip' loads none of the joints that have an effort limit" in found
    assert not any("inf" in text for text in found)


def test_sizing_is_the_sum_of_largest_terms_with_the_reserve(read) -> None:
    model = read(urdf()).known
    motion = from_rest_to_rest(model, np.zeros(2), np.full(2, 0.5), 1.0)
    efforts = efforts_along(model, motion)
    dynamic = np.abs(efforts.inertial + efforts.coriolis).max(axis=0)
    assert np.allclose(efforts.rated, RESERVE * (np.abs(efforts.gravity).max(axis=0) + dynamic))
    assert np.allclose(motion.q[0], 0.0)
    assert np.allclose(motion.q[-1], 0.5)
    assert np.allclose(motion.v[[0, -1]], 0.0)
    rates = np.gradient(motion.v, motion.t, axis=0)
    assert np.allclose(rates[1:-1], motion.a[1:-1], atol=2e-2)


def test_a_trajectory_of_a_file(read, tmp_path: Path) -> None:
    """Which may begin with the byte order mark of a spreadsheet."""
    t = np.linspace(0.0, 2.0, 21)
    file = tmp_path / "way.csv"
    rows = "\n".join(f"{x},{np.sin(x)}" for x in t)
    file.write_text(f"time,elbow\n{rows}\n")
    motion = read(urdf(), replace(FAST, trajectory=str(file))).motion
    assert np.allclose(motion.q[:, 1], np.sin(motion.t), atol=1e-6)
    assert np.allclose(motion.v[:, 1], np.cos(motion.t), atol=1e-4)
    assert np.allclose(motion.a[:, 1], -np.sin(motion.t), atol=1e-2)
    assert not motion.v[:, 0].any()
    file.write_text("time,elbow\n0,0\n1,0.5\n", encoding="utf-8-sig")
    assert read(urdf(), replace(FAST, trajectory=str(file))).motion.q[-1, 1] == 0.5


def test_a_trajectory_of_a_floating_base(read, tmp_path: Path) -> None:
    """It turns steadily about z and flies along a parabola; quaternions may change their sign."""
    t = np.linspace(0.0, 2.0, 41)
    head = ["time", *(f"root_joint[{k}]" for k in range(7)), "elbow"]
    sign = np.where(np.arange(41) % 3, 1.0, -1.0)
    turn = [sign * np.sin(0.5 * t), sign * np.cos(0.5 * t)]
    zero = np.zeros_like(t)
    columns = [t, 0.5 * t**2, zero, zero, zero, zero, *turn, np.sin(t)]
    file = tmp_path / "way.csv"
    np.savetxt(file, np.transpose(columns), delimiter=",", header=",".join(head), comments="")
    settings = replace(FAST, trajectory=str(file))
    motion = read(FLOATING, settings, root_joint="free_flyer").motion
    c, s, speed = np.cos(motion.t), np.sin(motion.t), motion.t
    spin = [0 * c, 0 * c, np.ones_like(c)]
    velocity = np.transpose([speed * c, -speed * s, 0 * c, *spin])
    assert np.allclose(motion.v[:, :6], velocity, atol=1e-5)
    # d/dt (R' v) = R' (a - w x v): along the axes of the base
    expected = [c - speed * s, -s - speed * c, *4 * [0.0 * c]]
    assert np.allclose(motion.a[:, :6], np.transpose(expected), atol=1e-3)
    assert np.allclose(motion.v[:, 7], np.cos(motion.t), atol=1e-4)


@pytest.mark.parametrize(
    ("head", "words"),
    [("root_joint", r"root_joint\[0\] to root_joint\[6\]"), ("root_joint[3]", "lacks root_joint")],
)
def test_a_floating_base_needs_all_its_columns(read, tmp_path, head: str, words: str) -> None:
    file = tmp_path / "way.csv"
    file.write_text(f"time,{head}\n0,0\n1,1\n")
    with pytest.raises(ModelError, match=words):
        _ = read(FLOATING, replace(FAST, trajectory=str(file)), root_joint="free_flyer").motion


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("time,wrist\n0,0\n1,1\n", "no joint 'wrist'"),
        ("elbow\n0\n", "first line must be 'time'"),
        ("time,elbow\n0,0\n0,1\n", "times must increase"),
        ("time,elbow\n0,0\n1,nan\n", "finite numbers"),
        ("time,elbow\n0,0\n1,x\n", "correct the number"),
        ("time,elbow\n0,0\n1\n", "each line needs 2 finite numbers"),
        ("time\telbow\n0\t0\n1\t1\n", "separated by commas"),
        ("", "first line must be 'time'"),
    ],
)
def test_a_broken_trajectory_is_refused(read, tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "way.csv"
    file.write_text(text)
    with pytest.raises(ModelError, match=words):
        _ = read(urdf(), replace(FAST, trajectory=str(file))).motion


FLOATING = urdf().replace('<link name="base"/>', f'<link name="base">{inertial()}</link>')


def test_a_floating_robot(read) -> None:
    report = audit.check_robot(read(FLOATING, root_joint="free_flyer"))
    assert "the base floats" in report.outcome("structure").lines[0].found
    for name in ("skew symmetry", "passivity", "energy drift", "gravity torque"):
        assert report.outcome(name).level is Level.FINE, name


def test_limbs_of_a_floating_robot_are_sized_as_those_of_the_fixed_one(read) -> None:
    """Its base is held; the report says so."""
    settings = replace(FAST, payload=CarriedMass(1.0))
    fixed, floating = read(FLOATING, settings), read(FLOATING, settings, root_joint="free_flyer")
    for name in ("joint sizing", "Coriolis and gravity"):
        expected, found = outcome(fixed, name), outcome(floating, name)
        assert [line.found for line in found.lines if line.level is not Level.NOTE] == [
            line.found for line in expected.lines if line.level is not Level.NOTE
        ]
    for name in ("joint sizing", "payload headroom"):
        assert any("the base is held" in line.found for line in outcome(floating, name).lines)
    assert (floating.held[:, :7] == floating.start[:7]).all()
    assert np.ptp(floating.held[:, 7:], axis=0).min() > 1.0
    (table,) = [x for x in outcome(floating, "joint sizing").items if isinstance(x, Table)]
    assert [row[0] for row in table.rows] == ["shoulder", "elbow"]
    weak = read(FLOATING.replace("200", "40"), settings, root_joint="free_flyer")
    assert "shoulder" in subjects(outcome(weak, "payload headroom"))
    assert "shoulder" in subjects(outcome(weak, "joint sizing"))


def test_a_body_that_flies_alone_has_no_joints_to_size(read) -> None:
    text = f'<robot name="drone"><link name="base">{inertial()}</link></robot>'
    drone = read(text, root_joint="free_flyer")
    assert [line.found for line in outcome(drone, "joint sizing").lines] == [
        "nothing but the base moves"
    ]


def test_mjcf_bodies_and_their_geoms(tmp_path: Path) -> None:
    def text(inertia: str) -> str:
        return (
            '<mujoco model="m"><worldbody><body name="a"><joint name="j" axis="0 1 0" '
            f'range="-90 90" actuatorfrcrange="-99 99"/>{inertia}<geom type="box" pos=".2 0 0" '
            'size=".2 .05 .05"/></body></worldbody></mujoco>'
        )

    given = '<inertial mass="4" pos=".2 0 0" diaginertia="{:g} {:g} {:g}"/>'
    file = tmp_path / "arm.xml"
    for moments, about in (((ALONG, ACROSS, ACROSS), set()), (about_origin(), {"a"})):
        file.write_text(text(given.format(*moments)))
        assert subjects(outcome(audit.read_robot(file, FAST), "shape inertia")) == about
    file.write_text(text(given.format(ALONG, ACROSS, ACROSS)).replace('"a"', '"a" colour="red"'))
    with pytest.raises(ModelError, match="colour"):
        audit.read_robot(file, FAST)
    assert audit.read_robot(file, FAST, ignore=("colour",)).known.nv == 1
    file.write_text(text(""))
    result = outcome(audit.read_robot(file, FAST), "missing inertia")
    assert "inertia of 1 bodies is that of their shapes" in result.lines[0].found


def test_a_model_of_a_program_is_audited_without_a_file(read) -> None:
    report = audit.check(read(urdf()).known, FAST)
    assert report.status() == 0
    assert "not checked" in report.outcome("shape inertia").lines[0].found
