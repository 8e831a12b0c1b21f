# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Jacobians of joints, rates of Jacobians and kinematic Hessians in the three references."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from covering import covers, defined_as_pinocchio, evaluated
from random_trees import random_model
from robots import Robot
from test_frame_jacobian import REFERENCES
from test_joint_and_frame_motion import frames
from test_random_trees import states

import dyn_core
from dyn_core import Model, ModelError, Reference


def column_major(tensor: np.ndarray) -> np.ndarray:
    """A tensor as it is meant: its numbers are column by column."""
    return tensor.ravel().reshape(tensor.shape, order="F")


@covers(dyn_core.joint_jacobian, dyn_core.joint_jacobian_time_variation)
@pytest.mark.parametrize("reference", Reference)
def test_joint_jacobians_vs_pinocchio(robot: Robot, reference: Reference) -> None:
    model, theirs = robot.model, REFERENCES[reference]
    for i in {1, model.njoints // 2, model.njoints - 1}:

        def jacobian(m, d, s, i=i):
            pin.computeJointJacobians(m, d, s["q"])
            return pin.getJointJacobian(m, d, i, theirs)

        def rate(m, d, s, i=i):
            pin.computeJointJacobiansTimeVariation(m, d, s["q"], s["v"])
            return pin.getJointJacobianTimeVariation(m, d, i, theirs)

        name = model.names[i]
        defined_as_pinocchio(robot, dyn_core.joint_jacobian.request(name, reference), jacobian)
        variation = dyn_core.joint_jacobian_time_variation.request(name, reference)
        defined_as_pinocchio(robot, variation, rate)


@covers(dyn_core.joint_jacobians, dyn_core.joint_jacobians_time_variation)
def test_columns_of_all_joints_vs_pinocchio(robot: Robot) -> None:
    defined_as_pinocchio(
        robot, dyn_core.joint_jacobians, lambda m, d, s: pin.computeJointJacobians(m, d, s["q"])
    )
    defined_as_pinocchio(
        robot,
        dyn_core.joint_jacobians_time_variation,
        lambda m, d, s: pin.computeJointJacobiansTimeVariation(m, d, s["q"], s["v"]),
    )


@covers(dyn_core.frame_jacobian_time_variation)
@pytest.mark.parametrize("reference", Reference)
def test_rate_of_a_frame_jacobian_vs_pinocchio(robot: Robot, reference: Reference) -> None:
    for name, k in frames(robot):

        def rate(m, d, s, k=k):
            pin.computeJointJacobiansTimeVariation(m, d, s["q"], s["v"])
            pin.updateFramePlacements(m, d)
            return pin.getFrameJacobianTimeVariation(m, d, k, REFERENCES[reference])

        asked = dyn_core.frame_jacobian_time_variation.request(name, reference)
        defined_as_pinocchio(robot, asked, rate)


@covers(dyn_core.frame_kinematic_hessian, dyn_core.joint_kinematic_hessian)
@pytest.mark.parametrize("reference", Reference)
def test_kinematic_hessians_vs_pinocchio(robot: Robot, reference: Reference) -> None:
    model, theirs = robot.model, REFERENCES[reference]
    (name, k), *_ = sorted(frames(robot), reverse=True)

    def of_joint(m, d, s):
        pin.computeJointKinematicHessians(m, d, s["q"])
        return column_major(pin.getJointKinematicHessian(m, d, m.njoints - 1, theirs))

    def of_frame(m, d, s):
        pin.computeJointKinematicHessians(m, d, s["q"])
        pin.updateFramePlacements(m, d)
        return column_major(pin.getFrameKinematicHessian(m, d, k, theirs))

    count = 20 if model.nv < 10 else 2
    joint = dyn_core.joint_kinematic_hessian.request(model.names[-1], reference)
    defined_as_pinocchio(robot, joint, of_joint, count)
    frame = dyn_core.frame_kinematic_hessian.request(name, reference)
    defined_as_pinocchio(robot, frame, of_frame, count)


def along(model: Model, s: dict[str, np.ndarray], t: float) -> dict[str, np.ndarray]:
    q = model.space.integrate(s["q"].tolist(), (t * s["v"]).tolist())
    return {**s, "q": np.array(q)}


def rate(model: Model, asked, s: dict[str, np.ndarray], h: float = 1e-6) -> np.ndarray:
    """The rate of a quantity as the robot moves, by central differences."""
    ahead, behind = (evaluated(model, asked, along(model, s, t)) for t in (h, -h))
    return (ahead - behind) / (2.0 * h)


@covers(dyn_core.joint_kinematic_hessians)
@pytest.mark.parametrize("seed", range(3))
def test_rates_and_hessians_are_derivatives_with_every_joint_type(seed: int) -> None:
    """Pinocchio leaves out how the axes of some joints move, so differences are the oracle."""
    model = random_model(seed, joints=13, mimic=False)
    for s in states(model, 2):
        expected = rate(model, dyn_core.joint_jacobians, s)
        actual = evaluated(model, dyn_core.joint_jacobians_time_variation, s)
        scale = np.abs(expected).max()
        assert np.abs(actual - expected).max() < 1e-6 * scale
        hessians = evaluated(model, dyn_core.joint_kinematic_hessians, s)
        assert np.abs(hessians @ s["v"] - actual).max() < 1e-12 * scale


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("reference", Reference)
def test_rate_of_a_frame_jacobian_is_its_derivative_with_mimic_joints(
    seed: int, reference: Reference
) -> None:
    model = random_model(seed, joints=12, kinds=("revolute", "helical", "universal", "planar"))
    assert model.has_mimic_joints
    frame = model.frames[-1].name
    for s in states(model, 2):
        expected = rate(model, dyn_core.frame_jacobian.request(frame, reference), s)
        asked = dyn_core.frame_jacobian_time_variation.request(frame, reference)
        actual = evaluated(model, asked, s)
        assert np.abs(actual - expected).max() < 1e-6 * np.abs(expected).max()
        hessian = evaluated(model, dyn_core.frame_kinematic_hessian.request(frame, reference), s)
        assert np.abs(hessian @ s["v"] - actual).max() < 1e-12 * np.abs(actual).max()


def test_columns_that_joints_share_are_refused_in_words() -> None:
    model = random_model(0, kinds=("revolute", "prismatic", "helical"))
    q = states(model, 1)[0]["q"]
    with pytest.raises(ModelError, match=r"has mimic joints.*ask for one joint or frame"):
        dyn_core.joint_jacobians(model, q)
    assert dyn_core.joint_jacobian(model, q, joint=model.names[-1]).shape == (6, model.nv)
