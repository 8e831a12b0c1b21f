# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Reading MJCF: what is kept, in which form, and which files need not be there."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from mjcf_files import HINGE, MIMICRY, arm, body, link, mjcf

from dyn_core import Model, ModelError
from dyn_core.errors import MissingFileError
from dyn_core.geometry import geometry_from_mjcf
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


def test_limits_are_the_smaller_end_of_an_actuators_range_and_none_of_endless_hinges() -> None:
    joint = '<joint name="j" actuatorfrcrange="-5 3"/>'
    assert Model.from_mjcf(mjcf(link("a", joint))).effort_limit.tolist() == [3.0]
    model = Model.from_mjcf(ARM)
    assert model.lower_position_limit.tolist() == [-math.inf, -math.inf]
    assert model.upper_position_limit.tolist() == [math.inf, math.inf]


@pytest.mark.parametrize("flag", ["limit", "constraint"])
def test_limits_that_are_switched_off_are_left_out(flag: str) -> None:
    option = f'<option><flag {flag}="disable"/></option>'
    model = Model.from_mjcf(mjcf(link("a", '<joint range="-50 50" limited="true"/>'), option))
    assert model.upper_position_limit.tolist() == [math.inf]


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
        '<mujocoinclude><option gravity="0 0 -1"/><default><default class="late">'
        '<joint armature="2"/></default></default></mujocoinclude>'
    )
    part = link("a", HINGE.format("j"), '<include file="tool.xml"/>', 'childclass="late"')
    (tmp_path / "parts" / "arm.xml").write_text(f"<any>{part}</any>")
    (tmp_path / "parts" / "tool.xml").write_text("<any>" + link("tool", "<joint/>") + "</any>")
    model = Model.from_mjcf(tmp_path / "main.xml")
    assert model.names == ("universe", "j", "joint_1")
    assert (model.gravity, model.armature.tolist()) == ((0.0, 0.0, -1.0), [2.0, 2.0])


def test_mimic_joints_have_no_coordinate_unless_read_as_independent() -> None:
    model = Model.from_mjcf(MIMICRY)
    assert (model.nq, model.dof_names) == (2, ("lead", "free"))
    assert Model.from_mjcf(MIMICRY, mimic=False).nv == 4


def test_massless_bodies_are_accepted_on_request() -> None:
    text = mjcf(body("a", HINGE.format("j1") + link("b", HINGE.format("j2"))))
    with pytest.raises(ModelError, match=r"body 'a' .* 'j1' .*massless=True"):
        Model.from_mjcf(text)
    assert Model.from_mjcf(text, massless=True).nv == 2


def meshed(name: str) -> str:
    """A link with the inertia of a mesh file."""
    geom = '<geom type="mesh" mesh="m"/>'
    return mjcf(
        body("a", HINGE.format("j") + geom), f'<asset><mesh name="m" file="{name}"/></asset>'
    )


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("m.stl", None, "mesh 'm': there is no mesh file '.*m.stl'; correct its path"),
        ("m.msh", b"abc", "missing header in MSH file '.*m.msh'"),
        ("m.what", b"1", "no decoder found for mesh file '.*m.what'"),
    ],
)
def test_broken_mesh_files_are_named(
    tmp_path: Path, name: str, content: bytes | None, words: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    path = tmp_path / "robot.xml"
    path.write_text(meshed(name))
    with pytest.raises(ModelError, match=words) as caught:
        Model.from_mjcf(path)
    assert isinstance(caught.value, MissingFileError) == (content is None)
    assert Model.from_mjcf(path, ignore="mesh", massless=True).nv == 1


UNNEEDED = {
    "body with inertia": link("a", HINGE.format("j"), '<geom type="mesh" mesh="m"/>'),
    "fixed body": body("f", '<geom type="mesh" mesh="m"/>') + arm(),
    "fitted shape": link("a", HINGE.format("j"), '<geom type="capsule" mesh="m"/>'),
    "no mass": body(
        "a", HINGE.format("j") + '<geom type="mesh" mesh="m" mass="0"/><geom size=".1"/>'
    ),
    "no density": body(
        "a", HINGE.format("j") + '<geom type="mesh" mesh="m" density="0"/><geom size=".1"/>'
    ),
    "other group": body(
        "a", HINGE.format("j") + '<geom type="mesh" mesh="m" group="2"/><geom size=".1"/>'
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", UNNEEDED)
def test_files_that_dynamics_do_not_depend_on_need_not_be_there(tmp_path: Path, case: str) -> None:
    """Looks, and meshes that give no inertia: the model is that without them."""
    assets = '<asset><mesh name="m" file="no.stl"/><texture type="2d" name="t" file="no.png"/>'
    before = '<compiler inertiagrouprange="0 1"/>'
    path = tmp_path / "robot.xml"
    path.write_text(mjcf(UNNEEDED[case], f"{before}{assets}<hfield name='h' file='no.png' "
                                         "size='1 1 1 1'/></asset>"))  # fmt: skip
    without = re.sub("<geom [^>]*mesh=[^>]*>", "", UNNEEDED[case])
    expected = Model.from_mjcf(mjcf(without, before))
    assert Model.from_mjcf(path).fingerprint == expected.fingerprint


def test_shapes_whose_files_are_missing_can_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    geoms = '<geom size=".1"/><geom type="mesh" mesh="m"/>'
    path.write_text(
        mjcf(link("a", HINGE.format("j"), geoms), '<asset><mesh name="m" file="no.stl"/></asset>')
    )
    model, missing = Model.from_mjcf(path), dict[str, str]()
    with pytest.raises(MissingFileError, match="mesh 'm': there is no mesh file"):
        geometry_from_mjcf(model, path)
    geometry = geometry_from_mjcf(model, path, missing=missing)
    assert [one.name for one in geometry.objects] == ["a_0"]
    assert missing.keys() == {"a"}


def test_attached_files_and_their_meshes_are_found(tmp_path: Path) -> None:
    """Also where unknown elements are left out, which MuJoCo then reads as a text."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "m.obj").write_text(
        "v 0 0 0\nv 3 0 0\nv 0 2 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    child = meshed("m.obj").replace("<asset>", '<compiler meshdir="parts"/><asset>')
    (tmp_path / "child.xml").write_text(child)
    path, asset = tmp_path / "main.xml", '<asset><model name="kid" file="child.xml"/></asset>'
    attach = "".join(f'<attach model="kid" body="a" prefix="{k}/"/>' for k in (1, 2))
    alone = Model.from_mjcf(tmp_path / "child.xml")
    for text, ignore in ((attach, ()), (attach + "<wheel/>", "wheel")):
        path.write_text(mjcf(text, asset))
        model = Model.from_mjcf(path, ignore=ignore)
        assert model.names == ("universe", "1/j", "2/j")
        assert model.inertias[2].mass == pytest.approx(alone.inertias[1].mass)
    path.write_text(mjcf(attach, asset.replace("child", "nowhere")))
    with pytest.raises(ModelError, match=r"nowhere.xml"):
        Model.from_mjcf(path)


def test_an_aligned_body_moves_by_its_principal_axes() -> None:
    """Its frame stays where the document has it, unless it carries others."""
    inside = '<freejoint align="true"/><geom type="box" size=".1 .2 .3" pos=".4 0 0"/>'
    model = Model.from_mjcf(mjcf(body("a", inside, 'pos="1 2 3"')))
    assert list(model.inertias[1].com) == pytest.approx([0.0, 0.0, 0.0])
    assert list(model.frame("a").placement.translation) == pytest.approx([-0.4, 0.0, 0.0])
    assert model.reference_configurations["qpos0"][:3] == pytest.approx((1.4, 2.0, 3.0))
    carrying = Model.from_mjcf(
        mjcf(body("a", inside + link("b", HINGE.format("j")), 'pos="1 2 3"'))
    )
    assert list(carrying.frame("a").placement.translation) == [0.0, 0.0, 0.0]


def test_a_loop_between_bodies_that_never_move_apart_ties_nothing() -> None:
    equality = '<weld body1="base"/><connect body1="base" body2="world" anchor="0 0 0"/>'
    text = mjcf(arm() + '<body name="base"/>', "", f"<equality>{equality}</equality>")
    assert Model.from_mjcf(text).loops == ()
