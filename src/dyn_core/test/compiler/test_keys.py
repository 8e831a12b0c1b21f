# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Keys of compiled code are complete, and cached results are those that are computed anew."""

from __future__ import annotations

import copy
import gc
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from pathlib import Path
from threading import Event, Thread
from typing import Any, get_args, get_origin

import numpy as np
import pytest
from every_request import each, some_arrays, some_request
from random_trees import ALL_KINDS, random_model

import dyn_core
from dyn_core import Contact, Coupling, Loop, Model, ModelError, Quantity
from dyn_core.compiler.signature import Signature
from dyn_core.compiler.tracing import uncollected
from dyn_core.dynamics.constraints import Constraints
from dyn_core.dynamics.declare.optional_inputs import EvaluationContext, Gravity
from dyn_core.dynamics.declare.options import JointIndex
from dyn_core.dynamics.declare.quantity import Resolved
from dyn_core.joints import Joint
from dyn_core.model.fluid import Drag, Fluid, FluidHull
from dyn_core.model.frame import Frame
from dyn_core.model.gravity_compensator import Lift
from dyn_core.model.tendon import Strand, Tendon
from dyn_core.model.tree_joint import BOUND_FIELDS, Limits
from dyn_core.spatial import SE3, Inertia
from dyn_core.spatial.lie import Space

NOT_TRACED = ("reference_configurations", *(f"limits.{name}" for name in BOUND_FIELDS))
"""Fields that no definition may depend on."""


def robot() -> Model:
    """A small tree with something in every field of a model."""
    model = random_model(3, 4, ("revolute", "prismatic", "spherical"), mimic=False)
    one, two = [model.names[i] for i in model.own_coordinates if model.joints[i].nv == 1][:2]
    hull = FluidHull(1, (0.1, 0.0, 0.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
                     (0.1, 0.2, 0.3), Drag())  # fmt: skip
    strand = Strand(((0, (0.1, 0.2, 0.3)), (2, (0.0, 0.1, 0.0))), 0.5)
    return replace(
        model,
        reference_configurations={"home": tuple(model.space.neutral())},
        loops=(Loop(model.frames[0].name, model.frames[-1].name, 3, 1.0, 2.0),),
        couplings=(Coupling("pair", ((one, 1.0),), ((two, 0.5),), (0.1, 2.0), 1.0, 2.0),),
        lifts=(Lift(1, 0.3, (0.1, 0.0, 0.0)),),
        fluid=Fluid(1000.0, 0.1, (0.1, 0.2, 0.3), (hull,)),
        tendons=(Tendon("t", (strand,), ((one, 1.0),), 0.1, (5.0, 1.0), (0.0, 0.2), (2.0,), 0.3),),
    )  # fmt: skip


def variants(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The value with one number, text or item changed, for each of them, found by reflection."""
    if isinstance(value, Enum):
        yield path, next(x for x in type(value) if x is not value)
    elif isinstance(value, bool):
        yield path, not value
    elif isinstance(value, (float, int)):
        yield path, value + 1 if np.isfinite(value) else type(value)(3)
    elif isinstance(value, str):
        yield path, f"{value}'"
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from ((where, {**value, name: x}) for where, x in variants(item, path))
    elif isinstance(value, (tuple, list)):
        for k, item in enumerate(value):
            changed = variants(item, path)
            yield from ((where, (*value[:k], x, *value[k + 1 :])) for where, x in changed)
        yield path, value[:-1] if value else (1.0,)
    elif is_dataclass(value):
        for field in fields(value):
            for where, x in variants(getattr(value, field.name), f"{path}.{field.name}"):
                made = copy.copy(value)
                object.__setattr__(made, field.name, x)  # also what no constructor would take
                yield where, made
    elif isinstance(value, (Joint, Space)):
        for name in vars(value).keys() - {"sealed"}:
            for where, x in variants(getattr(value, name), f"{path}.{name}"):
                made = copy.copy(value)
                object.__setattr__(made, name, x)
                yield where, made
    else:
        assert value is None, f"{path}: how does one change a {type(value).__name__}?"
        yield path, 1.0


def key(model: Model) -> str:
    """The robot's part of the key of compiled code; empty where no such robot can be."""
    try:
        return model.traced.fingerprint
    except ValueError:
        return ""


def test_models_that_differ_in_one_field_have_different_keys() -> None:
    model, seen = robot(), set()
    for path, other in variants(model):
        seen.add(path)
        assert other.fingerprint != model.fingerprint, path
        assert path.endswith(NOT_TRACED) or key(other) != key(model), path
    assert {path.split(".")[1] for path in seen} == {field.name for field in fields(Model)}


def with_indices(value: Any, index: int, path: str = "") -> Iterator[tuple[str, Any]]:
    """The value with one of its whole numbers replaced, for each of them, found by reflection."""
    if type(value) is int:
        yield path, index
    elif isinstance(value, tuple):
        for k, item in enumerate(value):
            changed = with_indices(item, index, path)
            yield from ((where, (*value[:k], x, *value[k + 1 :])) for where, x in changed)
    elif is_dataclass(value):
        for field in fields(value):
            for where, x in with_indices(getattr(value, field.name), index, f"{path}.{field.name}"):
                made = copy.copy(value)
                object.__setattr__(made, field.name, x)
                yield where, made


@pytest.mark.parametrize("index", [-1, 99])
def test_a_model_has_all_joints_that_its_parts_refer_to(index: int) -> None:
    """Other indices were taken; results were wrong, or an IndexError came later."""
    seen = set()
    for path, other in with_indices(robot(), index):
        seen.add(path)
        if path != ".loops.kind":
            with pytest.raises(ModelError, match=f"there is no joint {index}; use 0 to"):
                replace(other)
    parts = {".tree.parent", ".tree.primary", ".frames.joint", ".lifts.joint"}
    assert seen == parts | {".fluid.hulls.joint", ".tendons.strands.points", ".loops.kind"}


def test_joints_of_a_model_fit_together() -> None:
    """They were taken: arrays had another size than nv, or the first of two joints counted."""
    model = random_model(3, 3, ("revolute", "revolute", "spherical"), mimic=False)
    hinge, ball = (next(x for x in model.tree[1:] if x.joint.nv == nv) for nv in (1, 3))
    for words, change in {
        "lower has 4 numbers; the joint has 1": {"limits": ball.limits},
        "a mimic joint, and only such": {"primary": model.tree.index(ball)},
        f"two joints are called '{ball.name}'": {"name": ball.name},
    }.items():
        with pytest.raises(ModelError, match=words):
            replace(
                model, tree=tuple(replace(x, **change) if x is hinge else x for x in model.tree)
            )


def test_a_model_has_all_that_its_parts_name() -> None:
    model, joints = robot(), (("lost", 1.0),)
    for name, part in {
        "frames": (),
        "reference_configurations": {"home": (0.0,)},
        "loops": (replace(model.loops[0], frame2="lost"),),
        "couplings": (replace(model.couplings[0], leaders=joints),),
        "tendons": (replace(model.tendons[0], terms=joints),),
    }.items():
        with pytest.raises(ModelError, match=r"no frame|'home' must be|no joint 'lost'"):
            replace(model, **{name: part})


@pytest.mark.parametrize("kind", [*ALL_KINDS, "mimic"])
def test_joints_that_differ_in_one_attribute_have_different_keys(kind: str) -> None:
    kinds = ("revolute", "helical") if kind == "mimic" else (kind,)
    model = random_model(5, 4 if kind == "mimic" else 2, kinds)
    assert model.has_mimic_joints or kind != "mimic"
    for path, other in variants(model.tree, "tree"):
        changed = copy.copy(model)
        object.__setattr__(changed, "tree", other)
        if not path.endswith(NOT_TRACED):
            assert key(changed) != key(model), path


def test_no_quantity_depends_on_what_is_not_traced() -> None:
    model = robot()

    def bounded(limits: Limits) -> Limits:
        tight = {x: (5.0,) * len(getattr(limits, x)) for x in BOUND_FIELDS if x != "lower"}
        return replace(limits, **tight)

    tree = tuple(replace(x, limits=bounded(x.limits)) for x in model.tree)
    elsewhere = replace(model, reference_configurations={}, tree=tree)
    for quantity in dyn_core.QUANTITIES.values():
        try:
            request = some_request(model, quantity)
            signature = Signature.of(model, (request,), ())
            arrays = [x[0] for x in some_arrays(model, signature, 1)]
            results = [
                dyn_core.compile(x, [request], backend="tape")(*arrays) for x in (model, elsewhere)
            ]
        except ValueError:  # this robot does not have it
            continue
        for one, other in zip(*map(each, results), strict=True):
            assert np.array_equal(one, other, equal_nan=True), quantity


def test_a_trace_in_another_thread_leaves_the_garbage_collector_as_the_user_sets_it() -> None:
    inside, leave = Event(), Event()

    def trace() -> None:
        with uncollected():
            inside.set()
            leave.wait(10.0)

    before, thread = gc.get_threshold(), Thread(target=trace)
    thread.start()
    try:
        assert inside.wait(10.0)
        assert gc.get_threshold()[0] == 0
        gc.disable()
        leave.set()
        thread.join()
        assert not gc.isenabled()
        assert gc.get_threshold() == before
    finally:
        leave.set()
        gc.enable()


class Loud(float):
    """A number with a text of its own that is equal to all others."""

    def __repr__(self) -> str:
        return "loud"

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1


class Halved(Coupling):
    """A user's class with a law that its fields do not show."""

    def law(self, leaders: Any) -> tuple[Any, Any, Any]:
        value, slope, bend = super().law(leaders)
        return 0.5 * value, 0.5 * slope, 0.5 * bend


class Tripled(Gravity):
    """A user's optional input of the kind of another."""

    def entered(self, context: EvaluationContext, value: Any) -> EvaluationContext:
        return super().entered(context, [3.0 * x for x in value])


def test_numbers_of_users_types_are_taken_by_their_values() -> None:
    a, b = (Contact("tip", kd=Loud(x)) for x in (1.0, 9.0))
    assert a != b
    assert a == Contact("tip", kd=1.0)
    gears = [Coupling("x", (("a", Loud(x)),), (("b", 1.0),), (0.0, 1.0)) for x in (1.0, 9.0)]
    assert gears[0] != gears[1]
    assert Loop("a", "b", kd=Loud(1.0)) != Loop("a", "b", kd=Loud(9.0))
    model = robot()
    down, up = (replace(model, gravity=(0.0, 0.0, Loud(x))).fingerprint for x in (-9.81, 9.81))
    assert down != up
    assert down == replace(model, gravity=(0.0, 0.0, -9.81)).fingerprint
    v = np.linspace(0.1, 0.9, model.nv)
    model = model.with_friction(model.dof_names[0], friction=5.0)
    one, nine = (dyn_core.friction_efforts(model, v, smoothing=Loud(x)) for x in (1.0, 9.0))
    assert not np.allclose(one, nine)


class Turned(SE3):
    """A user's placement."""


class Doubled(Inertia):
    """A user's inertia."""


def test_placements_and_inertias_of_users_classes_are_refused() -> None:
    """Compiled code would not call their methods."""
    model, place = robot(), Turned.from_homogeneous(np.eye(4).tolist())
    for part in ({"inertia": Doubled.zero()}, {"placement": place}):
        with pytest.raises(TypeError, match=r"must be of the class (SE3|Inertia) itself"):
            replace(model.tree[-1], **part)
    moved = model.with_placement(model.names[-1], place)
    assert type(moved.tree[-1].placement) is SE3


def test_users_classes_of_options_and_inputs_share_no_code_with_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYN_CORE_CACHE", str(tmp_path))
    q, g = np.linspace(0.1, 0.3, 2), np.array([0.0, 0.0, -9.81])
    one, two = (random_model(3, 2, ("revolute",), mimic=False) for _ in range(2))
    gear = ("x", ((one.names[1], 1.0),), ((one.names[2], 0.3),), (0.5, 1.0))
    ours = dyn_core.constraint_error(one, q, constraints=Coupling(*gear))
    theirs = dyn_core.constraint_error(two, q, constraints=Halved(*gear))
    assert not np.allclose(ours, theirs)
    pull = [dyn_core.compile(m, [dyn_core.generalized_gravity], [x()])(q, g)
            for m, x in ((one, Gravity), (two, Tripled))]  # fmt: skip
    np.testing.assert_allclose(3.0 * pull[0], pull[1], rtol=1e-12)


@pytest.fixture(scope="module")
def model() -> Model:
    """A robot with friction, and with frames of two names at each of its joints."""
    built = random_model(3, 2, ("revolute", "prismatic"), mimic=False)
    for i, name in enumerate(built.dof_names, 1):
        built = built.with_friction(name, friction=0.5 * i, stiction=0.2, stribeck_velocity=0.1)
    return built


def choices(model: Model, annotation: Any, value: Any) -> Iterator[Any]:
    """Values that an option may have, besides ``value``: each differs from another in one thing."""
    names = {
        Frame: [x.name for x in model.frames],
        JointIndex: model.names[1:],
        Resolved: [dyn_core.rnea, dyn_core.aba, dyn_core.friction_efforts.request(smoothing=0.1)],
    }
    if annotation in names:
        yield from names[annotation]
    elif annotation is Constraints:
        first, second = model.names[1:3]
        gear = ("x", ((first, 1.0),), ((second, 0.5),), (0.1, 2.0))
        held = [
            Contact(model.frames[-1].name, 6),
            Loop(model.frames[0].name, model.frames[-1].name, 3),
            Coupling(*gear, kp=1.0, kd=2.0),
        ]
        yield from [*held, Halved(*gear, kp=1.0, kd=2.0)]
        for one in held:
            yield from (other for _, other in variants(one))
    elif get_origin(annotation) is not None:
        yield from get_args(annotation)
    else:
        yield from (other for _, other in variants(value))


def asked(model: Model, quantity: Quantity) -> list[dict[str, Any]]:
    """Options of a quantity that differ in one value, each list by one option."""
    usual = dict(some_request(model, quantity).options)
    found = [usual]
    for option in quantity.options.values():
        for value in choices(model, option.annotation, usual.get(option.name, option.default)):
            found.append({**usual, option.name: value})
    return found


BODY = (2.0, 0.1, 0.2, 0.3, 0.1, 0.0, 0.1, 0.0, 0.0, 0.1)
CHOOSING = sorted(name for name, quantity in dyn_core.QUANTITIES.items() if quantity.options)


@pytest.mark.parametrize("name", CHOOSING)
def test_calls_with_other_options_never_get_the_functions_of_others(
    name: str, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYN_CORE_BACKEND", "tape")
    quantity, compared = dyn_core.QUANTITIES[name], 0
    keeping, by_key = replace(model), dict[object, tuple[np.ndarray, ...]]()
    for options in asked(model, quantity):
        fresh = replace(model)
        try:
            request = quantity.request(**options)
            signature = Signature.of(fresh, (request,), ())
            arrays = [x[0] for x in some_arrays(fresh, signature, 1)]
            uncached = dyn_core.compile(fresh, [request])(*arrays)
        except (KeyError, TypeError, ValueError):  # not a value of this option
            continue
        cached = quantity(keeping, *arrays, **options)
        key = request.content(fresh), *map(type, options.values())  # users' types have other keys
        same = by_key.setdefault(key, each(uncached))
        for one, other, third in zip(each(cached), each(uncached), same, strict=True):
            assert np.array_equal(one, other, equal_nan=True), options
            assert np.array_equal(one, third, equal_nan=True), options  # code is found by its key
        compared += 1
    assert compared


def test_calls_with_inputs_of_other_frames_never_get_the_functions_of_others(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYN_CORE_BACKEND", "tape")
    q, force, efforts = np.array([0.3, -0.2]), np.linspace(1.0, 2.0, 6), set()
    for kind in ("wrench", "payload"):
        for frame in model.frames:
            given = {kind: {frame.name: force if kind == "wrench" else np.array(BODY)}}
            cached = dyn_core.rnea(model, q, q, q, **given)
            uncached = dyn_core.rnea(replace(model), q, q, q, **given)
            assert np.array_equal(cached, uncached), (kind, frame.name)
            efforts.add((kind, *cached))
    assert len(efforts) > 4
