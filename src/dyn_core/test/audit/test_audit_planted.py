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


OF_LINKS: dict[str, dict[str, tuple[str, str]]] = {
    # what was done, by the check that finds it: the inertial and shapes of a link; words
    "missing inertia": {
        "no inertial": (BOX, "weighs nothing"),
        "no inertial, one box more": (BOX + BOX, "weighs nothing"),
        "template": (inertial(1.0, moments=(1.0, 1.0, 1.0)) + BOX, "default"),
        "small template": (inertial(0.5, moments=(1e-3,) * 3) + BOX, "default"),
        "nearly no mass": (inertial(1e-6, moments=scaled(1e-7)) + BOX, "less than that of the air"),
    },
    "shape inertia": {
        "about the origin": (
            inertial(moments=(ALONG, ACROSS + LEVER, ACROSS + LEVER)) + BOX,
            "about the link's origin",
        ),
        "moments in g m^2": (inertial(moments=scaled(1e3)) + BOX, "slip of units"),
        "moments in kg mm^2": (inertial(moments=scaled(1e6)) + BOX, "slip of units"),
        "moments in kg cm^2": (inertial(moments=scaled(1e4)) + BOX, "kg cm^2"),
        "moments in g cm^2": (inertial(moments=scaled(1e7)) + BOX, "g cm^2"),
        "moments in lb in^2": (inertial(moments=scaled(3417.0)) + BOX, "lb in^2"),
        "moments by 10": (inertial(moments=scaled(0.1)) + BOX, "0.1 times"),
        "moments times 30, centre off the middle": (
            inertial(com=f"{0.35 * LENGTH} 0 0", moments=scaled(30.0)) + BOX,
            "30 times",
        ),
        "moments 90 % larger": (inertial(moments=scaled(1.9)) + BOX, "90% off"),
        "mass in pounds": (inertial(2.20462 * MASS) + BOX, "a mass in pounds explains that"),
        "mass and moments in g": (
            inertial(1e3 * MASS, moments=scaled(1e3)) + BOX,
            "more than any metal",
        ),
        "moments in g mm^2": (inertial(moments=scaled(1e9)) + BOX, "slip of units"),
        "moments by 1000": (inertial(moments=scaled(1e-3)) + BOX, "slip of units"),
        "moments by 1e6": (inertial(moments=scaled(1e-6)) + BOX, "slip of units"),
        "no moments": (inertial(moments=(0.0, 0.0, 0.0)) + BOX, "no moments"),
        "mass in g": (inertial(1e3 * MASS, moments=SOUND) + BOX, "slip of units"),
    },
    "total mass": {
        "mass and moments in pounds": (
            inertial(2.20462 * MASS, moments=scaled(2.20462)) + BOX,
            "pounds",
        ),
    },
    "structure": {
        "angles in degrees": (
            inertial().replace("<origin", '<origin rpy="0 90 0"') + BOX,
            "like degrees",
        ),
        "angles of the shape in degrees": (
            inertial() + BOX.replace("<origin", '<origin rpy="0 180 0"'),
            "like degrees",
        ),
    },
    "possible inertia": {
        "triangle": (inertial(moments=(1.0, 0.1, 0.1)) + BOX, "no body has"),
        "negative": (inertial(moments=(ALONG, -ACROSS, ACROSS)) + BOX, "negative"),
    },
    "centre of mass": {
        "centre in mm": (inertial(com=f"{1e3 * LENGTH / 2} 0 0") + BOX, "in mm"),
        "sign of the centre": (inertial(com=f"{-LENGTH / 2} 0 0") + BOX, "sign of x"),
        "axes exchanged": (inertial(com=f"0 {LENGTH / 2} 0") + BOX, "exchanged"),
        "other axes exchanged": (inertial(com=f"0 0 {LENGTH / 2}") + BOX, "exchanged"),
        "no origin": (inertial(com="0 0 0") + BOX, "exactly at the link's origin"),
        "frame of another": (inertial(com="1.9 0.7 0") + BOX, "another link"),
    },
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
        for check, mistakes in OF_LINKS.items():
            for name, (text, words) in mistakes.items():
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


IN_MJCF: dict[str, dict[str, tuple[str, str, str]]] = {
    # by the check that finds it: description; what it is about, and words
    "shape inertia": {
        "mass in g": (mjcf(given(1e3 * MASS)), "upper", "slip of units"),
        "axes of the moments": (
            mjcf(given(moments=(ACROSS, ALONG, ACROSS))),
            "upper",
            "axes of its moments exchanged",
        ),
    },
    "centre of mass": {
        "no pos": (mjcf(given(pos="0 0 0")), "upper", "exactly at"),
        "sign of the centre, inside": (
            mjcf(given(pos="-.2 0 0") + '<geom type="box" pos="-.1 0 0" size=".2 .005 .005"/>'),
            "upper",
            "inside of its shape",
        ),
    },
    "missing inertia": {
        "forgotten inertial": (mjcf(MJCF_BOX), "upper", "forgotten"),
        "no group for inertia": (
            mjcf(MJCF_BOX, head='<compiler angle="radian" inertiagrouprange="4 5"/>'),
            "upper",
            "weighs nothing",
        ),
    },
    "structure": {
        "degrees": (mjcf(joint=driven("").replace("-2 2", "-120 120")), "shoulder", "degrees"),
        "radians without angle": (mjcf(head=""), "", "limited hinges turn by less"),
        "gravity up": (mjcf(head=RADIAN + '<option gravity="0 0 9.81"/>'), "", "points up"),
        "gravity in mm/s^2": (
            mjcf(head=RADIAN + '<option gravity="0 0 -9810"/>'),
            "",
            "gravity is 9810",
        ),
        "no mesh": (
            mjcf(
                given().replace('type="box"', 'type="mesh" mesh="m"'),
                head=RADIAN + '<asset><mesh name="m" file="nowhere.stl"/></asset>',
            ),
            "",
            "nowhere.stl",
        ),
    },
    "drives": {
        "rotor in g cm^2": (mjcf(joint=driven('armature="1000"')), "shoulder", "rotor"),
        "damping": (mjcf(joint=driven('damping="1e5"')), "shoulder", "damping"),
        "friction": (mjcf(joint=driven('frictionloss="1e5"')), "shoulder", "friction"),
        "friction above effort": (
            mjcf(joint=driven('frictionloss="9" actuatorfrcrange="-8 8"')),
            "shoulder",
            "cannot move it",
        ),
    },
}


TILTED = (
    '<inertial><origin xyz=".15 .15 0"/><mass value="2"/><inertia ixx=".01405" ixy="{0}.0130333" '
    'ixz="0" iyy=".01405" iyz="0" izz=".0272667"/></inertial><visual><origin xyz=".15 .15 0" '
    'rpy="0 0 .785398"/><geometry><box size=".4 .06 .05"/></geometry></visual>'
)
"""A box at 45 degrees, whose product of inertia is -m l^2 / 24, with a sign to fill in."""
SHORT = inertial(1.0, ".05 0 0", (4e-4, 1e-3, 1e-3))
SHORT_BOX = BOX.replace(f"{LENGTH / 2}", "0.05").replace(f"{LENGTH} ", "0.1 ")


def test_products_of_the_other_sign_and_exchanged_inertials_are_found(lines_of) -> None:
    assert lines_of(urdf(first=TILTED.format("-")), "shape inertia") == []
    (line,) = lines_of(urdf(first=TILTED.format("")), "shape inertia")
    assert "with the other sign of Ixy it fits" in line.found
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


def test_a_large_fixed_link_without_mass_and_masses_in_pounds_are_found(lines_of) -> None:
    text = urdf().replace('<link name="tip"/>', f'<link name="tip">{BOX}</link>')
    (line,) = lines_of(text, "missing inertia")
    assert line.subject == "tip"
    assert "weighs nothing" in line.found
    heavy = inertial(2.20462 * MASS, moments=scaled(2.20462)) + BOX
    (line,) = lines_of(urdf(heavy, heavy), "total mass", audit.Settings(mass=2.0 * MASS))
    assert "in pounds" in line.action
    heavy = inertial(2.20462 * MASS) + BOX
    found = [line.found for line in lines_of(urdf(heavy, heavy), "shape inertia")]
    assert len(found) == 2
    assert all("a mass in pounds explains that" in x for x in found)


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


@pytest.mark.parametrize(
    ("check", "name"), [(check, name) for check, mistakes in IN_MJCF.items() for name in mistakes]
)
def test_a_mistake_planted_in_mjcf_is_found_by_its_name(lines_of, check: str, name: str) -> None:
    text, about, words = IN_MJCF[check][name]
    assert any(line.subject == about and words in line.found for line in lines_of(text, check))


def test_the_sound_arm_in_mjcf_has_no_findings(lines_of) -> None:
    assert not [line for check in IN_MJCF for line in lines_of(mjcf(), check)]


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
