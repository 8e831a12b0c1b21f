# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Analytical derivatives of the dynamics: against Pinocchio, automatic ones and complex steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from complex_step import complex_step
from covering import covers
from pinocchio_model import to_pinocchio
from random_trees import ALL_KINDS, random_model
from robots import Robot, load, relative_error
from test_against_pinocchio import symmetric
from test_derivative import MOVING
from test_random_trees import states

import dyn_core
from dyn_core import (
    Quantity,
    aba_derivatives,
    centroidal_dynamics_derivatives,
    derivative,
    generalized_gravity_derivatives,
    rnea_derivatives,
    static_torque_derivatives,
)
from dyn_core.model import Model

TOLERANCE = 1e-9
State = dict[str, np.ndarray]


def aba_oracle(m: pin.Model, d: pin.Data, s: State) -> tuple[np.ndarray, ...]:
    by_q, by_v, by_tau = pin.computeABADerivatives(m, d, s["q"], s["v"], s["tau"], forces(s))
    return by_q, by_v, symmetric(by_tau)


def forces(s: State) -> pin.StdVec_Force:
    result = pin.StdVec_Force()
    result.extend([pin.Force(row) for row in s["f_ext"]])
    return result


ORACLES: dict[Quantity, Callable[[pin.Model, pin.Data, State], Any]] = {
    rnea_derivatives: lambda m, d, s: pin.computeRNEADerivatives(
        m, d, s["q"], s["v"], s["a"], forces(s)
    ),
    aba_derivatives: aba_oracle,
    generalized_gravity_derivatives: lambda m, d, s: (
        pin.computeGeneralizedGravityDerivatives(m, d, s["q"]),
    ),
    static_torque_derivatives: lambda m, d, s: (
        pin.computeStaticTorqueDerivatives(m, d, s["q"], forces(s)),
    ),
    centroidal_dynamics_derivatives: lambda m, d, s: pin.computeCentroidalDynamicsDerivatives(
        m, d, s["q"], s["v"], s["a"]
    ),
}


def with_forces(found: list[State], model: Model) -> Iterator[State]:
    """States with a random force on every body."""
    random = np.random.default_rng(1)
    for s in found:
        yield {**s, "f_ext": random.normal(size=(model.njoints, 6))}


def compiled(model: Model, quantity: Quantity) -> Callable[[State], Any]:
    """The quantity of a state, forces included where it takes them."""
    optional = [name for name, x in quantity.parameters.items() if x.optional]
    kernel = dyn_core.compile(model, [quantity], optional)

    def compute(s: State) -> Any:
        results = kernel(*(s[name] for name in kernel.inputs))
        return results if isinstance(results, tuple) else (results,)

    return compute


def assert_close(actual: Any, expected: Any, tolerance: float = TOLERANCE) -> None:
    for x, y in zip(actual, expected, strict=True):
        assert relative_error(x, np.asarray(y)) < tolerance


@covers(*ORACLES)
@pytest.mark.parametrize("quantity", ORACLES, ids=lambda quantity: quantity.__name__)
def test_derivatives_vs_pinocchio(robot: Robot, quantity: Quantity) -> None:
    compute, pin_data = compiled(robot.model, quantity), robot.pin_model.createData()
    for s in with_forces(robot.states(10), robot.model):
        assert_close(compute(s), ORACLES[quantity](robot.pin_model, pin_data, s))


@pytest.mark.parametrize("quantity", ORACLES, ids=lambda quantity: quantity.__name__)
def test_trees_with_every_fixed_subspace_vs_pinocchio(quantity: Quantity) -> None:
    kinds = sorted(set(ALL_KINDS) - MOVING)
    model = random_model(3, joints=len(kinds), kinds=kinds, mimic=False)
    rebuilt, compute = to_pinocchio(model).model, compiled(model, quantity)
    pin_data = rebuilt.createData()
    for s in states(model, 5):
        s["f_ext"] = np.random.default_rng(2).normal(size=(model.njoints, 6))
        turned = s | {"f_ext": at_their_joints(model, s["f_ext"])}
        assert_close(compute(s), ORACLES[quantity](rebuilt, pin_data, turned))


def at_their_joints(model: Model, f_ext: np.ndarray) -> np.ndarray:
    """Forces in the frames of Pinocchio's joints."""
    corrections = to_pinocchio(model).corrections
    pairs = zip(corrections, f_ext, strict=True)
    return np.array([c.act(pin.Force(f)).vector for c, f in pairs])


PAIRS = {
    rnea_derivatives: (dyn_core.rnea, "qva"),
    aba_derivatives: (dyn_core.aba, ("q", "v", "tau")),
    generalized_gravity_derivatives: (dyn_core.generalized_gravity, "q"),
}
"""By what each is the derivative of which quantity."""


@pytest.mark.parametrize("analytical", PAIRS, ids=lambda quantity: quantity.__name__)
@pytest.mark.parametrize("kind", [*sorted(ALL_KINDS), "all, with mimic joints"])
def test_analytical_vs_automatic_vs_complex_step(kind: str, analytical: Quantity) -> None:
    """The definitions on floats, for every joint type, forces from outside included."""
    kinds = [kind] if kind in ALL_KINDS else sorted(set(ALL_KINDS) - {"free_flyer", "composite"})
    model = random_model(5, joints=2 if len(kinds) == 1 else len(kinds), kinds=kinds)
    if len(kinds) > 1:
        assert model.has_mimic_joints
    of, by = PAIRS[analytical]
    for s in states(model, 2):
        plain = {name: x.tolist() for name, x in s.items()}
        results = analytical.request().evaluate(model, plain)
        for actual, name in zip(results, by, strict=True):
            (automatic,) = derivative.request(of, by=name).evaluate(model, plain)
            (expected,) = complex_step(of.request(), model, s, name)
            assert relative_error(np.array(actual), np.array(automatic)) < TOLERANCE
            assert relative_error(np.array(actual), expected.ravel()) < TOLERANCE


def test_derivatives_of_aba_undo_those_of_rnea(robot: Robot) -> None:
    """``M dddq/dq = - dtau/dq`` at the acceleration of forward dynamics."""
    model = robot.model
    for s in with_forces(robot.states(3), model):
        state, f_ext = (s["q"], s["v"]), s["f_ext"]
        ddq = dyn_core.aba(model, *state, s["tau"], f_ext=f_ext)
        by_q, by_v, by_a = rnea_derivatives(model, *state, ddq, f_ext=f_ext)
        ddq_dq, ddq_dv, Minv = aba_derivatives(model, *state, s["tau"], f_ext=f_ext)
        assert relative_error(by_a @ ddq_dq, -by_q) < TOLERANCE
        assert relative_error(by_a @ ddq_dv, -by_v) < TOLERANCE
        assert relative_error(by_a @ Minv, np.eye(model.nv)) < TOLERANCE


def test_stiffness_of_gravity_is_symmetric_where_coordinates_are_flat() -> None:
    """It is the Hessian of the potential energy."""
    robot = load("panda")
    for s in robot.states(5):
        stiffness = generalized_gravity_derivatives(robot.model, s["q"])
        assert relative_error(stiffness, stiffness.T) < 1e-12


def test_rotors_only_add_to_the_derivative_by_acceleration() -> None:
    robot = load("ur5")
    geared = robot.model.with_rotor(robot.model.names[2], 0.01, gear_ratio=50.0)
    s = robot.states(1)[0]
    state = s["q"], s["v"], s["a"]
    *plain, M = rnea_derivatives(robot.model, *state)
    *with_rotor, M_rotor = rnea_derivatives(geared, *state)
    assert_close(with_rotor, plain, 1e-13)
    assert M_rotor[1, 1] - M[1, 1] == pytest.approx(25.0)


def test_a_robot_without_mass_has_no_centroidal_dynamics() -> None:
    builder = dyn_core.ModelBuilder("ghost")
    builder.add_joint(0, dyn_core.joints.Revolute(), dyn_core.spatial.SE3.identity(), "hinge")
    model = builder.build()
    with pytest.raises(dyn_core.ModelError, match="'ghost' has no mass"):
        centroidal_dynamics_derivatives(model, np.zeros(1), np.zeros(1), np.zeros(1))
