# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Reading MJCF: what is kept, in which form, and what does not matter."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from mjcf_files import CLASSES, HINGE, MIMICRY, arm, body, link, mjcf

import dyn_core
from dyn_core import Model, ModelError
from dyn_core.joints import FreeFlyer, Prismatic, Revolute, Spherical

ARM = mjcf(arm())


@pytest.mark.parametrize(
    ("joint", "expected", "nq", "nv"),
    [
        ("<joint/>", Revolute, 1, 1),
        ('<joint type="slide"/>', Prismatic, 1, 1),
        ('<joint type="ball"/>', Spherical, 4, 3),
        ('<joint type="free"/>', FreeFlyer, 7, 6),
        ("<freejoint/>", FreeFlyer, 7, 6),
    ],
)
def test_joint_types(joint: str, expected: type, nq: int, nv: int) -> None:
    model = Model.from_mjcf(mjcf(link("a", joint)))
    assert type(model.joints[1]) is expected
    assert (model.nq, model.nv) == (nq, nv)


def test_several_joints_are_a_chain_whose_last_joint_carries_the_body() -> None:
    joints = '<joint name="x" type="slide"/><joint name="yaw" pos="1 0 0"/>'
    model = Model.from_mjcf(mjcf(link("a", joints)))
    assert (model.names, model.parents) == (("universe", "x", "yaw"), (0, 0, 1))
    assert [inertia.mass for inertia in model.inertias] == [0.0, 0.0, 2.0]
    ddq = dyn_core.aba(model, model.create_data(), *np.zeros((3, 2)))
    assert np.isfinite(ddq).all()


def test_the_smaller_end_of_an_actuators_range_is_the_effort_limit() -> None:
    joint = '<joint name="j" actuatorfrcrange="-5 3"/>'
    assert Model.from_mjcf(mjcf(link("a", joint))).effort_limit.tolist() == [3.0]


def test_endless_hinges_have_one_coordinate_without_limits() -> None:
    model = Model.from_mjcf(ARM)
    assert model.lower_position_limit.tolist() == [-math.inf, -math.inf]
    assert model.upper_position_limit.tolist() == [math.inf, math.inf]


def test_right_angles_are_exact() -> None:
    for turn in ('euler="90 0 180"', 'quat="1 1 0 0"', 'axisangle="0 0 1 -90"', 'zaxis="0 1 0"'):
        model = Model.from_mjcf(mjcf(link("a", "<joint/>", "", turn)))
        rows = model.joint_placements[1].rotation.rows
        assert {abs(x) for row in rows for x in row} == {0.0, 1.0}, turn


def test_looks_sensors_and_drives_do_not_matter(capfd: pytest.CaptureFixture[str]) -> None:
    noise = (
        '<visual><rgba haze="1 1 1 1"/></visual><statistic extent="1"/><custom><numeric name="n" '
        'data="1"/></custom><asset><mesh name="m" file="no.stl"/><texture name="t" type="2d" '
        'file="no.png"/><material name="p" texture="t"/></asset>'
    )
    after = (
        '<sensor><jointpos joint="j1"/></sensor><contact><exclude body1="a" body2="b"/></contact>'
        '<actuator><muscle joint="j1"/></actuator><tendon><spatial name="cable"><site site="s"/>'
        '<site site="t"/></spatial></tendon>'
    )
    sites = '<site name="s"/><site name="t" pos="1 0 0"/>'
    looks = '<geom type="mesh" mesh="m" material="p"/><camera/><light/>'
    own = Model.from_mjcf(mjcf(arm(looks + sites), noise, after))
    assert own.fingerprint == Model.from_mjcf(mjcf(arm(sites))).fingerprint
    assert capfd.readouterr() == ("", "")


def test_text_path_and_string_of_path_read_the_same(tmp_path: Path) -> None:
    path = tmp_path / "with a space.xml"
    path.write_text('<?xml version="1.0" encoding="utf-8"?>\n' + ARM)
    prints = {Model.from_mjcf(source).fingerprint for source in (ARM, path, str(path))}
    assert len(prints) == 1


def test_included_files_are_found_from_the_main_file_and_from_their_own(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "main.xml").write_text(
        '<mujoco model="m"><include file="settings.xml"/><worldbody><include file="parts/arm.xml"/>'
        "</worldbody></mujoco>"
    )
    (tmp_path / "settings.xml").write_text(
        f'<mujocoinclude><option gravity="0 0 -1"/>{CLASSES}</mujocoinclude>'
    )
    part = link("a", HINGE.format("j"), '<include file="tool.xml"/>', 'childclass="late"')
    (tmp_path / "parts" / "arm.xml").write_text(f"<any>{part}</any>")
    (tmp_path / "parts" / "tool.xml").write_text("<any>" + link("tool", "<joint/>") + "</any>")
    model = Model.from_mjcf(tmp_path / "main.xml")
    assert model.names == ("universe", "j", "joint_1")
    assert (model.gravity, model.armature.tolist()) == ((0.0, 0.0, -1.0), [2.0, 2.0])


def test_mimic_joints_have_no_coordinate_unless_read_as_independent() -> None:
    model = Model.from_mjcf(MIMICRY["mimic"])
    assert (model.nq, model.dof_names) == (2, ("lead", "free"))
    assert Model.from_mjcf(MIMICRY["mimic"], mimic=False).nv == 4


def test_massless_bodies_are_accepted_on_request() -> None:
    text = mjcf(body("a", HINGE.format("j1") + link("b", HINGE.format("j2"))))
    with pytest.raises(ModelError, match=r"body 'a' .* 'j1' .*massless=True"):
        Model.from_mjcf(text)
    assert Model.from_mjcf(text, massless=True).nv == 2
