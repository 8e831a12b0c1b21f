# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Quantities as operators of PyTorch: values, gradients, and PyTorch's transforms of them."""

from __future__ import annotations

import pickle
import runpy

import numpy as np
import pytest
from random_trees import random_model
from repository import in_repository

torch = pytest.importorskip("torch", reason="PyTorch is not installed: its wheel has 0.2 to 2 GB")
checkpoint = pytest.importorskip("torch.utils.checkpoint").checkpoint

import dyn_core  # noqa: E402
import dyn_core.torch  # noqa: E402
from dyn_core import frame_placement, kinetic_energy, payload  # noqa: E402

MODEL = random_model(3, joints=3, kinds=("revolute", "prismatic"), mimic=False)


def some(*shape: int, dtype: object = torch.float64) -> torch.Tensor:
    torch.manual_seed(0)
    return torch.randn(*shape, dtype=dtype, requires_grad=True)


@pytest.mark.parametrize(
    "quantity", ["rnea", "aba", "crba", "gravity", kinetic_energy, "placements"]
)
def test_gradients_vs_differences(quantity) -> None:
    own = dyn_core.torch.function(MODEL, quantity)
    assert torch.autograd.gradcheck(
        own, [some(2, *shape) for shape in own.definition.inputs.values()]
    )


def test_gradients_by_optional_inputs_broadcast_over_states() -> None:
    end = MODEL.frames[-1].name
    own = dyn_core.torch.function(MODEL, "rnea", ["gravity", "inertial_parameters", payload(end)])
    shapes = list(own.definition.inputs.values())
    tensors = [*(some(2, *shape) for shape in shapes[:3]), *(some(*shape) for shape in shapes[3:])]
    assert torch.autograd.gradcheck(own, tensors)


def test_second_and_third_gradients_vs_differences() -> None:
    own = dyn_core.torch.function(MODEL, "rnea")
    assert torch.autograd.gradgradcheck(own, [some(2, MODEL.nv) for _ in range(3)])

    def slopes(*state: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.autograd.grad(own(*state).square().sum(), state[:2], create_graph=True)

    assert torch.autograd.gradgradcheck(slopes, [some(1, MODEL.nv) for _ in range(3)])


def test_compiled_functions_take_batches_of_any_size_and_several_robots() -> None:
    """PyTorch compiles a function again eight times at most."""
    other = random_model(4, joints=3, kinds=("revolute", "prismatic"), mimic=False)
    for model in (MODEL, other):
        own = dyn_core.torch.function(model, "aba")
        compiled = torch.compile(own, fullgraph=True)
        for count in range(2, 12):
            state = [some(count, model.nv) for _ in range(3)]
            actual, expected = (f(*state).square().sum() for f in (compiled, own))
            slopes = (torch.autograd.grad(x, state) for x in (actual, expected))
            assert all(torch.equal(x, y) for x, y in zip(*slopes, strict=True))


def test_checkpoints_compute_the_same_gradients() -> None:
    own, state = dyn_core.torch.function(MODEL, "aba"), [some(2, MODEL.nv) for _ in range(3)]
    kept = checkpoint(own, *state, use_reentrant=False)
    slopes = (torch.autograd.grad(x.sum(), state) for x in (kept, own(*state)))
    assert all(torch.equal(x, y) for x, y in zip(*slopes, strict=True))


def test_compiled_and_mapped_functions_give_the_same() -> None:
    own = dyn_core.torch.function(MODEL, "aba")
    state = [some(4, MODEL.nv) for _ in range(3)]
    expected = own(*state)
    slopes = torch.autograd.grad(expected.square().sum(), state)
    for transformed in (torch.compile(own, fullgraph=True), torch.vmap(own)):
        actual = transformed(*state)
        assert torch.equal(actual, expected)
        others = torch.autograd.grad(actual.square().sum(), state)
        assert all(torch.equal(x, y) for x, y in zip(others, slopes, strict=True))


def test_jacobians_of_each_state_vs_analytical_derivatives() -> None:
    own = dyn_core.torch.function(MODEL, "aba")
    state = [some(4, MODEL.nv).detach() for _ in range(3)]
    jacobians = torch.vmap(torch.func.jacrev(own, (0, 1, 2)))(*state)
    compute = dyn_core.compile(MODEL, ["aba_derivatives"])
    for actual, expected in zip(jacobians, compute.batch(*(x.numpy() for x in state)), strict=True):
        assert np.allclose(actual.numpy(), expected, rtol=1e-9, atol=1e-9 * abs(expected).max())


def test_single_precision_and_leading_dimensions() -> None:
    own = dyn_core.torch.function(MODEL, frame_placement.request(MODEL.frames[-1].name))
    q = some(2, 3, MODEL.nq, dtype=torch.float32)
    placements = own(q)
    assert placements.shape == (2, 3, 4, 4)
    assert placements.dtype == torch.float32
    assert own(q[0, 0]).shape == (4, 4)
    assert torch.equal(own(q[0, 0]), placements[0, 0])


def test_a_number_of_a_single_state_has_no_dimension() -> None:
    own = dyn_core.torch.function(MODEL, kinetic_energy)
    state = [some(MODEL.nv) for _ in range(2)]
    energy = own(*state)
    assert energy.shape == ()
    assert energy.item() == dyn_core.kinetic_energy(MODEL, *(x.detach().numpy() for x in state))
    assert torch.autograd.gradcheck(own, state)


def test_a_robot_without_joints_and_no_states() -> None:
    alone = dyn_core.Model.from_urdf('<robot name="r"><link name="a"/></robot>')
    assert dyn_core.torch.function(alone, "rnea")(*[torch.zeros(3, 0)] * 3).shape == (3, 0)
    own, state = dyn_core.torch.function(MODEL, "rnea"), [some(0, MODEL.nv)] * 3
    assert own(*state).shape == torch.vmap(own)(*state).shape == (0, MODEL.nv)


def test_operator_follows_the_rules_of_pytorch() -> None:
    own = dyn_core.torch.function(MODEL, "aba")
    rows = [some(2, MODEL.nv).detach() for _ in range(3)]
    checks = torch.library.opcheck(dyn_core.torch.compute, (own.number, rows))
    assert set(checks.values()) == {"SUCCESS"}


def test_functions_are_pickled_by_what_they_compute() -> None:
    own = dyn_core.torch.function(MODEL, "rnea", ["gravity"])
    again = pickle.loads(pickle.dumps(own))
    tensors = [some(2, *shape) for shape in own.definition.inputs.values()]
    assert torch.equal(again(*tensors), own(*tensors))


def test_refusals() -> None:
    own, x = dyn_core.torch.function(MODEL, "rnea"), torch.zeros(MODEL.nv)
    with pytest.raises(TypeError, match=r"expected 3 arrays \(q, v, a\), got 2"):
        own(x, x)
    with pytest.raises(TypeError, match="all be of float64, or all of float32"):
        own(x, x, x.double())
    with pytest.raises(ValueError, match=r"v must have shape \(\.\.\., 3\), not \(2,\)"):
        own(x, x[:2], x)
    with pytest.raises(TypeError, match="on the CPU"):
        own(*[x.to("meta")] * 3)


@pytest.mark.thorough
def test_example_reaches_its_goal() -> None:
    example = runpy.run_path(str(in_repository("examples/optimize_throw.py")))
    model = dyn_core.Model.from_urdf(example["ARM"])
    torques, distances = example["optimized"](model)
    assert distances[-1] < 1e-3 < 0.5 < distances[0]
    assert (torques.abs().numpy() <= model.effort_limit).all()
