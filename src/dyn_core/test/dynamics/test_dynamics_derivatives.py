# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Analytical derivatives of the dynamics: against automatic ones and complex steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from complex_step import complex_step
from random_trees import ALL_KINDS, random_model
from robots import Robot, load, relative_error
from test_optional_inputs import forces
from test_random_trees import states

import dyn_core
from dyn_core import (
    Quantity,
    aba_derivatives,
    centroidal_dynamics_derivatives,
    derivative,
    generalized_gravity_derivatives,
    rnea_derivatives,
)

TOLERANCE = 1e-9
State = dict[str, np.ndarray]


def assert_close(actual: Any, expected: Any, tolerance: float = TOLERANCE) -> None:
    for x, y in zip(actual, expected, strict=True):
        assert relative_error(x, np.asarray(y)) < tolerance


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
    for k, s in enumerate(robot.states(3)):
        state, f_ext = (s["q"], s["v"]), forces(robot, k)
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
