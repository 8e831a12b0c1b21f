# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Reading URDF: what is kept, what is merged, what is refused and with which words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dyn_core
from dyn_core import Model, ModelError
from dyn_core.joints import FreeFlyer, Prismatic, Revolute, RevoluteUnbounded

INERTIAL = (
    '<inertial><origin xyz="0.1 0 0"/><mass value="2"/>'
    '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
)
LIMIT = '<limit lower="-1" upper="2" velocity="3" effort="4"/>'


def link(name: str, inertial: str = INERTIAL) -> str:
    return f'<link name="{name}">{inertial}</link>'


def joint(name: str, kind: str, parent: str, child: str, more: str = LIMIT) -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{more}</joint>'


def robot(*elements: str) -> str:
    return f'<robot name="r">{"".join(elements)}</robot>'


PENDULUM = robot(link("base"), link("bob"), joint("hinge", "revolute", "base", "bob"))


@pytest.mark.parametrize(
    ("kind", "expected", "nq", "nv"),
    [
        ("revolute", Revolute, 1, 1),
        ("continuous", RevoluteUnbounded, 2, 1),
        ("prismatic", Prismatic, 1, 1),
        ("floating", FreeFlyer, 7, 6),
    ],
)
def test_joint_types(kind: str, expected: type, nq: int, nv: int) -> None:
    model = Model.from_urdf(robot(link("a"), link("b"), joint("j", kind, "a", "b")))
    assert type(model.joints[1]) is expected
    assert (model.nq, model.nv) == (nq, nv)
    assert model.dof_names == ("j",) * nv


def test_text_path_and_string_of_path_read_the_same(tmp_path: Path) -> None:
    path = tmp_path / "with a space.urdf"
    path.write_text('<?xml version="1.0" encoding="utf-8"?>\n' + PENDULUM)
    prints = {Model.from_urdf(source).fingerprint for source in (PENDULUM, path, str(path))}
    assert len(prints) == 1


def test_a_file_in_another_encoding_is_refused_with_its_remedy(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_bytes('<robot name="é"><link name="a"/></robot>'.encode("latin-1"))
    with pytest.raises(ModelError, match="save it in UTF-8"):
        Model.from_urdf(path)


def test_limits_and_losses() -> None:
    more = LIMIT + '<dynamics damping="0.5" friction="0.25"/>'
    model = Model.from_urdf(robot(link("a"), link("b"), joint("j", "revolute", "a", "b", more)))
    fields = ("lower_position_limit", "upper_position_limit", "velocity_limit", "effort_limit")
    assert [float(getattr(model, field)[0]) for field in fields] == [-1.0, 2.0, 3.0, 4.0]
    assert (model.damping[0], model.friction[0]) == (0.5, 0.25)
    with pytest.raises(ValueError, match="read-only"):
        model.effort_limit[0] = 1e9
    assert Model.from_urdf(swap('velocity="3"', 'velocity="inf"')).velocity_limit[0] == np.inf


def test_siblings_are_numbered_in_alphabetical_order_depth_first() -> None:
    text = robot(
        *map(link, "abcdef"),
        joint("z", "revolute", "a", "b"),
        joint("m", "revolute", "a", "c"),
        joint("k", "revolute", "c", "d"),
        joint("Z", "revolute", "a", "e"),
        joint("a", "revolute", "b", "f"),
    )
    assert Model.from_urdf(text).names == ("universe", "Z", "m", "k", "z", "a")


def test_fixed_joints_merge_mass_and_keep_frames() -> None:
    weld = joint("weld", "fixed", "bob", "tool", '<origin xyz="0 0 1" rpy="0 0 1.5"/>')
    text = PENDULUM.replace("</robot>", link("tool") + weld + "</robot>")
    model = Model.from_urdf(text)
    assert model.njoints == 2
    assert model.inertias[1].mass == 4.0
    tool = model.frame("tool")
    assert (tool.joint, tool.placement.translation.z) == (1, 1.0)
    assert model.frame("weld").joint == 1
    with pytest.raises(KeyError, match="no frame 'gripper'"):
        model.frame("gripper")


def test_the_root_links_inertia_is_kept_on_a_fixed_and_on_a_free_base() -> None:
    assert Model.from_urdf(PENDULUM).inertias[0].mass == 2.0
    with pytest.raises(ModelError, match="free_flyer"):
        Model.from_urdf(PENDULUM, root_joint="wheels")
    free = Model.from_urdf(PENDULUM, root_joint="free_flyer")
    assert free.inertias[1].mass == 2.0
    data = free.create_data()
    weight = dyn_core.generalized_gravity(free, data, dyn_core.neutral(free))[:3]
    assert weight == pytest.approx([0.0, 0.0, 4.0 * 9.81])


def test_right_angles_are_exact() -> None:
    origin = '<origin rpy="1.5707963267948966 0 3.141592653589793"/>' + LIMIT
    text = robot(link("a"), link("b"), joint("j", "revolute", "a", "b", origin))
    rows = Model.from_urdf(text).joint_placements[1].rotation.rows
    assert {abs(x) for row in rows for x in row} == {0.0, 1.0}


def mimicking(mimic: str, kind: str = "revolute") -> str:
    """The pendulum with a finger on its bob that follows another joint."""
    finger = joint("finger", kind, "bob", "tip", LIMIT + mimic)
    return PENDULUM.replace("</robot>", link("tip") + finger + "</robot>")


def test_mimic_joints_have_no_coordinate_unless_read_as_independent() -> None:
    text = mimicking('<mimic joint="hinge" multiplier="-2" offset="0.5"/>')
    model = Model.from_urdf(text)
    assert (model.nq, model.nv, model.dof_names) == (1, 1, ("hinge",))
    assert model.joints[2].parameters["multiplier"] == -2.0
    assert (model.idx_q[2], model.idx_v[2]) == (0, 0)
    assert Model.from_urdf(text, mimic=False).nv == 2


def test_a_mimic_of_a_mimic_follows_the_first_joint() -> None:
    second = joint(
        "nail", "prismatic", "tip", "end", LIMIT + '<mimic joint="finger" multiplier="3"/>'
    )
    text = mimicking('<mimic joint="hinge" multiplier="-2" offset="0.5"/>')
    model = Model.from_urdf(text.replace("</robot>", link("end") + second + "</robot>"))
    nail = model.joints[3].parameters
    assert (model.nv, nail["multiplier"], nail["offset"]) == (1, -6.0, 1.5)


def test_massless_links_are_accepted_on_request() -> None:
    between = joint("lift", "prismatic", "base", "slide")
    turn = joint("turn", "revolute", "slide", "bob")
    text = robot(link("base"), link("slide", ""), link("bob"), between, turn)
    with pytest.raises(ModelError, match=r"link 'slide' .* 'lift' .*massless=True"):
        Model.from_urdf(text)
    model = Model.from_urdf(text, massless=True)
    ddq = dyn_core.aba(model, model.create_data(), *np.zeros((3, 2)))
    assert np.isfinite(ddq).all()


def swap(old: str, new: str) -> str:
    assert old in PENDULUM
    return PENDULUM.replace(old, new)


BAD = {
    "empty text": ("", "empty"),
    "broken XML": (PENDULUM[:-3], "not well-formed XML: .* line 1"),
    "not a robot": ("<sdf/>", "its root must be <robot>"),
    "no links": ("<robot name='r'/>", "no link"),
    "missing file": ("/nowhere/robot.urdf", "cannot read the URDF file '/nowhere/robot.urdf'"),
    "folder": ("/", "cannot read the URDF file '/'"),
    "unexpanded xacro": (
        swap(
            '<link name="base">',
            '<x:if xmlns:x="http://www.ros.org/wiki/xacro"/><link name="base">',
        ),
        "expand it with xacro",
    ),
    "unknown joint type": (swap("revolute", "rotary"), "joint 'hinge' .* type 'rotary'; use revo"),
    "planar without normal": (swap("revolute", "planar"), "joint 'hinge': a planar joint needs"),
    "mimic of nothing": (mimicking('<mimic joint="x"/>'), "'finger' mimics 'x', which does not"),
    "mimic of itself": (mimicking('<mimic joint="finger"/>'), "joint 'finger' mimics itself"),
    "mimic by a floating joint": (
        mimicking('<mimic joint="hinge"/>', "floating"),
        "joint 'finger': a FreeFlyer joint cannot follow",
    ),
    "half of an endless joint": (
        mimicking('<mimic joint="hinge" multiplier="0.5"/>').replace("revolute", "continuous", 1),
        "joint 'finger': it follows an angle whose full turns are not counted",
    ),
    "slide by an endless joint": (
        mimicking('<mimic joint="hinge"/>', "prismatic").replace("revolute", "continuous", 1),
        "joint 'finger' mimics 'hinge', whose full turns are not counted",
    ),
    "joint without type": (swap(' type="revolute"', ""), "joint 'hinge' .* type 'None'"),
    "joint without name": (swap(' name="hinge"', ""), "joint number 1 has no name"),
    "two links of one name": (swap('"bob"', '"base"'), "link 'base' is defined 2 times"),
    "undefined parent": (
        swap('parent link="base"', 'parent link="x"'),
        "'hinge': its parent .* 'x'",
    ),
    "no child": (swap('<child link="bob"/>', ""), "joint 'hinge': its child link 'None'"),
    "cycle": (
        robot(link("a"), link("b"), joint("i", "fixed", "a", "b"), joint("j", "fixed", "b", "a")),
        "link '[ab]' is its own ancestor",
    ),
    "two roots": (
        swap("</robot>", link("island") + "</robot>"),
        "'base', 'island' all have no parent",
    ),
    "two parents": (
        robot(*map(link, "abc"), joint("i", "fixed", "a", "c"), joint("j", "fixed", "b", "c")),
        "link 'c' is the child of joint 'j' and of another",
    ),
    "no limit": (swap(LIMIT, ""), "joint 'hinge': a revolute joint needs <limit>"),
    "limit without effort": (swap(' effort="4"', ""), "hinge.*effort"),
    "inverted limits": (
        swap('upper="2"', 'upper="-2"'),
        "joint 'hinge': lower limit -1.0 is above",
    ),
    "negative effort": (swap('effort="4"', 'effort="-4"'), "joint 'hinge': velocity and effort"),
    "negative mass": (swap('mass value="2"', 'mass value="-2"'), "link 'base': mass -2.0 kg"),
    "word for mass": (
        swap('mass value="2"', 'mass value="two"'),
        "link 'base': value='two' of <mass> is not a number",
    ),
    "NaN inertia": (
        swap('iyy="1"', 'iyy="nan"'),
        "link 'base': iyy='nan' of <inertia> is not finite",
    ),
    "half an inertia": (swap(' iyy="1"', ""), "base.*iyy"),
    "no inertia matrix": (
        swap('<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>', ""),
        "link 'base': <inertial> has no <inertia>",
    ),
    "two inertials": (swap(INERTIAL, INERTIAL * 2), "link 'base' has 2 <inertial>"),
    "short origin": (
        swap("0.1 0 0", "0.1 0"),
        "link 'base': xyz='0.1 0' of <origin> must hold 3 numbers",
    ),
    "moving link without inertia": (
        robot(link("base"), link("bob", ""), joint("hinge", "revolute", "base", "bob")),
        "link 'bob' is moved by joint 'hinge' but has no inertia; give it",
    ),
    "zero axis": (swap(LIMIT, LIMIT + '<axis xyz="0 0 0"/>'), "joint 'hinge': axis is zero"),
    "tiny axis": (
        swap(LIMIT, LIMIT + '<axis xyz="0 0 1e-10"/>'),
        "joint 'hinge': a joint axis must have a length",
    ),
    "negative damping": (swap(LIMIT, LIMIT + '<dynamics damping="-1"/>'), "joint 'hinge': damping"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_descriptions_are_refused_by_name(case: str) -> None:
    text, words = BAD[case]
    with pytest.raises(ModelError, match=words):
        Model.from_urdf(text)


def test_a_robot_without_joints_has_nothing_to_compute() -> None:
    model = Model.from_urdf(robot(link("base")))
    empty = np.zeros(0)
    assert dyn_core.rnea(model, model.create_data(), empty, empty, empty).shape == (0,)
