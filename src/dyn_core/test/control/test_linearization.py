# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Linear models about a state, and modes about an equilibrium."""

from __future__ import annotations

import numpy as np
import pytest
from random_trees import random_model
from robots import load, relative_error
from test_integrators import pendulum, sprung
from test_random_trees import states

import dyn_core
from dyn_core.joints import Spherical
from dyn_core.linearization import Linearization, linearized, modes
from dyn_core.model import Model, ModelBuilder
from dyn_core.simulation import Dynamics, rollout, runge_kutta_4, semi_implicit_euler
from dyn_core.spatial import SE3, Inertia, Symmetric3, Vector3

KINDS = ("spherical", "revolute", "planar", "universal", "free_flyer")


class Constant:
    """Efforts that do not change."""

    def __init__(self, tau: np.ndarray) -> None:
        self.tau = tau

    def __call__(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return self.tau


def end(model: Model, q: np.ndarray, v: np.ndarray, tau: np.ndarray, dt: float):
    many_q, many_v = rollout(model, runge_kutta_4, Dynamics(model, Constant(tau)), q, v, dt / 8, 8)
    return many_q[-1], many_v[-1]


@pytest.mark.quick("[0]")
@pytest.mark.parametrize("seed", range(2))
def test_linear_model_vs_motions_nearby(seed: int) -> None:
    """How motions that start a little apart separate, on curved configuration spaces too."""
    model = random_model(seed, joints=3, kinds=KINDS, mimic=False)
    s, h, dt = states(model, 1)[0], 1e-5, 1e-4
    q, v, tau = s["q"], s["v"], s["tau"]
    n, found = model.nv, linearized(model, s["q"], s["v"], s["tau"])

    def apart(x: np.ndarray) -> np.ndarray:
        start = dyn_core.integrate(model, q, x[:n].copy())
        ahead = end(model, start, v + x[n : 2 * n], tau + x[2 * n :], dt)
        middle = end(model, q, v, tau, dt)
        return np.array([*dyn_core.difference(model, middle[0], ahead[0]), *(ahead[1] - middle[1])])

    columns = [(apart(x) - apart(-x)) / (2.0 * h) for x in h * np.eye(3 * n)]
    rates = np.array(columns).T
    rates[:, : 2 * n] -= np.eye(2 * n)
    rates /= dt
    both = np.hstack([found.A, found.B])
    assert relative_error(both, rates) < 20.0 * dt


def test_discrete_models_of_a_double_integrator_and_of_a_pendulum() -> None:
    """Which near rest moves as its linear model in long steps."""
    A, B = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [1.0]])
    discrete = Linearization(A, B).discrete(0.5)
    assert np.allclose(discrete.A, [[1.0, 0.5], [0.0, 1.0]])
    assert np.allclose(discrete.B, [[0.125], [0.5]])
    model, dt = pendulum(), 0.2
    zero = np.zeros(1)
    discrete = linearized(model, zero, zero, zero).discrete(dt)
    x, u = np.array([1e-4, -2e-4]), np.array([3e-4])
    q, v = end(model, x[:1], x[1:], u, dt)
    assert np.allclose(discrete.A @ x + discrete.B @ u, [q[0], v[0]], rtol=0.0, atol=1e-8)


def test_forces_from_outside_enter_the_linear_model() -> None:
    robot = load("ur5")
    s, f_ext = robot.states(1)[0], np.random.default_rng(0).normal(size=(7, 6))
    with_forces = linearized(robot.model, s["q"], s["v"], s["tau"], 100.0 * f_ext)
    without = linearized(robot.model, s["q"], s["v"], s["tau"])
    assert not np.allclose(with_forces.A, without.A)
    assert np.array_equal(with_forces.B, without.B)


def test_frequency_of_a_pendulum_which_has_none_upside_down() -> None:
    model = pendulum(length=0.7)
    (frequency,) = modes(model, np.zeros(1)).frequencies
    assert frequency == pytest.approx(np.sqrt(9.81 / 0.7) / (2.0 * np.pi), rel=1e-12)
    (stiffer,) = modes(model, np.zeros(1), np.array([5.0])).frequencies
    expected = np.sqrt(9.81 / 0.7 + 5.0 / 0.49) / (2.0 * np.pi)
    assert stiffer == pytest.approx(expected, rel=1e-12)
    (own,) = modes(sprung(model, 5.0, 0.0), np.zeros(1)).frequencies
    assert own == pytest.approx(expected, rel=1e-12)
    found = modes(pendulum(), np.array([np.pi]))
    assert found.squares[0] == pytest.approx(-9.81)
    with pytest.raises(ValueError, match="1 of 1 modes have no frequency"):
        _ = found.frequencies


def test_modes_diagonalize_mass_and_stiffness() -> None:
    robot = load("panda")
    model, q = robot.model, robot.states(1)[0]["q"]
    springs = np.full(model.nv, 1e3)
    found = modes(model, q, springs)
    M = dyn_core.crba(model, q)
    K = dyn_core.generalized_gravity_derivatives(model, q) + np.diag(springs)
    assert np.allclose(found.shapes.T @ M @ found.shapes, np.eye(model.nv), atol=1e-9)
    assert relative_error(found.shapes.T @ K @ found.shapes, np.diag(found.squares)) < 1e-9
    A = linearized(model, q, np.zeros(model.nv), dyn_core.generalized_gravity(model, q)).A
    A[model.nv :, : model.nv] -= np.linalg.solve(M, np.diag(springs))
    poles = np.sort(np.abs(np.linalg.eigvals(A).imag))[::2]
    assert np.allclose(poles, np.sqrt(found.squares), rtol=1e-6)


def test_steps_longer_than_the_longest_grow_and_shorter_ones_do_not() -> None:
    """Of the fastest of several modes, in the integrator that physics engines have."""
    model = load("ur5").model.with_gravity((0.0, 0.0, 0.0))
    q, stiffness = np.array([0.1, -1.0, 1.2, 0.3, 0.5, 0.2]), np.full(6, 300.0)
    found = modes(model, q, stiffness)
    assert found.longest_step == pytest.approx(1.0 / (np.pi * found.frequencies[-1]))

    def springs(now: np.ndarray, v: np.ndarray) -> np.ndarray:
        return dyn_core.aba(model, now, v, stiffness * (q - now))

    start = q + 1e-6 * found.shapes[:, -1]
    for factor, grows in ((0.95, False), (1.05, True)):
        state = start, np.zeros(6)
        for _ in range(12):
            state = semi_implicit_euler(model, springs, *state, factor * found.longest_step)
        assert (abs(state[0] - q).max() > 100.0 * abs(start - q).max()) == grows
    still = modes(model, q)
    assert still.longest_step > 1e3 * found.longest_step


def test_modes_need_a_symmetric_stiffness() -> None:
    builder = ModelBuilder("ball")
    joint = builder.add_joint(0, Spherical(), SE3.identity(), "ball")
    spread = Symmetric3(0.1, 0.0, 0.2, 0.0, 0.0, 0.3)
    builder.add_body(joint, Inertia.from_com(1.0, Vector3(0.5, 0.0, 0.0), spread), SE3.identity())
    model = builder.build()
    with pytest.raises(ValueError, match="'ball' there is not symmetric"):
        modes(model, dyn_core.neutral(model))
    with pytest.raises(ValueError, match=r"stiffness must have shape \(3,\), not \(2,\)"):
        modes(model, dyn_core.neutral(model), np.zeros(2))
