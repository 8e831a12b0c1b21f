# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What MJCF says that is broken or not to be represented: refused by name, with words."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from mjcf_files import HINGE, INERTIAL, arm, body, link, mjcf

from dyn_core import Model, ModelError
from dyn_core.errors import MissingExtraError
from dyn_core.readers.mjcf.compiled import REFUSED_ELEMENTS

ARM = mjcf(arm())


def with_joint(attributes: str, before: str = "", after: str = "") -> str:
    return mjcf(link("a", f'<joint name="j" {attributes}/>'), before, after)


def with_geom(geom: str, before: str = "") -> str:
    return mjcf(body("a", HINGE.format("j") + geom), before)


def coupled(equality: str) -> str:
    return mjcf(arm(), "", f"<equality>{equality}</equality>")


SITES = '<site name="s"/><site name="t" pos="1 0 0"/><geom name="g" size=".1"/>'
PATH = '<site site="s"/>{}<site site="t"/>'


def strung(attributes: str, inside: str = "", after: str = "") -> str:
    path = PATH.format(inside)
    tendon = f'<tendon><spatial name="t" {attributes}>{path}</spatial></tendon>'
    return mjcf(arm(SITES), "", tendon + after)


def fixed(attributes: str, after: str = "") -> str:
    tendon = f'<fixed name="t" {attributes}><joint joint="j1" coef="1"/></fixed>'
    return mjcf(arm(), "", f"<tendon>{tendon}</tendon>{after}")


def driven(motor: str) -> str:
    return f"<actuator><motor name='m' {motor}/></actuator>"


def inertial(attributes: str) -> str:
    return mjcf(body("a", f"{HINGE.format('j')}<inertial {attributes}/>"))


CLOTH = '<flexcomp name="f" type="grid" count="3 3 1" spacing=".1 .1 .1" mass="1"/>'
CABLE = '<plugin plugin="mujoco.elasticity.cable"/>'
FLUID = '<option density="1.2"/>'
FUSED = '<compiler fusestatic="true"/>'
LOOK = '<geom size="1" contype="0" conaffinity="0" fluidshape="ellipsoid"/>'
UNREPRESENTABLE = {
    "armed tendon": (strung('armature="1"'), "tendon", "tendon 't': its armature"),
    "armed fixed tendon": (fixed('armature="1"'), "tendon", "tendon 't': its armature"),
    "winding tendon": (strung('stiffness="1"', '<geom geom="g"/>'), "tendon", "'t': it winds"),
    "equality of a spatial tendon": (
        strung("", "", '<equality><tendon name="e" tendon1="t"/></equality>'),
        "tendon",
        "equality 'e': the spatial tendon 't'",
    ),
    "rotor at a tendon": (fixed("", driven('tendon="t" armature="1"')), "tendon", "actuator 'm'"),
    "damper at a tendon": (fixed("", driven('tendon="t" damping="1"')), "tendon", "actuator 'm'"),
    "flexcomp": (mjcf(arm(CLOTH)), "flexcomp", "flex 'f'"),
    "gravcomp": (
        mjcf(arm(body("t", INERTIAL), 'gravcomp=".5"'), FUSED),
        "gravcomp",
        "body 't', which <compiler fusestatic> takes away: gravity compensation",
    ),
    "gravcomp by a drive that is off": (
        mjcf(link("a", '<joint actuatorgravcomp="true"/>', "", 'gravcomp="1"'),
             '<option><flag actuation="disable"/></option>'),
        "gravcomp",
        "actuation='disable'> and actuatorgravcomp: gravity compensation",
    ),
    "fused body in a fluid": (mjcf(arm(body("t", INERTIAL)), FUSED + FLUID), "fluid", "body 't'"),
    "look in a fluid": (
        mjcf(arm(LOOK), f'<compiler discardvisual="true"/>{FLUID}'),
        "fluid",
        "body 'b' in the fluid: geom number 1, which <compiler discardvisual> takes away",
    ),
    "curved spring": (with_joint('stiffness="3 1"'), "stiffness", "joint 'j' of body 'a': a sp"),
    "spring of a free joint": (with_joint('type="free" stiffness="3"'), "stiffness", "joint 'j'"),
    "springdamper of a free joint": (
        with_joint('type="free" springdamper="1 1"'), "stiffness", "joint 'j'"
    ),
    "curved damping": (with_joint('damping="3 1"'), "damping", "joint 'j' of body 'a': damping"),
    "curved damping of an actuator": (
        mjcf(arm(), "", driven('joint="j1" damping="1 2"')), "damping", "actuator 'm'"
    ),
}  # fmt: skip
YIELDING = {
    "joint": (with_joint('stiffness="3" springyield="0.5"'), "joint 'j' of body 'a'"),
    "tendon": (strung('stiffness="1" springyield="1"'), "tendon 't'"),
}


@pytest.mark.parametrize("case", UNREPRESENTABLE)
def test_what_cannot_be_represented_is_refused_by_name_or_left_out(case: str) -> None:
    text, key, words = UNREPRESENTABLE[case]
    with pytest.raises(ModelError, match=words) as caught:
        Model.from_mjcf(text)
    assert f"ignore=('{key}',)" in str(caught.value)
    assert REFUSED_ELEMENTS[key] in str(caught.value)
    assert Model.from_mjcf(text, ignore=(key,)).nv > 0
    assert Model.from_mjcf(text, ignore=key).nv > 0


@pytest.mark.parametrize("case", YIELDING)
def test_springs_that_yield_are_refused_where_mujoco_has_them(case: str) -> None:
    """Since MuJoCo 4; before, the attribute is unknown."""
    text, words = YIELDING[case]
    with pytest.raises(ModelError, match=rf"({words}|springyield).*ignore=\('springyield',\)"):
        Model.from_mjcf(text)


def test_all_that_can_be_left_out_is_tested() -> None:
    """Height fields are only of geometry."""
    tested = {key for _, key, _ in UNREPRESENTABLE.values()} | {"springyield", "mesh", "plugin"}
    assert tested == REFUSED_ELEMENTS.keys()


def test_plugins_are_refused_or_left_out() -> None:
    text = mjcf(arm(CABLE), f"<extension>{CABLE}</extension>")
    with pytest.raises(ModelError, match=r"plugin.*ignore=\('plugin',\)"):
        Model.from_mjcf(text)
    assert Model.from_mjcf(text, ignore="plugin").fingerprint == Model.from_mjcf(ARM).fingerprint


def test_unknown_elements_and_attributes_are_named_and_left_out(tmp_path: Path) -> None:
    """Also in included files."""
    text = mjcf(arm('<wheel size="1"/>'))
    with pytest.raises(ModelError, match=r"element 'wheel', line 1.*ignore=\('wheel',\)"):
        Model.from_mjcf(text)
    assert Model.from_mjcf(text, ignore="wheel").fingerprint == Model.from_mjcf(ARM).fingerprint
    (tmp_path / "part.xml").write_text("<any>" + link("a", '<joint armatur="1"/>') + "</any>")
    (tmp_path / "main.xml").write_text(mjcf('<include file="part.xml"/>'))
    with pytest.raises(ModelError, match=r"'armatur' .*element 'joint'.*ignore=\('armatur',\)"):
        Model.from_mjcf(tmp_path / "main.xml")
    assert Model.from_mjcf(tmp_path / "main.xml", ignore=("armatur",)).nv == 1


def test_what_is_left_out_leaves_the_rest() -> None:
    text = mjcf(arm(f"<composite/>{CLOTH}<attach/>"), "", "<keyframe><key nonsense=''/></keyframe>")
    left = Model.from_mjcf(text, ignore=("composite", "flexcomp", "attach", "keyframe"))
    assert left.fingerprint == Model.from_mjcf(ARM).fingerprint


def test_what_is_switched_off_does_not_matter() -> None:
    off = '<connect active="false" body1="a" anchor="0 0 0"/><joint joint1="j1" active="false"/>'
    assert Model.from_mjcf(coupled(off)).fingerprint == Model.from_mjcf(ARM).fingerprint


def test_without_mujoco_the_error_names_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(MissingExtraError, match=r"reading MJCF needs .*'mujoco'.*extra 'mjcf'"):
        Model.from_mjcf(ARM)


BAD = {
    "keyframe with the name of the rest pose": (
        mjcf(arm(), "", '<keyframe><key name="qpos0" qpos="1 1"/></keyframe>'),
        "keyframe 'qpos0' has the name of MuJoCo's initial pose",
    ),
    "empty text": ("", "the MJCF text is empty"),
    "broken XML": (ARM[:-3], "MJCF is not well-formed XML: .* line 1"),
    "a URDF": ("<robot name='r'/>", "its root must be <mujoco>"),
    "missing file": ("/nowhere/robot.xml", "cannot read the MJCF file '/nowhere/robot.xml'"),
    "folder": ("/", "cannot read the MJCF file '/'"),
    "include in a text": (
        mjcf('<include file="x.xml"/>'), "includes 'x.xml', .* give the path of the MJCF file"
    ),
    "attached file of a text": (
        mjcf(arm(), '<asset><model name="k" file="k.xml"/></asset>'), "'k.xml', but a text has no"
    ),
    "unknown class": (with_joint('class="x"'), "class name 'x' .element 'joint'"),
    "NaN position": (with_joint('pos="nan 0 0"'), "<joint> 'j': pos='nan 0 0' is not finite"),
    "infinite mass": (inertial('mass="inf" pos="0 0 0" diaginertia="1 1 1"'), "'j': .* not finite"),
    "inverted range": (with_joint('range="2 1"'), "joint 'j' of body 'a': range 2.0 to 1.0 is em"),
    "negative damping": (with_joint('damping="-1"'), "joint 'j' of body 'a': damping must not"),
    "no inertia": (with_geom(""), "body 'a' is moved by joint 'j' but has no inertia; give it"),
    "no mass": (inertial('mass="0" pos="0 0 0"'), "body 'a' is moved by joint 'j' but has no in"),
    "negative mass": (inertial('mass="-1" pos="0 0 0"'), "body 'a': mass -1.0 kg"),
    "negative inertia": (
        inertial('mass="1" pos="0 0 0" diaginertia="1 -1 1"'), "body 'a': .* must not be negative"
    ),
    "too thin for a fluid": (
        mjcf(arm('<geom type="box" size="1 1 1e-99" fluidshape="ellipsoid"/>'), FLUID),
        "body 'b' in the fluid: a hull of the size .* must be positive, within 1e-30",
    ),
    "follows two": (
        coupled('<joint joint1="j1" joint2="j2"/>' * 2),
        "joint 'j1' follows two joints; .*mimic=False",
    ),
    "ring of mimics": (
        coupled('<joint joint1="j1" joint2="j2"/><joint joint1="j2" joint2="j1"/>'),
        "mimics itself in the end",
    ),
    "negative rotor": (
        mjcf(arm(), "", driven('joint="j1" armature="-1"')),
        "actuator 'm': armature -1.0 and damping 0.0 must not be negative",
    ),
    "rotor of a ball": (
        mjcf(link("a", '<joint name="j" type="ball"/>'), "", driven('joint="j" armature="1"')),
        "actuator 'm'.* joint 'j' must be a hinge or a slide",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_descriptions_are_refused_by_name(case: str) -> None:
    text, words = BAD[case]
    with pytest.raises(ModelError, match=words):
        Model.from_mjcf(text)


def test_mujoco_leaves_no_log_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "part.xml").write_text(
        "<any>" + link("a", "<joint/>", "", 'pos="nan 0 0"') + "</any>"
    )
    (tmp_path / "main.xml").write_text(mjcf('<include file="part.xml"/>'))
    with pytest.raises(ModelError):
        Model.from_mjcf(tmp_path / "main.xml")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["main.xml", "part.xml"]


@pytest.mark.parametrize("ignore", [(), ("wheel",)])
def test_files_that_include_themselves_or_none_are_refused(tmp_path: Path, ignore: tuple) -> None:
    path = tmp_path / "ring.xml"
    path.write_text('<mujoco><include file="part.xml"/></mujoco>')
    (tmp_path / "part.xml").write_text('<any><include file="part.xml"/></any>')
    with pytest.raises(ModelError, match=r"part.xml' (is|already) included"):
        Model.from_mjcf(path, ignore=ignore)
    path.write_text('<mujoco><include file="missing.xml"/></mujoco>')
    with pytest.raises(ModelError, match=r"'.*missing.xml'"):
        Model.from_mjcf(path, ignore=ignore)
