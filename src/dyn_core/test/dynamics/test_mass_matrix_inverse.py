# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Factorization of the mass matrix, operational-space and articulated-body inertias."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from covering import covers, evaluated
from random_trees import random_model
from robots import Robot, load, relative_error
from test_integrators import acrobat
from test_random_trees import states

import dyn_core
from dyn_core import LOCAL, LOCAL_WORLD_ALIGNED, WORLD, Model, ModelError, articulated_inertias


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


def test_an_inertia_that_does_not_exist_is_refused_in_words() -> None:
    model = random_model(0, joints=3, kinds=("revolute",), mimic=False)
    frame = model.names[-1]
    q = np.zeros(3)
    with pytest.raises(ValueError, match=r"frame .* has [123] degrees of freedom.*give a damping"):
        dyn_core.operational_space_inertia(model, q, frame=frame)
    with pytest.raises(ValueError, match=r"damping -1\.0 of an inverse must not be negative"):
        dyn_core.operational_space_inertia(model, q, frame=frame, damping=-1.0)


@covers(articulated_inertias)
@pytest.mark.parametrize("name", ["ur5", "hyq"])
def test_articulated_inertias_vs_pinocchio(name: str) -> None:
    """Pinocchio keeps them with the joint projected out where another joint carries it."""
    robot = load(name)
    data = robot.pin_model.createData()
    for s in robot.states(20):
        pin.aba(robot.pin_model, data, s["q"], s["v"], s["tau"], pin.Convention.LOCAL)
        actual = articulated_inertias(robot.model, s["q"])
        for i in robot.model.moving_joints:
            expected = data.Yaba[i]
            if robot.model.parents[i]:
                joint = robot.model.joints[i]
                columns = joint.subspace(robot.model.q_of(i, s["q"].tolist()))
                S = np.array([list(column) for column in columns], dtype=float).T
                U = actual[i] @ S
                D = S.T @ U + np.diag(robot.model.tree[i].limits.armature)
                assert np.abs(actual[i] - U @ np.linalg.solve(D, U.T) - expected).max() < 1e-9
            else:
                assert relative_error(actual[i], expected) < 1e-10


def test_a_free_base_feels_the_inverse_of_its_mobility() -> None:
    """``IA`` of the first body is its operational-space inertia, in both references."""
    model = acrobat(9.81)
    random = np.random.default_rng(0)
    base = model.names[1]
    for _ in range(5):
        q = dyn_core.integrate(model, dyn_core.neutral(model), random.normal(size=model.nv))
        for reference in (LOCAL, WORLD):
            J = dyn_core.joint_jacobian.request(base, reference)(model, q)
            mobility = J @ dyn_core.minverse(model, q) @ J.T
            actual = articulated_inertias.request(reference)(model, q)[1]
            assert relative_error(actual @ mobility, np.eye(6)) < 1e-9


def test_bodies_that_share_a_coordinate_are_refused_by_name() -> None:
    text = """<robot name="two"><link name="a"/>{}{}</robot>""".format(
        *(
            f"""<link name="{child}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0"
            iyy="1" iyz="0" izz="1"/></inertial></link><joint name="{name}" type="revolute">
            <parent link="{parent}"/><child link="{child}"/><axis xyz="0 0 1"/>
            <limit effort="1" velocity="1" lower="-1" upper="1"/>{mimic}</joint>"""
            for name, parent, child, mimic in (
                ("lead", "a", "b", ""),
                ("follow", "b", "c", '<mimic joint="lead"/>'),
            )
        )
    )
    with pytest.raises(ModelError, match="'two' has the mimic joints follow, so its bodies"):
        articulated_inertias(Model.from_urdf(text), np.zeros(1))
