# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Jacobians of joints, rates of Jacobians and kinematic Hessians in the three references."""

from __future__ import annotations

import numpy as np
import pytest
from covering import covers, evaluated
from random_trees import random_model
from test_random_trees import states

import dyn_core
from dyn_core import Model, ModelError, Reference


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
