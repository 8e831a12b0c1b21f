# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Rotors and springs of a URDF: ``<dynamics>``, and Drake's tags in transmissions."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest
from test_urdf import LIMIT, PENDULUM, joint, link, swap

import dyn_core
from dyn_core import Model, ModelError
from dyn_core.identification.urdf_writer import write_urdf

ROTOR = '<drake:rotor_inertia value="1e-4"/>'
GEARED = ROTOR + '<drake:gear_ratio value="100"/>'
SIMPLE = "transmission_interface/SimpleTransmission"


def transmission(inside: str, name: str = "hinge", kind: str = SIMPLE, more: str = "") -> str:
    return (
        f'<transmission name="t"><type>{kind}</type><joint name="{name}"/>{more}'
        f'<actuator name="m">{inside}</actuator></transmission>'
    )


def with_transmission(*args: str, **options: str) -> str:
    text = swap("</robot>", transmission(*args, **options) + "</robot>")
    return text.replace("<robot", '<robot xmlns:drake="http://drake.mit.edu"')


def quietly(text: str, **options: bool) -> Model:
    """The model of a description about which there is nothing to say."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return Model.from_urdf(text, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("inside", "armature"),
    [(GEARED, 1.0), (ROTOR, 1e-4), ('<drake:gear_ratio value="100"/>', 0.0),
     (GEARED.replace("100", "-100"), 1.0), (GEARED.replace("1e-4", "0"), 0.0)],
)  # fmt: skip
def test_drakes_rotor_adds_its_inertia_times_the_square_of_its_gear_ratio_or_one(
    inside: str, armature: float
) -> None:
    """The prefix need not be declared, and the type may be an attribute."""
    bare, geared, q = Model.from_urdf(PENDULUM), quietly(with_transmission(inside)), np.zeros(1)
    assert dyn_core.crba(geared, q) - dyn_core.crba(bare, q) == pytest.approx(armature, rel=1e-14)
    text = swap("</robot>", transmission(inside) + "</robot>")
    old = text.replace(f'name="t"><type>{SIMPLE}</type>', f'name="t" type="{SIMPLE}">')
    for one in (geared, quietly(text), quietly(old)):
        assert one.armature == pytest.approx(armature)


def test_the_rotor_of_a_slide_is_a_mass_and_that_of_a_follower_is_felt_by_its_primary() -> None:
    slide = with_transmission(GEARED).replace('type="revolute"', 'type="prismatic"')
    assert dyn_core.crba(Model.from_urdf(slide), np.zeros(1)) == pytest.approx(2.0 + 1.0)
    mimic = LIMIT + '<mimic joint="hinge" multiplier="-2"/>'
    text = with_transmission(GEARED, "finger").replace(
        "</robot>", link("tip") + joint("finger", "revolute", "bob", "tip", mimic) + "</robot>"
    )
    assert quietly(text).armature == pytest.approx(4.0)
    assert quietly(text, mimic=False).armature.tolist() == pytest.approx([0.0, 1.0])


UNCERTAIN = {
    "not simple": (with_transmission(GEARED, kind="DifferentialTransmission"), "is not SimpleTr"),
    "fixed": (with_transmission(GEARED).replace('"revolute"', '"fixed"'), "'hinge' is fixed"),
    "no effort": (
        with_transmission(GEARED).replace('effort="4"', 'effort="0"'),
        "the effort limit of joint 'hinge' is 0",
    ),
    "another reduction": (
        with_transmission(ROTOR + "<mechanicalReduction>50</mechanicalReduction>"),
        "a <mechanicalReduction> but no <drake:gear_ratio>",
    ),
    "a reduction of the joint": (
        with_transmission(ROTOR).replace(
            '<joint name="hinge"/>',
            '<joint name="hinge"><mechanicalReduction>50</mechanicalReduction></joint>',
        ),
        "a <mechanicalReduction> but no <drake:gear_ratio>",
    ),
    "Drake's name in other letters": (
        with_transmission('<drake:rotorInertia value="1e-4"/>'),
        "rotorInertia in <transmission> is for other tools",
    ),
    "beside the actuator": (
        with_transmission("", more=ROTOR),
        "it must stand in <actuator>",
    ),
    "motorInertia": (
        with_transmission("<motorInertia>1e-4</motorInertia>"),
        "motorInertia in <transmission> is for other tools",
    ),
}


@pytest.mark.parametrize("case", UNCERTAIN)
def test_a_rotor_of_uncertain_meaning_is_reported_by_name(case: str) -> None:
    text, words = UNCERTAIN[case]
    with pytest.warns(UserWarning, match=f"transmission 't': .*{words}.*armature= of the joint"):
        model = Model.from_urdf(text)
    assert not model.armature.any()


BAD = {
    "negative": (GEARED.replace("1e-4", "-1"), "the rotor inertia -1.0 kg m.2 is negative"),
    "no value": (GEARED.replace("value", "amount"), "<rotor_inertia> has no value"),
    "twice": (GEARED + ROTOR, "<rotor_inertia> occurs 2 times"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_broken_rotor_is_refused(case: str) -> None:
    inside, words = BAD[case]
    with pytest.raises(ModelError, match=f"transmission 't': {words}"):
        Model.from_urdf(with_transmission(inside))


def in_dynamics(attributes: str, kind: str = "revolute") -> str:
    text = swap(LIMIT, LIMIT + f"<dynamics {attributes}/>")
    if kind == "continuous":
        text = text.replace('lower="-1" upper="2"', "")
    return text.replace('type="revolute"', f'type="{kind}"')


@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic"])
def test_armature_of_dynamics_is_that_of_mujoco(kind: str) -> None:
    """As MJCF's armature; Fourier's GR2 and GR3 give it so."""
    model = quietly(in_dynamics('armature="0.606" damping="0.1"', kind))
    bare = Model.from_urdf(PENDULUM.replace('"revolute"', f'"{kind}"'))
    zero = dyn_core.neutral(model)
    assert dyn_core.crba(model, zero) - dyn_core.crba(bare, zero) == pytest.approx(0.606)
    assert model.damping.tolist() == [0.1]


def test_armature_of_dynamics_counts_before_that_of_a_transmission() -> None:
    text = with_transmission(GEARED)
    same = text.replace(LIMIT, LIMIT + '<dynamics armature="1.0"/>')
    other = text.replace(LIMIT, LIMIT + '<dynamics armature="0.5"/>')
    assert quietly(same).armature.tolist() == [1.0]
    with pytest.warns(UserWarning, match="'hinge': armature= of <dynamics> is read, not the 1 of"):
        assert Model.from_urdf(other).armature.tolist() == [0.5]


@pytest.mark.parametrize("kind", ["hinge", "slide"])
def test_a_spring_pulls_to_its_reference_as_mujocos_does(kind: str) -> None:
    """SDF's names: the effort is ``-spring_stiffness (q - spring_reference)``."""
    text = in_dynamics(
        'spring_stiffness="7" spring_reference="0.2"',
        {"hinge": "revolute", "slide": "prismatic"}[kind],
    )
    model = quietly(text)
    q, v = np.array([0.5]), np.zeros(1)
    theirs = mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler angle="radian"/><worldbody><body><joint type="{kind}" axis="1 0 0" '
        'stiffness="7" springref="0.2"/><geom size="1"/></body></worldbody></mujoco>'
    )
    data = mujoco.MjData(theirs)
    data.qpos[:] = q
    mujoco.mj_forward(theirs, data)
    assert dyn_core.passive_efforts(model, q, v) == pytest.approx(data.qfrc_spring, abs=1e-14)
    assert data.qfrc_spring == pytest.approx(-7.0 * 0.3)


def test_the_spring_of_a_continuous_joint_rests_at_an_angle() -> None:
    model = quietly(in_dynamics('spring_stiffness="7" spring_reference="2"', "continuous"))
    q = np.array([math.cos(2.3), math.sin(2.3)])
    assert dyn_core.passive_efforts(model, q, np.zeros(1)) == pytest.approx(-7.0 * 0.3)


def test_rotor_and_spring_need_a_joint_of_one_freedom() -> None:
    plane = in_dynamics('armature="1"', "planar").replace(LIMIT, '<axis xyz="0 0 1"/>')
    with pytest.raises(ModelError, match=r"joint 'hinge': armature and .* of one degree .* has 3"):
        Model.from_urdf(plane)
    assert Model.from_urdf(plane.replace('armature="1"', 'armature="0"')).nv == 3


def test_a_written_urdf_holds_the_new_armature(tmp_path: Path) -> None:
    for number, text in enumerate((with_transmission(GEARED), in_dynamics('armature="1.0"'))):
        model = Model.from_urdf(text).with_rotor("hinge", 0.25)
        path = tmp_path / f"{number}.urdf"
        write_urdf(model, text, path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert Model.from_urdf(path).armature.tolist() == [0.25]
    write_urdf(Model.from_urdf(PENDULUM).with_rotor("hinge", 0.25), PENDULUM, path)
    assert "armature" not in path.read_text()
