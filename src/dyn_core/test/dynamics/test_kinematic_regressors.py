# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Kinematic regressors: against Pinocchio, and by mounting joints elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from covering import covers
from robots import load, relative_error

import dyn_core
from dyn_core import (
    LOCAL,
    LOCAL_WORLD_ALIGNED,
    WORLD,
    frame_kinematic_regressor,
    joint_kinematic_regressor,
)
from dyn_core.spatial import SE3, Motion, exp6, log6

REFERENCES = {
    LOCAL: pin.LOCAL,
    WORLD: pin.WORLD,
    LOCAL_WORLD_ALIGNED: pin.LOCAL_WORLD_ALIGNED,
}


@covers(joint_kinematic_regressor, frame_kinematic_regressor)
@pytest.mark.parametrize("reference", REFERENCES, ids=repr)
def test_kinematic_regressors_vs_pinocchio(reference) -> None:
    robot = load("hyq")
    data, theirs = robot.pin_model.createData(), REFERENCES[reference]
    joint, frame = "rf_kfe_joint", "rf_foot"
    of_joint = joint_kinematic_regressor.request(joint, reference)
    of_frame = frame_kinematic_regressor.request(frame, reference)
    compute = dyn_core.compile(robot.model, [of_joint, of_frame])
    for s in robot.states(20):
        pin.framesForwardKinematics(robot.pin_model, data, s["q"])
        numbers = robot.pin_model.getJointId(joint), robot.pin_model.getFrameId(frame)
        expected = (
            pin.computeJointKinematicRegressor(robot.pin_model, data, numbers[0], theirs),
            pin.computeFrameKinematicRegressor(robot.pin_model, data, numbers[1], theirs),
        )
        for actual, other in zip(compute(s["q"]), expected, strict=True):
            assert relative_error(actual, other) < 1e-9


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
