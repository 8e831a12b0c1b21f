# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Models and Data that were used: pickled, copied, exchanged for equal ones."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from random_trees import random_model
from robots import ROBOT_FILES, example_robots, load

import dyn_core
from dyn_core import Model

WAYS: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "deepcopy": copy.deepcopy,
}


@pytest.fixture(params=WAYS)
def taken(request: pytest.FixtureRequest) -> Callable[[Any], Any]:
    """Each way to take an object along."""
    return WAYS[request.param]


def used(model: Model) -> dyn_core.Data:
    """Data after computations."""
    data, q = model.create_data(), dyn_core.neutral(model)
    dyn_core.crba(model, data, q)
    dyn_core.frame_jacobian(model, data, q, frame=model.frames[-1].name)
    dyn_core.kinetic_energy(model, data, q, np.ones(model.nv))
    return data


@pytest.mark.quick("-0]")
@pytest.mark.parametrize("seed", range(3))
def test_a_used_model_can_be_taken_along(taken, seed: int) -> None:
    model = random_model(seed)
    used(model)
    other = taken(model)
    assert other == model
    assert hash(other) == hash(model)
    q = dyn_core.neutral(model)
    assert np.array_equal(dyn_core.crba(other, q), dyn_core.crba(model, q))


def test_used_data_can_be_taken_along_and_arrays_come_into_being_when_asked_for(taken) -> None:
    data = used(load("ur5").model)
    other, frame = taken(data), data.model.frames[-1].name
    assert np.array_equal(other.M, data.M)
    assert np.array_equal(
        other[dyn_core.frame_jacobian.request(frame)], data[dyn_core.frame_jacobian.request(frame)]
    )
    M = dyn_core.crba(other.model, other, np.ones(6))
    assert M is other.M
    assert not np.array_equal(M, data.M)
    fresh = data.model.create_data()
    assert fresh.stored() == {}
    assert np.isnan(fresh.M).all()
    assert list(fresh.stored()) == [dyn_core.crba.request()]


def test_a_kernel_can_be_taken_along(taken) -> None:
    model, q = load("ur5").model, np.linspace(0.1, 0.6, 6)
    kernel = dyn_core.compile(model, [dyn_core.rnea, dyn_core.crba], ["gravity"])
    arguments = q, q, q, np.array([0.0, 0.0, -1.62])
    for ours, theirs in zip(kernel(*arguments), taken(kernel)(*arguments), strict=True):
        assert np.array_equal(ours, theirs)


def test_batches_and_rollouts_can_be_taken_along(taken) -> None:
    kernel = dyn_core.compile(load("ur5").model, [dyn_core.integrate])
    states = np.random.default_rng(0).normal(size=(2, 3, 6))
    expected = kernel.batch(*states)
    assert np.array_equal(taken(kernel.batch)(*states), expected)
    step = dyn_core.compile(
        load("ur5").model, [dyn_core.explicit_step.request("semi_implicit_euler")]
    )
    arguments = *states, np.zeros(6), np.array([0.01])
    motions, theirs = (x(*arguments, steps=2)[0] for x in (step.rollouts, taken(step.rollouts)))
    assert np.array_equal(motions, theirs)


def test_quantities_and_requests_can_be_taken_along_and_a_bound_function_not(taken) -> None:
    request = dyn_core.frame_jacobian.request("tool0")
    assert taken(dyn_core.crba) is dyn_core.crba
    assert taken(request) == request
    model = load("ur5").model
    bound = dyn_core.compile(model, [dyn_core.integrate]).bind(model.create_data())
    with pytest.raises(TypeError, match="pickle its kernel"):
        pickle.dumps(bound)


def test_equal_models_are_exchangeable() -> None:
    path = example_robots() / ROBOT_FILES["ur5"]
    model, equal = Model.from_urdf(path), Model.from_urdf(path)
    data, q = model.create_data(), np.ones(6)
    assert equal == model
    assert dyn_core.crba(equal, data, q) is data.M
    assert dyn_core.compile(equal, ["mass_matrix"]).bind(data)(q) is data.M


CHANGES: dict[str, tuple[Callable[[Model], Model], str]] = {
    "gravity": (lambda m: m.with_gravity((0.0, 0.0, -1.0)), "they differ in gravity"),
    "payload": (lambda m: m.with_payload("tool0", 1.0), r"joint 6 .*: the inertia of its body"),
    "rotor": (lambda m: m.with_rotor(m.names[1], 1.0), r"joint 1 .*: limits and losses"),
    "loop": (lambda m: m.with_loop("tool0", "base", 3), "they differ in loops"),
    "frame": (
        lambda m: m.with_frame("tip", "tool0", dyn_core.spatial.SE3.identity()),
        "it has 7 joints and 21 frames, the other 7 and 22",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_another_model_is_refused_with_what_differs(change: str) -> None:
    model = load("ur5").model
    data, q = model.create_data(), np.ones(6)
    changed, words = CHANGES[change][0](model), CHANGES[change][1]
    for attempt in (
        lambda: dyn_core.crba(changed, data, q),
        lambda: dyn_core.compile(changed, ["mass_matrix"]).bind(data),
    ):
        with pytest.raises(ValueError, match=words):
            attempt()
    assert data.stored() == {}
