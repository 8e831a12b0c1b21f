# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Quantities that efforts of the state enter: what these add is what they would add by hand."""

from __future__ import annotations

import numpy as np
import pytest
from covering import covers
from random_trees import random_model

import dyn_core
from dyn_core import Model, friction_efforts, generalized_gravity

FRICTION = friction_efforts.request(smoothing=0.1)


@pytest.fixture(scope="module")
def model() -> Model:
    return random_model(0)


def state(model: Model) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(1)
    step, v, other, tau = random.normal(size=(4, model.nv))
    return dyn_core.integrate(model, dyn_core.neutral(model), step), v, other, tau


@covers(dyn_core.net_forward_dynamics)
def test_net_forward_dynamics_counts_efforts_of_the_state(model: Model) -> None:
    q, v, _, tau = state(model)
    friction = friction_efforts(model, v, smoothing=0.1)
    assert abs(friction).max() > 0.1
    expected = dyn_core.aba(model, q, v, tau + friction)
    net = dyn_core.net_forward_dynamics(model, q, v, tau, efforts=(FRICTION,))
    assert net == pytest.approx(expected, rel=1e-9)
    plain = dyn_core.net_forward_dynamics(model, q, v, tau)
    assert plain == pytest.approx(dyn_core.aba(model, q, v, tau), rel=1e-9)


def test_gravity_that_hardware_compensates_is_that_of_the_input(model: Model) -> None:
    """Whatever gravity is passed, it cancels."""
    q, v, _, tau = state(model)
    kernel = dyn_core.compile(
        model, [dyn_core.net_forward_dynamics.request(efforts=(generalized_gravity,))], ["gravity"]
    )
    weightless = kernel(q, v, tau, np.zeros(3))
    assert kernel(q, v, tau, np.array([3.0, -2.0, 5.0])) == pytest.approx(weightless, rel=1e-8)


@covers(dyn_core.tracking_efforts)
def test_tracking_efforts_undo_friction_at_the_desired_velocity(model: Model) -> None:
    q, v, a, desired = state(model)
    friction = friction_efforts(model, desired, smoothing=0.1)
    expected = dyn_core.rnea(model, q, v, a) - friction
    tau = dyn_core.tracking_efforts(model, q, v, a, desired, efforts=(FRICTION,))
    assert tau == pytest.approx(expected, rel=1e-9)
    plain = dyn_core.tracking_efforts(model, q, v, a, desired)
    assert plain == pytest.approx(dyn_core.rnea(model, q, v, a), rel=1e-9)
