# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Results that a model keeps its functions for equal those of a model that keeps none.

The tape computes both, so that nothing is compiled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, get_args, get_origin

import numpy as np
import pytest
from every_request import each, some_arrays, some_request
from random_trees import random_model
from test_keys import Halved, variants

import dyn_core
from dyn_core import Contact, Coupling, Loop, Model, Quantity
from dyn_core.compiler.signature import Signature
from dyn_core.dynamics.constraints import Constraints
from dyn_core.dynamics.declare.options import JointIndex
from dyn_core.dynamics.declare.quantity import Resolved
from dyn_core.model.frame import Frame


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
