# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Analytical derivatives of the dynamics against automatic ones."""

from __future__ import annotations

import numpy as np
import pytest
from covering import covers
from random_trees import ALL_KINDS, random_model
from robots import relative_error
from test_random_trees import states

import dyn_core
from dyn_core import (
    Quantity,
    aba_derivatives,
    derivative,
    generalized_gravity_derivatives,
    rnea_derivatives,
)
from dyn_core.spatial import Force

TOLERANCE = 1e-9


OF = {
    rnea_derivatives: (dyn_core.rnea, "qva"),
    aba_derivatives: (dyn_core.aba, ("q", "v", "tau")),
    generalized_gravity_derivatives: (dyn_core.generalized_gravity, "q"),
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


@covers(derivative)
@pytest.mark.quick("[all-", "free_flyer-rnea", "free_flyer-aba")
@pytest.mark.parametrize(
    ("kind", "analytical"), CASES, ids=[f"{kind}-{x.__name__}" for kind, x in CASES]
)
def test_analytical_vs_automatic(kind: str, analytical: Quantity) -> None:
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
            (automatic,) = derivative.request(of, by=name).evaluate(model, plain)
            assert relative_error(np.array(actual), np.array(automatic)) < TOLERANCE
        if "f_ext" in plain and len(kinds) > 1:
            assert relative_error(np.array(results[0]), np.array(without[0])) > 1e-3
