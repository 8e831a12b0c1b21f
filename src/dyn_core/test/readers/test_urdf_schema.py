# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What a URDF holds is known, by its name in the schema, or refused; nothing is dropped."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator

import numpy as np
import pinocchio as pin
import pytest
from test_urdf import INERTIAL, LIMIT, PENDULUM, joint, link, mimicking, robot, swap

from dyn_core import Model, ModelError
from dyn_core.readers.urdf.schema import DYNAMIC_TAGS, SCHEMA

ORIGIN = '<origin xyz="0 0 1" rpy="0.1 0.2 0.3"/>'
FAST = LIMIT.replace("/>", ' acceleration="5" jerk="6"/>')
TURNED = '<origin xyz="0 0 1" quat_xyzw="0.1 0.2 0.3 0.9"/>'
FULL = robot(
    link("base", INERTIAL.replace('<origin xyz="0.1 0 0"/>', TURNED)),
    link("bob"),
    link("tip"),
    joint("hinge", "revolute", "base", "bob", ORIGIN + '<axis xyz="0 1 0"/>' + FAST),
    joint(
        "finger",
        "revolute",
        "bob",
        "tip",
        ORIGIN
        + FAST
        + '<axis xyz="0 1 0"/><dynamics damping="0.5" friction="0.25" armature="0"'
        + ' spring_stiffness="0" spring_reference="0"/>'
        + '<mimic joint="hinge" multiplier="-2" offset="0.5"/>',
    ),
).replace("<robot", '<robot version="1.2"')
"""It has every element and attribute of the schema."""


def test_the_full_robot_has_all_that_the_schema_has() -> None:
    found: dict[str, set[str]] = {}
    for element in ET.fromstring(FULL).iter():
        found.setdefault(element.tag, set()).update(set(element.attrib) - {"version"})
    assert found == {tag: set(element.attributes) for tag, element in SCHEMA.items()}
    assert Model.from_urdf(FULL).nv == 1


def numbers() -> Iterator[tuple[str, str]]:
    """Each number of the full robot changed: what it is, and the document."""
    sprung = FULL.replace('spring_stiffness="0"', 'spring_stiffness="3"')
    for number, element in enumerate(ET.fromstring(sprung).iter()):
        known = SCHEMA[element.tag]
        for name in f"{known.numbers} {known.vectors} {known.quaternions}".split():
            for k in range(len(element.get(name, "").split())):
                if element.tag == "axis" and k == 1:
                    continue  # it would be longer, and the same
                root = ET.fromstring(sprung)
                changed = list(root.iter())[number]
                values = changed.attrib[name].split()
                values[k] = str(float(values[k]) + 0.01)
                changed.set(name, " ".join(values))
                yield f"{number} {element.tag} {name} {k}", ET.tostring(root, encoding="unicode")


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in numbers()])
def test_no_number_is_dropped(text: str) -> None:
    """A name that only the schema knows would be accepted and have no effect."""
    before = Model.from_urdf(FULL.replace('spring_stiffness="0"', 'spring_stiffness="3"'))
    assert Model.from_urdf(text) != before


def slips() -> Iterator[tuple[str, str, str]]:
    """Every name in the full robot misspelt: what it is, the document and the misspelt name."""
    count = sum(1 for _ in ET.fromstring(FULL).iter())
    for number in range(1, count):
        for name in (None, *list(ET.fromstring(FULL).iter())[number].attrib):
            root = ET.fromstring(FULL)
            element = list(root.iter())[number]
            where = f"{number} {element.tag} {name or ''}"
            if name is None:
                element.tag = slip = element.tag[1:] + element.tag[0]
            else:
                slip = name + "z"
                element.set(slip, element.attrib.pop(name))
            yield where, ET.tostring(root, encoding="unicode"), slip


@pytest.mark.parametrize(
    ("text", "slip"), [case[1:] for case in slips()], ids=[case[0] for case in slips()]
)
def test_no_slip_of_the_pen_is_dropped(text: str, slip: str) -> None:
    """A robot's own name may be missing; all else is named in the refusal."""
    with pytest.raises(ModelError, match=rf"{slip}|has no name|unsupported type 'None'|no link"):
        Model.from_urdf(text)


SLIPS = {
    "element": (swap("<origin", "<orgin"), "link 'base': <orgin> .* do you mean 'origin'"),
    "quaternion of an old URDF": (FULL.replace("1.2", "1.0"), "'base': quat_xyzw=.* URDF 1.1"),
    "quaternion and angles": (
        FULL.replace("quat_xyzw", 'rpy="0 0 0" quat_xyzw'),
        "'base': quat_xyzw=.* keep one of them",
    ),
    "quaternion of no length": (FULL.replace("0.1 0.2 0.3 0.9", "0 0 0 0"), "is no orientation"),
    "negative acceleration": (FULL.replace('tion="5"', 'tion="-5"'), "acceleration must not be"),
    "armature in the wrong place": (
        swap("<limit", '<limit armature="1"'),
        "armature='1' of <limit> .* write it as armature= or .* of the joint's <dynamics>",
    ),
    "element in the wrong place": (
        PENDULUM.replace("</link>", '<limit lower="1"/></link>', 1),
        "link 'base': <limit> in <link>",
    ),
    "element of the robot": (swap("</robot>", "<jiont/></robot>"), "<jiont> in <robot>.*'joint'"),
    "text": (swap('<mass value="2"/>', "<mass>2</mass>"), "link 'base': <mass> holds the text '2'"),
    "origin of a link": (
        PENDULUM.replace("<inertial>", '<origin xyz="0 0 1"/><inertial>', 1),
        "link 'base': <origin> in <link>: '0 0 1' has no meaning there",
    ),
    "mimic of a fixed joint": (
        mimicking('<mimic joint="hinge"/>').replace('"revolute"', '"fixed"', 1),
        "joint 'finger' mimics 'hinge', which is fixed",
    ),
    "negative moment": (swap('ixx="1"', 'ixx="-5"'), "link 'base': its inertia .* -5, 1, 1 kg"),
    "products too large": (swap('ixy="0"', 'ixy="5"'), "link 'base': its inertia .* -4, 1, 6"),
}


@pytest.mark.parametrize("case", SLIPS)
def test_what_is_unknown_is_refused_by_name(case: str) -> None:
    text, words = SLIPS[case]
    with pytest.raises(ModelError, match=words):
        Model.from_urdf(text)


def test_what_concerns_other_tools_is_ignored() -> None:
    fingerprint = Model.from_urdf(FULL).fingerprint
    for tag, element in SCHEMA.items():
        extras = "".join(f'<{name} x="1">text<a/></{name}>' for name in element.ignored.split())
        extras += '<drake:acceleration value="1" x="2"/>'
        extras += "".join(f'<{name} xyz="0 0 0"/>' for name in element.only_zero.split())
        attributes = "".join(f' {name}="x"' for name in element.ignored.split())
        root = ET.fromstring(FULL)
        for found in root.iter(tag):
            if tag == "robot":
                attributes = attributes.replace('version="x"', 'version="1.2"')
            wrapped = f'<e xmlns:drake="http://drake.mit.edu"{attributes} drake:a="b">{extras}</e>'
            more = ET.fromstring(wrapped)
            found.extend(more)
            found.attrib.update(more.attrib if tag != "link" else {})
        assert Model.from_urdf(ET.tostring(root, encoding="unicode")).fingerprint == fingerprint


@pytest.mark.parametrize("version", ["9.0", "2", "0.9", "1", "", "one"])
def test_unknown_versions_are_refused_as_ros_does(version: str) -> None:
    text = FULL.replace('version="1.2"', f'version="{version}"')
    with pytest.raises(ModelError, match=rf"version='{version}'> is none of .* 1.0, 1.1, 1.2"):
        Model.from_urdf(text)
    plain = text.replace("quat_xyzw", "ignored")
    assert Model.from_urdf(plain, ignore=("version", "ignored")).nv


@pytest.mark.parametrize("name", DYNAMIC_TAGS)
def test_extensions_that_change_the_dynamics_are_refused_by_name(name: str) -> None:
    """Drake's: its own reader would compute another robot."""
    text = FULL.replace("<robot", '<robot xmlns:drake="http://drake.mit.edu"', 1)
    inside = text.replace("</joint>", f'<drake:{name} value="3"/></joint>', 1)
    with pytest.raises(ModelError, match=rf"joint '.*': the extension <{name}> changes the dyn"):
        Model.from_urdf(inside)
    beside = text.replace("</robot>", f'<drake:{name} name="x"/></robot>', 1)
    with pytest.raises(ModelError, match=rf"the robot: the extension <{name}> changes the dyn"):
        Model.from_urdf(beside)


def test_a_document_may_have_a_namespace_of_its_own() -> None:
    text = FULL.replace("<robot", '<robot xmlns="http://drake.mit.edu"', 1)
    assert Model.from_urdf(text).fingerprint == Model.from_urdf(FULL).fingerprint


def test_elements_of_moving_joints_are_ignored_at_a_fixed_joint() -> None:
    """As in Talos with fixed fingers; Pinocchio reads such a joint so, too."""
    left = '<axis xyz="0 0 0"/><dynamics damping="1"/><mimic joint="hinge"/>'
    text = mimicking(left).replace('name="finger" type="revolute"', 'name="finger" type="fixed"')
    with pytest.warns(UserWarning, match="joint 'finger' is fixed: its <mimic>"):
        assert Model.from_urdf(text).names == ("universe", "hinge")
    assert list(pin.buildModelFromXML(text, mimic=True).names) == ["universe", "hinge"]


def test_fixed_joints_that_follow_others_are_reported_once() -> None:
    more = [link(f"l{k}") for k in range(5)]
    joints = [joint(f"f{k}", "fixed", "bob", f"l{k}", '<mimic joint="hinge"/>') for k in range(5)]
    text = PENDULUM.replace("</robot>", "".join([*more, *joints]) + "</robot>")
    with pytest.warns(UserWarning, match="joint 'f0', .*, joint 'f4' are fixed") as reported:
        Model.from_urdf(text)
    assert len(reported) == 1


def test_an_inertia_that_misses_a_little_is_read_with_a_warning() -> None:
    text = swap('ixy="0"', 'ixy="1.05"')
    with pytest.warns(UserWarning, match="link 'base': its inertia .* -0.05, 1, 2.05 kg"):
        model = Model.from_urdf(text)
    assert np.isfinite(model.inertias[1].parameters).all()
