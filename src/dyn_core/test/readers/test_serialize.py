# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Models and Data in all forms and back: nothing is lost, not a bit."""

from __future__ import annotations

import dataclasses
import gzip
import json
import math
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from every_request import some_request
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_trees import random_model
from robots import ROBOT_FILES, load
from serialized import FORMS, content, number_kinds

import dyn_core
from dyn_core import Contact, Coupling, Loop, Model, ModelError, serialize
from dyn_core.dynamics.rnea import rnea
from dyn_core.joints import Composite, Mimic, Prismatic, Revolute
from dyn_core.model import Frame, FrameType, Limits, ModelBuilder, TreeJoint
from dyn_core.readers.json import model_document as stored
from dyn_core.readers.json.model_document import to_document
from dyn_core.readers.json.typed_values import JOINT_TYPES
from dyn_core.spatial import SE3, Inertia, Matrix3, Symmetric3, Vector3

HOSTILE = [
    "",
    " ",
    "<&>\"'</item>]]><!--<!DOCTYPE x><![CDATA[",
    "inf",
    "nan",
    "0.5",
    "\\ \\u0041 \\n \\\\u",
    "関節 ربط Ω 🤖",
    "__class__",
    "x" * 10_000,
]
ANY_TEXT = st.text(max_size=20).filter(str.isprintable)  # else refused
FINITE = st.floats(allow_nan=False, allow_infinity=False)
QUICK = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest):
    """How to write and read each form."""
    return FORMS[request.param]


@QUICK
@given(seed=st.integers(0, 10_000), joints=st.integers(0, 16))
def test_random_trees_come_back_bit_by_bit(seed: int, joints: int) -> None:
    model = random_model(seed, joints=joints)
    q = model.reference_configurations["home"]
    v = np.random.default_rng(seed).normal(size=model.nv).tolist()
    tau = rnea.define(model, q, v, v)
    for write, read in FORMS.values():
        back = read(write(model))
        assert content(back) == content(model)
        assert back.fingerprint == model.fingerprint
        assert rnea.define(back, q, v, v) == tau


def test_random_trees_have_every_joint_type() -> None:
    models = [random_model(seed) for seed in range(8)]
    found = {type(joint).__name__ for model in models for joint in model.joints[1:]}
    assert found == {*JOINT_TYPES} - {"Fixed"}  # which moves nothing: see test_read_as_pinocchio.py


@pytest.mark.parametrize("name", ROBOT_FILES)
def test_real_robots_come_back_bit_by_bit(form, name: str) -> None:
    write, read = form
    model = load(name).model
    assert content(read(write(model))) == content(model)


@QUICK
@given(names=st.lists(st.sampled_from(HOSTILE) | ANY_TEXT, min_size=1, max_size=4, unique=True))
def test_any_names_that_are_printed(names: list[str]) -> None:
    """A chain of joints with these names, also given to frames, configurations and the model."""
    builder = ModelBuilder(names[0])
    for name in names:
        joint = builder.add_joint(len(builder.tree) - 1, Revolute(), SE3.identity(), name)
        builder.add_frame(name, FrameType.BODY, joint, SE3.identity())
        builder.reference_configurations[name] = (0.5,) * len(names)
    model = builder.build()
    for write, read in FORMS.values():
        assert content(read(write(model))) == content(model)


def one_joint(joint=None, limits: Limits | None = None, placement: SE3 | None = None) -> Model:
    builder = ModelBuilder("one")
    builder.add_joint(0, joint or Prismatic(), placement or SE3.identity(), "j", limits)
    builder.add_body(1, Inertia(1.0, Vector3.zero(), Symmetric3.zero()), SE3.identity())
    return builder.build()


@QUICK
@given(p=st.tuples(FINITE, FINITE, FINITE), g=st.tuples(FINITE, FINITE, FINITE), x=FINITE)
def test_any_numbers(p, g, x: float) -> None:
    """Subnormals, negative zeros, the largest ones; infinite limits."""
    limits = Limits.of(Prismatic(), lower=-math.inf, upper=x, velocity=abs(x), effort=math.inf)
    placement = SE3(Matrix3.identity(), Vector3(*p))
    model = replace(one_joint(limits=limits, placement=placement), gravity=g)
    for write, read in FORMS.values():
        assert content(read(write(model))) == content(model)


def test_nested_composites(form) -> None:
    write, read = form
    joint = Revolute((1, 2, 3))
    for _ in range(12):
        joint = Composite([joint], [SE3(Matrix3.identity(), Vector3(0.1, 0.0, 0.0))])
    model = one_joint(Composite([joint, Mimic(Mimic(Prismatic((3, 2, 1)), -2.0, 0.5))]))
    assert content(read(write(model))) == content(model)


def test_json_is_standard_and_the_other_forms_hold_it() -> None:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    model = one_joint()
    assert model.upper_position_limit[0] == math.inf
    document = json.loads(serialize.to_json(model), parse_constant=refuse)
    assert document["joints"][0]["limits"]["upper"] == ["inf"]
    assert number_kinds(document) == {str, int, float}
    assert ET.fromstring(serialize.to_xml(model)).text == serialize.to_json(model)
    assert gzip.decompress(serialize.to_binary(model)).decode() == serialize.to_json(model)
    assert (document["format"], document["version"]) == ("dyn_core.model", 1)


def test_a_new_field_must_be_stored() -> None:
    """Fails when Model, TreeJoint or Frame gain a field that a document does not have."""

    def fields(cls: type) -> set[str]:
        return {field.name for field in dataclasses.fields(cls)}

    written = {"name", "gravity", "frames", "reference_configurations"}
    forces = {"lifts", "fluid", "tendons"}
    assert fields(Model) == written | {"tree", "loops", "couplings"} | forces
    assert set(stored.FIELDS) == written | {"joints", "fixed_inertia"}
    assert set(stored.OPTIONAL_FIELDS) == {"loops", "couplings"} | forces
    assert fields(TreeJoint) == set(stored.JOINT_FIELDS)
    assert fields(Frame) == set(to_document(random_model(5))["frames"][0])


def filled(model: Model) -> dyn_core.Data:
    """Data with some results, some infinities, and NaN where nothing was computed."""
    data = model.create_data()
    data.tau[...] = np.random.default_rng(1).normal(size=model.nv)
    data.M[...] = np.random.default_rng(2).normal(size=(model.nv, model.nv))
    data.ddq[:2] = math.inf, -math.inf
    frame = model.frames[-1].name
    data[dyn_core.frame_jacobian.request(frame, dyn_core.WORLD)][...] = 1.0 / 3.0
    dyn_core.frame_jacobian(model, data, dyn_core.neutral(model), frame=frame)
    assert np.isnan(data.g).all()  # and stored as that
    return data


def returned(form, data: dyn_core.Data) -> dyn_core.Data:
    """Data that were written and read: they hold the same bits."""
    write, read = form
    back = read(write(data), data.model)
    assert back.model is data.model
    assert list(back.stored()) == list(data.stored())
    for request, arrays in data.stored().items():
        for array, same in zip(arrays, back.stored()[request], strict=True):
            assert array.tobytes() == same.tobytes(), request
    return back


def test_data_come_back_bit_by_bit(form) -> None:
    assert np.isnan(returned(form, filled(random_model(3))).g).all()


def test_data_of_constrained_dynamics_come_back(form) -> None:
    """Contacts, loops and couplings are options of their arrays; a frame may be called 'world'."""
    model = load("ur5").model
    world = replace(model.frames[0], name="world")
    model = replace(model, frames=(*model.frames, world))
    one, two = model.dof_names[:2]
    held = (
        Contact("tool0", 6, kp=4.0, kd=1.0, at="forearm_link"),
        Loop("tool0", "upper_arm_link", 3),
        Coupling("pair", ((one, 1.0),), ((two, 0.5),), (0.1, 2.0)),
    )
    data, zero = model.create_data(), np.zeros(model.nv)
    dyn_core.constrained_forward_dynamics(model, data, zero, zero, zero, constraints=held)
    dyn_core.frame_jacobian(model, data, zero, frame="world")
    returned(form, data)


def test_data_of_every_quantity_come_back() -> None:
    """Whatever their options are: names, the whole robot, other quantities."""
    model, random = load("ur5").model, np.random.default_rng(1)
    form, compared = (serialize.to_json, serialize.from_json), 0
    for quantity in dyn_core.QUANTITIES.values():
        data = model.create_data()
        try:
            arrays = data.arrays(some_request(model, quantity))
        except ValueError:  # this robot does not have it
            continue
        for array in arrays:
            array[...] = random.normal(size=array.shape)
        returned(form, data)
        compared += 1
    assert compared > 80


def test_data_of_another_robot_are_refused() -> None:
    """Also of one with the same dynamics: results may be of its frames, or of joints by name."""
    model = load("ur5").model
    text = serialize.to_json(filled(model))
    place = replace(model.frames[-1], placement=model.frames[0].placement.inverse())
    renamed = replace(model.tree[1], name="other")
    for other in (
        replace(model, frames=(*model.frames[:-1], place)),
        replace(model, tree=(model.tree[0], renamed, *model.tree[2:])),
    ):
        with pytest.raises(ModelError, match="results of another model"):
            serialize.from_json(text, other)


def test_results_of_a_users_own_quantity_are_refused_by_name() -> None:
    @dyn_core.quantity("total_mass", "total mass", unit="kg")
    def total_mass(model: Model) -> float:
        return sum(inertia.mass for inertia in model.inertias)

    model = load("ur5").model
    data = model.create_data()
    assert total_mass(model, data) == sum(body.mass for body in model.inertias)
    with pytest.raises(ModelError, match=r"total_mass\(\) cannot be written: only quantities of"):
        to_document(data)


@pytest.mark.parametrize("suffix", [".json", ".xml", ".bin", ".JSON"])
def test_files(tmp_path: Path, suffix: str) -> None:
    model, path = random_model(7), tmp_path / f"a robot ünd {suffix}{suffix}"
    serialize.save(ModelBuilder("an older one").build(), path)
    serialize.save(model, path)
    assert content(serialize.load(str(path))) == content(model)
    other = path.rename(tmp_path / "robot.dat")  # its content counts
    assert content(serialize.load(other)) == content(model)
    other.rename(path)
    serialize.save(filled(model), path)
    assert serialize.load(path, model).tau.tobytes() == filled(model).tau.tobytes()
    assert list(tmp_path.iterdir()) == [path]
