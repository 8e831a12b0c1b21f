# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of any quantity: analytical, by dual numbers, in reverse mode, by Pinocchio."""

from __future__ import annotations

import pickle
import re
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from covering import covers
from random_trees import ALL_KINDS, random_model
from repository import in_repository
from robots import Robot, load, relative_error
from test_random_trees import states

import dyn_core
from dyn_core import derivative, kinetic_energy, quantity, rnea, rnea_second_derivatives
from dyn_core.dynamics.declare.arrays import Configuration, Velocity
from dyn_core.dynamics.rnea_second_derivatives import by_dual_numbers
from dyn_core.model import Model
from dyn_core.spatial import Force
from dyn_core.spatial.scalars import Scalar
from dyn_core.spatial.scalars.dual_numbers import derivative_along

TOLERANCE = 1e-9


@quantity("power", "power of gravity", unit="W")
def power_of_gravity(model: Model, q: Configuration, v: Velocity) -> Scalar:
    """A quantity of a user's."""
    total = 0.0
    for x, rate in zip(dyn_core.generalized_gravity.define(model, q), v, strict=True):
        total = total - x * rate
    return total


def inputs(request: dyn_core.Request, s: dict[str, np.ndarray]) -> list[np.ndarray]:
    return [s[name] for name, x in request.parameters.items() if not x.optional]


def test_of_a_users_own_quantity_vs_derivatives_of_gravity() -> None:
    for seed in range(3):
        model = random_model(seed, joints=5)
        by_q, by_v = (derivative.request(power_of_gravity, by=by) for by in "qv")
        for s in states(model, 3):
            g = dyn_core.generalized_gravity(model, s["q"])
            assert relative_error(by_v(model, s["q"], s["v"]), -g) < TOLERANCE
            dg = dyn_core.generalized_gravity_derivatives(model, s["q"])
            assert relative_error(by_q(model, s["q"], s["v"]), -s["v"] @ dg) < TOLERANCE


def test_reverse_mode_vs_dual_numbers(robot: Robot) -> None:
    """Recorded, an energy is differentiated backwards; on floats it is by dual numbers."""
    for by in "qv":
        request = derivative.request(kinetic_energy, by=by)
        compiled = request(robot.model, *inputs(request, robot.states(1)[0]))
        for s in robot.states(1):
            plain = {k: x.tolist() for k, x in s.items()}
            (expected,) = request.evaluate(robot.model, plain)
            assert relative_error(compiled, np.array(expected)) < 1e-12


def test_second_derivatives_of_kinetic_energy_are_mass_matrix_and_slope_of_the_momentum() -> None:
    """The inner derivative is in reverse mode, the outer one by dual numbers."""
    model, s = load("ur5").model, load("ur5").states(1)[0]
    momentum = derivative.request(kinetic_energy, by="v")
    M = derivative.request(momentum, by="v")(model, s["q"], s["v"])
    assert relative_error(M, dyn_core.crba(model, s["q"])) < 1e-12
    slope = derivative.request(dyn_core.crba, by="q")(model, s["q"])
    expected = np.einsum("ijk,j->ik", slope, s["v"])
    by_q = derivative.request(momentum, by="q")(model, s["q"], s["v"])
    by_v = derivative.request(derivative.request(kinetic_energy, by="q"), by="v")
    assert relative_error(by_q, expected) < 1e-12
    assert relative_error(by_v(model, s["q"], s["v"]), expected.T) < 1e-12


def test_nested_derivatives_keep_their_parameters_apart() -> None:
    """The derivative by x of ``x d(x y)/dy`` is 2 x, not 2 x plus what the inner one varies."""

    def outer(x):
        return [x[0] * y for y in derivative_along(lambda y: [x[0] * y[0]], [1.0], [1.0])]

    assert derivative_along(outer, [3.0], [1.0]) == [6.0]
    assert derivative_along(
        lambda x: derivative_along(lambda y: [x[0]], [1.0], [1.0]), [3.0], [1.0]
    ) == [0.0]
    for operation in (
        lambda x, y: x + y, lambda x, y: x - y, lambda x, y: y - x,
        lambda x, y: x * y, lambda x, y: x / y, lambda x, y: y / x,
    ):  # fmt: skip

        def mixed(x, f=operation):
            return derivative_along(lambda y: [f(x[0], y[0])], [2.0], [1.0])

        h = 1e-5
        (slope,) = derivative_along(mixed, [3.0], [1.0])
        (up,), (down,) = mixed([3.0 + h]), mixed([3.0 - h])
        assert slope == pytest.approx((up - down) / (2.0 * h), abs=1e-9)


def test_data_batches_and_pickles_take_it_like_any_request() -> None:
    robot = load("ur5")
    model, s = robot.model, robot.states(1)[0]
    data, request = model.create_data(), derivative.request(rnea, by="q")
    assert request == derivative.request(rnea.request(), by="q")
    assert request == pickle.loads(pickle.dumps(request))
    assert repr(request) == "derivative(of=rnea(), by='q')"
    result = request(model, data, s["q"], s["v"], s["a"])
    assert result is data[request]
    same = derivative(model, s["q"], v=s["v"], a=s["a"], of=rnea, by="q")
    assert np.array_equal(result, same)
    (output,) = request.outputs
    assert (output.field, output.shape) == ("dtau_dq", ("nv", "nv"))
    assert output.unit == "(N m, N) per (rad, m, 1)"


def test_forces_and_payloads_are_inputs_of_a_derivative_too() -> None:
    robot = load("ur5")
    s, f_ext = robot.states(1)[0], np.random.default_rng(0).normal(size=(7, 6))
    state = s["q"], s["v"], s["a"]
    actual = derivative.request(rnea, by="q")(robot.model, *state, f_ext=f_ext)
    forces = pin.StdVec_Force()
    forces.extend([pin.Force(row) for row in f_ext])
    data = robot.pin_model.createData()
    expected, *_ = pin.computeRNEADerivatives(robot.pin_model, data, *state, forces)
    assert relative_error(actual, expected) < TOLERANCE
    heavier = robot.model.with_payload("tool0", 2.0, (0.05, -0.1, 0.15), np.diag([0.1, 0.2, 0.3]))
    inertias = np.array([x.parameters for x in heavier.inertias])
    by_inertias = derivative.request(rnea, by="q")(
        robot.model, *state, inertial_parameters=inertias
    )
    assert relative_error(by_inertias, derivative.request(rnea, by="q")(heavier, *state)) < 1e-12
    payload = {"tool0": np.array([*heavier.inertias[6].parameters])}
    loaded = derivative.request(rnea, by="v")(robot.model, *state, payload=payload)
    assert not np.allclose(loaded, derivative.request(rnea, by="v")(robot.model, *state))


def test_what_cannot_be_differentiated_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match=r"rnea\(\) cannot be differentiated by 'tau'; .* q, v, a"):
        derivative.request(rnea, by="tau")
    with pytest.raises(ValueError, match=r"cannot be differentiated by 'f_ext'"):
        derivative.request(rnea, by="f_ext")
    with pytest.raises(TypeError, match="missing a required argument: 'by'"):
        derivative.request(rnea)
    with pytest.raises(TypeError, match="3 is no quantity and no request"):
        derivative.request(3, by="q")
    with pytest.raises(TypeError, match="expected 3 arrays"):
        derivative.request(rnea, by="q")(load("ur5").model, np.zeros(6))


def test_smooth_friction_has_a_derivative_at_any_speed() -> None:
    """``-d/dv (b v + c tanh(v / w))``; far from rest the tangent is flat, and never NaN."""
    robot = load("ur5")
    limits = replace(robot.model.tree[1].limits, damping=(0.3,), friction=(2.0,))
    tree = (robot.model.tree[0], replace(robot.model.tree[1], limits=limits), *robot.model.tree[2:])
    model, w = replace(robot.model, tree=tree), 1e-3
    request = derivative.request(dyn_core.friction_efforts.request(smoothing=w), by="v")
    for speed in (0.0, 5e-4, -1e-3, 1.0, -1e3):
        v = np.zeros(6)
        v[0] = speed
        expected = -(0.3 + 2.0 / w * (1.0 - np.tanh(speed / w) ** 2))
        assert request(model, v)[0, 0] == pytest.approx(expected, rel=1e-9)
    assert np.isnan(request(model, np.full(6, np.nan))[0, 0])


OF = {
    dyn_core.rnea_derivatives: (dyn_core.rnea, "qva"),
    dyn_core.aba_derivatives: (dyn_core.aba, ("q", "v", "tau")),
    dyn_core.generalized_gravity_derivatives: (dyn_core.generalized_gravity, "q"),
    dyn_core.static_torque_derivatives: (dyn_core.static_torque, "q"),
}
PAIRS = {x: [(of, name) for name in by] for x, (of, by) in OF.items()} | {
    dyn_core.centroidal_dynamics_derivatives: [
        (dyn_core.centroidal_momentum, "q"),
        *((dyn_core.centroidal_momentum_rate, name) for name in "qva"),
    ]
}
"""Of which quantity each output is the derivative, and by what."""


KINDS = [*sorted(ALL_KINDS), "all", "all, with mimic joints"]
CASES = [
    (kind, x)
    for x in PAIRS
    for kind in KINDS
    if x is not dyn_core.centroidal_dynamics_derivatives or kind not in ALL_KINDS
]
"""Momentum does not depend on the coordinates of slides alone."""


@covers(dyn_core.derivative)
@pytest.mark.quick("[all-", "free_flyer-rnea", "free_flyer-aba")
@pytest.mark.parametrize(
    ("kind", "analytical"), CASES, ids=[f"{kind}-{x.__name__}" for kind, x in CASES]
)
def test_analytical_vs_automatic(kind: str, analytical: dyn_core.Quantity) -> None:
    """The definitions on floats, for every joint type, under forces on bodies where they count."""
    kinds = [kind] if kind in ALL_KINDS else sorted(set(ALL_KINDS) - {"free_flyer", "composite"})
    mimic = kind != "all"
    model = random_model(5, joints=2 if len(kinds) == 1 else len(kinds), kinds=kinds, mimic=mimic)
    assert model.has_mimic_joints or "mimic" not in kind
    for k, s in enumerate(states(model, 2)):
        plain = {name: x.tolist() for name, x in s.items()}
        if "f_ext" in analytical.parameters:
            numbers = np.random.default_rng(k).normal(size=(model.njoints, 6)).tolist()
            without = analytical.request().evaluate(model, plain)
            plain["f_ext"] = [Force.of(row) for row in numbers]
        results = analytical.request().evaluate(model, plain)
        for actual, (of, name) in zip(results, PAIRS[analytical], strict=True):
            (automatic,) = dyn_core.derivative.request(of, by=name).evaluate(model, plain)
            assert relative_error(np.array(actual), np.array(automatic)) < TOLERANCE
        if "f_ext" in plain and len(kinds) > 1:
            assert relative_error(np.array(results[0]), np.array(without[0])) > 1e-3


def arrays(model: dyn_core.Model, s: dict[str, np.ndarray], f_ext: np.ndarray | None = None):
    """The definition on floats."""
    given = {name: x.tolist() for name, x in s.items()}
    given |= {} if f_ext is None else {"f_ext": [Force.of(row) for row in f_ext.tolist()]}
    request = rnea_second_derivatives.request()
    pairs = zip(request.evaluate(model, given), request.shapes(model), strict=True)
    return [np.array(numbers).reshape(shape) for numbers, shape in pairs]


@pytest.mark.quick("[all]", "mimic")
@pytest.mark.parametrize("kind", [*sorted(ALL_KINDS), "with mimic joints", "all"])
def test_analytical_second_derivatives_vs_automatic(kind: str) -> None:
    """Every joint type, bodies that share a coordinate, forces from outside."""
    mimic = ("revolute", "prismatic", "helical", "spherical", "free_flyer")
    kinds = [kind] if kind in ALL_KINDS else mimic if "mimic" in kind else list(ALL_KINDS)
    model = random_model(7, joints=3 if len(kinds) == 1 else 6, kinds=kinds)
    assert model.has_mimic_joints or "mimic" not in kind
    s = states(model, 1)[0]
    f_ext = np.random.default_rng(3).normal(size=(model.njoints, 6))
    forces = [Force.of(row) for row in f_ext.tolist()]
    expected = by_dual_numbers(model, *(s[x].tolist() for x in "qva"), forces)
    for x, y in zip(arrays(model, s, f_ext), expected, strict=True):
        assert relative_error(x, np.array(y, dtype=float)) < TOLERANCE


@covers(rnea_second_derivatives)
def test_compiled_vs_differences_of_pinocchio() -> None:
    """Python cannot call Pinocchio's own second derivatives."""
    robot, h = load("ur5"), 1e-5
    model, theirs, data = robot.model, robot.pin_model, robot.pin_model.createData()

    def first(q: np.ndarray, v: np.ndarray, a: np.ndarray) -> list[np.ndarray]:
        return [np.array(x) for x in pin.computeRNEADerivatives(theirs, data, q, v, a)]

    for s in robot.states(3):
        q, v, a = s["q"], s["v"], s["a"]
        qq, vv, qv, aq = rnea_second_derivatives(model, q, v, a)
        for k, step in enumerate(h * np.eye(model.nv)):
            by_q = [
                (x - y) / (2.0 * h)
                for x, y in zip(first(q + step, v, a), first(q - step, v, a), strict=True)
            ]
            by_v = [
                (x - y) / (2.0 * h)
                for x, y in zip(first(q, v + step, a), first(q, v - step, a), strict=True)
            ]
            pairs = [(qq, by_q[0]), (aq, by_q[2]), (vv, by_v[1]), (qv, by_v[0])]
            for ours, differences in pairs:
                assert np.abs(ours[:, :, k] - differences).max() < 1e-7 * np.abs(ours).max()


def test_the_guide_of_derivatives_is_true() -> None:
    """docs/derivatives.md, run as it stands."""
    guide = in_repository("docs/derivatives.md")
    robot = load("ur5")
    names: dict[str, object] = {"np": np, "model": robot.model, **robot.states(1)[0]}
    for block in re.findall(r"```python\n(.*?)```", guide.read_text(), re.DOTALL):
        exec(compile(block, str(guide), "exec"), names)
    M, v = names["M"], names["v"]
    assert relative_error(names["momentum"], M @ v) < 1e-12
    assert relative_error(names["Minv"] @ M, np.eye(6)) < 1e-9
    assert np.shape(names["dJ_dq"]) == (6, 6, 6)
    assert np.shape(names["discrete"].A) == (12, 12)
    assert (np.diff(names["hertz"]) >= 0.0).all()
    assert np.shape(names["qs"]) == (21, 6)
