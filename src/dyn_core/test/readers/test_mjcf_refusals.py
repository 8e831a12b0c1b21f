# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What MJCF says that is broken or not to be represented: refused by name, with words."""

from __future__ import annotations

from pathlib import Path

import pytest
from mjcf_files import HINGE, INERTIAL, arm, body, link, mjcf

from dyn_core import Model, ModelError
from dyn_core.readers.mjcf.refusals import REFUSED

ARM = mjcf(arm())


def swap(old: str, new: str) -> str:
    assert old in ARM
    return ARM.replace(old, new, 1)


def with_joint(attributes: str, before: str = "", after: str = "") -> str:
    return mjcf(link("a", f'<joint name="j" {attributes}/>'), before, after)


def with_geom(geom: str, before: str = "") -> str:
    return mjcf(body("a", HINGE.format("j") + geom), before)


def coupled(equality: str) -> str:
    return mjcf(arm(), "", f"<equality>{equality}</equality>")


def acting(tendon: str) -> str:
    return mjcf(arm(), "", f"<tendon>{tendon}</tendon>")


def inertial(attributes: str) -> str:
    return mjcf(body("a", f"{HINGE.format('j')}<inertial {attributes}/>"))


MESH = '<geom name="look" type="mesh" mesh="m"/>'
CONE = '<asset><mesh name="m" builtin="cone" params="8 1"/></asset>'
ATTACHED = '<asset><model name="k" file="k.xml"/></asset>'
FLUID = '<option density="1.2"/>'
UNREPRESENTABLE = {
    "tendon": (
        mjcf(arm(), "", '<tendon><spatial name="t" armature="1"/></tendon>'),
        "<spatial> 't' of <tendon>",
    ),
    "flex": (coupled('<flexvert flex="f"/>'), "<flexvert> of <equality>"),
    "flexcomp": (mjcf(arm("<flexcomp/>")), "<flexcomp> in body 'b'"),
    "composite": (mjcf(arm("<composite/>")), "<composite> in body 'b'"),
    "springyield": (with_joint('stiffness="3" springyield="0.5"'), "joint 'j'"),
    "attach": (
        mjcf(arm('<frame><attach model="k" prefix="p_"/></frame>'), ATTACHED),
        "<attach prefix='p_'>: the file 'k.xml', but a text has no folder",
    ),
    "plugin": (mjcf(arm("<plugin/>")), "<plugin> in body 'b'"),
    "gravcomp": (
        mjcf(arm(body("t", INERTIAL), 'gravcomp=".5"'), '<compiler fusestatic="true"/>'),
        "body 't', which <compiler fusestatic> takes away: gravity compensation",
    ),
    "fluid": (
        mjcf(arm('<geom type="plane" size="1 1 1" fluidshape="ellipsoid"/>'), FLUID),
        "geom number 1 of body 'b': the ellipsoid of a plane: the shape",
    ),
    "stiffness": (with_joint('stiffness="3 1"'), "joint 'j' of body 'a': a spring"),
    "damping": (with_joint('damping="3 1"'), "joint 'j' of body 'a': damping"),
    "mesh": (with_geom(MESH + INERTIAL, f'<compiler inertiafromgeom="true"/>{CONE}'), "mesh 'm',"),
    "shellinertia": (with_geom('<geom size="1" shellinertia="true"/>'), "geom number 1 of body"),
    "keyframe": (mjcf(arm(), "", '<keyframe><key qpos="1"/></keyframe>'), "key_0"),
}
OTHERS = {
    "spring of a free joint": (with_joint('type="free" stiffness="3"'), "stiffness"),
    "equality of a spatial tendon": (
        mjcf(
            arm(),
            "",
            '<tendon><spatial name="t"/></tendon><equality><tendon tendon1="t"/></equality>',
        ),
        "tendon",
    ),
    "armature of a fixed tendon": (
        mjcf(arm(), "", '<tendon><fixed name="t" armature="1"/></tendon>'),
        "tendon",
    ),
    "spring around a geom": (
        mjcf(arm(), "", '<tendon><spatial stiffness="1"><geom geom="g"/></spatial></tendon>'),
        "tendon",
    ),
    "rotor at a tendon": (
        mjcf(arm(), "", '<actuator><motor tendon="t" armature="1"/></actuator>'),
        "tendon",
    ),
    "damper at a tendon": (
        mjcf(arm(), "", '<actuator><motor tendon="t" damping="1"/></actuator>'),
        "tendon",
    ),
    "curved damping of an actuator": (
        mjcf(arm(), "", '<actuator><motor joint="j1" damping="1 2"/></actuator>'),
        "damping",
    ),
    "flex": (mjcf(arm(), "", "<deformable><flex name='f'/></deformable>"), "flex"),
    "fused body in a fluid": (
        mjcf(arm(body("t", INERTIAL)), f'<compiler fusestatic="true"/>{FLUID}'),
        "fluid",
    ),
    "look in a fluid": (
        mjcf(arm('<geom size="1" contype="0" conaffinity="0" fluidshape="ellipsoid"/>'),
             f'<compiler discardvisual="true"/>{FLUID}'),
        "fluid",
    ),
    "springdamper of a free joint": (with_joint('type="free" springdamper="1 1"'), "stiffness"),
    "shape fitted to a mesh": (with_geom('<geom type="box" mesh="m"/>' + INERTIAL,
        f'<compiler inertiafromgeom="true"/>{CONE}'), "mesh"),
    "height field": (with_geom('<geom type="hfield" hfield="m"/>' + INERTIAL,
        '<compiler inertiafromgeom="true"/>'), "mesh"),
    "yielding tendon": (acting('<spatial stiffness="1" springyield="1"/>'), "springyield"),
    "unknown element": (mjcf(arm("<wheel/>")), "wheel"),
    "element in a joint": (mjcf(link("a", "<joint><body/></joint>")), "body"),
    "unknown section": (mjcf(arm(), "<wheels/>"), "wheels"),
    "unknown attribute": (with_joint('armatur="1"'), "armatur"),
}  # fmt: skip


def test_all_that_can_be_left_out_is_tested() -> None:
    assert UNREPRESENTABLE.keys() == REFUSED.keys()


@pytest.mark.parametrize("key", sorted(UNREPRESENTABLE.keys() - {"keyframe"}))
def test_what_cannot_be_represented_is_refused_by_name_or_left_out(key: str) -> None:
    text, words = UNREPRESENTABLE[key]
    with pytest.raises(ModelError, match=words) as caught:
        Model.from_mjcf(text)
    assert f"ignore=('{key}',)" in str(caught.value)
    assert REFUSED[key] in str(caught.value)
    assert Model.from_mjcf(text, ignore=(key,)).nv > 0
    assert Model.from_mjcf(text, ignore=key).nv > 0


@pytest.mark.parametrize("case", OTHERS)
def test_other_notations_of_what_is_refused(case: str) -> None:
    text, key = OTHERS[case]
    with pytest.raises(ModelError, match=rf"ignore=\('{key}',\)"):
        Model.from_mjcf(text)
    assert Model.from_mjcf(text, ignore=(key,)).nv > 0


def test_keyframes_can_be_left_out() -> None:
    text, words = UNREPRESENTABLE["keyframe"]
    with pytest.raises(ModelError, match=words):
        Model.from_mjcf(text)
    model = Model.from_mjcf(text, ignore=("keyframe",))
    assert model.reference_configurations == {"qpos0": (0.0, 0.0)}


def test_what_is_switched_off_does_not_matter() -> None:
    text = coupled('<connect active="false" body1="a"/><joint joint1="j1" active="false"/>')
    assert Model.from_mjcf(text).fingerprint == Model.from_mjcf(ARM).fingerprint
    quiet = mjcf(
        arm(), '<default><equality active="false"/></default>', "<equality><weld/></equality>"
    )
    assert Model.from_mjcf(quiet).fingerprint == Model.from_mjcf(ARM).fingerprint


BAD = {
    "mocap body in a body": (
        mjcf(body("a", "<joint/>" + INERTIAL + body("m", "", 'mocap="true"'))),
        "body 'm': a mocap body must have no joint, and be right in the <worldbody>",
    ),
    "mocap body with a joint": (mjcf(link("m", "<joint/>", "", 'mocap="true"')), "'m': a mocap"),
    "replicate without count": (mjcf("<replicate><body/></replicate>"), "its count must be an int"),
    "replicate too often": (mjcf('<replicate count="1e9"/>'), "its count must be an integer from"),
    "half a copy": (mjcf('<replicate count="1.5"/>'), "its count must be an integer"),
    "slip in replicate": (mjcf('<replicate cont="2"/>'), "a <replicate>: MJCF has no .* 'cont'"),
    "full inertia turned": (
        inertial('mass="1" pos="0 0 0" fullinertia="1 1 1 0 0 0" zaxis="1 0 0"'),
        "fullinertia allows no",
    ),
    "keyframe with the name of the rest pose": (
        mjcf(arm(), "", '<keyframe><key name="qpos0" qpos="1 1"/></keyframe>'),
        "keyframe 'qpos0' has the name of MuJoCo's initial configuration",
    ),
    "tiny axis": (with_joint('axis="0 0 1e-10"'), "joint 'j' of body 'a': .*must have a length"),
    "empty text": ("", "the MJCF text is empty"),
    "blank text": (" \n\t", "empty"),
    "broken XML": (ARM[:-3], "MJCF is not well-formed XML: .* line 1"),
    "a URDF": ("<robot name='r'/>", "its root must be <mujoco>"),
    "missing file": ("/nowhere/robot.xml", "cannot read the MJCF file '/nowhere/robot.xml'"),
    "folder": ("/", "cannot read the MJCF file '/'"),
    "include in a text": (
        mjcf('<include file="x.xml"/>'),
        "includes 'x.xml', .* give the path of the MJCF file",
    ),
    "include of nothing": (mjcf("<include/>"), "names no file"),
    "unknown class": (swap('name="a"', 'name="a" childclass="x"'), "body 'a': .* class 'x'"),
    "unknown class of a joint": (with_joint('class="x"'), "joint 'j' of body 'a': .* class 'x'"),
    "class without name": (mjcf(arm(), "<default><default/></default>"), "in the default class"),
    "class defined twice": (
        mjcf(arm(), '<default><default class="x"/><default class="x"/></default>'),
        "class 'x' is defined twice",
    ),
    "outermost class renamed": (mjcf(arm(), '<default class="x"/>'), "outermost .* 'x'"),
    "slip in a class": (
        mjcf(arm(), '<default><joint armatur="1"/></default>'),
        "class 'main': a joint has no attribute 'armatur'",
    ),
    "two bodies of one name": (swap('name="b"', 'name="a"'), "2 body elements are called 'a'"),
    "two joints of one name": (swap('"j2"', '"j1"'), "2 joint elements are called 'j1'"),
    "two sites of one name": (mjcf(arm('<site name="s"/><site name="s"/>')), "2 site elements"),
    "a body called world": (swap('name="b"', 'name="world"'), "body .*'world'"),
    "joint of the world": (mjcf("<joint/>" + arm()), "the world has a <joint>"),
    "inertial of the world": (mjcf(INERTIAL + arm()), "the world has a <inertial>"),
    "attribute of the world": (ARM.replace("<worldbody>", '<worldbody pos="1 2 3">'), "'pos'"),
    "NaN position": (swap('pos=".3 -.1 .2"', 'pos="nan 0 0"'), "body 'a': pos='nan 0 0' is not fi"),
    "short position": (swap('pos=".3 -.1 .2"', 'pos="0 0"'), "body 'a': pos='0 0' must hold 3"),
    "word for a position": (swap('pos=".3 -.1 .2"', 'pos="x y z"'), "pos='x y z' is not a number"),
    "number as in Python": (swap('pos="0 .1 .4"', 'pos="0 1_0 0"'), "'0 1_0 0' is not a number"),
    "two orientations": (swap('pos="0 .1 .4"', 'quat="1 0 0 0" euler="1 2 3"'), "body 'b' has sev"),
    "zero quaternion": (swap('pos="0 .1 .4"', 'quat="0 0 0 0"'), "body 'b': a quaternion of"),
    "zero zaxis": (swap('pos="0 .1 .4"', 'zaxis="0 0 0"'), "body 'b': a direction"),
    "parallel xyaxes": (swap('pos="0 .1 .4"', 'xyaxes="1 2 3 1 2 3"'), "body 'b': a direction"),
    "unknown eulerseq": (mjcf(arm(), '<compiler eulerseq="xya"/>'), "eulerseq='xya'; use three"),
    "unknown angle": (mjcf(arm(), '<compiler angle="grad"/>'), "angle='grad' is unknown; use one"),
    "global coordinates": (mjcf(arm(), '<compiler coordinate="global"/>'), "global coordinates"),
    "unknown flag": (mjcf(arm(), '<compiler autolimits="yes"/>'), "autolimits='yes' is unknown"),
    "flag of gravity": (mjcf(arm(), '<option><flag gravity="no"/></option>'), "gravity must be"),
    "unknown joint type": (with_joint('type="screw"'), "'j' of body 'a': type='screw' is unknown"),
    "zero axis": (with_joint('axis="0 0 0"'), "joint 'j' of body 'a': .*must have a length"),
    "inverted range": (with_joint('range="2 1"'), "joint 'j' of body 'a': range 2.0 to 1.0"),
    "NaN range": (with_joint('range="nan 1"'), "joint 'j' of body 'a': range='nan 1'"),
    "range without say": (
        with_joint('range="1 2"', '<compiler autolimits="false"/>'),
        "joint 'j' of body 'a' has a range, .* limited='true'",
    ),
    "negative damping": (with_joint('damping="-1"'), "joint 'j' of body 'a': damping must not"),
    "negative armature": (with_joint('armature="-1"'), "joint 'j' of body 'a': armature must not"),
    "free body in a body": (mjcf(body("a", link("b", "<freejoint/>"))), "body 'b': a free joint"),
    "free joint with another": (mjcf(link("a", "<freejoint/><joint/>")), "body 'a': a free joint"),
    "no inertia": (with_geom(""), "body 'a' is moved by joint 'j' but has no inertia; give it"),
    "two inertials": (mjcf(link("a", "<joint/>", INERTIAL)), "body 'a' has several <inertial>"),
    "no mass": (inertial('pos="0 0 0" diaginertia="1 1 1"'), "'a': <inertial> has no mass"),
    "no centre of mass": (inertial('mass="1" diaginertia="1 1 1"'), "'a': <inertial> has no pos"),
    "NaN mass": (inertial('mass="nan" pos="0 0 0"'), "body 'a': <inertial>: mass='nan'"),
    "negative mass": (inertial('mass="-1" pos="0 0 0"'), "body 'a': mass -1.0 kg"),
    "negative inertia": (
        inertial('mass="1" pos="0 0 0" diaginertia="1 -1 1"'),
        "body 'a': .* moments 1, -1, 1",
    ),
    "impossible inertia": (
        inertial('mass="1" pos="0 0 0" diaginertia="1 1 3"'),
        "body 'a': no body has the principal moments 1, 1, 3: .* balanceinertia",
    ),
    "indefinite inertia": (
        inertial('mass="1" pos="0 0 0" fullinertia="1 1 1 2 0 0"'),
        "body 'a': <inertial>: fullinertia .* must be positive",
    ),
    "two inertias": (
        inertial('mass="1" pos="0 0 0" fullinertia="1 1 1 0 0 0" diaginertia="1 1 1"'),
        "fullinertia allows no",
    ),
    "mass too large": (inertial('mass="1e308" pos="1e9 0 0" diaginertia="1 1 1"'), "'j': .* too"),
    "geom without size": (with_geom("<geom type='box' size='1'/>"), "a box needs 3 positive sizes"),
    "sphere without size": (
        with_geom("<geom/>"),
        "geom number 1 .*a sphere needs 1 positive size;",
    ),
    "unknown shape": (with_geom('<geom type="cone" size="1"/>'), "type='cone' is unknown"),
    "negative geom mass": (with_geom('<geom size="1" mass="-1"/>'), "mass and density must not"),
    "sphere with ends": (
        with_geom('<geom size="1" fromto="0 0 0 1 0 0"/>'),
        "sphere has no fromto",
    ),
    "equal ends": (
        with_geom('<geom type="capsule" size="1" fromto="1 0 0 1 0 0"/>'),
        "the two ends of fromto coincide",
    ),
    "ends and position": (
        with_geom('<geom type="capsule" size="1" pos="1 0 0" fromto="0 0 0 1 0 0"/>'),
        "has pos and fromto",
    ),
    "total of no mass": (
        mjcf(body("a", HINGE.format("j")), '<compiler settotalmass="1"/>'),
        "settotalmass, but no body has mass",
    ),
    "negative density": (mjcf(arm(), '<option density="-1"/>'), "density must not be negative"),
    "unknown fluid shape": (
        mjcf(arm('<geom size="1" fluidshape="cow"/>'), FLUID),
        "fluidshape='cow' is unknown",
    ),
    "too thin for a fluid": (
        mjcf(arm('<geom type="box" size="1 1 1e-99" fluidshape="ellipsoid"/>'), FLUID),
        "body 'b' in the fluid: a hull of the size .* must be positive, within 1e-30",
    ),
    "flag of springs": (mjcf(arm(), '<option><flag spring="no"/></option>'), "spring must be"),
    "tendon of no joint": (
        acting('<fixed name="t" stiffness="1"><joint joint="x"/></fixed>'),
        "<fixed> 't' of <tendon>: there is no joint 'x'",
    ),
    "tendon of no site": (
        acting('<spatial stiffness="1"><site site="x"/><site site="x"/></spatial>'),
        "<site>: there is no site 'x'; correct the name",
    ),
    "tendon with a slip": (acting('<spatial stiffness="1"><sight/></spatial>'), "'sight'"),
    "pulley without divisor": (
        acting('<spatial stiffness="1"><pulley/></spatial>'),
        "<pulley>: its divisor must be positive",
    ),
    "empty spring length": (
        acting('<fixed stiffness="1" springlength="2 1"/>'),
        "springlength '2.0 1.0' is empty",
    ),
    "NaN stiffness of a tendon": (acting('<fixed stiffness="nan"/>'), "stiffness='nan' is not f"),
    "negative friction of a tendon": (acting('<fixed frictionloss="-1"/>'), "must not be negative"),
    "unknown tendon": (acting('<loop stiffness="1"/>'), "MJCF has no element 'loop'"),
    "springdamper that moves nothing": (
        mjcf(
            body("a", HINGE.format("j") + '<inertial mass="0" pos="0 0 0"/>')
            + arm().replace('"a"', '"c"').replace('name="j2"', 'name="j2" springdamper="1 1"')
        ),
        "joint 'j2' of body 'b': its springdamper needs the inertia there",
    ),
    "equality of no joint": (coupled('<joint joint1="x" joint2="j1"/>'), "there is no joint 'x'"),
    "equality without joint": (coupled('<joint joint2="j1"/>'), "has no joint1; give it one"),
    "unknown equality": (coupled("<glue/>"), "<equality>: MJCF has no element 'glue'"),
    "follows two": (
        coupled('<joint joint1="j1" joint2="j2"/>' * 2),
        "joint 'j1' follows two joints; .*mimic=False",
    ),
    "ring of mimics": (
        coupled('<joint joint1="j1" joint2="j2"/><joint joint1="j2" joint2="j1"/>'),
        "mimics itself in the end",
    ),
    "mimic of a ball joint": (
        mjcf(
            arm(link("c", '<joint name="ball" type="ball"/>')),
            "",
            '<equality><joint joint1="j1" joint2="ball"/></equality>',
        ),
        "joint 'ball' is neither hinge nor slide",
    ),
    "rotor at no joint": (
        mjcf(arm(), "", '<actuator><motor joint="x" armature="1"/></actuator>'),
        "<motor> of <actuator>: there is no joint 'x'",
    ),
    "negative rotor": (
        mjcf(arm(), "", '<actuator><motor name="m" joint="j1" armature="-1"/></actuator>'),
        "<motor> 'm' of <actuator>: its armature must not be negative",
    ),
    "negative damper": (
        mjcf(arm(), "", '<actuator><motor name="m" joint="j1" damping="-1"/></actuator>'),
        "<motor> 'm' of <actuator>: its damping must not be negative",
    ),
    "short keyframe": (
        mjcf(arm(), "", '<keyframe><key name="home" qpos="1"/></keyframe>'),
        "keyframe 'home': qpos must hold 2 numbers",
    ),
    "NaN keyframe": (
        mjcf(arm(), "", '<keyframe><key name="home" qpos="1 nan"/></keyframe>'),
        "keyframe 'home': qpos is not finite",
    ),
    "keyframe of almost no orientation": (
        mjcf(link("a", "<freejoint/>"), "", '<keyframe><key qpos="0 0 0 1e-20 0 0 0"/></keyframe>'),
        "keyframe 'key_0': a quaternion of length",
    ),
    "two keyframes of one name": (
        mjcf(arm(), "", '<keyframe><key name="k"/><key name="k"/></keyframe>'),
        "keyframe 'k' is defined twice",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_descriptions_are_refused_by_name(case: str) -> None:
    text, words = BAD[case]
    with pytest.raises(ModelError, match=words):
        Model.from_mjcf(text)


def test_files_that_include_each_other_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "ring.xml"
    path.write_text('<mujoco><include file="part.xml"/></mujoco>')
    (tmp_path / "part.xml").write_text('<any><include file="part.xml"/></any>')
    with pytest.raises(ModelError, match=r"part.xml' is included twice"):
        Model.from_mjcf(path)
    path.write_text('<mujoco><include file="missing.xml"/></mujoco>')
    with pytest.raises(ModelError, match=r"cannot read the MJCF file '.*missing.xml'"):
        Model.from_mjcf(path)
    path.write_text('<mujoco><include file="broken.xml"/></mujoco>')
    (tmp_path / "broken.xml").write_text("<any>")
    with pytest.raises(ModelError, match=r"MJCF file '.*broken.xml' is not well-formed"):
        Model.from_mjcf(path)


def test_what_is_left_out_leaves_the_rest() -> None:
    text = mjcf(arm("<composite/><flexcomp/><attach/><plugin/>"))
    ignore = ("composite", "flexcomp", "attach", "plugin")
    assert Model.from_mjcf(text, ignore=ignore).fingerprint == Model.from_mjcf(ARM).fingerprint
