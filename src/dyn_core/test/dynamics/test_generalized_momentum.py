# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Generalized momentum and its rate: by matrices, by the motion, and what observers make of it."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from covering import covers, evaluated
from random_trees import random_model
from robots import load, relative_error
from test_random_trees import states

import dyn_core
from dyn_core import friction_efforts, generalized_momentum, generalized_momentum_rate
from dyn_core.control import MomentumObserver
from dyn_core.simulation import Dynamics, runge_kutta_4


@covers(generalized_momentum_rate)
@pytest.mark.quick("[0]")
@pytest.mark.parametrize("seed", range(6))
def test_momentum_and_its_rate_are_those_of_the_matrices(seed: int) -> None:
    """``M v`` and ``tau + C' v - g + sum J' f``, of all types of joints, mimic ones among them."""
    model = random_model(seed, joints=14)
    for k, s in enumerate(states(model, 3)):
        s["f_ext"] = np.random.default_rng(k).normal(size=(model.njoints, 6))
        M, C = evaluated(model, dyn_core.crba, s), evaluated(model, dyn_core.coriolis_matrix, s)
        assert relative_error(evaluated(model, generalized_momentum, s), M @ s["v"]) < 1e-11
        held = evaluated(model, dyn_core.static_torque, s)
        rate = evaluated(model, generalized_momentum_rate, s)
        assert relative_error(rate, s["tau"] + C.T @ s["v"] - held) < 1e-11
        friction = friction_efforts.request(smoothing=0.1)
        rubbed = evaluated(model, generalized_momentum_rate.request(efforts=(friction,)), s)
        assert relative_error(rubbed, rate + evaluated(model, friction, s)) < 1e-11


@pytest.mark.quick("[0]")
@pytest.mark.parametrize("seed", range(3))
def test_the_rate_is_that_of_the_momentum_in_motion(seed: int) -> None:
    """Along the motion that forward dynamics gives: ``p(t + h) - p(t - h) = 2 h dp/dt``."""
    model, h = random_model(seed, joints=8), 1e-5
    (s,) = states(model, 1)
    a = dyn_core.aba(model, s["q"], s["v"], s["tau"])

    def momentum(t: float) -> np.ndarray:
        # to second order in t, on the manifold
        q = dyn_core.integrate(model, s["q"], t * s["v"] + 0.5 * t * t * a)
        return evaluated(model, generalized_momentum, {"q": q, "v": s["v"] + t * a})

    found = (momentum(h) - momentum(-h)) / (2.0 * h)
    assert relative_error(evaluated(model, generalized_momentum_rate, s), found) < 1e-6


def test_an_arm_that_falls_feels_what_pushes_it_and_nothing_else() -> None:
    """The estimate is the push behind a low-pass filter, while all joints move under gravity."""
    model, K, dt = load("ur5").model, 40.0, 1e-3
    push = np.array([6.0, -4.0, 3.0, 0.5, -0.4, 0.2])
    tau = np.array([1.0, -20.0, 5.0, 0.1, 0.2, -0.1])
    motion = Dynamics(model).under(tau + push)
    compute = dyn_core.compile(model, [generalized_momentum, generalized_momentum_rate])
    observer = MomentumObserver(model.nv, K)
    q, v = dyn_core.neutral(model), np.zeros(model.nv)
    for step in range(300):
        residual = observer.update(dt, *compute.bind(model.create_data())(q, v, tau))
        assert residual == pytest.approx(push * (1.0 - exp(-K * dt * step)), abs=2e-3)
        q, v = runge_kutta_4(model, motion, q, v, dt)
    assert np.abs(v).max() > 1.0
