# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Sparse factorization of the mass matrix, its inverse, and operational-space inertia."""

from __future__ import annotations

import numpy as np
import pytest
from covering import covers, evaluated
from random_trees import random_model
from robots import Robot, load, relative_error
from test_random_trees import states

import dyn_core
from dyn_core import LOCAL_WORLD_ALIGNED, ModelError


@pytest.mark.quick("[0]")
@pytest.mark.parametrize("seed", range(3))
def test_factors_multiply_to_the_mass_matrix_with_every_joint_type(seed: int) -> None:
    model = random_model(seed, joints=14)
    for s in states(model, 3):
        U, D, _ = evaluated(model, dyn_core.cholesky, s)
        assert relative_error(U @ np.diag(D) @ U.T, evaluated(model, dyn_core.crba, s)) < 1e-13
        assert np.array_equal(U, np.triu(U))
        assert np.array_equal(np.diag(U), np.ones(model.nv))


def test_factor_is_zero_between_branches() -> None:
    """Of the four legs of a robot, which have three joints each behind six coordinates."""
    (s,) = load("hyq").states(1)
    U, _, _ = evaluated(load("hyq").model, dyn_core.cholesky, s)
    legs = np.kron(np.eye(4), np.triu(np.ones((3, 3))))
    assert np.array_equal(U[6:, 6:] != 0.0, legs != 0.0)


@covers(dyn_core.cholesky_product, dyn_core.cholesky_solve)
@pytest.mark.quick("[0]")
@pytest.mark.parametrize("seed", range(2))
def test_products_and_solutions_undo_each_other(seed: int) -> None:
    model = random_model(seed, joints=14)
    (s,) = states(model, 1)
    U, _, _ = evaluated(model, dyn_core.cholesky, s)
    M = evaluated(model, dyn_core.crba, s)
    for factor, matrix in {"M": M, "U": U, "U'": U.T}.items():
        x = s["v"]
        product = evaluated(model, dyn_core.cholesky_product.request(factor), {**s, "x": x})
        assert relative_error(product, matrix @ x) < 1e-12
        solution = evaluated(model, dyn_core.cholesky_solve.request(factor), {**s, "b": product})
        assert relative_error(solution, x) < 1e-8


def test_robots_without_an_inverse_are_refused_by_the_names_of_their_joints() -> None:
    model = dyn_core.ModelBuilder("ghost")
    model.add_joint(0, dyn_core.joints.Revolute(), dyn_core.spatial.SE3.identity(), "j")
    q = np.zeros(1)
    for quantity in (dyn_core.minverse, dyn_core.cholesky):
        with pytest.raises(ModelError, match="mass matrix is singular: joint 'j'"):
            quantity(model.build(), q)


@covers(dyn_core.operational_space_inertia, dyn_core.inverse_operational_space_inertia)
def test_operational_space_inertia_inverts_the_acceleration_by_a_force(robot: Robot) -> None:
    model, frame = robot.model, robot.model.frames[-1].name
    for s in robot.states(5):
        J = evaluated(model, dyn_core.frame_jacobian.request(frame, LOCAL_WORLD_ALIGNED), s)
        expected = J @ np.linalg.inv(evaluated(model, dyn_core.crba, s)) @ J.T
        asked = dyn_core.inverse_operational_space_inertia.request(frame, LOCAL_WORLD_ALIGNED)
        mobility = evaluated(model, asked, s)
        assert relative_error(mobility, expected) < 1e-9
        asked = dyn_core.operational_space_inertia.request(frame, LOCAL_WORLD_ALIGNED, damping=1e-3)
        inertia = evaluated(model, asked, s)
        assert np.abs(inertia @ (mobility + 1e-3 * np.eye(6)) - np.eye(6)).max() < 1e-9


def test_operational_space_inertia_is_bounded_at_a_singularity() -> None:
    """A straight arm cannot move its tool further outwards, whatever pushes it."""
    model, q = load("ur5").model, np.zeros(6)
    damping = 1e-4
    inertia = dyn_core.operational_space_inertia(model, q, frame="tool0", damping=damping)
    assert np.isfinite(inertia).all()
    eigenvalues = np.linalg.eigvalsh(inertia)
    assert eigenvalues.max() == pytest.approx(1.0 / damping, rel=1e-6)
    assert eigenvalues.min() > 0.0


def test_damping_hardly_matters_far_from_singularities() -> None:
    model, q = load("ur5").model, np.array([0.3, -1.0, 1.2, 0.4, 0.9, 0.1])
    exact, damped = (
        dyn_core.operational_space_inertia(model, q, frame="tool0", damping=x) for x in (0.0, 1e-6)
    )
    assert relative_error(damped, exact) < 1e-4


def test_an_inertia_that_does_not_exist_is_refused_in_words() -> None:
    model = random_model(0, joints=3, kinds=("revolute",), mimic=False)
    frame = model.names[-1]
    q = np.zeros(3)
    with pytest.raises(ValueError, match=r"frame .* has [123] degrees of freedom.*give a damping"):
        dyn_core.operational_space_inertia(model, q, frame=frame)
    with pytest.raises(ValueError, match=r"damping -1\.0 of an inverse must not be negative"):
        dyn_core.operational_space_inertia(model, q, frame=frame, damping=-1.0)
