# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A call of a quantity computes; the error about another one names the request or the option."""

from __future__ import annotations

import numpy as np
import pytest
from robots import load

import dyn_core


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m, d, q: dyn_core.frame_jacobian("tool0"), r"frame_jacobian\.request\('tool0'\)"),
        (lambda m, d, q: dyn_core.crba(), r"crba\.request\(\)"),
        (
            lambda m, d, q: dyn_core.passive_efforts(smoothing=0.1),
            r"passive_efforts\.request\(smoothing=0\.1\)",
        ),
        (
            lambda m, d, q: dyn_core.derivative(dyn_core.crba, by="q"),
            r"derivative\.request\(<quantity crba>, by='q'\)",
        ),
        (lambda m, d, q: dyn_core.crba(q), r"the model comes first: crba\(model, data, q\)"),
        (lambda m, d, q: dyn_core.crba(d, m, q), "the model comes first"),
        (lambda m, d, q: dyn_core.frame_jacobian(m, d, q, "tool0"), "by name: frame='tool0'"),
        (lambda m, d, q: dyn_core.frame_jacobian(m, q, "tool0"), "by name: frame='tool0'"),
        (lambda m, d, q: dyn_core.frame_jacobian(m, d, "tool0", q), "by name: frame='tool0'"),
        (
            lambda m, d, q: dyn_core.frame_jacobian(m, d, q, "tool0", dyn_core.WORLD),
            "by name: frame='tool0', reference=WORLD",
        ),
        (
            lambda m, d, q: dyn_core.frame_jacobian(m, d, q, dyn_core.WORLD, frame="tool0"),
            "by name: reference=WORLD",
        ),
        (lambda m, d, q: dyn_core.joint_velocities(m, d, q, q, dyn_core.WORLD), "reference=WORLD"),
        (lambda m, d, q: dyn_core.passive_efforts(m, d, q, q, 0.1), "by name: smoothing=0.1"),
    ],
)
def test_a_call_computes_and_options_have_names(call, words: str) -> None:
    """Whatever was computed before."""
    model = load("ur5").model
    data, q = model.create_data(), np.zeros(model.nq)
    dyn_core.joint_velocities(model, data, q, q)
    dyn_core.passive_efforts(model, data, q, q)
    for _ in range(2):
        with pytest.raises(TypeError, match=words):
            call(model, data, q)
