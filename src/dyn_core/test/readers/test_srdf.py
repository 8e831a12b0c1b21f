# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Reference configurations and rotors from SRDF, with Pinocchio as oracle."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from robots import example_robots
from test_urdf import LIMIT, joint, link, robot

from dyn_core import Model, ModelError
from dyn_core.audit import Level, check_robot, read_robot
from dyn_core.identification.self_collision import self_collision
from dyn_core.readers.srdf import with_srdf

ENDLESS = '<limit velocity="3" effort="4"/>'
ARM = robot(
    *map(link, "abcdef"),
    joint("hinge", "revolute", "a", "b"),
    joint("wheel", "continuous", "b", "c", ENDLESS),
    joint("slide", "prismatic", "c", "d"),
    joint("finger", "prismatic", "d", "e", LIMIT + '<mimic joint="slide" multiplier="2"/>'),
    joint("base", "floating", "e", "f", ENDLESS),
)


def state(*values: tuple[str, str], name: str = "home") -> str:
    joints = "".join(f'<joint name="{joint}" value="{value}"/>' for joint, value in values)
    return f'<group_state name="{name}" group="all">{joints}</group_state>'


def srdf(*elements: str) -> str:
    return f'<robot name="r">{"".join(elements)}</robot>'


def rotors(joint: str, mass: str = "2e-5", ratio: str = "100") -> str:
    return (
        f'<rotor_params><joint name="{joint}" mass="{mass}" gear_ratio="{ratio}"/></rotor_params>'
    )


def quietly(model: Model, source: str | Path, **options: bool) -> Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return with_srdf(model, source, **options)


def piece(model: Model, joint: str, configuration: str = "home") -> list[float]:
    q = model.reference_configurations[configuration]
    return list(model.q_of(model.joint_index(joint), q))


def test_a_group_state_is_a_reference_configuration_and_others_stay_neutral() -> None:
    before = Model.from_urdf(ARM)
    model = with_srdf(before, srdf(state(("hinge", "0.5"), ("wheel", "2"))))
    assert piece(model, "hinge") == [0.5]
    assert piece(model, "wheel") == [np.cos(2.0), np.sin(2.0)]
    assert (piece(model, "slide"), piece(model, "base")) == ([0.0], [0.0] * 6 + [1.0])
    assert before.reference_configurations == {}
    assert model.traced.fingerprint == before.traced.fingerprint


def test_a_mimic_joint_has_no_coordinate_and_its_position_is_known() -> None:
    model = Model.from_urdf(ARM)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        agreeing = with_srdf(model, srdf(state(("finger", "0.2"), ("slide", "0.1"))))
    assert piece(agreeing, "finger") == piece(agreeing, "slide") == [0.1]
    with pytest.warns(UserWarning, match=r"'home': mimic joint 'finger' is at 0.2, .* not at 0.3"):
        with_srdf(model, srdf(state(("slide", "0.1"), ("finger", "0.3"))))


@pytest.mark.parametrize(
    ("element", "words"),
    [
        ('<group_states name="home"/>', "element <group_states> is unknown"),
        ('<group_state name="home"><joints name="hinge" value="1"/></group_state>', "<joints> in"),
        (
            '<group_state name="a"><joint name="hinge" value="1" x="1"/></group_state>',
            "'x' of a joint",
        ),
        ('<Rotor_params><joint name="hinge"/></Rotor_params>', "element <Rotor_params> is unknown"),
        (f'<group name="arm">{state(("hinge", "1"))}</group>', "<group_state> must stand in <rob"),
        (f'<group name="arm">{rotors("hinge")}</group>', "<rotor_params> must stand in <robot>"),
        (state(("wheel", "90")), "'wheel' is at 90, beyond a turn; 90 degrees are 1.571 rad"),
        (state(("nose", "1"), ("hinge", "1")), "'home': 'r' has no moving joint 'nose'; ignored"),
        (rotors("hinge") + rotors("hinge", "1"), "two rotors of joint 'hinge'; the first counts"),
        ('<group name="arm"><joint name="knee"/></group>', "no joint or link 'knee',"),
        ('<group name="arm"><chain base_link="a" tip_link="toe"/></group>', "or link 'toe', which"),
        ('<end_effector name="e" parent_link="toe" group="arm"/>', "no joint or link 'toe', which"),
        ('<virtual_joint name="v" child_link="toe"/>', "no joint or link 'toe', which"),
        ('<virtual_joint name="v"/><passive_joint name="knee"/>', "no joint or link 'knee', which"),
        ('<disable_collisions link1="a" link2="toe"/>', "no joint or link 'toe', which groups, "),
        ('<joint_property joint_name="knee"/>', "no joint or link 'knee', which groups, pairs"),
    ],
)
def test_what_is_not_read_is_reported(element: str, words: str) -> None:
    with pytest.warns(UserWarning, match=words):
        model = with_srdf(Model.from_urdf(ARM), srdf(element))
    assert model.armature[0] in (0.0, pytest.approx(2e-5 * 100**2))


def test_the_first_of_two_states_counts_and_a_new_file_replaces_an_old_one() -> None:
    two = srdf(state(("hinge", "1")), state(("hinge", "2")))
    with pytest.warns(UserWarning, match="two group_states 'home'"):
        model = with_srdf(Model.from_urdf(ARM), two)
    assert piece(model, "hinge") == [1.0]
    other = srdf(state(("hinge", "3")), state(("hinge", "4"), name="other"))
    model = with_srdf(model, other)
    assert (piece(model, "hinge"), piece(model, "hinge", "other")) == ([3.0], [4.0])


def test_rotors_are_armature_by_the_square_of_the_ratio() -> None:
    before = Model.from_urdf(ARM)
    model = with_srdf(before, srdf(rotors("hinge")))
    assert model.armature.tolist() == [pytest.approx(0.2), *[0.0] * 8]
    assert before.armature.tolist() == [0.0] * 9
    assert model.fingerprint != before.fingerprint
    assert with_srdf(model, srdf(rotors("hinge"))).armature.tolist() == model.armature.tolist()
    assert with_srdf(before, srdf(rotors("hinge")), rotors=False).armature.tolist() == [0.0] * 9
    mimic = with_srdf(before, srdf(rotors("finger", "0.5", "3"), rotors("slide")))
    assert mimic.armature[2] == pytest.approx(4.0 * 4.5 + 0.2)  # the finger is twice as fast


BAD = {
    "broken XML": ("<robot>", "the SRDF is not well-formed XML"),
    "not a robot": ("<sdf/>", "its root must be <robot>"),
    "state without name": (srdf("<group_state/>"), "group_state number 1 has no name"),
    "joint without name": (srdf(state(("", "1"))), "'home' has a joint without a name"),
    "joint without value": (
        srdf('<group_state name="home"><joint name="hinge"/></group_state>'),
        "'home': joint 'hinge' has no value",
    ),
    "too many": (
        srdf(state(("hinge", "1 2"))),
        "'home': value='1 2' of joint 'hinge' must hold 1 num",
    ),
    "no rotation": (
        srdf(state(("base", "0 0 0 0 0 0 0.9"))),
        "joint 'base' is not of unit length; correct its quaternion",
    ),
    "rotor of six": (srdf(rotors("base")), "joint 'base' has 6 degrees of freedom"),
    "negative rotor": (srdf(rotors("hinge", "-1")), r"rotor inertia -1.0 .* of joint 'hinge'"),
    "no ratio": (
        srdf('<rotor_params><joint name="hinge" mass="1"/></rotor_params>'),
        "joint 'hinge' has no gear_ratio",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused_by_name(case: str) -> None:
    text, words = BAD[case]
    with pytest.raises(ModelError, match=words):
        with_srdf(Model.from_urdf(ARM), text)


def same_folder() -> list[tuple[Path, Path]]:
    """Every SRDF of example-robot-data with every URDF beside it."""
    root = example_robots()
    return [
        (source, urdf)
        for source in sorted(root.rglob("*.srdf"))
        for urdf in sorted((root / source.relative_to(root).parts[0]).rglob("*.urdf"))
        if urdf.stem != "ur3"  # has no link
    ]


PAIRS = same_folder()


@pytest.mark.quick("free_flyer]")
@pytest.mark.filterwarnings("ignore:link .*principal moments")  # Romeo's
@pytest.mark.parametrize("root_joint", [None, "free_flyer"])
@pytest.mark.parametrize(("source", "urdf"), PAIRS, ids=[f"{s.stem}-{u.stem}" for s, u in PAIRS])
def test_reference_configurations_and_rotors_against_pinocchio(
    source: Path, urdf: Path, root_joint: str | None
) -> None:
    model = Model.from_urdf(urdf, root_joint=root_joint, mimic=False, massless=True)
    arguments = [pin.JointModelFreeFlyer()] if root_joint else []
    oracle = pin.buildModelFromUrdf(str(urdf), *arguments)
    model = quietly(model, source)
    pin.loadReferenceConfigurations(oracle, str(source))
    assert {*model.reference_configurations} == {x.key() for x in oracle.referenceConfigurations}
    for name, q in model.reference_configurations.items():
        expected = pin.normalize(oracle, oracle.referenceConfigurations[name])
        assert q == pytest.approx(expected, abs=1e-12)
    if "<rotor_params" in source.read_text():
        pin.loadRotorParameters(oracle, str(source))
    assert model.armature == pytest.approx(oracle.armature, rel=1e-12)


ARMS = robot(
    link("base"),
    *(link(side) + joint(f"{side}_elbow", "revolute", "base", side) for side in ("left", "right")),
    link("mid"),
    joint("lift", "prismatic", "base", "mid"),
)


def in_group(group: str, name: str, **values: float) -> str:
    joints = "".join(f'<joint name="{joint}" value="{value}"/>' for joint, value in values.items())
    return f'<group_state name="{name}" group="{group}">{joints}</group_state>'


def test_a_state_name_of_several_groups_places_all_of_them() -> None:
    """MoveIt's states are unique within a group only: "home" of each arm is called "home"."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = with_srdf(
            Model.from_urdf(ARMS),
            srdf(
                in_group("left_arm", "home", left_elbow=1.0),
                in_group("left_arm", "up", left_elbow=0.1),
                in_group("right_arm", "home", right_elbow=-0.5),
                in_group("both", "home", left_elbow=1.0, lift=0.25),
            ),
        )
    assert [piece(model, name) for name in model.names[1:]] == [[1.0], [0.25], [-0.5]]
    assert [piece(model, name, "up") for name in model.names[1:]] == [[0.1], [0.0], [0.0]]


@pytest.mark.parametrize(
    "members",
    [
        '<joint name="left_elbow"/>',
        '<link name="left"/>',
        '<chain base_link="base" tip_link="left"/>',
        '<group name="inner"/>',
    ],
)
def test_a_joint_outside_of_the_group_of_its_state_is_reported(members: str) -> None:
    inner = '<group name="inner"><group name="arm"/><joint name="left_elbow"/></group>'
    groups = f'{inner}<group name="arm">{members}</group>'
    with pytest.warns(
        UserWarning, match="'home': group 'arm' does not have 'right_elbow'; MoveIt ignores"
    ) as reported:
        model = with_srdf(
            Model.from_urdf(ARMS),
            srdf(groups, in_group("arm", "home", left_elbow=0.1, right_elbow=0.2)),
        )
    assert len(reported) == 1
    assert piece(model, "right_elbow", "home") == [0.2]


def test_a_state_of_an_unknown_group_is_reported() -> None:
    groups = '<group name="left_arm"/>'
    with pytest.warns(
        UserWarning, match="'home': group 'lefft_arm' is not defined; MoveIt"
    ) as reported:
        model = with_srdf(
            Model.from_urdf(ARMS),
            srdf(
                groups,
                in_group("lefft_arm", "home", left_elbow=0.1),
                in_group("left_arm", "up", left_elbow=0.2),
                in_group("", "down", left_elbow=0.3),
            ),
        )
    assert len(reported) == 1
    assert piece(model, "left_elbow") == [0.1]


def test_values_that_contradict_each_other_are_reported_and_the_first_counts() -> None:
    text = srdf(
        in_group("left_arm", "home", left_elbow=1.0),
        in_group("both", "home", left_elbow=0.5, right_elbow=0.5),
        in_group("both", "home", right_elbow=0.7),
    )
    with pytest.warns(UserWarning, match="the first one counts") as reported:
        model = with_srdf(Model.from_urdf(ARMS), text)
    assert (piece(model, "left_elbow"), piece(model, "right_elbow")) == ([1.0], [0.5])
    words = [str(one.message) for one in reported]
    assert words == [
        "SRDF: group_state 'home' has two values of joint 'left_elbow'; the first one counts",
        "SRDF: there are two group_states 'home' of group 'both'; the first one counts",
    ]


BEYOND = {
    "degrees": (
        ("hinge", "90"),
        r"joint 'hinge' is at 90, beyond .* \[-1, 2\]; 90 degrees are 1.57",
    ),
    "high": (("hinge", "2.1"), r"joint 'hinge' is at 2.1, beyond its limits \[-1, 2\]; correct it"),
    "low": (("hinge", "-1.5"), r"joint 'hinge' is at -1.5, beyond its limits \[-1, 2\]; correct"),
    "a follower": (("slide", "1.5"), r"joint 'finger' is at 3, beyond its limits \[-1, 2\]"),
}


@pytest.mark.parametrize("case", BEYOND)
def test_a_position_beyond_limits_is_kept_and_reported(case: str) -> None:
    (name, value), words = BEYOND[case]
    with pytest.warns(UserWarning, match=f"SRDF: group_state 'home': {words}") as reported:
        model = with_srdf(Model.from_urdf(ARM), srdf(state((name, value))))
    assert len(reported) == 1
    assert piece(model, name) == [float(value)]


def test_only_joints_that_a_state_places_are_reported() -> None:
    """Zero, where joints without a value are, may be beyond limits."""
    model = Model.from_urdf(ARM.replace('lower="-1"', 'lower="0.5"'))
    with pytest.warns(UserWarning, match="joint 'hinge' is at 0, beyond") as reported:
        with_srdf(model, srdf(state(("hinge", "0"))))
    assert len(reported) == 1


XACRO = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{}
<xacro:macro name="home"><group_state name="home" group="all">
<joint name="hinge" value="${{0.5 * 0.5}}"/></group_state></xacro:macro><xacro:home/></robot>"""


def test_an_srdf_in_xacro_is_expanded(tmp_path: Path) -> None:
    """Its elements were reported as unknown, and it had no state."""
    pytest.importorskip("xacro")
    path, model = tmp_path / "r.srdf.xacro", Model.from_urdf(ARM)
    path.write_text(XACRO.format(""))
    assert piece(model.with_srdf(path), "hinge") == [0.25]
    path.write_text(XACRO.format('<a b="$(arg arm)"/>'))
    with pytest.raises(ModelError, match=r"argument arm; .*xacro .*r.srdf.xacro arm:=VALUE > FILE"):
        model.with_srdf(path)
    with pytest.raises(ModelError, match="the SRDF still holds xacro elements; expand it"):
        model.with_srdf(XACRO.format(""))


def test_an_srdf_of_another_robot_is_reported() -> None:
    """Its groups and pairs of links were dropped without a message."""
    panda = example_robots() / "panda_description/srdf/panda.srdf"
    words = "no joint or link 'panda_.* and [0-9]+ more, which groups"
    lines = check_robot(read_robot(ARMS, srdf=panda)).outcome("structure").lines
    assert any(re.search(words, line.found) for line in lines)
    with pytest.warns(UserWarning, match=words):
        self_collision(Model.from_urdf(ARMS), ARMS, srdf=panda)
    urdf = example_robots() / "panda_description/urdf/panda.urdf"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Model.from_urdf(urdf).with_srdf(panda)


def test_the_audit_warns_of_poses_beyond_limits(tmp_path: Path) -> None:
    path = tmp_path / "arms.srdf"
    path.write_text(srdf(in_group("left_arm", "home", left_elbow=90.0)))
    report = check_robot(read_robot(ARMS, srdf=path))
    (found,) = [one for _, one in report.findings if "home" in one.found]
    assert (found.subject, found.level) == ("left_elbow", Level.WARNING)
    assert "90 degrees are 1.571 rad" in found.found
