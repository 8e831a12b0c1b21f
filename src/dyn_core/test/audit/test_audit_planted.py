# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Mistakes that people make in descriptions, planted in a sound arm: each is found by its name."""

from __future__ import annotations

from pathlib import Path

import pytest
from audited import (
    ACROSS,
    ALONG,
    BOX,
    BY_NAME,
    FAST,
    LENGTH,
    LIMIT,
    MASS,
    MJCF_BOX,
    MJCF_JOINT,
    inertial,
    mjcf,
    urdf,
)  # fmt: skip

from dyn_core import audit
from dyn_core.audit import Level

PLANTED_IN = {"upper": "first", "lower": "second"}
SOUND = (ALONG, ACROSS, ACROSS)
LEVER = MASS * (LENGTH / 2) ** 2
MESH = '<visual><geometry><mesh filename="{}"/></geometry></visual>'


def scaled(factor: float) -> tuple[float, ...]:
    return tuple(factor * x for x in SOUND)


OF_LINKS: dict[str, tuple[str, str, str]] = {
    # what was done: the inertial and shapes of a link; the check and words that name it
    "no inertial": (BOX, "missing inertia", "weighs nothing"),
    "no inertial, one box more": (BOX + BOX, "missing inertia", "weighs nothing"),
    "template": (inertial(1.0, moments=(1.0, 1.0, 1.0)) + BOX, "missing inertia", "default"),
    "small template": (inertial(0.5, moments=(1e-3,) * 3) + BOX, "missing inertia", "default"),
    "about the origin": (
        inertial(moments=(ALONG, ACROSS + LEVER, ACROSS + LEVER)) + BOX,
        "shape inertia",
        "about the link's origin",
    ),
    "moments in g m^2": (inertial(moments=scaled(1e3)) + BOX, "shape inertia", "slip of units"),
    "moments in kg mm^2": (inertial(moments=scaled(1e6)) + BOX, "shape inertia", "slip of units"),
    "moments in kg cm^2": (inertial(moments=scaled(1e4)) + BOX, "shape inertia", "kg cm^2"),
    "moments in g cm^2": (inertial(moments=scaled(1e7)) + BOX, "shape inertia", "g cm^2"),
    "moments in lb in^2": (inertial(moments=scaled(3417.0)) + BOX, "shape inertia", "lb in^2"),
    "moments by 10": (inertial(moments=scaled(0.1)) + BOX, "shape inertia", "0.1 times"),
    "moments 90 % larger": (inertial(moments=scaled(1.9)) + BOX, "shape inertia", "90% off"),
    "mass in pounds": (
        inertial(2.20462 * MASS) + BOX,
        "shape inertia",
        "a mass in pounds explains that",
    ),
    "mass and moments in pounds": (
        inertial(2.20462 * MASS, moments=scaled(2.20462)) + BOX,
        "total mass",
        "pounds",
    ),
    "mass and moments in g": (
        inertial(1e3 * MASS, moments=scaled(1e3)) + BOX,
        "shape inertia",
        "more than any metal",
    ),
    "angles in degrees": (
        inertial().replace("<origin", '<origin rpy="0 90 0"') + BOX,
        "structure",
        "like degrees",
    ),
    "angles of the shape in degrees": (
        inertial() + BOX.replace("<origin", '<origin rpy="0 180 0"'),
        "structure",
        "like degrees",
    ),
    "nearly no mass": (
        inertial(1e-6, moments=scaled(1e-7)) + BOX,
        "missing inertia",
        "less than that of the air",
    ),
    "moments in g mm^2": (inertial(moments=scaled(1e9)) + BOX, "shape inertia", "slip of units"),
    "moments by 1000": (inertial(moments=scaled(1e-3)) + BOX, "shape inertia", "slip of units"),
    "moments by 1e6": (inertial(moments=scaled(1e-6)) + BOX, "shape inertia", "slip of units"),
    "no moments": (inertial(moments=(0.0, 0.0, 0.0)) + BOX, "shape inertia", "no moments"),
    "mass in g": (
        inertial(1e3 * MASS, moments=SOUND) + BOX,
        "shape inertia",
        "slip of units",
    ),
    "triangle": (inertial(moments=(1.0, 0.1, 0.1)) + BOX, "possible inertia", "no body has"),
    "negative": (inertial(moments=(ALONG, -ACROSS, ACROSS)) + BOX, "possible inertia", "negative"),
    "centre in mm": (
        inertial(com=f"{1e3 * LENGTH / 2} 0 0") + BOX,
        "centre of mass",
        "in mm",
    ),
    "sign of the centre": (inertial(com=f"{-LENGTH / 2} 0 0") + BOX, "centre of mass", "sign of x"),
    "axes exchanged": (inertial(com=f"0 {LENGTH / 2} 0") + BOX, "centre of mass", "exchanged"),
    "other axes exchanged": (
        inertial(com=f"0 0 {LENGTH / 2}") + BOX,
        "centre of mass",
        "exchanged",
    ),
    "no origin": (inertial(com="0 0 0") + BOX, "centre of mass", "exactly at the link's origin"),
    "frame of another": (inertial(com="1.9 0.7 0") + BOX, "centre of mass", "another link"),
}
OF_JOINTS: dict[str, tuple[str, str]] = {
    "degrees": ('<limit lower="-170" upper="170" velocity="3" effort="200"/>', "degrees"),
    "degrees, one side": ('<limit lower="0" upper="145" velocity="3" effort="200"/>', "degrees"),
    "degrees per second": (LIMIT.replace('velocity="3"', 'velocity="300"'), "degrees per second"),
    "effort in N mm": (LIMIT.replace("200", "250000"), "N mm"),
    "no effort": (LIMIT.replace("200", "0"), "effort limit is 0"),
    "no velocity": (LIMIT.replace('velocity="3"', 'velocity="0"'), "velocity limit is 0"),
    "cannot move": (LIMIT.replace("-2", "2"), "it cannot move"),
}


def planted() -> list[tuple[str, str, str, str, str]]:
    """(mistake, description, check, what it is about, words): 40 and some of them."""
    found = []
    for where, argument in PLANTED_IN.items():
        for name, (text, check, words) in OF_LINKS.items():
            found.append((f"{name}, {where}", urdf(**{argument: text}), check, where, words))
    for name, (limit, words) in OF_JOINTS.items():
        found.append((name, urdf(limit=limit), "structure", "shoulder", words))
    for name, file in (("no mesh", "nowhere.stl"), ("no package", "package://none/a.stl")):
        found.append(
            (name, urdf(first=inertial() + MESH.format(file)), "structure", "", "not there")
        )
    return found


PLANTED = planted()
RADIAN = '<compiler angle="radian"/>'


def given(mass: float = MASS, pos: str = f"{LENGTH / 2} 0 0", moments: tuple = SOUND) -> str:
    """The inertial and shape of a body of the MJCF."""
    words = " ".join(map(str, moments))
    return f'<inertial mass="{mass}" pos="{pos}" diaginertia="{words}"/>{MJCF_BOX}'


def driven(words: str) -> str:
    """The shoulder of the MJCF with more attributes."""
    return MJCF_JOINT.format("shoulder", words)


IN_MJCF: dict[str, tuple[str, str, str, str]] = {
    # description; the check, what it is about, and words that name the mistake
    "mass in g": (mjcf(given(1e3 * MASS)), "shape inertia", "upper", "slip of units"),
    "axes of the moments": (
        mjcf(given(moments=(ACROSS, ALONG, ACROSS))),
        "shape inertia",
        "upper",
        "axes of its moments exchanged",
    ),
    "no pos": (mjcf(given(pos="0 0 0")), "centre of mass", "upper", "exactly at"),
    "forgotten inertial": (mjcf(MJCF_BOX), "missing inertia", "upper", "forgotten"),
    "sign of the centre, inside": (
mjcf(
            given(pos="-.2 0 0") + '<geom type="box" pos="-.1 0 0" size=".2 .005 .005"/>'
        ),
        "centre of mass",
        "upper",
        "inside of its shape",
    ),
    "no group for inertia": (
        mjcf(MJCF_BOX, head='<compiler angle="radian" inertiagrouprange="4 5"/>'),
        "missing inertia",
        "upper",
        "weighs nothing",
    ),
    "degrees": (
        mjcf(joint=driven("").replace("-2 2", "-120 120")), "structure", "shoulder", "degrees",
    ),
    "radians without angle": (mjcf(head=""), "structure", "", "limited hinges turn by less"),
    "gravity up": (
        mjcf(head=RADIAN + '<option gravity="0 0 9.81"/>'), "structure", "", "points up",
    ),
    "gravity in mm/s^2": (
        mjcf(head=RADIAN + '<option gravity="0 0 -9810"/>'), "structure", "", "gravity is 9810",
    ),
    "no mesh": (
        mjcf(
            given().replace('type="box"', 'type="mesh" mesh="m"'),
            head=RADIAN + '<asset><mesh name="m" file="nowhere.stl"/></asset>',
        ),
        "structure",
        "",
        "nowhere.stl",
    ),
    "rotor in g cm^2": (mjcf(joint=driven('armature="1000"')), "drives", "shoulder", "rotor"),
    "damping": (mjcf(joint=driven('damping="1e5"')), "drives", "shoulder", "damping"),
    "friction": (mjcf(joint=driven('frictionloss="1e5"')), "drives", "shoulder", "friction"),
    "friction above effort": (
        mjcf(joint=driven('frictionloss="9" actuatorfrcrange="-8 8"')),
        "drives",
        "shoulder",
        "cannot move it",
    ),
}  # fmt: skip


TILTED = (
    '<inertial><origin xyz=".15 .15 0"/><mass value="2"/><inertia ixx=".01405" ixy="{0}.0130333" '
    'ixz="0" iyy=".01405" iyz="0" izz=".0272667"/></inertial><visual><origin xyz=".15 .15 0" '
    'rpy="0 0 .785398"/><geometry><box size=".4 .06 .05"/></geometry></visual>'
)
"""A box at 45 degrees, whose product of inertia is -m l^2 / 24, with a sign to fill in."""
SHORT = inertial(1.0, ".05 0 0", (4e-4, 1e-3, 1e-3))
SHORT_BOX = BOX.replace(f"{LENGTH / 2}", "0.05").replace(f"{LENGTH} ", "0.1 ")


def test_products_of_inertia_of_the_other_sign_are_named(lines_of) -> None:
    assert lines_of(urdf(first=TILTED.format("-")), "shape inertia") == []
    (line,) = lines_of(urdf(first=TILTED.format("")), "shape inertia")
    assert "with the other sign of Ixy it fits" in line.found


def test_exchanged_inertials_of_neighbours_are_found(lines_of) -> None:
    assert lines_of(urdf(second=SHORT + SHORT_BOX), "shape inertia") == []
    lines = lines_of(urdf(first=SHORT + BOX, second=inertial() + SHORT_BOX), "shape inertia")
    assert {line.subject for line in lines if "exchanged" in line.found} == {"upper", "lower"}


@pytest.mark.parametrize("origin", ["0.4 0 0", "0.4 0 0.05"])
def test_a_centre_of_mass_in_the_parent_s_frame_is_found(lines_of, origin: str) -> None:
    x, _, z = map(float, origin.split())
    text = urdf(second=inertial(com=f"{x + LENGTH / 2} 0 {z}") + BOX).replace(
        f'<origin xyz="{LENGTH} 0 0"/><axis', f'<origin xyz="{origin}"/><axis'
    )
    (line,) = lines_of(text, "centre of mass")
    assert line.subject == "lower"
    assert "in the frame of its parent 'upper'" in line.found


def test_a_large_fixed_link_with_a_shape_but_no_mass_is_found(lines_of) -> None:
    text = urdf().replace('<link name="tip"/>', f'<link name="tip">{BOX}</link>')
    (line,) = lines_of(text, "missing inertia")
    assert line.subject == "tip"
    assert "weighs nothing" in line.found


def test_masses_in_pounds_are_named_by_the_data_sheet(lines_of) -> None:
    heavy = inertial(2.20462 * MASS, moments=scaled(2.20462)) + BOX
    (line,) = lines_of(urdf(heavy, heavy), "total mass", audit.Settings(mass=2.0 * MASS))
    assert "in pounds" in line.action


@pytest.fixture
def lines_of(tmp_path: Path):
    """The findings of a check."""

    def looked(text: str, check: str, settings=FAST):
        file = tmp_path / ("arm.xml" if text.startswith("<mujoco") else "arm.urdf")
        file.write_text(text)
        outcome = BY_NAME[check](audit.read_robot(file, settings))
        return [line for line in outcome.lines if line.level > Level.NOTE]

    return looked


@pytest.mark.quick(*(x[0] for x in PLANTED if not x[0].endswith(", lower")))
@pytest.mark.parametrize(
    ("text", "check", "about", "words"), [x[1:] for x in PLANTED], ids=[x[0] for x in PLANTED]
)
def test_a_planted_mistake_is_found_by_its_name(lines_of, text, check, about, words) -> None:
    assert any(line.subject == about and words in line.found for line in lines_of(text, check))


@pytest.mark.parametrize(("text", "check", "about", "words"), IN_MJCF.values(), ids=IN_MJCF)
def test_a_mistake_planted_in_mjcf_is_found_by_its_name(
    lines_of, text, check, about, words
) -> None:
    assert any(line.subject == about and words in line.found for line in lines_of(text, check))


def test_the_sound_arm_in_mjcf_has_no_findings(lines_of) -> None:
    assert not [
        line for check in {x[1] for x in IN_MJCF.values()} for line in lines_of(mjcf(), check)
    ]


@pytest.mark.parametrize("content", [None, "", "version https://git-lfs.github.com/spec/v1\n"])
@pytest.mark.parametrize("suffix", [".stl", ".obj", ".dae"])
def test_a_mesh_that_cannot_be_read_hides_no_other_link(
    lines_of, tmp_path, content, suffix
) -> None:
    """The lower link has no mesh; the mistake of the upper one is found all the same."""
    if content is not None:
        (tmp_path / f"mesh{suffix}").write_text(content)
    lost = inertial() + MESH.format(f"mesh{suffix}")
    wrong = inertial(moments=scaled(1e6)) + BOX
    lines = lines_of(urdf(first=wrong, second=lost), "shape inertia")
    assert [line.subject for line in lines] == ["upper"]
    lines = lines_of(urdf(first=wrong, second=lost), "structure")
    assert [f"mesh{suffix}" in line.found for line in lines] == [True]


def test_a_finding_has_the_effort_that_it_changes(tmp_path) -> None:
    """The lower link's weight has a lever of 1.5 lengths at the shoulder, the upper's of half."""
    wrong = inertial(com=f"{-LENGTH / 2} 0 0") + BOX
    file = tmp_path / "arm.urdf"
    file.write_text(urdf(first=wrong, second=inertial(moments=(0.0, 0.0, 0.0)) + BOX))
    robot = audit.read_robot(file, FAST)
    report = audit.check_robot(robot)
    efforts = {line.subject: line for _, line in report.findings if line.effort}
    weight = MASS * 9.81
    assert efforts["upper"].effort == pytest.approx(weight * LENGTH / 2, rel=0.05)
    assert efforts["lower"].effort == pytest.approx(1.5 * weight * LENGTH, rel=0.05)
    assert efforts["lower"].joint == "shoulder"
    warned = [line.effort for _, line in report.findings if line.level is Level.WARNING]
    assert warned == sorted(warned, reverse=True)


def test_all_casters_without_effort_are_one_finding(lines_of) -> None:
    """Four wheels with effort="0" velocity="0" were eight findings."""
    moments = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
    parts = [f'<link name="base"><inertial><mass value="9"/>{moments}</inertial></link>']
    for name in ("front", "left", "rear"):
        limit = f'<limit effort="0" velocity="{int(name == "rear")}"/>'
        parts.append(parts[0].replace("base", name))
        parts.append(
            f'<joint name="{name}_caster" type="continuous"><parent link="base"/>'
            f'<child link="{name}"/><axis xyz="0 1 0"/>{limit}</joint>'
        )
    found = lines_of(f'<robot name="cart">{"".join(parts)}</robot>', "structure")
    assert [(line.subject, line.found) for line in found] == [
        ("front_caster, left_caster", "their effort and velocity limits are 0"),
        ("rear_caster", "its effort limit is 0"),
    ]
