# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""States for tests of generated code."""

from __future__ import annotations

import numpy as np

from dyn_core.compiler.runtime.build_spec import BuildSpec
from dyn_core.compiler.runtime.kernel import compile
from dyn_core.dynamics.declare.arrays import CONFIGURATION
from dyn_core.model.model import FloatArray


def example_states(spec: BuildSpec, count: int) -> list[FloatArray]:
    """Random inputs, for each an array with a row per state; the same in every run.

    Configurations are random displacements of the neutral one.
    """
    random, model = np.random.default_rng(0), spec.model
    arrays = []
    for expected in spec.signature.inputs.values():
        if expected.array == CONFIGURATION:
            integrate = compile(model, ["integrate"])
            neutral = np.array(model.space.neutral())
            steps = random.normal(size=(count, model.nv))
            arrays.append(np.array([integrate(neutral, step) for step in steps]))
        else:
            arrays.append(random.normal(size=(count, *expected.shape)))
    return arrays
