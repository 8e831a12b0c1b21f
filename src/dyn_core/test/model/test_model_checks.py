# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Impossible robots are refused in words, by every way to make a model."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from robots import load

import dyn_core
from dyn_core import Contact, Model, ModelBuilder, ModelError
from dyn_core.joints import Composite, Mimic, Prismatic, Revolute, Spherical
from dyn_core.model import FrameType, Limits
from dyn_core.spatial import SE3, Inertia, Matrix3, Symmetric3, Vector3

HERE = SE3.identity()
BODY = Inertia.from_com(2.0, Vector3(0.1, 0.0, 0.0), Symmetric3(0.2, 0.0, 0.3, 0.0, 0.0, 0.4))
FAR = Vector3(0.0, 0.0, 1.0)
NO_PLACEMENTS = {
    "NaN": (SE3(Matrix3.identity(), Vector3(0.0, math.nan, 0.0)), "is not finite"),
    "infinite": (SE3(Matrix3.identity(), Vector3(0.0, math.inf, 0.0)), "is not finite"),
    "NaN rotation": (SE3(Matrix3.quaternion(math.nan, 0.0, 0.0, 1.0), FAR), "is not finite"),
    "zero": (SE3(Matrix3.zero(), FAR), "does not turn by a rotation matrix"),
    "long quaternion": (SE3(Matrix3.quaternion(1.0, 1.0, 0.0, 1.0), FAR), "its length is not 1"),
    "mirror": (
        SE3(Matrix3.of([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]]), FAR),
        "right-handed",
    ),
    "stretched": (
        SE3(Matrix3.of([[1.1, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), FAR),
        "orthonormal",
    ),
}


def arm(builder: ModelBuilder | None = None) -> ModelBuilder:
    """A hinge with a body and a tool."""
    builder = builder or ModelBuilder("arm")
    joint = builder.add_joint(0, Revolute(), HERE, "hinge")
    builder.add_body(joint, BODY, HERE)
    builder.add_frame("link", FrameType.BODY, joint, HERE)
    builder.add_frame("tool", FrameType.OPERATIONAL, joint, HERE)
    return builder


@pytest.mark.parametrize("case", NO_PLACEMENTS)
def test_placements_must_be_rigid(case: str) -> None:
    placement, words = NO_PLACEMENTS[case]
    builder, other = arm(), load("ur5").model
    model = builder.build()
    with pytest.raises(ModelError, match=f"joint 'knee': its placement .*{words}"):
        builder.add_joint(1, Revolute(), placement, "knee")
    with pytest.raises(ModelError, match=f"a body of joint 'hinge': its placement .*{words}"):
        builder.add_body(1, BODY, placement)
    with pytest.raises(ModelError, match=f"frame 'tip': its placement .*{words}"):
        builder.add_frame("tip", FrameType.OPERATIONAL, 1, placement)
    with pytest.raises(ModelError, match=f"frame 'tip': its placement .*{words}"):
        model.with_frame("tip", "tool", placement)
    with pytest.raises(ModelError, match=words):
        model.append(other, "tool", placement)
    with pytest.raises(ValueError, match="placement 0 of a composite joint"):
        Composite([Revolute()], [placement])
    assert builder.build().fingerprint == model.fingerprint


@pytest.mark.parametrize("index", [-1, 2, 99])
def test_indices_must_be_those_of_joints(index: int) -> None:
    builder = arm()
    with pytest.raises(ModelError, match=f"joint 'knee': no joint {index} is there"):
        builder.add_joint(index, Revolute(), HERE, "knee")
    with pytest.raises(ModelError, match=f"a body: no joint {index} is there"):
        builder.add_body(index, BODY, HERE)
    with pytest.raises(ModelError, match=f"frame 'tip': no joint {index} is there"):
        builder.add_frame("tip", FrameType.OPERATIONAL, index, HERE)


def test_frames_of_one_kind_have_different_names() -> None:
    builder = arm()
    with pytest.raises(ModelError, match=r"frame 'tool' \(operational\) exists already in 'arm'"):
        builder.add_frame("tool", FrameType.OPERATIONAL, 0, HERE)
    builder.add_frame(
        "hinge", FrameType.BODY, 1, HERE
    )  # as in a URDF, where a link may be so named
    other = ModelBuilder("other")
    other.add_joint(0, Revolute(), HERE, "knee")
    other.add_frame("link", FrameType.BODY, 1, HERE)
    with pytest.raises(ModelError, match=r"frame 'link' \(body\) exists already"):
        builder.build().append(other.build(), "tool")


@pytest.mark.parametrize(
    ("inertia", "words"),
    [
        (Inertia.from_com(math.nan, Vector3.zero(), Symmetric3.zero()), "inertia is not finite"),
        (Inertia.from_com(1e308, Vector3(1e9, 0.0, 0.0), Symmetric3.zero()), "too large"),
        (Inertia.from_com(-1.0, Vector3.zero(), Symmetric3.zero()), r"mass -1.0 kg is negative"),
    ],
)
def test_bodies_have_a_finite_mass_that_is_not_negative(inertia: Inertia, words: str) -> None:
    with pytest.raises(ModelError, match=f"a body of joint 'hinge': .*{words}"):
        arm().add_body(1, inertia, HERE)


NUMBERS = (
    "velocity effort damping friction armature stiction stribeck_velocity stiffness rest "
    "acceleration jerk"
)
ONE = {"lower": (0.0,), "upper": (1.0,)} | dict.fromkeys(NUMBERS.split(), (0.0,))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"lower": (2.0,)}, "lower limit 2.0 is above the upper limit 1.0"),
        ({"upper": (math.nan,)}, "upper is .* must not be NaN"),
        ({"damping": (-1.0,)}, "damping must not be negative"),
        ({"armature": (math.inf,)}, "armature must be finite"),
        ({"rest": (-math.inf,)}, "rest must be finite"),
        ({"stiffness": (-1.0,)}, "stiffness must not be negative"),
        ({"stiction": (1.0,)}, "stiction of 1.0 needs a stribeck_velocity above 0"),
    ],
)
def test_limits_are_checked_however_they_are_made(change: dict[str, object], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        Limits(**{**ONE, **change})


def test_limits_have_a_number_for_each_coordinate() -> None:
    with pytest.raises(ModelError, match="joint 'ball': lower has 1 numbers; the joint has 4"):
        ModelBuilder("r").add_joint(0, Spherical(), HERE, "ball", Limits(**ONE))


@pytest.mark.parametrize(
    "gravity",
    ["123", "000", (0.0, 0.0), (0.0, 0.0, math.nan), 9.81, None, (True, 0, 0), (0, 0, np.True_)],
)
def test_gravity_is_three_numbers(gravity: object) -> None:
    with pytest.raises(ModelError, match=r"gravity \(m/s\^2\) must be 3 (finite )?numbers, not"):
        arm().build().with_gravity(gravity)
    with pytest.raises(ModelError, match="gravity"):
        ModelBuilder("r", gravity).build()


@pytest.mark.parametrize("truth", [True, np.False_])
def test_true_and_false_are_no_numbers(truth: object) -> None:
    """JSON would not take them, nor say where they are."""
    model = arm().build()
    with pytest.raises(ModelError, match=r"Model: gravity is .*True and False are no numbers"):
        replace(model, gravity=(truth, 0.0, 0.0))
    with pytest.raises(ModelError, match=r"Model: reference_configurations is"):
        replace(model, reference_configurations={"home": (truth,) * model.nq})
    with pytest.raises(ModelError, match=r"Limits: friction is"):
        Limits(**{**ONE, "friction": (truth,)})
    with pytest.raises(ModelError, match=r"Contact: kd is"):
        Contact("tool", kd=truth)


def test_reference_configurations_are_configurations() -> None:
    builder = ModelBuilder("r")
    builder.add_joint(0, Spherical(), HERE, "ball")
    for q, words in (
        ((0.0, 0.0, 0.0), "must be 4 finite numbers"),
        ((0.0, 0.0, 0.0, math.nan), "must be 4 finite numbers"),
        ((0.0, 0.0, 0.0, 2.0), "joint 'ball' are not of unit length"),
    ):
        builder.reference_configurations["home"] = q
        with pytest.raises(ModelError, match=f"reference configuration 'home'.*{words}"):
            builder.build()


def test_joints_are_locked_at_a_configuration() -> None:
    builder = ModelBuilder("r")
    ball = builder.add_joint(0, Spherical(), HERE, "ball")
    builder.add_joint(ball, Revolute(), HERE, "hinge")
    model = builder.build()
    for q, words in (
        ((0.0, 0.0, 0.0, 2.0, 0.0), "joint 'ball' are not of unit length"),
        ((0.0, 0.0, 0.0, 0.0, 0.0), "joint 'ball' are not of unit length"),
        ((0.0, 0.0, 0.0, 1.0, math.nan), "5 finite numbers"),
    ):
        with pytest.raises(ModelError, match=words):
            model.reduced(["ball"], np.array(q))


def test_a_joint_may_be_called_universe() -> None:
    """Joint 0 is ours and has no name that a user could take away."""
    builder = ModelBuilder("r")
    joint = builder.add_joint(0, Revolute(), HERE, "universe")
    builder.add_body(joint, BODY, HERE)
    finger = builder.add_joint(joint, Mimic(Revolute(), 2.0), HERE, "finger", primary="universe")
    builder.add_body(finger, BODY, HERE)
    model = builder.build()
    assert (model.joint_index("universe"), model.tree[2].primary, model.nv) == (1, 1, 1)
    assert model.with_rotor("universe", 1.0).armature.tolist() == [1.0]
    assert model.reduced(["universe"], np.zeros(1)).nv == 0
    stored = dyn_core.serialize.from_json(dyn_core.serialize.to_json(model))
    assert stored.fingerprint == model.fingerprint
    tau = dyn_core.rnea(model, model.create_data(), np.zeros(1), np.zeros(1), np.ones(1))
    assert np.isfinite(tau).all()


def test_arguments_of_edits_of_a_wrong_type_are_named() -> None:
    model = arm().build()
    for wrong in (None, 1.0, [], np.zeros(2), model):
        with pytest.raises(KeyError, match="no frame"):
            model.with_payload(wrong, 1.0)
        with pytest.raises(KeyError, match="no joint"):
            model.joint_index(wrong)
    for wrong in (None, "arm", np.zeros(2)):
        with pytest.raises(TypeError, match="give the Model of the other robot"):
            model.append(wrong, model.frames[-1].name)


def coupled(multiplier: float, **losses: float) -> Model:
    """A slide that follows a hinge; both have these losses."""
    builder = ModelBuilder("r")
    lead = builder.add_joint(0, Revolute(), HERE, "lead", Limits.of(Revolute(), **losses))
    builder.add_body(lead, BODY, HERE)
    joint = Mimic(Prismatic(), multiplier)
    limits = Limits.of(joint, **losses)
    finger = builder.add_joint(lead, joint, HERE, "finger", limits, "lead")
    builder.add_body(finger, BODY, HERE)
    return builder.build()


@pytest.mark.parametrize("multiplier", [-2.5, 0.0, 0.3])
def test_power_balance_of_what_acts_at_a_followers_shaft(multiplier: float) -> None:
    """What the coordinate loses is what both shafts lose, each at its own speed."""
    model = coupled(multiplier, damping=0.7, friction=0.3, armature=0.2)
    for rate in (1.3, -0.4):
        shafts = np.array([rate, multiplier * rate])
        assert model.damping[0] * rate**2 == pytest.approx(0.7 * shafts @ shafts)
        assert model.friction[0] * abs(rate) == pytest.approx(0.3 * np.abs(shafts).sum())
        assert model.armature[0] * rate**2 == pytest.approx(0.2 * shafts @ shafts)
    bare, data = coupled(multiplier), model.create_data()
    M = dyn_core.crba(model, data, np.zeros(1))
    difference = M - dyn_core.crba(bare, bare.create_data(), np.zeros(1))
    assert difference[0, 0] == pytest.approx(model.armature[0])


def test_a_rotor_of_a_mimic_joint_is_felt_by_its_primary() -> None:
    model = coupled(-2.0).with_rotor("lead", 0.1).with_rotor("finger", 0.01, 5.0)
    assert model.armature.tolist() == pytest.approx([0.1 + 0.01 * 25.0 * 4.0])
    assert model.with_rotor("finger", 0.0).armature.tolist() == [0.1]  # set, not added
