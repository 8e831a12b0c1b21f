# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Quantities as functions of JAX: values, gradients, and JAX's transforms of them."""

from __future__ import annotations

import runpy
from collections.abc import Iterator

import numpy as np
import pytest
from random_trees import random_model
from repository import in_repository

jax = pytest.importorskip("jax", reason="JAX is not installed; `tools/versions.py newest` has it")

from jax.test_util import check_grads  # noqa: E402

import dyn_core  # noqa: E402
import dyn_core.jax  # noqa: E402
from dyn_core import frame_placement, kinetic_energy, payload  # noqa: E402

MODEL = random_model(3, joints=3, kinds=("revolute", "prismatic"), mimic=False)


@pytest.fixture(autouse=True)
def _double() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


def some(*shape: int) -> jax.Array:
    return jax.numpy.asarray(np.random.default_rng(0).normal(size=shape))


@pytest.mark.parametrize("quantity", ["rnea", "aba", "crba", kinetic_energy, "placements"])
def test_gradients_of_first_and_second_order_vs_differences(quantity) -> None:
    own = dyn_core.jax.function(MODEL, quantity)
    shapes = [x.shape for x in dyn_core.compile(MODEL, [quantity]).signature.inputs.values()]
    arrays = [some(2, *shape) for shape in shapes]
    check_grads(own, arrays, order=2, modes=["rev"], atol=1e-4, rtol=1e-4)


def test_gradients_by_optional_inputs_broadcast_over_states() -> None:
    inputs = ["gravity", "inertial_parameters", payload(MODEL.frames[-1].name)]
    own = dyn_core.jax.function(MODEL, "rnea", inputs)
    shapes = [x.shape for x in dyn_core.compile(MODEL, ["rnea"], inputs).signature.inputs.values()]
    arrays = [*(some(2, *x) for x in shapes[:3]), *(some(*x) for x in shapes[3:])]
    check_grads(own, arrays, order=1, modes=["rev"], atol=1e-4, rtol=1e-4)


def test_compiled_and_mapped_functions_give_the_same() -> None:
    own = dyn_core.jax.function(MODEL, "aba")
    state = [some(4, MODEL.nv) for _ in range(3)]
    expected = own(*state)
    assert (jax.jit(own)(*state) == expected).all()
    assert (jax.vmap(own)(*state) == expected).all()
    q, v, tau = state
    assert (jax.vmap(own, (0, None, None))(q, v[0], tau[0])[0] == expected[0]).all()


def test_jacobians_of_each_state_vs_analytical_derivatives() -> None:
    own = dyn_core.jax.function(MODEL, "aba")
    state = [some(4, MODEL.nv) for _ in range(3)]
    jacobians = jax.jit(jax.vmap(jax.jacrev(own, (0, 1, 2))))(*state)
    compute = dyn_core.compile(MODEL, ["aba_derivatives"])
    for actual, expected in zip(jacobians, compute.batch(*map(np.array, state)), strict=True):
        assert np.allclose(actual, expected, rtol=1e-9, atol=1e-9 * abs(expected).max())


def test_single_precision_and_leading_dimensions() -> None:
    own = dyn_core.jax.function(MODEL, frame_placement.request(MODEL.frames[-1].name))
    q = some(2, 3, MODEL.nq).astype(np.float32)
    placements = own(q)
    assert placements.shape == (2, 3, 4, 4)
    assert placements.dtype == np.float32
    assert (own(q[0, 0]) == placements[0, 0]).all()


def test_a_number_of_a_single_state_and_a_robot_without_joints() -> None:
    own, q = dyn_core.jax.function(MODEL, kinetic_energy), some(MODEL.nv)
    assert own(q, q).shape == ()
    assert np.allclose(jax.grad(own, 1)(q, q), dyn_core.crba(MODEL, np.array(q)) @ np.array(q))
    alone = dyn_core.Model.from_urdf('<robot name="r"><link name="a"/></robot>')
    assert dyn_core.jax.function(alone, "rnea")(*[some(3, 0)] * 3).shape == (3, 0)


def test_refusals() -> None:
    own, x = dyn_core.jax.function(MODEL, "rnea"), np.zeros(MODEL.nv)
    with pytest.raises(TypeError, match=r"expected 3 arrays \(q, v, a\), got 2"):
        own(x, x)
    with pytest.raises(ValueError, match=r"v must have shape \(\.\.\., 3\), not \(2,\)"):
        own(x, x[:2], x)


@pytest.mark.thorough
def test_example_learns_the_masses() -> None:
    example = runpy.run_path(str(in_repository("examples/learn_masses.py")))
    found = example["learned"](dyn_core.Model.from_urdf(example["ARM"]))
    assert np.allclose(found[1:], example["TRUE"][1:], atol=0.01)
