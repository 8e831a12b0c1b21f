# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Gradients in reverse mode: by analytical derivatives, finite differences and each other."""

from __future__ import annotations

import numpy as np
import pytest
from covering import covers
from random_trees import ALL_KINDS, random_model
from robots import Robot, load, relative_error
from test_random_trees import states

import dyn_core
from dyn_core import aba, derivative, jacobian, quantity, rnea, vector_jacobian_product
from dyn_core.dynamics.constraints import Contact
from dyn_core.dynamics.declare.arrays import Configuration
from dyn_core.reverse_mode import Differentiable


@pytest.mark.quick("ur5")
@covers(vector_jacobian_product)
def test_products_of_the_dynamics_vs_analytical_derivatives(robot: Robot) -> None:
    """By a configuration, along the manifold: its gradient times the rates of its numbers."""
    if robot.model.nv > 18:
        pytest.skip("its code takes long to compile; what it has others have too")
    s = robot.states(1)[0]
    q, v, a, w = s["q"], s["v"], s["a"], np.cos(np.arange(robot.model.nv))
    T = dyn_core.tangent_map(robot.model, q)
    for of, known in ((rnea, dyn_core.rnea_derivatives), (aba, dyn_core.aba_derivatives)):
        by = list(of.inputs)
        products = [vector_jacobian_product.request(of, by=name) for name in by]
        by_q, *others = dyn_core.compile(robot.model, products)(q, v, a, w)
        for actual, J in zip((by_q @ T, *others), known(robot.model, q, v, a), strict=True):
            assert relative_error(actual, w @ J) < 1e-9


@pytest.mark.quick("free_flyer", "composite", "helical")
@pytest.mark.parametrize("kind", ALL_KINDS)
def test_every_joint_type_vs_derivative(kind: str) -> None:
    model = random_model(5, joints=2, kinds=(kind,), mimic=False)
    w = np.cos(np.arange(model.nv))
    for s in states(model, 2):
        state = s["q"], s["v"], s["a"]
        actual = vector_jacobian_product.request(rnea, by="q")(model, *state, w)
        expected = w @ dyn_core.derivative.request(rnea, by="q")(model, *state)
        assert relative_error(actual @ dyn_core.tangent_map(model, s["q"]), expected) < 1e-9


@covers(jacobian)
def test_jacobians_by_numbers_times_the_rates_of_the_numbers_are_derivatives(robot: Robot) -> None:
    if robot.model.nv > 12:
        pytest.skip("its code takes long to compile; what it has others have too")
    s = robot.states(1)[0]
    state, T = (s["q"], s["v"], s["a"]), dyn_core.tangent_map(robot.model, s["q"])
    by_q, by_v = dyn_core.compile(robot.model, [jacobian.request(rnea, by=x) for x in "qv"])(*state)
    dtau_dq, dtau_dv, _ = dyn_core.rnea_derivatives(robot.model, *state)
    assert relative_error(by_q @ T, dtau_dq) < 1e-9
    assert relative_error(by_v, dtau_dv) < 1e-9


def test_products_by_optional_inputs_vs_differences() -> None:
    """Inverse dynamics is linear in each of them, so central differences are exact."""
    robot = load("panda")
    model, s = robot.model, robot.states(1)[0]
    inputs = [
        "f_ext",
        "gravity",
        "inertial_parameters",
        dyn_core.payload("panda_link8"),
        dyn_core.wrench("panda_link8"),
    ]
    own = Differentiable(model, [rnea], inputs)
    random, values = np.random.default_rng(1), {k: s[k] for k in "qva"}
    for name, shape in own.inputs.items():
        values.setdefault(name, random.normal(size=shape))
    w = random.normal(size=model.nv)
    optional = list(own.inputs)[3:]
    rows = {name: x[None] for name, x in values.items()}
    arguments = own.arguments(optional, list(rows.values()), [w[None]])
    gradients = own.gradient(optional)(*arguments.values())
    for (_, name), (gradient,) in zip(own.by(optional), gradients, strict=True):
        change = random.normal(size=values[name].shape)
        (before,), (after,) = (
            own(*{**rows, name: x[None]}.values())[0]
            for x in (values[name] - change, values[name] + change)
        )
        expected = w @ (after - before) / 2
        assert abs((gradient * change).sum() - expected) < 1e-9 * abs(expected)


def test_a_product_of_a_product_is_a_second_derivative() -> None:
    robot = load("ur5")
    model, s = robot.model, robot.states(1)[0]
    w, u = np.cos(np.arange(6)), np.sin(1.0 + np.arange(6))
    second = dyn_core.rnea_second_derivatives(model, s["q"], s["v"], s["a"])
    first = vector_jacobian_product.request(rnea, by="q")
    by_q, by_v = dyn_core.compile(
        model, [vector_jacobian_product.request(first, by=name) for name in "qv"]
    )(s["q"], s["v"], s["a"], w, u)
    d2tau_dqdq, _, d2tau_dqdv, _ = second
    assert relative_error(by_q, np.einsum("i,ijk,j->k", w, d2tau_dqdq, u)) < 1e-9
    assert relative_error(by_v, np.einsum("i,ijk,j->k", w, d2tau_dqdv, u)) < 1e-9


@pytest.mark.thorough
def test_a_product_of_the_third_order_by_one_input_has_a_factor_for_each_order() -> None:
    model, q = load("ur5").model, load("ur5").states(1)[0]["q"]
    request = dyn_core.generalized_gravity.request()
    for _ in range(3):
        request = vector_jacobian_product.request(request, by="q")
    assert request.inputs == ("q", "w_g", "w_gradient_q", "w_gradient_q_q")
    first = derivative.request(dyn_core.generalized_gravity, by="q")
    third = derivative.request(derivative.request(first, by="q"), by="q")(model, q)
    w, x, y = np.random.default_rng(0).normal(size=(3, 6))
    expected = np.einsum("i,ijkl,j,k->l", w, third, x, y)
    assert relative_error(request(model, q, w, x, y), expected) < 1e-9


def test_products_of_outputs_whose_size_an_option_sets() -> None:
    model, s = load("ur5").model, load("ur5").states(1)[0]
    of = dyn_core.constrained_forward_dynamics.request(Contact("tool0", 3))
    w, x = np.random.default_rng(0).normal(size=(2, 6))
    product = vector_jacobian_product.request(of, by="v")(model, s["q"], s["v"], s["tau"], w, x[:3])
    ddq, forces = jacobian.request(of, by="v")(model, s["q"], s["v"], s["tau"])
    assert relative_error(product, w @ ddq + x[:3] @ forces) < 1e-9


def test_refusals_list_what_there_is() -> None:
    model, s = load("ur5").model, load("ur5").states(1)[0]
    with pytest.raises(ValueError, match="has no input 'x'; choose by from q, v, a, f_ext, grav"):
        vector_jacobian_product.request(rnea, by="x")
    with pytest.raises(TypeError, match="3 is no quantity"):
        vector_jacobian_product.request(3, by="q")
    by_gravity = vector_jacobian_product.request(rnea, by="gravity")
    with pytest.raises(ValueError, match="by 'gravity', which is no input here: pass it"):
        by_gravity(model, s["q"], s["v"], s["a"], s["a"])
    g = by_gravity(model, s["q"], s["v"], s["a"], s["a"], gravity=np.array([0.0, 0.0, -9.81]))
    assert g.shape == (3,)
    with pytest.raises(TypeError, match="has to be compiled"):
        vector_jacobian_product.define(model, [0.0], [0.0], of=rnea.request().within(model), by="q")


@pytest.mark.parametrize("kind", [jacobian, vector_jacobian_product])
def test_dual_numbers_do_not_lose_their_slopes_in_reverse_mode(kind) -> None:
    """A derivative of what is recorded would be zero."""
    model, s = load("ur5").model, load("ur5").states(1)[0]
    once = kind.request(rnea, by="q")
    state = [s["q"], s["v"], *[s["a"]] * (len(once.inputs) - 2)]
    for by in once.inputs:
        with pytest.raises(TypeError, match=r"use jacobian\.request\(\.\.\.\) instead of deriv"):
            derivative.request(once, by=by)(model, *state)


@quantity("g2", "gravity by q at twice q", unit="N m", shape=("nv", "nq"))
def gradients_elsewhere(model: dyn_core.Model, q: Configuration) -> object:
    of = dyn_core.generalized_gravity.request().within(model)
    return jacobian.define(model, [2.0 * x for x in q], of=of, by="q")


def test_arguments_that_are_no_inputs_are_refused() -> None:
    """A derivative by the input would be twice that by the argument."""
    with pytest.raises(TypeError, match="by 'q', which is no input here"):
        gradients_elsewhere(load("ur5").model, np.zeros(6))
