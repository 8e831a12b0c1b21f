# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Kinematic regressors: against Pinocchio, and by mounting joints elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from robots import load

import dyn_core
from dyn_core import (
    frame_kinematic_regressor,
)
from dyn_core.spatial import SE3, Motion, exp6, log6


def test_a_joint_mounted_elsewhere_moves_the_tool_as_the_regressor_says() -> None:
    model = load("ur5").model
    q = load("ur5").states(1)[0]["q"]
    random, size = np.random.default_rng(0), 1e-7
    errors = size * random.normal(size=(model.nbodies, 6))
    tree = list(model.tree)
    for i in model.moving_joints:
        moved = tree[i].placement * exp6(Motion.of(errors[i - 1].tolist()))
        tree[i] = replace(tree[i], placement=moved)
    tool = dyn_core.frame_placement.request("tool0")
    before, after = (
        SE3.from_homogeneous(tool(x, q).tolist()) for x in (model, replace(model, tree=tuple(tree)))
    )
    actual = np.array(list(log6(before.inverse() * after)))
    expected = frame_kinematic_regressor.request("tool0")(model, q) @ errors.ravel()
    assert np.abs(actual - expected).max() < 100.0 * size**2
