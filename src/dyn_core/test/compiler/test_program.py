# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The program that is printed: its length, and the definition that makes it short."""

from __future__ import annotations

import numpy as np
import pytest
from random_trees import random_model
from test_operations import traced
from test_random_trees import states

import dyn_core
from dyn_core.compiler.ir.operation_count import count
from dyn_core.compiler.passes.multiply_add import fuse
from dyn_core.dynamics.declare.alternatives import choosing
from dyn_core.spatial import Force
from dyn_core.spatial.scalars.functions import select, sin

BY_MASS_MATRIX = 1
"""The other definition of forward dynamics, by number."""


def test_operations_are_counted_by_kind() -> None:
    def function(a, b, c):
        _ = sin(b) * c  # no output needs it
        return [a * b + c, a - b, -(a * c), b / c, sin(a), select(a < b, a, c), 2.0, a]

    assert count(fuse(traced(lambda x: function(*x), 3))) == {
        "multiplications": 1, "additions": 1, "fused": 1, "divisions": 1, "functions": 3,
        "moves": 0, "total": 7,
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_both_definitions_of_forward_dynamics_agree(seed: int) -> None:
    model = random_model(seed, joints=10, mimic=False)
    for s in states(model, 3, seed):
        arrays = [s[name].tolist() for name in dyn_core.aba.inputs]
        expected = np.array(dyn_core.aba.define(model, *arrays))
        with choosing({dyn_core.aba: BY_MASS_MATRIX, dyn_core.rnea: 1}):
            actual = np.array(dyn_core.aba.define(model, *arrays))
        assert (actual != expected).any()
        M = np.array(dyn_core.crba.define(model, s["q"].tolist()))
        assert np.abs(M @ (actual - expected)).max() < 1e-10 * np.abs(s["tau"]).max()


@pytest.mark.parametrize("seed", range(4))
def test_accelerations_of_origins_make_the_efforts_of_the_book(seed: int) -> None:
    model = random_model(seed, joints=10)
    for s in states(model, 3, seed):
        arrays = [s[name].tolist() for name in dyn_core.rnea.inputs]
        forces = [
            Force.of(row) for row in np.random.default_rng(seed).normal(size=(model.njoints, 6))
        ]
        expected = np.array(dyn_core.rnea.define(model, *arrays, forces))
        with choosing({dyn_core.rnea: 1}) as choice:
            actual = np.array(dyn_core.rnea.define(model, *arrays, forces))
        assert list(choice.seen) == [dyn_core.rnea]
        assert (actual != expected).any()
        assert np.abs(actual - expected).max() < 1e-12 * np.abs(expected).max()
