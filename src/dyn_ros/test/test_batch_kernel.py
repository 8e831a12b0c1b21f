# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""States of a request that are computed side by side, and one after the other."""

from __future__ import annotations

import numpy as np
import pytest
from ros_helpers import arm

import dyn_core
from dyn_ros.kernels.robot import load_model
from dyn_ros.kernels.surroundings import Surroundings
from dyn_ros.services.batch_kernel import MIN_BATCH_STATES, BatchKernel


@pytest.mark.parametrize("count", [MIN_BATCH_STATES, 100])
def test_many_states_side_by_side_are_those_one_after_the_other(count: int) -> None:
    """Also of a robot that is loaded, pushed and moved to another planet meanwhile."""
    model = load_model(arm())
    kernel, surroundings = BatchKernel(model, (dyn_core.rnea,)), Surroundings(model)
    random = np.random.default_rng(count)
    names = ("position", "velocity", "acceleration")
    stages = [], [surroundings.gravity], [surroundings.inertial_parameters], [surroundings.f_ext]
    for changed in (*stages, *stages):
        for array in changed:
            array[1:] = 1.5 * array[1:] + 0.1
        for _ in range(2):
            vectors = {name: random.normal(size=(count, model.nv)) for name in names}
            reference = np.tile(dyn_core.neutral(model), (count, 1))
            (together,) = kernel.compute(reference, vectors, surroundings)
            for k in range(count):
                one = {name: values[k : k + 1] for name, values in vectors.items()}
                (alone,) = kernel.compute(reference[k : k + 1], one, surroundings)
                assert together[k] == pytest.approx(alone[0], rel=1e-12, abs=1e-12)
            for compiled in kernel._many.values():
                compiled.result()  # the next are computed side by side
    assert len(kernel._many) == 3
