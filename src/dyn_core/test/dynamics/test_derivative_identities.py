# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Analytical derivatives under forces from outside, and of momentum: automatic, complex steps."""

from __future__ import annotations

import numpy as np
import pytest
from complex_step import complex_step
from random_trees import ALL_KINDS, random_model
from robots import relative_error
from test_random_trees import states

import dyn_core
from dyn_core import derivative
from dyn_core.spatial import Force

KINDS = tuple(sorted(set(ALL_KINDS) - {"composite"}))
UNDER_FORCES = {
    dyn_core.rnea_derivatives: (dyn_core.rnea, "qva"),
    dyn_core.aba_derivatives: (dyn_core.aba, ("q", "v", "tau")),
    dyn_core.static_torque_derivatives: (dyn_core.static_torque, "q"),
}
"""By what each is the derivative of which quantity. Gravity and momentum know of no forces."""
OF_MOMENTUM = (
    (dyn_core.centroidal_momentum, "q"),
    (dyn_core.centroidal_momentum_rate, "q"),
    (dyn_core.centroidal_momentum_rate, "v"),
    (dyn_core.centroidal_momentum_rate, "a"),
)
"""What centroidal_dynamics_derivatives has, in its order."""


@pytest.mark.parametrize("analytical", UNDER_FORCES, ids=lambda quantity: quantity.__name__)
@pytest.mark.parametrize("mimic", [False, True])
def test_forces_from_outside_are_in_all_derivatives(analytical, mimic: bool) -> None:
    """Analytical and automatic ones agree, and differ from those without forces where they may."""
    model = random_model(7, joints=len(KINDS), kinds=KINDS, mimic=mimic)
    of, by = UNDER_FORCES[analytical]
    for k, s in enumerate(states(model, 2)):
        numbers = np.random.default_rng(k).normal(size=(model.njoints, 6)).tolist()
        plain = {name: x.tolist() for name, x in s.items()}
        pushed = plain | {"f_ext": [Force.of(row) for row in numbers]}
        results = analytical.request().evaluate(model, pushed)
        for actual, name in zip(results, by, strict=True):
            (automatic,) = derivative.request(of, by=name).evaluate(model, pushed)
            assert relative_error(np.array(actual), np.array(automatic)) < 1e-8
        without = analytical.request().evaluate(model, plain)
        assert relative_error(np.array(results[0]), np.array(without[0])) > 1e-3


@pytest.mark.parametrize("mimic", [False, True])
def test_derivatives_of_momentum_vs_automatic_vs_complex_step(mimic: bool) -> None:
    model = random_model(8, joints=len(KINDS), kinds=KINDS, mimic=mimic)
    request = dyn_core.centroidal_dynamics_derivatives.request()
    for s in states(model, 2):
        plain = {name: x.tolist() for name, x in s.items()}
        results = request.evaluate(model, plain)
        for actual, (of, by) in zip(results, OF_MOMENTUM, strict=True):
            (automatic,) = derivative.request(of, by=by).evaluate(model, plain)
            (expected,) = complex_step(of.request(), model, s, by)
            assert relative_error(np.array(actual), np.array(automatic)) < 1e-9
            assert relative_error(np.array(actual), expected.ravel()) < 1e-9
