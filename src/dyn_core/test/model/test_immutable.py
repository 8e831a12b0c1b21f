# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A model is a value: it cannot be changed, and what is stored is what was traced."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from inspect import signature
from pathlib import Path

import numpy as np
import pytest
from robots import OWN_ARM, own_arm

import dyn_core
from dyn_core import Model, ModelError
from dyn_core.compiler.runtime import code_cache as cache
from dyn_core.model import Limits
from dyn_core.spatial import SE3, Inertia, Matrix3, Motion, Symmetric3, Vector3

LINK, JOINT = "forearm_link", "elbow_joint"
Q = np.linspace(0.1, 0.6, 6)

ASSIGNMENTS: dict[str, Callable[[Model], None]] = {
    "mass": lambda m: setattr(m.inertias[2], "mass", 50.0),
    "first moment": lambda m: setattr(m.inertias[2].first_moment, "x", 1.0),
    "rotational inertia": lambda m: setattr(m.inertias[2].rotational, "xx", 1.0),
    "part of an inertia": lambda m: setattr(m.inertias[2], "first_moment", Vector3.zero()),
    "translation": lambda m: setattr(m.joint_placements[1].translation, "x", 1.0),
    "rotation": lambda m: setattr(m.joint_placements[1].rotation, "rows", ()),
    "axis": lambda m: setattr(m.joints[1].axis, "x", 1.0),  # type: ignore[attr-defined]
    "axis of a joint": lambda m: setattr(m.joints[1], "axis", Vector3.zero()),
    "method of a joint": lambda m: setattr(m.joints[1], "subspace", lambda q: ()),
    "news of a joint": lambda m: setattr(m.joints[1], "something", 1),
    "space of a joint": lambda m: setattr(m.joints[1].space, "nq", 3),
    "inertia of a body": lambda m: setattr(m.tree[1], "inertia", Inertia.zero()),
    "limits": lambda m: setattr(m.tree[1].limits, "lower", (0.0,)),
    "frame": lambda m: setattr(m.frames[0], "placement", SE3.identity()),
    "gravity": lambda m: setattr(m, "gravity", (0.0, 0.0, 0.0)),
    "what was derived": lambda m: setattr(m, "names", ()),
    "deletion": lambda m: delattr(m.inertias[2], "mass"),
}


@pytest.mark.parametrize("name", ASSIGNMENTS)
@pytest.mark.parametrize(
    "made", [lambda m: m, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))]
)
def test_an_assignment_is_refused_and_names_what_works(name: str, made) -> None:
    model = made(own_arm().with_gravity((0.0, 0.0, -1.62)))
    with pytest.raises(AttributeError, match=r"cannot be changed: .*with_inertia\(body, .*with_"):
        ASSIGNMENTS[name](model)
    assert model == own_arm().with_gravity((0.0, 0.0, -1.62))


def test_arrays_and_dictionaries_stay() -> None:
    model = replace(own_arm(), reference_configurations={"home": [0.0] * 6})  # type: ignore[dict-item]
    assert model.reference_configurations["home"] == (0.0,) * 6
    with pytest.raises(TypeError):
        model.reference_configurations["home"] = (1.0,) * 6  # type: ignore[index]
    for array in (model.armature, model.damping, model.friction, model.effort_limit):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)


def test_lists_that_a_robot_is_given_are_its_own() -> None:
    lower, tree = [-1.0], list(own_arm().tree)
    limits = replace(tree[1].limits, lower=lower)  # type: ignore[arg-type]
    model = replace(own_arm(), tree=tree)  # type: ignore[arg-type]
    lower[0], tree[1] = 1.0, tree[2]
    assert limits.lower == (-1.0,)
    assert model.tree == own_arm().tree


def test_values_are_copied_and_pickled_as_they_are() -> None:
    for value in (own_arm().inertias[2], own_arm().joint_placements[2], Motion.basis(2)):
        for twin in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
            assert repr(twin) == repr(value)


def test_another_process_is_not_given_what_an_edit_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Code of an edited robot, by whatever force, is not stored under the name of the unedited."""
    program = f"""
import sys, numpy as np, dyn_core
model = dyn_core.Model.from_urdf({str(OWN_ARM)!r})
model.fingerprint
if sys.argv[1] == "edit":
    try:
        model.inertias[2].mass = 50.0
    except AttributeError:
        object.__setattr__(model.inertias[2], "mass", 50.0)
print(float(dyn_core.center_of_mass(model, np.linspace(0.1, 0.6, 6))[2]))
"""
    monkeypatch.setenv(cache.FOLDER_VARIABLE, str(tmp_path / "cache"))
    edited, unedited = (
        float(
            subprocess.run(
                [Path(sys.executable).absolute(), "-c", program, what],
                capture_output=True, text=True, check=True,
            ).stdout
        )
        for what in ("edit", "read")
    )  # fmt: skip
    assert unedited == pytest.approx(dyn_core.center_of_mass(own_arm(), Q)[2], rel=1e-12)
    assert edited != unedited


@pytest.mark.parametrize("first", [0, 1])
def test_a_model_that_overrides_something_shares_no_code_with_others(
    first: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Weightless(Model):
        @property
        def gravity_vector(self) -> Vector3:
            return Vector3.zero()

    monkeypatch.setenv(cache.FOLDER_VARIABLE, str(tmp_path / "cache"))
    own = own_arm()
    models = [replace(own), Weightless(own.name, own.tree, own.frames, own.gravity)]
    found = [dyn_core.generalized_gravity(models[k], Q) for k in (first, 1 - first)]
    plain, weightless = found[::-1] if first else found
    assert np.abs(plain).max() > 1.0
    assert not weightless.any()
    assert models[0] != models[1]


EDITS = {
    "with_gravity": lambda m: m.with_gravity((0.0, 0.0, -1.62)),
    "with_payload": lambda m: m.with_payload("tool0", 2.0),
    "with_inertia": lambda m: m.with_inertia(LINK, mass=3.0),
    "with_limits": lambda m: m.with_limits("elbow_joint", effort=3.0),
    "with_frame": lambda m: m.with_frame("tip", "tool0", SE3.identity()),
    "with_rotor": lambda m: m.with_rotor("elbow_joint", 0.1),
    "reduced": lambda m: m.reduced(["elbow_joint"], Q),
    "append": lambda m: m.append(dyn_core.ModelBuilder("tool").build(), "tool0"),
    "pickle": lambda m: pickle.loads(pickle.dumps(m)),
}


@dataclass(frozen=True, eq=False)
class Buoyant(Model):
    """A robot that floats: gravity is less by a share."""

    share: float = 0.25

    @property
    def gravity_vector(self) -> Vector3:
        return Vector3(*((1.0 - self.share) * x for x in self.gravity))


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_model_overrides_what_the_first_did(edit: str) -> None:
    """Each made a plain Model once, so that a payload took the override away."""
    own = own_arm()
    plain, floating = EDITS[edit](own), EDITS[edit](Buoyant(own.name, own.tree, own.frames))
    assert (type(floating), floating.share) == (Buoyant, 0.25)
    q = Q[: plain.nq]
    gravity = dyn_core.generalized_gravity(plain, q)
    assert dyn_core.generalized_gravity(floating, q) == pytest.approx(0.75 * gravity, rel=1e-12)


def test_models_differ_in_what_their_type_adds() -> None:
    own = own_arm()
    quarter, half = (Buoyant(own.name, own.tree, own.frames, share=x) for x in (0.25, 0.5))
    with pytest.raises(ValueError, match="they differ in what their type adds, share"):
        dyn_core.generalized_gravity(half, quarter.create_data(), Q)
    found = [dyn_core.generalized_gravity(model, Q) for model in (quarter, half)]
    assert found[0] == pytest.approx(1.5 * found[1], rel=1e-12)


def test_a_model_that_overrides_something_is_not_written_as_a_plain_one() -> None:
    own = own_arm()
    with pytest.raises(ModelError, match="is a Buoyant, and would be read back as a plain Model"):
        dyn_core.serialize.to_binary(Buoyant(own.name, own.tree, own.frames))


class TestEdits:
    """One call makes a robot with other numbers; the old one keeps its own."""

    def test_inertia(self) -> None:
        body = Inertia.from_com(
            3.0, Vector3(0.1, 0.2, 0.3), Symmetric3(1.0, 0.1, 1.2, 0.0, 0.0, 1.1)
        )
        model = own_arm().with_inertia(LINK, body)
        index = model.frame(LINK).joint
        np.testing.assert_allclose(model.inertias[index].parameters, body.parameters, rtol=1e-12)
        assert own_arm().inertias[index].mass != 3.0
        assert model.tree[:index] == own_arm().tree[:index]

    def test_parts_of_an_inertia(self) -> None:
        """The centre of mass is that of the robot summed by hand."""
        model = own_arm().with_inertia(LINK, mass=50.0)
        old, new = (m.inertias[m.frame(LINK).joint] for m in (own_arm(), model))
        np.testing.assert_allclose(list(new.com), list(old.com), rtol=1e-12)
        np.testing.assert_allclose(new.at_com.entries, old.at_com.entries, rtol=1e-9, atol=1e-12)
        moved = model.with_inertia(LINK, com=[0.0, 0.0, 0.1], at_com=np.eye(3))
        new = moved.inertias[model.frame(LINK).joint]
        assert new.mass == 50.0
        np.testing.assert_allclose(list(new.com), [0.0, 0.0, 0.1], atol=1e-12)
        np.testing.assert_allclose(new.at_com.entries, [1, 0, 1, 0, 0, 1], atol=1e-9)
        energy = [dyn_core.potential_energy(m, Q) for m in (own_arm(), model)]
        frame = dyn_core.frame_placement(own_arm(), Q, frame=LINK)
        height = (frame @ [*old.com, 1.0])[2]
        assert energy[1] - energy[0] == pytest.approx(9.81 * (50.0 - old.mass) * height, rel=1e-9)

    def test_in_the_frame_of_the_name(self) -> None:
        """A frame that is turned and moved in its body has the same body in other numbers."""
        at = SE3(Matrix3.axis_angle(Vector3(1.0, 0.0, 0.0), 0.0, 1.0), Vector3(0.1, 0.2, 0.3))
        model = own_arm().with_frame("turned", LINK, at)
        body = model.inertias[model.frame(LINK).joint]
        seen = (model.frame("turned").placement).act_inv_inertia(body)
        again = model.with_inertia("turned", seen)
        np.testing.assert_allclose(
            again.inertias[model.frame(LINK).joint].parameters,
            body.parameters,
            rtol=1e-9,
            atol=1e-12,
        )

    def test_placement(self) -> None:
        at = SE3(Matrix3.identity(), Vector3(0.0, 0.1, 0.2))
        model = own_arm().with_placement(JOINT, at)
        assert model.joint_placements[3].homogeneous() == at.homogeneous()

    def test_limits_losses_and_springs(self) -> None:
        model = own_arm().with_limits(JOINT, upper=1.0, effort=[30.0], acceleration=5.0, jerk=50.0)
        model = model.with_friction(JOINT, damping=2.0, friction=1.0).with_spring(JOINT, 5.0, 0.5)
        limits, old = model.tree[3].limits, own_arm().tree[3].limits
        changes = {"upper": (1.0,), "effort": (30.0,), "damping": (2.0,), "friction": (1.0,)}
        changes |= {"acceleration": (5.0,), "jerk": (50.0,), "stiffness": (5.0,), "rest": (0.5,)}
        assert limits == replace(old, **changes)
        assert (model.effort_limit[2], model.damping[2]) == (30.0, 2.0)

    @pytest.mark.parametrize(
        ("edit", "error", "words"),
        [
            (lambda m: m.with_inertia("hand", mass=1.0), KeyError, "no frame 'hand'"),
            (lambda m: m.with_inertia(LINK), TypeError, "some of mass, com, at_com"),
            (lambda m: m.with_inertia(LINK, Inertia.zero(), mass=1.0), TypeError, "some of mass"),
            (lambda m: m.with_inertia(LINK, mass=-1.0), ModelError, f"{LINK}.*mass is -1"),
            (lambda m: m.with_inertia(LINK, mass=np.nan), ModelError, "not finite"),
            (
                lambda m: m.with_inertia(LINK, at_com=np.diag([1.0, 1.0, 3.0])),
                ModelError,
                "must not exceed the sum",
            ),
            (lambda m: m.with_inertia(LINK, at_com=[1.0]), ModelError, "3 x 3"),
            (
                lambda m: m.with_inertia(LINK, at_com=[[1, 2], [3]]),
                ModelError,
                "a symmetric matrix",
            ),
            (
                lambda m: m.with_payload("tool0", -1.0),
                ModelError,
                "cannot exist: the mass is -1 kg",
            ),
            (lambda m: m.with_payload("tool0", np.nan), ModelError, "not finite"),
            (
                lambda m: m.with_payload("tool0", 1.0, (0.0, 0.0)),
                ModelError,
                "com must be 3 finite",
            ),
            (
                lambda m: m.with_payload("tool0", 1.0, np.zeros(3), np.arange(9.0).reshape(3, 3)),
                ModelError,
                "symmetric",
            ),
            (lambda m: m.with_rotor("knee", 1.0), KeyError, "no joint 'knee'"),
            (lambda m: m.with_rotor(JOINT, -1.0), ModelError, f"'{JOINT}': rotor inertia -1"),
            (lambda m: m.with_rotor("universe", 1.0), KeyError, "no joint 'universe' in 'ur5'"),
            (lambda m: m.joint_index("universe"), KeyError, "no joint 'universe'"),
            (lambda m: m.with_placement(JOINT, np.eye(4)), TypeError, "an SE3, not a ndarray"),
            (lambda m: m.append(m, "tool0"), ModelError, "joint 'shoulder_pan_joint' exists alr"),
            (lambda m: m.append(dyn_core.ModelBuilder("r").build(), "x"), KeyError, "no frame 'x'"),
            (lambda m: m.with_limits("hand", upper=1.0), KeyError, "no joint 'hand'"),
            (lambda m: m.with_limits(JOINT), TypeError, "give some of lower, upper"),
            (lambda m: m.with_limits(JOINT, upper=-9.0), ModelError, f"{JOINT}.*above"),
            (lambda m: m.with_limits(JOINT, upper=[1, 2]), ModelError, "has 2 numbers"),
            (lambda m: m.with_friction(JOINT, damping=-1.0), ModelError, "negative"),
            (
                lambda m: m.with_placement(JOINT, SE3(Matrix3.zero(), Vector3.zero())),
                ModelError,
                f"{JOINT}.*rotation",
            ),
        ],
    )
    def test_what_cannot_be_is_refused(self, edit, error, words: str) -> None:
        with pytest.raises(error, match=words):
            edit(own_arm())

    def test_every_limit_can_be_changed_by_name(self) -> None:
        """What one call cannot change, with_rotor can: no field of Limits is left out."""
        edits = (Model.with_limits, Model.with_friction, Model.with_spring)
        changed = {"armature", *(name for edit in edits for name in signature(edit).parameters)}
        assert set(Limits.__dataclass_fields__) <= changed
