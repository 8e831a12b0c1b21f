# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Friction: it follows its formula, never does work on the robot, and knows mimic joints."""

from __future__ import annotations

import numpy as np
import pytest
from covering import covers
from random_trees import random_model

from dyn_core import Model, ModelBuilder, friction_efforts
from dyn_core.joints import Revolute
from dyn_core.model import Limits
from dyn_core.spatial import SE3


def hinge(**losses: float) -> Model:
    builder = ModelBuilder("hinge")
    joint = Revolute([0.0, 0.0, 1.0])
    builder.add_joint(0, joint, SE3.identity(), "j", Limits.of(joint, **losses))
    return builder.build()


@covers(friction_efforts)
def test_friction_of_a_hinge_is_stribecks_curve() -> None:
    model = hinge(damping=0.3, friction=0.2, stiction=0.1, stribeck_velocity=0.05)
    for v in (-2.0, -0.05, 0.0, 1e-4, 0.05, 1.0):
        dry = 0.2 + 0.1 * np.exp(-((v / 0.05) ** 2))
        (sharp,) = friction_efforts(model, np.array([v]))
        assert sharp == pytest.approx(-(0.3 * v + dry * np.sign(v)), abs=1e-15)
        (smooth,) = friction_efforts(model, np.array([v]), smoothing=0.01)
        assert smooth == pytest.approx(-(0.3 * v + dry * np.tanh(v / 0.01)), abs=1e-15)


def test_friction_is_finite_at_any_speed() -> None:
    model = hinge(friction=0.2, stiction=0.1, stribeck_velocity=1e-3)
    for v in (-1e300, -1e5, 1e5, 1e300):
        assert friction_efforts(model, np.array([v]), smoothing=1e-3) == pytest.approx(
            -0.2 * np.sign(v)
        )


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_friction_only_takes_energy(smoothing: float) -> None:
    model, random = random_model(0), np.random.default_rng(0)
    data = model.create_data()
    for _ in range(100):
        v = random.normal(size=model.nv)
        assert friction_efforts(model, data, v, smoothing=smoothing) @ v < 0.0
